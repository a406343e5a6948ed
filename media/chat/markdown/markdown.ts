import DOMPurify, { type Config } from 'dompurify';
import { Marked, type Tokens } from 'marked';
import { MAX_SHOWN, type ChatStrings } from '../../../src/chat/protocol';
import { bounds } from './bounds';
import { highlight } from './highlight';
import { dressPaths } from './paths';

export interface MarkdownOptions {
  readonly strings: ChatStrings;
  /** A line feed is a line break, as in what people type. */
  readonly breaks?: boolean;
}

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

/** The address of a link that may be opened, written out in full; `undefined` for every other scheme. */
export function openableLink(href: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return undefined;
  try {
    return new URL(href).href;
  } catch {
    return undefined;
  }
}

/**
 * Foreign Markdown as safe nodes: raw HTML is shown as text, links lead only to http, https and mailto, pictures become links,
 * code is highlighted and gets a button to copy it. Never throws; what cannot be rendered is shown as plain text.
 */
export function renderMarkdown(text: string, options: MarkdownOptions): DocumentFragment {
  if (text.length > MAX_SHOWN) return plainText(text);
  try {
    const languages: string[] = [];
    const html = parser(languages, options.breaks ?? false).parse(text, { async: false });
    const fragment = DOMPurify.sanitize(html, ALLOWED);
    dressLinks(fragment);
    dressCode(fragment, languages, options.strings);
    dressTables(fragment, options.strings);
    dressPaths(fragment, options.strings.openPath);
    return fragment;
  } catch {
    return plainText(text);
  }
}

function parser(languages: string[], breaks: boolean): Marked {
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
        languages.push(/^[\w+#.-]{1,30}/.exec(lang ?? '')?.[0].toLowerCase() ?? '');
        return `<pre><code>${escape(text)}</code></pre>`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const url = openableLink(href);
        if (url !== undefined) return `<a href="${escape(url)}">${inner}</a>`;
        return inner === escape(href) ? inner : `${inner} (${escape(href)})`;
      },
      image({ href, text }) {
        const url = openableLink(href);
        const label = escape(text === '' ? href : text);
        return url === undefined ? label : `<a href="${escape(url)}">${label}</a>`;
      },
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    },
  });
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}

function dressLinks(fragment: DocumentFragment): void {
  for (const link of fragment.querySelectorAll('a')) {
    const url = openableLink(link.getAttribute('href') ?? '');
    if (url === undefined) link.replaceWith(...link.childNodes);
    else link.title = url;
  }
}

function dressCode(fragment: DocumentFragment, languages: readonly string[], strings: ChatStrings): void {
  const blocks = [...fragment.querySelectorAll('pre')];
  for (const [index, pre] of blocks.entries()) {
    const code = pre.querySelector('code');
    if (code === null) continue;
    const language = blocks.length === languages.length ? (languages[index] ?? '') : '';
    const colored = language === '' ? undefined : highlight(code.textContent, language);
    if (colored !== undefined) code.replaceChildren(colored);
    frameCode(pre, language, strings);
  }
}

/** Gives a code block its language and buttons for what can be done with it; clicks are handled by the transcript. */
function frameCode(pre: HTMLPreElement, language: string, strings: ChatStrings): void {
  const block = element('div', 'code');
  const bar = element('div', 'code-bar');
  const name = element('span', 'code-language');
  name.textContent = language;
  const button = (act: string, label: string, icon?: string): HTMLButtonElement => {
    const made = element('button', icon === undefined ? 'link' : 'icon-button');
    made.type = 'button';
    made.dataset['act'] = act;
    if (icon === undefined) made.textContent = label;
    else {
      made.title = made.ariaLabel = label;
      made.append(element('span', `codicon codicon-${icon}`));
    }
    return made;
  };
  const isDiff = language === 'diff' || language === 'patch';
  bar.append(
    name,
    ...(isDiff
      ? [button('compareDiff', strings.compareDiff), button('applyDiff', strings.applyDiff)]
      : [button('insertCode', strings.insertCode, 'insert')]),
    button('copy', strings.copyCode, 'copy'),
  );
  pre.tabIndex = 0;
  pre.role = 'group';
  pre.ariaLabel = language === '' ? strings.code : `${strings.code}, ${language}`;
  pre.replaceWith(block);
  block.append(bar, pre);
}

function dressTables(fragment: DocumentFragment, strings: ChatStrings): void {
  for (const head of fragment.querySelectorAll('th')) {
    if (head.textContent.trim() === '') head.replaceWith(element('td', ''));
  }
  for (const table of fragment.querySelectorAll('table')) {
    const frame = element('div', 'table');
    frame.tabIndex = 0;
    frame.role = 'group';
    frame.ariaLabel = strings.table;
    table.replaceWith(frame);
    frame.append(table);
  }
}

function plainText(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const paragraph = element('p', 'plain');
  paragraph.textContent = text;
  fragment.append(paragraph);
  return fragment;
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.className = className;
  return made;
}
