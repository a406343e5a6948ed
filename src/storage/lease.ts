import { randomUUID } from 'node:crypto';
import type { Logger } from '../log';
import type { Engine } from './engine';

/** What the holder of a lease is given. */
export interface Lease {
  /** Whether it still holds. To be asked before anything that must happen once: a machine that slept may have lost it. */
  readonly isHeld: () => boolean;
  /** Lets it lapse instead of giving it back: nobody does the work again before that. */
  readonly keep: () => void;
}

/**
 * Runs `work` while this process alone holds the lease `name`, renewed until it ends. Resolves to its result, or to `undefined`
 * without running it when another holder has the lease. `ttlMs` is how long others wait for one that died or sleeps.
 */
export async function tryRun<T>(
  { engine, log, now }: LeaseDeps,
  name: string,
  ttlMs: number,
  work: (lease: Lease) => Promise<T>,
): Promise<T | undefined> {
  const holder = randomUUID();
  let until = 0;
  const end = { isKept: false, isLost: false };
  const take = async (): Promise<boolean> => {
    // From before the question: what was granted lasts at least as long as is believed here.
    const asked = now();
    if (!(await engine.call('lease', name, holder, ttlMs))) return false;
    until = asked + ttlMs;
    return true;
  };
  if (!(await take())) return undefined;
  const isHeld = (): boolean => !end.isLost && now() < until;
  const renew = setInterval(() => {
    // What has lapsed is not taken up again: somebody else may have had it meanwhile.
    const renewed = isHeld() ? take() : Promise.resolve(false);
    renewed.then(
      held => {
        end.isLost ||= !held;
      },
      (error: unknown) => log.warn(`The lease ${name} could not be renewed: ${String(error)}`),
    );
  }, ttlMs / 3);
  renew.unref();
  try {
    return await work({ isHeld, keep: () => (end.isKept = true) });
  } finally {
    clearInterval(renew);
    if (!end.isKept) {
      await engine.call('release', name, holder).catch((error: unknown) => {
        log.warn(`The lease ${name} could not be given back: ${String(error)}`);
      });
    }
  }
}

interface LeaseDeps {
  readonly engine: Pick<Engine, 'call'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Unix ms. */
  readonly now: () => number;
}
