import * as l10n from '@vscode/l10n';
import DOMPurify, { type Config } from 'dompurify';
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
import { Marked, type Tokens } from 'marked';
import { PATH } from '../../src/chat/protocol';
import { bounds } from './bounds';

/** The only elements and attributes that come out of Markdown (trust.md 4-6). */
// One object for every text: what it says is read once.
const ALLOWED = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 'del', 'a', 'ul', 'ol', 'li', 'blockquote'],
    ...['pre', 'code', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'title', 'start', 'align'],
  ADD_URI_SAFE_ATTR: ['start', 'align'],
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
} satisfies Config;

/**
 * Foreign Markdown as safe nodes: raw HTML is shown as text, links lead only to http, https and mailto, pictures become links,
 * code is highlighted and gets a button to copy it. Never throws; what cannot be rendered is shown as plain text. `breaks`: a line
 * feed is a line break, as in what people type.
 */
export function renderMarkdown(text: string, breaks: boolean): DocumentFragment {
  try {
    const fragment = DOMPurify.sanitize(parser(breaks).parse(text, { async: false }), ALLOWED);
    for (const pre of fragment.querySelectorAll('pre')) dressCode(pre);
    dressTables(fragment);
    dressPaths(fragment);
    return fragment;
  } catch {
    const fragment = document.createDocumentFragment();
    fragment.append(element('p', 'plain', text));
    return fragment;
  }
}

function parser(breaks: boolean): Marked {
  /** The headings the next one may stand below: whatever their depths, each is one level below the one before. */
  const headings: number[] = [];
  return new Marked({
    gfm: true,
    breaks,
    ...bounds(),
    renderer: {
      html: ({ text, block }: Tokens.HTML | Tokens.Tag) => (block ? `<p>${escape(text)}</p>` : escape(text)),
      heading({ tokens, depth }) {
        while ((headings.at(-1) ?? 0) >= depth) headings.pop();
        const level = Math.min(6, headings.push(depth) + 2);
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
      },
      code({ text, lang }) {
        const language = /^[\w+#.-]{1,30}/.exec(lang ?? '')?.[0].toLowerCase() ?? '';
        return `<pre title="${language}"><code>${escape(text)}</code></pre>`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const whole = inner === escape(href) ? inner : `${inner} (${escape(href)})`;
        return anchor(href, inner) ?? whole;
      },
      image({ href, text }) {
        const label = escape(text === '' ? href : text);
        return anchor(href, label) ?? label;
      },
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    },
  });
}

/** A link that may be opened, with its address written out in full; `undefined` for every other scheme. */
function anchor(href: string, inner: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href) || !URL.canParse(href)) return undefined;
  const url = escape(new URL(href).href);
  return `<a href="${url}" title="${url}">${inner}</a>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}

const languages = { bash, diff, go, java, json, python, rust, sql, typescript, xml, yaml };

/** Longer code is shown in one colour: highlighting it would hold up scrolling. */
const MAX_LENGTH = 30_000;
/** Some languages read a word anew from each of its letters. */
const LONG_WORD = /\w{1000}/;

for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
// The library's grammar of the one is made from that of the other, and would be here twice.
hljs.registerAliases(['javascript', 'js', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' });

function highlight(code: string, language: string): DocumentFragment | undefined {
  if (code.length > MAX_LENGTH || LONG_WORD.test(code) || hljs.getLanguage(language) === undefined)
    return undefined;
  const template = document.createElement('template');
  template.innerHTML = hljs.highlight(code, { language, ignoreIllegals: true }).value;
  // The library writes spans with a class, and all else as text.
  return template.content.querySelector(':not(span)') === null ? template.content : undefined;
}

/** Colours code, and frames it with its language and buttons for what can be done with it; the transcript handles the clicks. */
function dressCode(pre: HTMLPreElement): void {
  const language = pre.title;
  pre.removeAttribute('title');
  const code = pre.querySelector('code');
  const colored = highlight(pre.textContent, language);
  if (colored !== undefined) code?.replaceChildren(colored);
  const button = (act: string, label: string, icon?: string): HTMLButtonElement => {
    const shown = icon === undefined ? label : element('span', `codicon codicon-${icon}`);
    const made = element('button', icon === undefined ? 'link' : 'icon-button', shown);
    made.type = 'button';
    made.dataset['act'] = act;
    made.title = made.ariaLabel = label;
    return made;
  };
  const isDiff = language === 'diff' || language === 'patch';
  const bar = element(
    'div',
    'code-bar bar',
    element('span', 'code-language one-line quiet small', language),
    ...(isDiff
      ? [button('compareDiff', l10n.t('Open as diff')), button('applyDiff', l10n.t('Apply…'))]
      : [button('insertCode', l10n.t('Insert at cursor'), 'insert')]),
    button('copy', l10n.t('Copy code'), 'copy'),
  );
  group(pre, language === '' ? l10n.t('Code') : `${l10n.t('Code')}, ${language}`);
  const block = element('div', 'code', bar);
  pre.replaceWith(block);
  block.append(pre);
}

function dressTables(fragment: DocumentFragment): void {
  for (const head of fragment.querySelectorAll('th')) {
    if (head.textContent.trim() === '') head.replaceWith(element('td', ''));
  }
  for (const table of fragment.querySelectorAll('table')) {
    const frame = group(element('div', 'table'), l10n.t('Table'));
    table.replaceWith(frame);
    frame.append(table);
  }
}

/** What may be wider than the page, and so is scrolled, with keys too. */
function group<E extends HTMLElement>(frame: E, label: string): E {
  frame.tabIndex = 0;
  frame.role = 'group';
  frame.ariaLabel = label;
  return frame;
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.className = className;
  made.append(...content);
  return made;
}

/** Makes names of files with a line open that file; what they open is decided by the panel. */
export function dressPaths(root: DocumentFragment | Element): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode() !== null) {
    const text = walker.currentNode as Text;
    if (text.data.includes(':') && !text.parentElement?.closest('a')) texts.push(text);
  }
  for (const text of texts) {
    const pieces: (string | Node)[] = [];
    let from = 0;
    for (const found of text.data.matchAll(PATH)) {
      const link = element('a', 'path', found[0]);
      link.href = '#';
      link.title = l10n.t('Open this file');
      pieces.push(text.data.slice(from, found.index), link);
      from = found.index + found[0].length;
    }
    if (from > 0) text.replaceWith(...pieces, text.data.slice(from));
  }
}
