import type { Redactor } from '../util/redact';
import { decodeItem, decodeRows, isRecord, Unreadable, type ItemProblem, type Listed } from './decode';
import { endpoints, type Endpoint, type EndpointName } from './endpoints';
import { metaSchema, type AnalyticsMeta } from './resources/analytics';

/** The body of an answer: each block has its memory for itself. */
export interface Body {
  readonly blocks: readonly Uint8Array[];
  readonly size: number;
}

/** What an answer says: its items, which is one where it is no list. */
export interface Answer<T = unknown> extends Listed<T> {
  /** How many items came, readable or not. */
  readonly length: number;
  /** What leads to the next page; absent on the last one. */
  readonly next?: string;
  /** Section 2.1. */
  readonly meta: AnalyticsMeta;
  /** The service's name for the request. */
  readonly requestId?: unknown;
}

/**
 * What the body of an answer says, without the secrets in it. Runs in a worker too. Throws `Unreadable`. The one place where answers
 * are parsed.
 */
export function decodeBody(name: EndpointName, { blocks }: Pick<Body, 'blocks'>, redactor: Redactor): Answer {
  const endpoint: Endpoint = endpoints[name];
  let answer: unknown;
  try {
    answer = JSON.parse(textOf(blocks));
  } catch {
    throw new Unreadable('notThisService', 'notJson');
  }
  return decodeAnswer(endpoint, redactor.redact(answer, endpoint.secrets));
}

const UTF8 = new TextDecoder();

/** What is in one piece, as most answers are, is decoded without the state that pieces need: several times as fast. */
export function textOf(blocks: readonly Uint8Array[]): string {
  if (blocks.length <= 1) return UTF8.decode(blocks[0]);
  const decoder = new TextDecoder();
  let text = '';
  for (const block of blocks) text += decoder.decode(block, { stream: true });
  return text + decoder.decode();
}

function decodeAnswer(endpoint: Endpoint, answer: unknown): Answer {
  const requestId = isRecord(answer) ? answer['requestId'] : undefined;
  const { list, schema, tidy } = endpoint;
  if (list === undefined) {
    const { value, problems } = decodeItem(schema, answer);
    if (value === undefined) throw new Unreadable('notThisService', 'wrongShape', problems[0].reason);
    return { items: [value], problems, length: 1, meta: {}, requestId };
  }
  const rows = isRecord(answer) && Object.hasOwn(answer, list) ? answer[list] : undefined;
  if (!isRecord(answer) || !Array.isArray(rows))
    throw new Unreadable('notThisService', 'wrongShape', `${list} is not a list`);
  const key = endpoint.key?.[0] ?? 'id';
  const read = decodeRows(schema, tidy === undefined ? rows : rows.map(tidy), key);
  const { meta, problems } = list === 'data' ? metaIn(answer['meta']) : { meta: {}, problems: [] };
  const onward = onwardIn(endpoint, answer, rows, key);
  return {
    items: read.items,
    problems: [...read.problems, ...problems, ...onward.problems],
    length: rows.length,
    meta,
    requestId,
    ...(onward.next === undefined ? {} : { next: onward.next }),
  };
}

/** Rows count more than `meta`: without one they are still shown. */
function metaIn(sent: unknown): { meta: AnalyticsMeta; problems: readonly ItemProblem[] } {
  const { value, problems } = decodeItem(metaSchema, sent);
  if (value === undefined) return { meta: {}, problems: [{ reason: 'meta is missing' }] };
  return { meta: value, problems: problems.map(({ reason }) => ({ reason: `meta: ${reason}` })) };
}

interface Onward {
  readonly next?: string;
  readonly problems: readonly ItemProblem[];
}

/** Where the list goes on. Throws where there is more, and no way to it. */
function onwardIn(
  { pages }: Endpoint,
  answer: Readonly<Record<string, unknown>>,
  rows: readonly unknown[],
  key: string,
): Onward {
  const end = (...reasons: string[]): Onward => ({ problems: reasons.map(reason => ({ reason })) });
  if (pages === undefined) return end();
  if (pages === 'lastId') {
    const last = rows.findLast(row => isRecord(row) && typeof row[key] === 'string' && row[key] !== '');
    return isRecord(last) ? { next: String(last[key]), problems: [] } : end();
  }
  const holder = answer[pages];
  const [moreName, cursorName] = pages === 'meta' ? ['has_more', 'next_cursor'] : ['hasMore', 'nextCursor'];
  if (!isRecord(holder)) return end('pagination is missing: there may be more');
  if (holder[moreName] === false) return end();
  if (holder[moreName] !== true) return end(`${moreName} is missing: there may be more`);
  const next = holder[cursorName];
  if (typeof next === 'string' && next !== '') return { next, problems: [] };
  throw new Unreadable('brokenList', 'noCursor', `there is more, but no ${cursorName}`);
}

const BLOCK = 64 * 1024;
const LESS_THAN = 0x3c;
const SKIPPED: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/**
 * Reads a body of at most `maxBytes` (after decompression) into memory of its own. What is too large by its own account, or begins
 * like nothing JSON begins with, is given up without being read. Rejects with `Unreadable`, or with what the stream throws.
 */
export async function readBody(response: Response, maxBytes: number): Promise<Body> {
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  const blocks: Uint8Array[] = [];
  let [size, used, begun] = [0, 0, false];
  try {
    if (Number(response.headers.get('content-length') ?? 0) > maxBytes)
      throw new Unreadable('tooLarge', 'tooLarge');
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      const chunk = part.value;
      if (size + chunk.length > maxBytes) throw new Unreadable('tooLarge', 'tooLarge');
      begun ||= mayBegin(chunk);
      for (let at = 0; at < chunk.length;) {
        let block = blocks.at(-1);
        if (block === undefined || used === block.length) {
          block = new Uint8Array(size === 0 ? Math.min(BLOCK, chunk.length) : BLOCK);
          blocks.push(block);
          used = 0;
        }
        const piece = chunk.subarray(at, at + block.length - used);
        block.set(piece, used);
        used += piece.length;
        at += piece.length;
        size += piece.length;
      }
    }
    if (!begun) throw new Unreadable('notThisService', 'empty');
    return {
      blocks: [...blocks.slice(0, -1), ...blocks.slice(-1).map(last => last.subarray(0, used))],
      size,
    };
  } finally {
    void reader?.cancel().catch(() => undefined);
  }
}

/** Whether JSON begins in these bytes, which may be white space or a byte order mark. Throws where something else does. */
function mayBegin(chunk: Uint8Array): boolean {
  const first = chunk.find(byte => !SKIPPED.has(byte));
  if (first === undefined) return false;
  if ('{["-0123456789tfn'.includes(String.fromCharCode(first))) return true;
  throw new Unreadable('notThisService', first === LESS_THAN ? 'html' : 'notJson');
}
