import { Worker } from 'node:worker_threads';
import type { Database, DatabaseOptions } from './database';
import { reasonOf, StorageError } from './sqlite';

type Name = keyof Database;

/** Runs a method of the database, in whatever thread that is. Rejects with a `StorageError`. */
export type Call = <N extends Name>(
  name: N,
  ...args: Parameters<Database[N]>
) => Promise<ReturnType<Database[N]>>;

export interface Engine {
  readonly call: Call;
  /** Lets the database go; the next call opens it again. */
  close(): Promise<void>;
}

export type MakeEngine = (options: DatabaseOptions) => Engine;

/** A call of the thread. It answers in the order in which it was asked. */
export interface Asked {
  readonly name: Name;
  readonly args: readonly unknown[];
}

/** A message of the thread: how the next call has ended, or an event. An error loses its class on the way. */
export type FromWorker =
  | { readonly result: unknown }
  | { readonly failure: unknown; readonly isOfStorage: boolean }
  | { readonly event: 'onChanged' | 'onReplaced' | 'onProblem'; readonly args: readonly unknown[] };

/** The database in a thread of its own, which runs `script` (worker.ts), begins with the first call and keeps no process alive. */
export function workerEngine(script: string): MakeEngine {
  return options => {
    const waiting: PromiseWithResolvers<never>[] = [];
    let worker: Worker | undefined;

    const receive = (message: FromWorker): void => {
      if ('event' in message) {
        Reflect.apply(options[message.event], undefined, message.args);
        return;
      }
      const asked = waiting.shift();
      if (waiting.length === 0) worker?.unref();
      if ('result' in message) return asked?.resolve(message.result as never);
      const { failure, isOfStorage } = message;
      asked?.reject(isOfStorage ? new StorageError(reasonOf(failure), { cause: failure }) : failure);
    };

    const start = (): Worker => {
      const started = new Worker(script, { workerData: { root: options.root }, execArgv: [] });
      const lose = (error: Error): void => {
        if (worker !== started) return;
        worker = undefined;
        for (const { reject } of waiting.splice(0)) reject(error);
        options.onProblem('The thread of the database has ended and begins anew', error);
        // The next one follows no collection yet.
        options.onReplaced(undefined);
      };
      // What one that has died had still to say was answered for it.
      started.on('message', (message: FromWorker) => worker === started && receive(message));
      started.on('error', lose);
      return started.on('exit', () => lose(new Error('The thread of the database has ended.')));
    };

    const call: Call = (name, ...args) => {
      worker ??= start();
      worker.ref();
      worker.postMessage({ name, args } satisfies Asked);
      const asked = Promise.withResolvers<never>();
      waiting.push(asked);
      return asked.promise;
    };

    const close = async (): Promise<void> => {
      const closed = worker;
      if (closed === undefined) return;
      await call('close');
      // What was called meanwhile needs it.
      if (waiting.length > 0 || worker !== closed) return;
      worker = undefined;
      await closed.terminate();
    };

    return { call, close };
  };
}
