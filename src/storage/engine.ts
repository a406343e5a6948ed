import { Worker } from 'node:worker_threads';
import type { Database, DatabaseOptions } from './database';
import { reasonOf, StorageError } from './errors';

type Name = keyof Database;

/** Runs a method of the database, in whatever thread that is. Rejects with a `StorageError`. After `close` the next call opens it again. */
export type Engine = <N extends Name>(
  name: N,
  ...args: Parameters<Database[N]>
) => Promise<ReturnType<Database[N]>>;

export type MakeEngine = (options: DatabaseOptions) => Engine;

/** A call of the thread. It answers in the order in which it was asked. */
export interface Asked {
  readonly name: Name;
  readonly args: readonly unknown[];
}

export type Event = 'onChanged' | 'onOpened' | 'onRestored' | 'onProblem';

/** A message of the thread: how the next call has ended, or an event. */
export type FromWorker =
  | { readonly result: unknown }
  | { readonly failure: unknown }
  | { readonly event: Event; readonly args: readonly unknown[] };

/** The database in a thread of its own, which runs `script` (worker.ts), begins with the first call and keeps no process alive. */
export function workerEngine(script: string): MakeEngine {
  return options => {
    let thread: Engine | undefined;
    const lose = (why?: unknown): void => {
      thread = undefined;
      if (why !== undefined)
        options.onProblem('The thread of the database has ended; the next call begins another', why);
    };
    return (name, ...args) => (thread ??= startThread(script, options, lose))(name, ...args);
  };
}

/** `onEnd` hears why the thread has ended; nothing where the database was closed. */
function startThread(script: string, options: DatabaseOptions, onEnd: (why?: unknown) => void): Engine {
  const waiting: (PromiseWithResolvers<never> & { readonly name: Name })[] = [];
  const worker = new Worker(script, { workerData: { root: options.root }, execArgv: [] });
  const failed = (failure: unknown): StorageError => new StorageError(reasonOf(failure), { cause: failure });
  let isClosed = false;
  let why: unknown = new Error('The thread of the database has ended.');
  worker.on('message', (message: FromWorker) => {
    if ('event' in message) {
      Reflect.apply(options[message.event], undefined, message.args);
      return;
    }
    const asked = waiting.shift();
    const answer = (): void => {
      if ('failure' in message) asked?.reject(failed(message.failure));
      else asked?.resolve(message.result as never);
    };
    if (waiting.length === 0) worker.unref();
    if (waiting.length > 0 || asked?.name !== 'close') {
      answer();
      return;
    }
    isClosed = true;
    onEnd();
    worker.terminate().then(answer, answer);
  });
  worker.on('error', error => (why = error));
  worker.on('exit', () => {
    if (isClosed) return;
    onEnd(why);
    for (const { reject } of waiting.splice(0)) reject(failed(why));
  });
  return (name, ...args) => {
    worker.ref();
    worker.postMessage({ name, args } satisfies Asked);
    const asked = Promise.withResolvers<never>();
    waiting.push({ name, ...asked });
    return asked.promise;
  };
}
