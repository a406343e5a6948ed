import type * as vscode from 'vscode';

/** Runs `load` on the first call and hands every caller the same promise; a failed load may be tried again. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined;
  return () => {
    promise ??= load().catch((error: unknown) => {
      promise = undefined;
      throw error;
    });
    return promise;
  };
}

/** Runs `work` with a signal that follows `token`; leaves no listener behind. */
export async function withSignal<T>(
  token: vscode.CancellationToken,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const subscription = token.onCancellationRequested(() => abort.abort());
  if (token.isCancellationRequested) abort.abort();
  try {
    return await work(abort.signal);
  } finally {
    subscription.dispose();
  }
}

/** Runs one work after another, each when the one before has ended, however that was. */
export function serially(): <T>(work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve();
  return work => {
    const run = turn.then(work);
    turn = Promise.allSettled([run]);
    return run;
  };
}

interface InFlight<T> {
  readonly promise: Promise<T>;
  readonly abort: AbortController;
  callers: number;
}

/**
 * One request in flight for each key, whoever asks. A caller that aborts stops waiting at once; the request itself is
 * aborted when its last caller has gone.
 */
export class SharedRequests<T> {
  readonly #inFlight = new Map<string, InFlight<T>>();

  run(key: string, start: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const request = this.#inFlight.get(key) ?? this.#begin(key, start);
    request.callers++;
    if (signal === undefined) return request.promise;
    return new Promise<T>((resolve, reject) => {
      const onAbort = (): void => {
        request.callers--;
        if (request.callers === 0) {
          this.#inFlight.delete(key);
          request.abort.abort(signal.reason);
        }
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      request.promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  /** Aborts everything in flight. */
  abortAll(): void {
    for (const request of this.#inFlight.values()) request.abort.abort();
    this.#inFlight.clear();
  }

  #begin(key: string, start: (signal: AbortSignal) => Promise<T>): InFlight<T> {
    const abort = new AbortController();
    const promise = start(abort.signal).finally(() => {
      if (this.#inFlight.get(key)?.abort === abort) this.#inFlight.delete(key);
    });
    const request: InFlight<T> = { promise, abort, callers: 0 };
    this.#inFlight.set(key, request);
    return request;
  }
}
