import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { css } from './cssLanguage';

const languages = { bash, css, diff, go, java, javascript, json, python, rust, sql, typescript, xml, yaml };

/** Longer code is shown in one colour: highlighting it would hold up scrolling. */
const MAX_LENGTH = 30_000;
/** Some languages read a word anew from each of its letters. */
const LONG_WORD = /\w{1000}/;

/** Made ready with the first code there is: a page begins sooner without it. */
function highlighter(): typeof hljs {
  if (hljs.listLanguages().length === 0) {
    for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
  }
  return hljs;
}

/** HTML of highlighted code, made of escaped text and `<span class="hljs-…">`; `undefined` for languages not known here. */
export function highlight(code: string, language: string): string | undefined {
  if (code.length > MAX_LENGTH || LONG_WORD.test(code)) return undefined;
  if (highlighter().getLanguage(language) === undefined) return undefined;
  return highlighter().highlight(code, { language, ignoreIllegals: true }).value;
}
