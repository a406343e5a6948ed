import { setTimeout as delay } from 'node:timers/promises';
import { isApiError, type Computer } from '../api';

/** How following a computer ended. */
export type Outcome =
  | { readonly kind: 'settled'; readonly computer: Computer }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface FollowDeps {
  /** Asks the service for the computer as it is now. */
  readonly read: (signal: AbortSignal) => Promise<Computer>;
  /** Each answer, also one that says the same; or why there was none. */
  readonly tell: (computer: Computer | undefined, error: unknown) => void;
  readonly signal: AbortSignal;
  readonly fastestMs?: number;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** So often a computer may not be readable in a row before following ends. */
const FAILURES = 10;
const SLOWEST_MS = 15_000;

/**
 * Asks about a computer until it is no longer being set up: soon after each change, slower while nothing happens. A service that
 * does not answer is asked again for a while; one that refuses is not.
 */
export async function followComputer(deps: FollowDeps): Promise<Outcome> {
  const { signal, fastestMs = 2_000, wait = abortableDelay } = deps;
  let [failures, unchanged, last] = [0, 0, ''];
  for (;;) {
    try {
      const computer = await deps.read(signal);
      deps.tell(computer, undefined);
      if (computer.status !== 'provisioning') return { kind: 'settled', computer };
      const now = JSON.stringify(computer);
      unchanged = now === last ? unchanged + 1 : 0;
      [failures, last] = [0, now];
    } catch (error) {
      if (signal.aborted) return { kind: 'cancelled' };
      failures++;
      if (!isPassing(error) || failures >= FAILURES) return { kind: 'failed', error };
      deps.tell(undefined, error);
    }
    const calm = Math.max(unchanged, failures);
    try {
      await wait(Math.min(SLOWEST_MS, fastestMs * 1.5 ** Math.min(calm, 8)), signal);
    } catch {
      return { kind: 'cancelled' };
    }
  }
}

/** Whether asking again may help. */
function isPassing(error: unknown): boolean {
  if (!isApiError(error)) return false;
  return ['unreachable', 'timedOut', 'unavailable', 'rateLimited', 'malformedAnswer'].includes(error.kind);
}

function abortableDelay(ms: number, signal: AbortSignal): Promise<unknown> {
  return delay(ms, undefined, { signal });
}
