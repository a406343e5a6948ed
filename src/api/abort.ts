/** A signal of one's own that follows others. `release` lets go of every listener. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  readonly abort: () => void;
  readonly release: () => void;
}

/** Aborts when a source does. */
export function linkedSignal(sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const source of sources) {
    if (source?.aborted) abort();
    else source?.addEventListener('abort', abort, { once: true });
  }
  const release = (): void => sources.forEach(source => source?.removeEventListener('abort', abort));
  return { signal: controller.signal, abort, release };
}

/** Settles as `promise` does, or rejects with the signal's reason the moment it aborts, whether the work below listens or not. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
