import { Marked, type MarkedToken, type Token, type Tokens } from 'marked';
import { plain } from '../../util/text';
import { BoundedLexer, bounds, MAX_LENGTH, TooSlow } from './boundedMarkdown';

/**
 * Foreign Markdown written anew from what `marked` reads in it, so that nothing is loaded when it is shown and no link in it leads
 * anywhere but to http, https and mailto: pictures become links, all other links, HTML and math are shown as written. Code stays
 * code. VS Code finds links by patterns of its own, in the whole of a text (`textOf`, `shownCode`); what is written here gives them
 * nothing to find. Headings stand `below` as many levels. A text that is very long or was made to be read slowly becomes code.
 */
export function inertMarkdown(text: string, below = 0): string {
  const clean = normal(text);
  if (clean.length > MAX_LENGTH) return fenced(clean);
  try {
    return blocks(lexer().lex(clean), below);
  } catch (error) {
    if (error instanceof TooSlow) return fenced(clean);
    throw error;
  }
}

/** The same for text on one line. */
export function inertLine(line: string): string {
  const clean = normal(line).replace(/\s+/g, ' ');
  return inline(lexer().inlineTokens(clean));
}

/** Code in a fence longer than any inside. */
export function fenced(code: string, language = ''): string {
  if (code === '') return '';
  const fence = longerThanIn(code, 3);
  return `${fence}${/^[\w.+#-]*/.exec(language)?.[0] ?? ''}\n${shownCode(normal(code))}\n${fence}`;
}

/** Every reader agrees where lines end. */
function normal(text: string): string {
  return plain(text.replace(/[\u2028\u2029\u000b\f]/g, '\n'), Infinity);
}

/** HTML is text like any other. */
function lexer(): BoundedLexer<string, string> {
  const none = (): undefined => undefined;
  const options = new Marked({ gfm: true, ...bounds() }, { tokenizer: { html: none, tag: none } }).defaults;
  return new BoundedLexer(options);
}

function blocks(tokens: readonly Token[], below: number): string {
  return tokens
    .map(token => block(token as MarkedToken, below))
    .filter(written => written !== '')
    .join('\n\n');
}

function block(token: MarkedToken, below: number): string {
  switch (token.type) {
    case 'space':
      return '';
    case 'hr':
      return '***';
    case 'heading':
      return `${'#'.repeat(Math.min(6, token.depth + below))} ${oneLine(inline(token.tokens))}`;
    case 'code':
      return fenced(token.text.replace(/\n$/, ''), token.lang);
    case 'blockquote':
      return blocks(token.tokens, below)
        .split('\n')
        .map(line => `> ${line}`.trimEnd())
        .join('\n');
    case 'list':
      return list(token, below);
    case 'table':
      return table(token);
    case 'paragraph':
    case 'text':
      return inline(token.tokens ?? [{ type: 'text', raw: token.raw, text: token.raw }]);
    default:
      return textOf(token.raw.trim());
  }
}

function list({ items, ordered, start, loose }: Tokens.List, below: number): string {
  const written = items.map(({ tokens }, index) => {
    const mark = ordered ? `${(Number(start) + index) % 1e9}. ` : '- ';
    const lines = item(tokens as MarkedToken[], loose, below).split('\n');
    const indent = ' '.repeat(mark.length);
    return `${mark}${lines.map((line, at) => (at === 0 || line === '' ? line : indent + line)).join('\n')}`.trimEnd();
  });
  // Between the fences of two items there is an empty line: to VS Code, backticks on both sides of none may belong together.
  return written.join(loose || written.some(text => text.includes('\n\n')) ? '\n\n' : '\n');
}

/** Lists within a tight item follow its words at once. */
function item(tokens: readonly MarkedToken[], loose: boolean, below: number): string {
  let written = '';
  let wasCheckbox = false;
  for (const token of tokens) {
    const next = token.type === 'checkbox' ? token.raw.trim() : block(token, below);
    if (next === '') continue;
    const follows = !loose && token.type === 'list' && (!token.ordered || token.start === 1);
    written += (written === '' ? '' : wasCheckbox ? ' ' : follows ? '\n' : '\n\n') + next;
    wasCheckbox = token.type === 'checkbox';
  }
  return written;
}

function table({ header, align, rows }: Tokens.Table): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const cells = (all: readonly Tokens.TableCell[]): string =>
    row(all.map(({ tokens }) => oneLine(inline(tokens, { inTable: true }))));
  const rules = align.map(side =>
    side === null ? '---' : { left: ':--', right: '--:', center: ':-:' }[side],
  );
  return [cells(header), row(rules), ...rows.map(cells)].join('\n');
}

interface Place {
  readonly inTable?: boolean;
  readonly inLabel?: boolean;
}

