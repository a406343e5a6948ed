import { randomUUID } from 'node:crypto';
import { plan, type AgentRequest } from './agent';
import { goOn, isRested } from './demo';
import {
  advance,
  append,
  emptySession,
  shown,
  type Act,
  type ContentItem,
  type SampleRecords,
  type SessionRecord,
  type SessionState,
  type Status,
} from './records';

/**
 * Sessions and their agents. Kept is only what people do; where a session stands is a function of that and of the clock, so
 * all windows that share the records see the same, and nothing runs in between.
 */
export class Sessions {
  readonly #records: SampleRecords;
  readonly #now: () => number;
  readonly #pace: number;
  readonly #seeds: () => ReadonlyMap<string, SessionState>;
  readonly #replayed = new Map<string, { record: SessionRecord | undefined; state: SessionState }>();

  constructor(options: {
    readonly records: SampleRecords;
    /** Unix ms. */
    readonly now: () => number;
    /** How long the agent takes, as a multiple of its natural pace. */
    readonly pace: number;
    /** The sessions there are from the start, by id; never changed. */
    readonly seeds: () => ReadonlyMap<string, SessionState>;
  }) {
    this.#records = options.records;
    this.#now = options.now;
    this.#pace = options.pace;
    this.#seeds = options.seeds;
  }

  /** Lets the sessions that go on by themselves do so. */
  async goOn(): Promise<void> {
    for (const sessionId of this.#seeds().keys()) {
      const state = this.get(sessionId);
      if (state === undefined || !isRested(state, this.#now())) continue;
      await this.#do(sessionId, (current, at) => (isRested(current, at) ? { kind: 'goOn', at } : undefined));
    }
  }

  async create(
    computerId: string,
    settings: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const start = { sessionId: randomUUID(), createdAt: Math.floor(this.#now()), computerId, settings };
    const created = { at: start.createdAt, computerId, settings };
    await this.#records.update(start.sessionId, () => ({ kind: 'session', created, acts: [] }));
    return shown(emptySession(start));
  }

  /** The session as it is now, also one that another window has just made; `undefined`: there is none. */
  async find(sessionId: string): Promise<SessionState | undefined> {
    if (this.get(sessionId) === undefined) await this.#records.update(sessionId, current => current);
    return this.get(sessionId);
  }

  /** The session as it is now, if this window knows of it. */
  get(sessionId: string): SessionState | undefined {
    const record = this.#record(sessionId);
    const known = this.#replayed.get(sessionId);
    if (known !== undefined && known.record === record) {
      advance(known.state, this.#now());
      return known.state;
    }
    const state = this.#replay(sessionId, record);
    if (state !== undefined) this.#replayed.set(sessionId, { record, state });
    return state;
  }

  /** Every session, the oldest first. */
  all(): readonly SessionState[] {
    const ids = new Set([...this.#seeds().keys(), ...this.#records.values.keys()]);
    return [...ids].flatMap(id => this.get(id) ?? []).sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Adds a person's message; the agent takes it up when it is done with those before. */
  async send(
    sessionId: string,
    content: readonly ContentItem[],
    { text, attachments }: Pick<AgentRequest, 'text' | 'attachments'>,
  ): Promise<{ readonly messageId: string; readonly status: Status }> {
    const id = randomUUID();
    let status: Status = 'pending';
    await this.#do(sessionId, (state, at) => {
      status = state.status === 'idle' ? 'pending' : state.status;
      return { kind: 'message', at, id, text, content: [...content], attachments: [...attachments] };
    });
    return { messageId: id, status };
  }

  /** Ends what the agent does, and forgets what it was to do. */
  async interrupt(sessionId: string): Promise<void> {
    await this.#do(sessionId, ({ status }, at) =>
      status === 'idle' ? undefined : { kind: 'interrupt', at },
    );
  }

  /** Adds what `decide` makes of the session as it is when that is written. */
  async #do(sessionId: string, decide: (state: SessionState, at: number) => Act | undefined): Promise<void> {
    await this.#records.update(sessionId, current => {
      const record = current?.kind === 'session' ? current : undefined;
      const state = this.#replay(sessionId, record);
      const act = state && decide(state, Math.floor(this.#now()));
      if (act === undefined) return current;
      return { kind: 'session', ...record, acts: [...(record?.acts ?? []), act] };
    });
  }

  #record(sessionId: string): SessionRecord | undefined {
    const record = this.#records.values.get(sessionId);
    return record?.kind === 'session' ? record : undefined;
  }

  /** What comes of everything done so far by now. */
  #replay(sessionId: string, record: SessionRecord | undefined): SessionState | undefined {
    const state = this.#start(sessionId, record);
    if (state === undefined) return undefined;
    for (const act of record?.acts ?? []) {
      advance(state, act.at);
      this.#perform(state, act);
    }
    advance(state, this.#now());
    return state;
  }

  #start(sessionId: string, record: SessionRecord | undefined): SessionState | undefined {
    const seed = this.#seeds().get(sessionId);
    if (seed !== undefined) return structuredClone(seed);
    if (record?.created === undefined) return undefined;
    const { at: createdAt, computerId, settings } = record.created;
    return emptySession({ sessionId, createdAt, computerId, settings });
  }

  #perform(state: SessionState, act: Act): void {
    if (act.kind === 'interrupt') {
      state.steps.length = 0;
      state.status = 'idle';
      state.updatedAt = state.completedAt = act.at;
      delete state.turnBegan;
    } else if (act.kind === 'goOn') {
      goOn(state, act.at, this.#pace);
    } else {
      const begin = Math.max(act.at, state.steps.at(-1)?.at ?? 0);
      const turn = state.messages.filter(({ role }) => role === 'user').length;
      append(state, { role: 'user', content: act.content, visibility: 'both' }, act.at, act.id);
      if (state.status === 'idle') {
        state.status = 'pending';
        delete state.completedAt;
      }
      const { text, attachments } = act;
      state.steps.push(...plan({ text, attachments, turn, settings: state.settings }, begin, this.#pace));
    }
  }
}
