import * as path from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Redactor } from '../util/redact';
import { decodeItem, decodeRows, isRecord, Unreadable, type ItemProblem, type Listed } from './decode';
import { endpoints, type Endpoint, type EndpointName } from './endpoints';
import { metaSchema, type AnalyticsMeta } from './resources';

/** What an answer says: its items, which is one where it is no list. */
export interface Answer<T = unknown> extends Listed<T> {
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
  const declared = Number(headers.get('content-length'));
  let size = 0;
  // A reader takes half the time that `for await` does.
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    size += part.value.length;
    if (size > maxBytes || declared > maxBytes) {
      await reader?.cancel();
      throw new Unreadable('tooLarge', 'tooLarge');
    }
    chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}

/** Answers above this size are read by a worker, bytes: below it, reading is quicker than starting one. */
const LARGE_ANSWER = 512 * 1024;
/** What comes back at a time, bytes of the answer: a few milliseconds of this thread. */
const SLICE = 256 * 1024;
const MARK = 'answer worker';
/** This file as a bundle of its own; run as a worker, it serves `readTask`. */
const OWN_SCRIPT = path.join(__dirname, 'answerWorker.mjs');

interface Task {
  readonly name: EndpointName;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly key: string;
  readonly own: string | undefined;
}

type Reply =
  | { readonly type: 'ready' }
  | { readonly type: 'items'; readonly items: readonly unknown[] }
  /** The answer without its items, which have come before. */
  | { readonly type: 'end'; readonly answer: Answer }
  | ({ readonly type: 'failed' } & Pick<Unreadable, 'reason' | 'code' | 'message'>);

/**
 * What the body of an answer says, without the secrets in it. A large one is read by a worker and comes back in slices, so that this
 * thread never stands still for long; where no worker can be started it is read here. Rejects with `Unreadable`.
 */
export async function readAnswer(
  name: EndpointName,
  body: Uint8Array<ArrayBuffer>,
  redactor: Redactor,
  signal: AbortSignal,
  script = OWN_SCRIPT,
): Promise<Answer> {
  const worker = body.length <= LARGE_ANSWER ? undefined : await startWorker(script);
  if (worker === undefined) return decodeBody(name, body, redactor);
  const stop = (): void => void worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await delegate(worker, { name, body, key: redactor.key, own: redactor.own });
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** `undefined` where the machine gives no worker. */
function startWorker(script: string): Promise<Worker | undefined> {
  return new Promise(resolve => {
    try {
      const worker = new Worker(script, { workerData: MARK, execArgv: [], env: {} });
      const fail = (): void => resolve(undefined);
      worker.on('error', fail).on('exit', fail);
      worker.once('message', () => resolve(worker));
    } catch {
      resolve(undefined);
    }
  });
}

function delegate(worker: Worker, task: Task): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const items: unknown[] = [];
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('The worker that read the answer ended.')));
    worker.on('message', (reply: Reply) => {
      if (reply.type === 'failed') reject(new Unreadable(reply.reason, reply.code, reply.message));
      if (reply.type === 'end') resolve({ ...reply.answer, items });
      if (reply.type !== 'items') return;
      for (const item of reply.items) items.push(item);
      worker.postMessage('next');
    });
    // The memory of a large body is its own: it moves instead of being copied.
    worker.postMessage(task, [task.body.buffer]);
  });
}

function* readTask({ name, body, key, own }: Task): Generator<Reply, Reply> {
  try {
    const { items, ...answer } = decodeBody(name, body, new Redactor(key, own));
    const step = Math.max(1, Math.floor((SLICE * items.length) / body.length));
    for (let at = 0; at < items.length; at += step)
      yield { type: 'items', items: items.slice(at, at + step) };
    return { type: 'end', answer: { ...answer, items: [] } };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const { reason, code, message } = error;
    return { type: 'failed', reason, code, message };
  }
}

/** The one place where answers are parsed. Throws `Unreadable`. */
function decodeBody(name: EndpointName, body: Uint8Array<ArrayBuffer>, redactor: Redactor): Answer {
  const endpoint: Endpoint = endpoints[name];
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString().trim();
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Unreadable('notThisService', text === '' ? 'empty' : text.startsWith('<') ? 'html' : 'notJson');
  }
  return decodeAnswer(endpoint, redactor.redact(answer, endpoint.secrets));
}

function decodeAnswer(endpoint: Endpoint, answer: unknown): Answer {
  const given = isRecord(answer) ? answer : {};
  const { requestId } = given;
  const { list, schema, tidy } = endpoint;
  if (list === undefined) {
    const { value, problems } = decodeItem(schema, answer);
    if (value === undefined) throw new Unreadable('notThisService', 'wrongShape', problems[0].reason);
    return { items: [value], problems, meta: {}, requestId };
  }
  const rows: unknown = Object.hasOwn(given, list) ? given[list] : undefined;
  if (!Array.isArray(rows)) throw new Unreadable('notThisService', 'wrongShape', `${list} is not a list`);
  const { items, problems } = decodeRows(schema, tidy ? rows.map(tidy) : rows, endpoint.key?.[0]);
  const meta = list === 'data' ? metaIn(given['meta'], problems) : {};
  const next = nextIn(endpoint, given, rows, problems);
  return { items, problems, meta, next, requestId };
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

/** In a worker that `readAnswer` has started: reads what it is given, and gives a slice when it is asked for. */
if (!isMainThread && workerData === MARK && parentPort !== null) {
  const port = parentPort;
  let replies: Iterator<Reply, Reply> | undefined;
  port.on('message', (message: Task | 'next') => {
    if (message !== 'next') replies = readTask(message);
    port.postMessage(replies?.next().value);
  });
  port.postMessage({ type: 'ready' });
}
