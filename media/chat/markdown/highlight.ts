import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const languages = { bash, diff, go, java, json, python, rust, sql, typescript, xml, yaml };

/** Longer code is shown in one colour: highlighting it would hold up scrolling. */
const MAX_LENGTH = 30_000;
/** Some languages read a word anew from each of its letters. */
const LONG_WORD = /\w{1000}/;

for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
// The library's grammar of the one is made from that of the other, and would be here twice.
hljs.registerAliases(['javascript', 'js', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' });

/** Highlighted code; `undefined` for languages not known here. */
export function highlight(code: string, language: string): DocumentFragment | undefined {
  if (code.length > MAX_LENGTH || LONG_WORD.test(code) || hljs.getLanguage(language) === undefined)
    return undefined;
  return colored(hljs.highlight(code, { language, ignoreIllegals: true }).value);
}

/** The nodes of highlighted code; none where the library made anything of it but spans with a class. */
function colored(html: string): DocumentFragment | undefined {
  const template = document.createElement('template');
  template.innerHTML = html;
  const made = [...template.content.querySelectorAll('*')];
  const isColor = ({ localName, attributes }: Element): boolean =>
    localName === 'span' && attributes.length === 1 && attributes[0]?.name === 'class';
  return made.every(isColor) ? template.content : undefined;
}
