import type { Redactor } from '../util/redact';
import { decodeItem, decodeRows, isRecord, Unreadable, type ItemProblem, type Listed } from './decode';
import { endpoints, type Endpoint, type EndpointName } from './endpoints';
import { metaSchema, type AnalyticsMeta } from './resources';

/** What an answer says: its items, which is one where it is no list. */
export interface Answer<T = unknown> extends Listed<T> {
  /** How many items came, readable or not. */
  readonly length: number;
  /** What leads to the next page; absent on the last one. */
  readonly next?: string | undefined;
  readonly meta: AnalyticsMeta;
  /** The service's name for the request. */
  readonly requestId?: unknown;
}

/** Reads a body of at most `maxBytes`, after decompression. Rejects with `Unreadable`, or with what the stream throws. */
export async function readBody(
  { body, headers }: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const declared = Number(headers.get('content-length') ?? 0);
  let size = 0;
  // Leaving the loop by an error lets go of the connection.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (Math.max(size, declared) > maxBytes) throw new Unreadable('tooLarge', 'tooLarge');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * What the body of an answer says, without the secrets in it. Runs in a worker too. Throws `Unreadable`. The one place where answers
 * are parsed.
 */
export function decodeBody(name: EndpointName, body: Uint8Array, redactor: Redactor): Answer {
  const endpoint: Endpoint = endpoints[name];
  const text = new TextDecoder().decode(body).trim();
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Unreadable('notThisService', text === '' ? 'empty' : text.startsWith('<') ? 'html' : 'notJson');
  }
  return decodeAnswer(endpoint, redactor.redact(answer, endpoint.secrets));
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
  const { items, problems } = decodeRows(schema, tidy === undefined ? rows : rows.map(tidy), key);
  const meta = list === 'data' ? metaIn(answer['meta'], problems) : {};
  const next = nextIn(endpoint, answer, rows, problems);
  return { items, problems, length: rows.length, meta, next, requestId };
}

/** Rows count more than `meta`: without one they are still shown. */
function metaIn(sent: unknown, problems: ItemProblem[]): AnalyticsMeta {
  const { value, problems: found } = decodeItem(metaSchema, sent);
  if (value === undefined) problems.push({ reason: 'meta is missing' });
  else problems.push(...found.map(({ reason }) => ({ reason: `meta: ${reason}` })));
  return value ?? {};
}

/** Where the list goes on. Throws where there is more, and no way to it. */
function nextIn(
  { pages, key: [key] = ['id'] }: Endpoint,
  answer: Readonly<Record<string, unknown>>,
  rows: readonly unknown[],
  problems: ItemProblem[],
): string | undefined {
  if (pages === undefined) return undefined;
  if (pages === 'lastId') {
    const ids = rows.map(row => (isRecord(row) ? row[key] : undefined));
    return ids.findLast((id): id is string => typeof id === 'string' && id !== '');
  }
  const holder = answer[pages];
  const [moreName, cursorName] = pages === 'meta' ? ['has_more', 'next_cursor'] : ['hasMore', 'nextCursor'];
  const more = isRecord(holder) ? holder[moreName] : undefined;
  if (!isRecord(holder) || typeof more !== 'boolean')
    problems.push({ reason: `${isRecord(holder) ? moreName : 'pagination'} is missing: there may be more` });
  if (!isRecord(holder) || more !== true) return undefined;
  const next = holder[cursorName];
  if (typeof next === 'string' && next !== '') return next;
  throw new Unreadable('brokenList', 'noCursor', `there is more, but no ${cursorName}`);
}
