import * as vscode from 'vscode';
import type { DetailsDocuments } from '../../util/detailsDocuments';
import { format, inMarkdown, joined } from '../../ui/text';
import { longerThanIn, plain } from '../../util/text';
import type { Conversation } from '../conversation';
import { headerOf } from '../panel/panelState';
import { withDays, type Chip, type Header, type MessageRow, type Part, type Row } from '../protocol';
import { keyOf } from '../sessions';
import { RowBuilder } from './rows';

/** Shows a transcript as Markdown, or one row of it. */
export async function showTranscript(
  conversation: Conversation,
  details: Pick<DetailsDocuments, 'show'>,
  key = '',
): Promise<void> {
  await conversation.load();
  const { session, sessionId } = conversation;
  const header = headerOf(session, sessionId, false, Date.now());
  const rows = new RowBuilder(true).build(conversation.rows);
  const text = transcriptDocument(header, key === '' ? rows : rows.filter(row => row.key === key));
  await details.show(keyOf(conversation) + key, session?.title ?? sessionId, () => text);
}

/** A transcript as Markdown that loads nothing: a heading a day, a message and a collapsed part, for the outline of editors. */
export function transcriptDocument(
  header: Pick<Header, 'title' | 'facts' | 'messages' | 'tokens'>,
  rows: readonly Row[],
): string {
  const { title, facts: named, tokens, messages = [] } = header;
  const facts = named.map(({ label, value }) => `${label}: ${value}`);
  const lines = facts.concat(tokens?.detail.split('\n') ?? [], messages);
  const blocks = [`# ${inMarkdown(title)}`, lines.map(line => `- ${inMarkdown(line)}`).join('\n')];
  for (const row of withDays(rows)) {
    switch (row.kind) {
      case 'date':
        blocks.push(`## ${format.date({ dateStyle: 'full' }, row.at)}`);
        break;
      case 'message':
        blocks.push(`### ${joined([authorOf(row), format.timeOfDay(row.at ?? NaN)], ', ')}${stateOf(row)}`);
        if (row.failed) blocks.push(`**${vscode.l10n.t('The agent reported an error')}**`);
        blocks.push(...row.parts.flatMap(part), chips(row.chips));
        if (row.send !== undefined) blocks.push(inMarkdown(row.send.sentence));
        break;
      case 'gap':
        blocks.push(`*${inMarkdown(row.sentence)}*`);
    }
  }
  return `${blocks.filter(block => block !== '').join('\n\n')}\n`;
}

function authorOf({ author, role, phase }: MessageRow): string {
  const name = { person: vscode.l10n.t('You'), agent: vscode.l10n.t('Agent'), other: role }[author];
  return inMarkdown(phase === undefined ? name : `${name} (${phase})`);
}

function stateOf({ send }: MessageRow): string {
  const states = { sending: vscode.l10n.t('sending'), unknown: vscode.l10n.t('outcome unknown') };
  return send === undefined ? '' : ` (${states[send.state]})`;
}

function chips(attached: readonly Chip[]): string {
  return attached.map(({ name, size }) => `- ${inMarkdown(name)}${size && ` (${size})`}`).join('\n');
}

function part(shown: Part): string[] {
  // Headings of a message stand below that of the message itself.
  const shifted = (text: string): string => inertMarkdown(text, 4);
  if (shown.kind === 'text') return [shifted(shown.text)];
  if (shown.kind === 'file') return [`*${inMarkdown(shown.label)}*`];
  const label = inMarkdown(shown.label.join(''));
  if (shown.texts.length === 0) return [`*${label}*`];
  return [`#### ${label}`, ...shown.texts.map(text => (shown.isCode ? fenced(text) : shifted(text)))];
}

/** What lists and quotes put before a line. */
const BEFORE = '((?:[\\s>]|[-+*]\\s|\\d{1,9}[.)]\\s)*)';
/** What stands before it is written before every line of its code: behind more than that there is none. */
const FENCE = new RegExp(`^(?=.{0,100}(?:~~~|\`{3}))${BEFORE}(\`{3,}(?=[^\`]*$)|~{3,})(.*)$`);
const HEADING = new RegExp(`^${BEFORE}(#{1,6})(?=\\s|$)`);
/** It makes a heading of the line above, unless there is an empty one between. */
const UNDERLINE = /^[\s>]*(?:=+|-+)\s*$/;

/**
 * Foreign Markdown so that nothing is loaded when it is shown, and no link in it leads anywhere but to http, https and mailto:
 * pictures become links, all other links, HTML and math are shown as written; code stays code. Readers of Markdown do not agree where
 * a list, a quote or a paragraph ends, and VS Code finds links by patterns of its own: so each line is made such that it is harmless
 * wherever it is taken to stand. Headings stand `below` as many levels.
 */
