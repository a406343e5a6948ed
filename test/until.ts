import type { Event } from '../src/util/lifecycle';

/** Shared by the test files, which are bundled one by one. */
const shared = ((globalThis as { agentConsolePatience?: { ms: number } }).agentConsolePatience ??= {
  ms: 60_000,
});

// A test may have a clock of its own; what is waited for here is real.
const { setTimeout: realTimeout, performance: realClock } = globalThis;

/** Longest wait for anything, in ms: it ends what never comes, and nothing is expected to come by then. */
export function patience(): number {
  return shared.ms;
}

/** A window took so long to open: from now on everything is given ten times as long. */
export function opened(tookMs: number): void {
  shared.ms = Math.max(shared.ms, 10 * tookMs);
}

/** Waits until something holds, looking now and then, and whenever `event` fires. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void>;
export async function until(event: Event<unknown>, holds: () => boolean): Promise<void>;
export async function until(
  ...args: [() => boolean | Promise<boolean>] | [Event<unknown>, () => boolean]
): Promise<void> {
  const holds = args.length === 1 ? args[0] : args[1];
  let heard = false as boolean;
  let wake = (): void => undefined;
  const hear = (): void => {
    heard ||= holds() === true;
    if (heard) wake();
  };
  const subscription = args.length === 2 ? args[0](hear) : undefined;
  const began = realClock.now();
  try {
    while (!heard && !(await holds())) {
      if (realClock.now() - began > patience()) throw new Error(`Waited in vain until ${String(holds)}`);
      await new Promise<void>(resolve => realTimeout((wake = resolve), 5));
    }
  } finally {
    subscription?.dispose();
  }
}

/** How long Playwright waits for one thing, in ms. */
export interface Limit {
  readonly timeout: number;
}

/**
 * Does something until what it is for has come, waited for longer each time: a window at work may lose a click or a key, or be slow.
 * What was done once may have taken away what it is done with.
 */
export async function again(
  act: (limit: Limit) => Promise<unknown>,
  hasCome: (limit: Limit) => Promise<unknown>,
): Promise<void> {
  const began = realClock.now();
  let isDone = false;
  const mayTry = (error: unknown): boolean =>
    error instanceof Error && error.name === 'TimeoutError' && realClock.now() - began <= patience();
  for (let timeout = 2_000; ; timeout = Math.min(2 * timeout, patience())) {
    try {
      await act({ timeout }).then(
        () => (isDone = true),
        (error: unknown) => {
          if (!isDone || !mayTry(error)) throw error;
        },
      );
      await hasCome({ timeout });
      return;
    } catch (error) {
      if (!mayTry(error)) throw error;
    }
  }
}
