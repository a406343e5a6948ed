import { randomBytes } from 'node:crypto';
import { readComputers, type Computer, type ItemProblem } from '../api';
import type { Collection, Storage } from '../storage';
import { Disposable, Slot, type IDisposable } from '../util/disposable';
import { Emitter } from '../util/event';

/** What some window has learnt of the computers last. Times are Unix ms. */
export interface KnownList {
  readonly computers: readonly Computer[];
  readonly problems: readonly ItemProblem[];
  /** When the service was asked, and when it answered. */
  readonly askedAt: number;
  readonly at: number;
}

/** Who asks the service, so that all windows together ask no more often than one. */
interface Turn {
  readonly askedAt: number;
  /** The window that asks; empty when it has an answer, or has given up. */
  readonly by: string;
  readonly failure?: { readonly at: number; readonly sentence: string } | undefined;
}

type Shared = { readonly list: KnownList } | { readonly turn: Turn };

/** A window that asked and says nothing for so long has gone. */
const LEASE_MS = 20_000;
/** How soon to look again when another window asks. */
const LOOK_MS = 1_000;

/** The list of computers as the windows of one person share it: one asks, all know. */
export class SharedList extends Disposable {
  readonly #storage: Storage;
  readonly #now: () => number;
  readonly #name = randomBytes(6).toString('base64url');
  readonly #changed = this.register(new Emitter<void>());
  readonly #subscription = this.register(new Slot<IDisposable>());
  #records: Collection<Shared> | undefined;

  constructor(storage: Storage, now: () => number = Date.now) {
    super();
    this.#storage = storage;
    this.#now = now;
  }

  /** A window has learnt something. */
  readonly onDidChange = this.#changed.event;

  /** Follows what windows know of another service. Rejects when that cannot be read; every window asks for itself then. */
  async use(serviceId: string | undefined): Promise<void> {
    this.#subscription.set(undefined);
    this.#records = undefined;
    if (serviceId === undefined) return;
    const path = `services/${serviceId}/computers`;
    const records = this.#storage.collection<Shared>({ path, version: 1, decode });
    this.#records = records;
    await records.load();
    if (this.#records !== records || this.isDisposed) return;
    this.#subscription.set(records.onDidChange(() => this.#changed.fire()));
    this.#changed.fire();
  }

  get list(): KnownList | undefined {
    const shared = this.#records?.get('list');
    return shared !== undefined && 'list' in shared ? shared.list : undefined;
  }

  get failure(): Turn['failure'] {
    return this.#turn?.failure;
  }

  /**
   * Takes the turn to ask: 0 when it is this window's, else the milliseconds until it may be. `pauseMs` is how old the newest
   * answer may get; 0 for who wants a new one whatever is known.
   */
  async take(pauseMs: number): Promise<number> {
    let wait = 0;
    const now = this.#now();
    await this.#records?.update('turn', shared => {
      const turn = turnOf(shared);
      const age = turn === undefined ? Infinity : Math.abs(now - turn.askedAt);
      const isPending = turn !== undefined && turn.by !== '' && turn.by !== this.#name && age < LEASE_MS;
      wait = isPending ? LOOK_MS : pauseMs - age;
      if (wait > 0) return shared;
      wait = 0;
      return { turn: { ...turn, askedAt: now, by: this.#name } };
    });
    return wait;
  }

  /** Tells all windows what the service has answered, or why it has not; nothing of a question that was given up. */
  async tell(answer: KnownList | Turn['failure']): Promise<void> {
    const records = this.#records;
    if (answer !== undefined && 'computers' in answer) await records?.put('list', { list: answer });
    await records?.update('turn', shared => {
      const turn = turnOf(shared) ?? { askedAt: 0, by: '' };
      if (answer === undefined)
        return turn.by === this.#name ? { turn: { ...turn, askedAt: 0, by: '' } } : shared;
      if ('computers' in answer) return { turn: { askedAt: answer.askedAt, by: '' } };
      return { turn: { ...turn, by: '', failure: answer } };
    });
  }

  get #turn(): Turn | undefined {
    return turnOf(this.#records?.get('turn'));
  }
}

function turnOf(shared: Shared | undefined): Turn | undefined {
  return shared !== undefined && 'turn' in shared ? shared.turn : undefined;
}

function decode(value: unknown): Shared {
  const { list, turn } = (value ?? {}) as {
    readonly list?: Partial<KnownList>;
    readonly turn?: Partial<Turn>;
  };
  if (list !== undefined) {
    const { askedAt, at, computers, problems } = list;
    if (typeof askedAt !== 'number' || typeof at !== 'number') throw new Error('It is not a list.');
    return { list: { askedAt, at, computers: readComputers(computers), problems: problems ?? [] } };
  }
  const { askedAt, by, failure } = turn ?? {};
  if (typeof askedAt !== 'number' || typeof by !== 'string') throw new Error('It is not a turn.');
  const { at, sentence } = failure ?? {};
  const failed = typeof at === 'number' && typeof sentence === 'string';
  return { turn: { askedAt, by, ...(failed ? { failure: { at, sentence } } : {}) } };
}
