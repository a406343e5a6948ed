import type { Collection } from '../storage';
import { Disposable, Slot, type IDisposable } from '../util/disposable';
import { isObject } from './model';
import type { HookSignal, SessionsForHooks } from './sessions';

/** What nobody has signed in for in so long is forgotten, ms. */
const KEPT_MS = 60 * 24 * 60 * 60_000;

export interface HeldSignalsDeps {
  readonly held: Collection<HookSignal>;
  /** Loads the sessions. */
  readonly sessions: () => Promise<Pick<SessionsForHooks, 'signal' | 'onDidChangeService'>>;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Tells the sessions what hooks say of them. While no service is known, whose sessions they are cannot be said: the latest signal of
 * each session is kept until somebody signs in, in this window or in another, now or after a restart.
 */
export class HeldSignals extends Disposable {
  readonly #deps: HeldSignalsDeps;
  readonly #listening = this.register(new Slot<IDisposable>());
  #handing: Promise<void> | undefined;
  #again = false;

  constructor(deps: HeldSignalsDeps) {
    super();
    this.#deps = deps;
  }

  /** Hands over what an earlier window has kept. */
  async load(): Promise<void> {
    const { held } = this.#deps;
    const signals = [...(await held.load()).values()];
    for (const { sessionId, at } of signals) if (Date.now() - at > KEPT_MS) await held.remove(sessionId);
    if (held.values.size > 0) await this.#handOver();
  }

  async tell(signal: HookSignal): Promise<void> {
    const sessions = await this.#deps.sessions();
    if ((await sessions.signal?.(signal)) !== false) return;
    await this.#deps.held.load();
    await this.#deps.held.update(signal.sessionId, known =>
      known !== undefined && known.at >= signal.at ? known : signal,
    );
    // Somebody may have signed in meanwhile.
    await this.#handOver();
  }

  #handOver(): Promise<void> {
    this.#again = true;
    const run = async (): Promise<void> => {
      while (this.#again) {
        this.#again = false;
        await this.#handOverAll();
      }
    };
    return (this.#handing ??= run().finally(() => (this.#handing = undefined)));
  }

  async #handOverAll(): Promise<void> {
    const { held, onFailure } = this.#deps;
    const sessions = await this.#deps.sessions();
    if (this.isDisposed) return;
    if (this.#listening.value === undefined) {
      const listen = (): void => void this.#handOver().catch(onFailure);
      this.#listening.set(sessions.onDidChangeService?.(listen));
    }
    for (const signal of [...held.values.values()]) {
      if ((await sessions.signal?.(signal)) === false) return;
      const removed = await held.remove(signal.sessionId);
      // Another window has heard more meanwhile.
      if (removed !== undefined && removed.at > signal.at) await sessions.signal?.(removed);
    }
  }
}

export function decodeHeldSignal(value: unknown): HookSignal {
  if (!isObject(value) || typeof value['sessionId'] !== 'string' || typeof value['at'] !== 'number')
    throw new Error('not a signal of a hook');
  if (!['waiting', 'finished', 'ended'].includes(String(value['kind']))) throw new Error('an unknown kind');
  return value as unknown as HookSignal;
}
