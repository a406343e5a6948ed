import { seeded } from './random';
import { type Attachment, type Step } from './records';
import { stepsOf, type Line } from './script';
import { topicOf } from './topics';

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
  const reads = attachments.slice(0, 2).map(readingOf);
  const opening = firstFile(attachments);
  const lines: Line[] = [
    ...topic.flatMap(line => {
      if (line.kind === 'use') return [];
      return line.kind === 'note' ? { ...line, text: line.text + opening } : line;
    }),
  ];
  lines.splice(-1, 0, ...[...reads, ...topic.filter(line => line.kind === 'use')].slice(0, 3));
  const random = seeded('agent', text, turn, ...attachments.map(item => item.name));
  return stepsOf(lines, { start, pace, random, title: titleOf(text), model: settings['model'] });
}

/** What the agent sees of a text file: how much it is, and its first lines. */
export function seenOf(text: string): NonNullable<Attachment['seen']> {
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
