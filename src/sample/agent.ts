import { seeded } from './random';
import type { Step } from './records';
import { parseScripts, stepsOf, type Line } from './script';
import scripts from './topics.txt';

/** What the agent gets to see of something that was sent along. */
export interface Attachment {
  readonly kind: 'image' | 'file';
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** What is in a text file: how much, and its first lines. Only of one that is short enough to read. */
  readonly seen?: { readonly contents: string; readonly excerpt: string } | undefined;
}

export interface AgentRequest {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** Messages the person sent before this one. */
  readonly turn: number;
}

/**
 * What the agent will do about a message, from `start` on (Unix ms): commentary, reasoning, tool calls with their results and
 * the final answer, over 6 to 10 seconds times `pace`. The same request gives the same answer.
 */
export function plan(request: AgentRequest, start: number, pace: number): Step[] {
  const { text, turn, attachments, settings } = request;
  const topic = topicOf(text, turn, describe(attachments));
  const opening = firstFile(attachments);
  const used = [...attachments.slice(0, 2).map(readingOf), ...topic.filter(({ kind }) => kind === 'use')];
  const said = topic.filter(line => line.kind !== 'use');
  const lines: Line[] = said.map(line =>
    line.kind === 'note' ? { ...line, text: line.text + opening } : line,
  );
  lines.splice(-1, 0, ...used.slice(0, 3));
  const random = seeded('agent', text, turn, ...attachments.map(item => item.name));
  return stepsOf(lines, { start, pace, random, title: titleOf(text), model: settings['model'] });
}

/** Text files up to this size are read by the agent, characters of base64. */
const READ_DATA = 342 * 1024;

/** What the agent sees of a text file: how much it is, and its first lines. */
export function seenOf(mediaType: string, data: string): Attachment['seen'] {
  if (!mediaType.startsWith('text/') || data.length > READ_DATA) return undefined;
  const text = Buffer.from(data, 'base64').toString('utf8');
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const notes = text.match(/\b(?:TODO|FIXME)\b/g)?.length ?? 0;
  const found = notes === 0 ? '' : `, ${notes} open ${notes === 1 ? 'note' : 'notes'}`;
  const excerpt = text
    .split(/\r?\n/, 12)
    .map(line => (line.length > 160 ? `${line.slice(0, 159)}…` : line))
    .join('\n');
  return { contents: `${lines} ${lines === 1 ? 'line' : 'lines'}${found}`, excerpt: excerpt.trimEnd() };
}

function readingOf({ kind, name, mediaType, bytes, seen }: Attachment): Line {
  const result = seen?.excerpt ?? `${mediaType}, ${size(bytes)}`;
  const tool = kind === 'image' ? 'ViewImage' : 'Read';
  return { kind: 'use', name: tool, input: { path: name }, result, failed: false };
}

function firstFile([first, ...others]: readonly Attachment[]): string {
  if (first === undefined) return '';
  return ` I'll start with ${code(first.name)}${others.length > 0 ? ' and the other attachments' : ''}.`;
}

/** What is known of the attachments, as Markdown; empty without any. */
function describe(attachments: readonly Attachment[]): string {
  if (attachments.length === 0) return '';
  const rows = attachments.map(({ kind, name, mediaType, bytes, seen }) => {
    const content = seen?.contents ?? (kind === 'image' ? 'an image' : 'not read as text');
    return `| ${code(name)} | ${mediaType} | ${size(bytes)} | ${content} |`;
  });
  const table = ['| name | type | size | what I saw |', '| --- | --- | ---: | --- |', ...rows].join('\n');
  const read = attachments.find(({ seen }) => seen !== undefined && seen.excerpt !== '');
  const beginning = read?.seen?.excerpt.split('\n').slice(0, 8).join('\n').trimEnd();
  return [
    '### What you sent',
    table,
    ...(read === undefined || beginning === undefined
      ? []
      : [`${code(read.name)} begins like this:`, fenced(beginning, extension(read.name))]),
  ].join('\n\n');
}

/** The first line of a request, short enough for a list. */
function titleOf(text: string): string | undefined {
  const line = text.trim().split(/\r?\n/, 1)[0]?.replace(/\s+/g, ' ').trim() ?? '';
  if (line === '') return undefined;
  const characters = Array.from(line);
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : line;
}

/** A name as a code span; what would end the span or the table cell is taken out. */
function code(name: string): string {
  return `\`${name.replace(/[`|\r\n]/g, "'")}\``;
}

/** A code block no content can end early. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(run => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function extension(name: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

const topics = parseScripts(scripts);

const WORDS: readonly (readonly [topic: string, words: RegExp])[] = [
  ['consent', /^\s*(yes|ok|okay|sure|go ahead|please do|push|approved?)\b/i],
  ['tests', /\b(tests?|flaky|coverage|spec)\b/i],
  ['review', /\b(review|diff|pull request|critique)\b/i],
  ['writing', /\b(readme|docs?|document|write|notes|changelog)\b/i],
  ['repair', /\b(fix|bug|errors?|crash|broken|fails?|failing)\b/i],
  ['migration', /\b(migrate|migration|upgrade|update|move|rename)\b/i],
  ['explanation', /\b(explain|why|how|what|describe)\b/i],
];

/**
 * How the sample agent goes about a request, in the small shop of the sample workspace: a topic of its words, and without a known
 * word topics in turn. `attachments` is a section about what was sent, or empty.
 */
function topicOf(request: string, turn: number, attachments: string): readonly Line[] {
  const known = WORDS.find(([, words]) => words.test(request))?.[0];
  const topic = known ?? (turn % 3 === 2 ? 'explanation' : 'anything');
  const [exchange] = topics.find(({ title }) => title === topic)?.exchanges ?? [];
  const word = longestWord(request);
  return (exchange?.lines ?? []).map(line =>
    line.kind === 'use'
      ? { ...line, input: mapped(line.input, text => text.replace('{word}', () => word)) }
      : { ...line, text: line.text.replace(/\n*\{attachments\}/, () => attachments && `\n\n${attachments}`) },
  );
}

function mapped(
  input: Readonly<Record<string, unknown>>,
  change: (text: string) => string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, change(String(value))]));
}

function longestWord(request: string): string {
  const words = request.slice(0, 500).match(/[\p{L}\p{N}_-]{3,40}/gu) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), 'main');
}
