import * as path from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Redactor } from '../util/redact';
import { decodeBody, type Answer } from './answer';
import { Unreadable } from './decode';
import type { EndpointName } from './endpoints';

/** Answers above this size are read by a worker, bytes: below it, reading is quicker than starting one. */
const LARGE_ANSWER = 512 * 1024;
/** What comes back at a time, bytes of the answer: a few milliseconds of this thread. */
const SLICE = 256 * 1024;
const MARK = 'agent-console: read answers';
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
  | { readonly type: 'failed'; readonly error: Pick<Unreadable, 'reason' | 'code' | 'message'> };

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
      if (reply.type === 'failed')
        reject(new Unreadable(reply.error.reason, reply.error.code, reply.error.message));
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
    return { type: 'failed', error: { reason, code, message } };
  }
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