function inline(tokens: readonly Token[], place: Place = {}): string {
  let written = '';
  let text = '';
  const add = (markup: string): void => {
    written += textOf(text, { ...place, beforeLink: markup.startsWith('[') }) + markup;
    text = '';
  };
  for (const token of tokens as readonly MarkedToken[]) {
    switch (token.type) {
      case 'codespan':
        // VS Code takes brackets of code within the words of a link for its own.
        if (place.inLabel === true && /[[\]]/.test(token.text)) text += token.raw;
        else add(span(token.text, place));
        break;
      case 'strong':
      case 'em':
      case 'del': {
        const marks = /^~~?/.exec(token.raw)?.[0] ?? token.raw.slice(0, token.type === 'em' ? 1 : 2);
        add(`${marks}${inline(token.tokens, place).replace(/^~/, '\\~')}${marks}`);
        break;
      }
      case 'link':
      case 'image': {
        const address = addressOf(token.href);
        if (place.inLabel === true) text += token.type === 'image' ? token.text : token.raw;
        // To some readers an address goes on to the next space, over code, too.
        else if (address === undefined) text += token.raw.replace(/:(?=\/\/)|www(?=\.)/gi, '$&\\');
        // In its brackets no reader takes what follows for a part of it.
        else if (token.text === token.href) add(`<${address}>`);
        else if (token.raw === token.text && token.href.startsWith('mailto:')) text += token.raw;
        else add(named(token, address));
        break;
      }
      case 'br':
        add('\\\n');
        break;
      default:
        text += token.raw;
    }
  }
  add('');
  return written;
}

function named({ tokens, text, href }: Tokens.Link | Tokens.Image, address: string): string {
  const label = oneLine(inline(tokens, { inLabel: true }));
  return `[${label.trim() || textOf(text.trim() || href, { inLabel: true })}](${address})`;
}

/** Where a link leads, with nothing in it that ends a link or begins another; only where a browser or a mail program would go. */
function addressOf(href: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)[^\s\u0000-\u001f]+$/i.test(href)) return undefined;
  return href.replace(/["'()*<>[\\\]^`{|}$]/g, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

function span(code: string, { inTable = false }: Place): string {
  const fence = longerThanIn(code, 1);
  const pad = /^`|`$|^ .* $/.test(code) ? ' ' : '';
  const shown = shownCode(code);
  return `${fence}${pad}${inTable ? shown.replaceAll('|', '\\|') : shown}${pad}${fence}`;
}

function longerThanIn(code: string, least: number): string {
  const runs = code.match(/`+/g) ?? [];
  return '`'.repeat(runs.reduce((length, run) => Math.max(length, run.length + 1), least));
}

/** The beginnings of tags with addresses, up to their ends. */
const LINKING = /<(?=(?:a|img|video|source)\s)((?:"[^"]*"|'[^']*'|[^"'>])*)(>?)/gi;

/**
 * VS Code looks for HTML in code too, and leaves out what it finds there only where tags end within it and their addresses are
 * quoted or harmless. Other tags get a backslash, and those in their quotes, which are tags then.
 */
function shownCode(code: string): string {
  return code.replace(LINKING, (tag, inside: string, end: string) =>
    end === '' || /\b(?:href|src|placeholder)(?:\s+=|=(?!["'{]|https?:\/\/))/i.test(inside)
      ? tag.replace(/<(?=(?:a|img|video|source)\s)/gi, '<\\')
      : tag,
  );
}

const MARKS =
  /\\?\](?=[(:])|\\[!-/:-@[-`{-~]|[`$|[\]]|<(?=[A-Za-z/!?])|~(?=~|$)|(?<!https?:)\/(?=\/\S)|=(?=["'])|!$/gi;

/** Shown as they are also behind a backslash, and to whoever does not know of backslashes. */
const SHOWN: Readonly<Record<string, string>> = { '`': '&#96;', '<': '&lt;' };
/** Brackets within the words of a link, which VS Code pairs with any before them, be they code. */
const BRACKETS: Readonly<Record<string, string>> = { '[': '&#91;', ']': '&#93;' };

/**
 * Text without what any reader takes for a link, code, HTML, math or the edge of a cell, with as few marks of ours as that needs.
 * A pair of brackets is none by itself.
 */
function textOf(
  text: string,
  { inLabel = false, beforeLink = false }: Place & { readonly beforeLink?: boolean } = {},
): string {
  return text.replace(MARKS, (mark, at: number) => {
    const bracket = inLabel ? BRACKETS[mark.at(-1) ?? ''] : undefined;
    if (bracket !== undefined) return bracket;
    if (mark.endsWith(']')) return /[(:]/.test(text[at + mark.length] ?? '') ? `${mark}\\` : mark;
    if (mark.startsWith('\\')) return SHOWN[mark.slice(1)] ?? mark;
    if (mark === '!') return beforeLink ? '\\!' : '!';
    if (mark === '[') return PAIR.test(text.slice(at, at + 200)) ? '[' : '\\[';
    return SHOWN[mark] ?? `\\${mark}`;
  });
}

const PAIR = /^\[[^[\]\\\n]*\]/;

function oneLine(text: string): string {
  return text.replace(/\\?\n[ \t]*/g, ' ');
}
