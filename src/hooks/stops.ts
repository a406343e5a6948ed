import type { Collection } from '../storage';
import { hasCome } from '../util/clock';
import { isObject } from './model';
import type { Outgoing, OutgoingEvent } from './outgoing';

/** That work has ended, as it was told last; the same for all windows. */
export interface Stop {
  readonly sessionId: string;
  /** Unix ms. */
  readonly at: number;
  /** Who told it: a hook of the client, the service, or each of them. */
  readonly by: 'hook' | 'status' | 'both';
}

/** The end of work, told by one of the two. */
export type Told =
  | { readonly by: 'hook'; readonly at: number }
  /** `workedAt`: when the service last said that the session works. */
  | { readonly by: 'status'; readonly at: number; readonly workedAt: number | undefined };

/** Between what a hook and what the service says of the same end, ms. */
const APART_MS = 10_000;
/** What is older is forgotten, ms. */
const KEPT_MS = 60 * 24 * 60 * 60_000;

/** Whether the same end of work was told before by the other one of the two. */
export function isKnown(known: Stop | undefined, told: Told, now = Date.now()): boolean {
  if (known === undefined || !hasCome(known.at, now)) return false;
  // Every hook event is of an end of its own.
  if (told.by === 'hook') return known.by === 'status' && told.at <= known.at + APART_MS;
  const late = known.by === 'hook' ? APART_MS : 0;
  return known.at + late >= (told.workedAt ?? told.at);
}

/**
 * Runs the person's own `Stop` hooks once for each end of work: the client's hook tells of it at once, the service when it is asked
 * (section 6), and another window may have heard of it first.
 */
export class Stops {
  readonly #told: Collection<Stop>;
  readonly #outgoing: Pick<Outgoing, 'run' | 'isWanted'>;

  constructor(told: Collection<Stop>, outgoing: Pick<Outgoing, 'run' | 'isWanted'>) {
    this.#told = told;
    this.#outgoing = outgoing;
  }

  /** Resolves when the commands have ended. */
  async tell(event: OutgoingEvent, told: Told): Promise<void> {
    // Another window may run them.
    if (!this.#outgoing.isWanted('Stop')) return;
    const { session_id: sessionId } = event;
    const { at, by } = told;
    let news: OutgoingEvent | undefined;
    await this.#told.update(sessionId, known => {
      news = isKnown(known, told) ? undefined : event;
      if (news !== undefined || known === undefined) return { sessionId, at, by };
      return { sessionId, at: Math.max(at, known.at), by: known.by === by ? by : 'both' };
    });
    if (news !== undefined) await this.#outgoing.run(news);
  }

  async forgetOld(now = Date.now()): Promise<void> {
    for (const { sessionId, at } of [...(await this.#told.load()).values()])
      if (now - at > KEPT_MS) await this.#told.remove(sessionId);
  }
}

export function decodeStop(value: unknown): Stop {
  if (!isObject(value) || typeof value['sessionId'] !== 'string' || typeof value['at'] !== 'number')
    throw new Error('not the end of work');
  if (!['hook', 'status', 'both'].includes(String(value['by']))) throw new Error('told by nobody known');
  return value as unknown as Stop;
}
