/** Why work was given up from outside. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly why: 'cancelled' | 'timedOut';

  constructor(why: 'cancelled' | 'timedOut') {
    super(why);
    this.why = why;
  }
}

/** A signal of one's own that follows others and may have a deadline. `release` lets go of every listener and timer. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  release(): void;
}

/** Aborts with `Stopped('cancelled')` when a source does, with `Stopped('timedOut')` after `timeoutMs`. */
export function linkedSignal(
  sources: readonly (AbortSignal | undefined)[],
  timeoutMs?: number,
): LinkedSignal {
  const controller = new AbortController();
  const cancel = (): void => controller.abort(new Stopped('cancelled'));
  for (const source of sources) {
    if (source?.aborted) cancel();
    else source?.addEventListener('abort', cancel, { once: true });
  }
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => controller.abort(new Stopped('timedOut')), timeoutMs);
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      for (const source of sources) source?.removeEventListener('abort', cancel);
    },
  };
}

/**
 * Settles as `promise` does, or rejects with the signal's reason the moment it aborts, whether the work below listens or
 * not. `late` gets a value that arrives after that. Leaves no listener behind.
 */
export function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  late?: (value: T) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let gone = false;
    const stop = (): void => {
      gone = true;
      reject(signal.reason as Error);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    promise.then(
      value => {
        signal.removeEventListener('abort', stop);
        if (gone) late?.(value);
        else resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', stop);
        reject(error instanceof Error ? error : new Error('failed', { cause: error }));
      },
    );
  });
}

/** Waits `ms`; rejects with the signal's reason when it aborts. */
export async function delay(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await untilAborted(new Promise<void>(resolve => (timer = setTimeout(resolve, ms))), signal);
  } finally {
    clearTimeout(timer);
  }
}