export function inertMarkdown(text: string, below = 0): string {
  const lines = normal(text).trimEnd().split('\n');
  const hasCells = lines.some(line => line.includes('|') && /^[\s>|:-]+$/.test(line));
  const written: string[] = [];
  const end = (): void => {
    if (written.length > 0 && written.at(-1) !== '') written.push('');
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, before = '', fence = '', language = ''] = FENCE.exec(line) ?? [];
    if (line.trim() === '' || UNDERLINE.test(line) || fence !== '') end();
    if (fence === '') {
      if (line.trim() !== '') written.push(lowered(inertLine(line, hasCells), below));
      continue;
    }
    const outer = before.replace(/>(?! )/g, '> ');
    const closing = new RegExp(`^[\\s>]*${fence}${fence.charAt(0)}*\\s*$`);
    const outside = new RegExp(`^${before.includes('>') ? '[\\s>]' : '\\s'}{0,${outer.length}}`);
    const code: string[] = [];
    while (++at < lines.length && !closing.test(lines[at] ?? ''))
      code.push((lines[at] ?? '').replace(outside, ''));
    // Every line begins as the first, so that to each reader all of them are code or none.
    const [first = '', ...others] = fenced(code.join('\n'), language.trim()).split('\n');
    const inside = outer.replace(/[^\s>]/g, ' ');
    const rest = others.map(each => (each === '' ? inside.trimEnd() : inside + each));
    written.push([outer + first, ...rest].join('\n'));
    end();
  }
  return written.join('\n').trimEnd();
}

/** Code in a fence longer than any inside. */
function fenced(code: string, language = ''): string {
  if (code === '') return '';
  const fence = longerThanIn(code, 3);
  return `${fence}${/^[\w.+#-]*/.exec(language)?.[0] ?? ''}\n${shownCode(normal(code))}\n${fence}`;
}

/** Every reader agrees where lines end. */
function normal(text: string): string {
  return plain(text.replace(/[\u2028\u2029\u000b\f]/g, '\n'), Infinity);
}

function lowered(line: string, below: number): string {
  const deeper = (_: string, before: string, marks: string): string =>
    before + '#'.repeat(Math.min(6, marks.length + below));
  return line.replace(HEADING, deeper);
}

const WEB = '(?:https?:\\/\\/|mailto:)';
/** Everything in a line that some reader takes for more than text. */
const MARKS = new RegExp(
  [
    // A link or a picture that may be followed, such an address in brackets, and one by itself.
    `(?<!!)!*\\[(?<label>(?:[^[\\]\\\\\`]|\`[^\`[\\]]*\`)*)\\]\\(<?(?<linked>${WEB}(?:[^\\s()<>]|\\([^\\s()<>]*\\))*)>?(?:\\s+(?:"[^"]*"|'[^']*'))?\\)`,
    `<(?<named>${WEB}[^\\s<>]*)>`,
    `(?<bare>${WEB}(?:[^\\s<>()[\\]\`"\\\\*!]|!+(?![![])|\\*(?!\\*)|\\([^\\s()<>]*\\)|\\[[^\\s<>()[\\]\`"\\\\]*\\](?![(:]))*(?:[^\\s<>()[\\]\`"'|\\\\*.,;:!?_~]|\\([^\\s()<>]*\\)))`,
    // It would take its bracket from the address that follows.
    `\\\\(?=${WEB})`,
    '\\\\?\\](?=[(:])',
    '\\\\[!-/:-@[-`{-~]',
    '(?<!`)(?<ticks>`+)(?!`)(?<code>.{1,2000}?)(?<!`)\\k<ticks>(?!`)',
    '[`$[]|<(?=[a-z/!?])|~(?=~~)|\\/(?=\\/\\S)|=(?=["\'])',
  ].join('|'),
  'gi',
);
/** Shown as they are also behind a backslash, and to whoever does not know of backslashes. */
const SHOWN: Readonly<Record<string, string>> = { '`': '&#96;', '<': '&lt;' };
const PAIR = /^\[[^[\]\\`]*\]/;

type Found = Readonly<Partial<Record<'label' | 'linked' | 'named' | 'bare' | 'ticks' | 'code', string>>>;

/** `hasCells`: the line may be taken for a row of a table, where code ends at a `|`. */
function inertLine(line: string, hasCells: boolean): string {
  return line.replace(MARKS, (mark, ...rest: unknown[]) => {
    const { label = '', linked, named, bare, ticks = '', code } = rest.at(-1) as Found;
    const address = named ?? bare ?? (label === linked ? linked : undefined);
    if (hasCells && bare?.includes('|') === true)
      return bare.replace(/[^|]+/g, piece => inertLine(piece, false));
    if (address !== undefined) return `<${encoded(address)}>`;
    // Within its words there is no other link.
    if (linked !== undefined)
      return `[${inertLine(label.replaceAll('//', '/\\/'), hasCells)}](${encoded(linked)})`;
    if (code !== undefined) {
      if (hasCells && /(?<!(?<!\\)\\)\|/.test(code)) return inertLine(mark.replaceAll('`', '\\`'), false);
      // To VS Code, a part of a longer mark inside ends it.
      const longer = longerThanIn(code, ticks.length);
      return longer + shownCode(code) + longer;
    }
    const at = rest.at(-3) as number;
    if (mark.endsWith(']') && /[(:]/.test(line.charAt(at + mark.length))) return `${mark}\\`;
    if (mark.length > 1) return SHOWN[mark.charAt(1)] ?? mark;
    if (mark === '[' && PAIR.test(line.slice(at, at + 200))) return mark;
    return SHOWN[mark] ?? `\\${mark}`;
  });
}

/** An address with nothing in it that ends a link or begins another. */
function encoded(address: string): string {
  return address.replace(
    /["'()*<>[\\\]^`{|}$]/g,
    mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
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
