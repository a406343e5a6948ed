import { Worker } from 'node:worker_threads';
import type { Database, DatabaseOptions } from './database';
import { reasonOf, StorageError } from './errors';

type Name = 'page' | 'read' | 'peek' | 'write' | 'lease' | 'release' | 'search' | 'texts' | 'close';

/** Runs a method of the database, in whatever thread that is. Rejects with a `StorageError`. */
export interface Engine {
  call<N extends Name>(name: N, ...args: Parameters<Database[N]>): Promise<ReturnType<Database[N]>>;
  /** Lets the database go; the next call opens it again. */
  close(): Promise<void>;
}

export interface EngineOptions extends DatabaseOptions {
  /** The thread has ended by itself: the next one follows no collection yet. */
  readonly onLost: (error: Error) => void;
}

export type MakeEngine = (options: EngineOptions) => Engine;

export interface Call {
  readonly number: number;
  readonly name: Name;
  readonly args: readonly unknown[];
}

/** A message of the thread: how a call has ended, or an event. An error loses its class on the way. */
export type FromWorker =
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly failure: unknown; readonly isOfStorage: boolean }
  | { readonly event: 'onChanged' | 'onReplaced' | 'onProblem'; readonly args: readonly unknown[] };

/** The database in a thread of its own, which runs `script` (worker.ts), begins with the first call and keeps no process alive. */
export const workerEngine =
  (script: string): MakeEngine =>
  options =>
    new WorkerEngine(script, options);

class WorkerEngine implements Engine {
  readonly #script: string;
  readonly #options: EngineOptions;
  readonly #waiting = new Map<number, PromiseWithResolvers<never>>();
  #worker: Worker | undefined;
  #count = 0;

  constructor(script: string, options: EngineOptions) {
    this.#script = script;
    this.#options = options;
  }

  call<N extends Name>(name: N, ...args: Parameters<Database[N]>): Promise<ReturnType<Database[N]>> {
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    const call = Promise.withResolvers<never>();
    this.#waiting.set(++this.#count, call);
    const message: Call = { number: this.#count, name, args };
    worker.postMessage(message);
    return call.promise;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    await this.call('close');
    // What was called meanwhile needs it.
    if (this.#waiting.size > 0 || this.#worker !== worker) return;
    this.#worker = undefined;
    await worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { workerData: { root: this.#options.root }, execArgv: [] });
    const lose = (error: Error): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const number of [...this.#waiting.keys()]) this.#settle(number)?.reject(error);
      this.#options.onLost(error);
    };
    worker.on('message', (message: FromWorker) => this.#receive(message));
    worker.on('error', lose);
    worker.on('exit', () => lose(new Error('The thread of the database has ended.')));
    worker.unref();
    return worker;
  }

  #receive(message: FromWorker): void {
    if ('event' in message) {
      Reflect.apply(this.#options[message.event], undefined, message.args);
    } else if ('result' in message) {
      this.#settle(message.number)?.resolve(message.result as never);
    } else {
      const { number, failure, isOfStorage } = message;
      const error = isOfStorage ? new StorageError(reasonOf(failure), { cause: failure }) : failure;
      this.#settle(number)?.reject(error);
    }
  }

  #settle(number: number): PromiseWithResolvers<never> | undefined {
    const call = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (this.#waiting.size === 0) this.#worker?.unref();
    return call;
  }
}
