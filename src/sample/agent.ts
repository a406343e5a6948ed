import { seeded } from './random';
import type { Step } from './records';
import { parseScripts, stepsOf, type Line } from './script';
import scripts from './topics.txt';

export interface Attachment {
  readonly kind: 'image' | 'file';
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly excerpt?: string | undefined;
}

interface AgentRequest {
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

/** The first lines of a text file; nothing of any other. */
export function excerptOf(mediaType: string, data: string): string | undefined {
  if (!mediaType.startsWith('text/') || data.length > READ_DATA) return undefined;
  const lines = Buffer.from(data, 'base64').toString('utf8').split(/\r?\n/, 12);
  return lines
    .map(line => line.slice(0, 160))
    .join('\n')
    .trimEnd();
}

function readingOf({ kind, name, mediaType, bytes, excerpt }: Attachment): Line {
  const result = excerpt ?? `${mediaType}, ${size(bytes)}`;
  const tool = kind === 'image' ? 'ViewImage' : 'Read';
  return { kind: 'use', name: tool, input: { path: name }, result, failed: false };
}

function firstFile([first, ...others]: readonly Attachment[]): string {
  if (first === undefined) return '';
  return ` I'll start with ${code(first.name)}${others.length > 0 ? ' and the other attachments' : ''}.`;
}

function describe(attachments: readonly Attachment[]): string {
  if (attachments.length === 0) return '';
  const rows = attachments.map(
    ({ name, mediaType, bytes }) => `| ${code(name)} | ${mediaType} | ${size(bytes)} |`,
  );
  return ['### What you sent\n', '| name | type | size |', '| --- | --- | ---: |', ...rows].join('\n');
}

/** The first line of a request, short enough for a list. */
function titleOf(text: string): string | undefined {
  const [line = ''] = text.trim().split(/\r?\n/, 1);
  return Array.from(line.trim()).slice(0, 60).join('') || undefined;
}

/** A name as a code span; what would end the span or the table cell is taken out. */
function code(name: string): string {
  return `\`${name.replace(/[`|\r\n]/g, "'")}\``;
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
