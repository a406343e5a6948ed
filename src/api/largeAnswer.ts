import * as path from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { DecodedRows, rowsIn, type RowKind } from './analyticsAnswer';
import { parseBody } from './body';
import { isRecord, WrongShape } from './decode';

/** Answers above this size are read by a worker, bytes: below it, reading is quicker than starting one. */
const LARGE_ANSWER = 5 * 1024 * 1024;
/** What comes back at a time, bytes of the answer: a few milliseconds of this thread. */
const SLICE = 256 * 1024;
const MARK = 'agent-console: read answers';

interface Task {
  readonly kind: RowKind;
  readonly blocks: readonly Uint8Array[];
  readonly size: number;
}

type Head = Omit<DecodedRows['answer'], 'items'> & { readonly requestId: unknown; readonly count: number };

type Reply =
  | { readonly type: 'ready' }
  | { readonly type: 'head'; readonly head: Head }
  | { readonly type: 'items'; readonly items: readonly unknown[] }
  | { readonly type: 'failed'; readonly why: 'notJson' | 'wrongShape' | 'other'; readonly message: string };

/** The room's own script; run as a worker, it serves `readTask`. */
const OWN_SCRIPT = path.join(__dirname, 'api.js');

/**
 * Reads an analytics answer. A large one is parsed and checked by a worker and comes back in slices, so that this thread never
 * stands still for long; where no worker can be started it is parsed here. Resolves to the JSON value or to `DecodedRows`; rejects
 * as `parseBody` does, and with `WrongShape`.
 */
export async function readAnswer(
  body: { readonly blocks: readonly Uint8Array[]; readonly size: number },
  kind: RowKind,
  options: { readonly signal: AbortSignal; readonly script?: string | undefined },
): Promise<unknown> {
  if (body.size <= LARGE_ANSWER) return parseBody(body.blocks);
  const worker = await startWorker(options.script ?? OWN_SCRIPT);
  if (worker === undefined) return parseBody(body.blocks);
  const stop = (): void => void worker.terminate();
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    options.signal.throwIfAborted();
    return await delegate(worker, { kind, ...body });
  } finally {
    options.signal.removeEventListener('abort', stop);
    void worker.terminate();
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

function delegate(worker: Worker, task: Task): Promise<DecodedRows> {
  return new Promise((resolve, reject) => {
    const items: unknown[] = [];
    let head: Head | undefined;
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('The worker that read the answer ended.')));
    worker.on('message', (reply: Reply) => {
      if (reply.type === 'failed') reject(failureOf(reply));
      else if (reply.type === 'head') head = reply.head;
      else if (reply.type === 'items') for (const item of reply.items) items.push(item);
      if (head === undefined) return;
      const { requestId, count, ...rest } = head;
      if (items.length < count) worker.postMessage('next');
      else resolve(new DecodedRows(task.kind, { ...rest, items }, requestId));
    });
    // Each block has its memory for itself, so it moves instead of being copied.
    worker.postMessage(
      task,
      task.blocks.map(block => block.buffer as ArrayBuffer),
    );
  });
}

function failureOf({ why, message }: Reply & { readonly type: 'failed' }): Error {
  if (why === 'notJson') return new SyntaxError(message);
  return why === 'wrongShape' ? new WrongShape(message) : new Error(message);
}

/** In a worker that `readAnswer` has started: reads what it is given. Does nothing anywhere else. */
export function serveReading(): void {
  if (isMainThread || workerData !== MARK || parentPort === null) return;
  const port = parentPort;
  const send = (reply: Reply): void => port.postMessage(reply);
  let give: (() => readonly unknown[]) | undefined;
  port.on('message', (message: Task | 'next') => {
    if (message === 'next') {
      if (give !== undefined) send({ type: 'items', items: give() });
      return;
    }
    readTask(message).then(
      ({ head, slices }) => {
        give = () => slices.next().value ?? [];
        send({ type: 'head', head });
      },
      (error: unknown) => {
        const why =
          error instanceof SyntaxError ? 'notJson' : error instanceof WrongShape ? 'wrongShape' : 'other';
        send({ type: 'failed', why, message: error instanceof Error ? error.message : String(error) });
      },
    );
  });
  send({ type: 'ready' });
}

async function readTask(
  task: Task,
): Promise<{ head: Head; slices: Iterator<readonly unknown[], undefined> }> {
  const answer = await parseBody(task.blocks);
  const { items, ...rest } = rowsIn(task.kind, answer);
  const requestId = isRecord(answer) ? answer['requestId'] : undefined;
  const step = Math.max(1, Math.floor((SLICE * items.length) / task.size));
  return { head: { ...rest, requestId, count: items.length }, slices: inSteps(items, step) };
}

function* inSteps<T>(items: readonly T[], step: number): Generator<readonly T[], undefined> {
  for (let at = 0; at < items.length; at += step) yield items.slice(at, at + step);
  return undefined;
}
