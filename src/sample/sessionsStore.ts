import { plan, type AgentRequest } from './agent';
import {
  advance,
  append,
  NO_TOKENS,
  shown,
  type ContentItem,
  type Message,
  type SessionState,
  type Status,
} from './records';

/** Sessions and their agents. Time passes when someone looks: every call first does what has come due by the clock. */
export class SessionsStore {
  readonly #sessions: Map<string, SessionState>;
  readonly #now: () => number;
  readonly #pace: number;
  readonly #newId: () => string;
  readonly #changed: () => void;

  constructor(options: {
    readonly sessions: Iterable<SessionState>;
    /** Unix ms. */
    readonly now: () => number;
    /** How long the agent takes, as a multiple of its natural pace. */
    readonly pace: number;
    readonly newId: () => string;
    /** Called after anything changed. */
    readonly changed: () => void;
  }) {
    this.#sessions = new Map([...options.sessions].map(state => [state.sessionId, state]));
    this.#now = options.now;
    this.#pace = options.pace;
    this.#newId = options.newId;
    this.#changed = options.changed;
  }

  /** Everything, for keeping. */
  get states(): readonly SessionState[] {
    return [...this.#sessions.values()];
  }

  /** When the last agent will be done, Unix ms; `undefined` while none is working. */
  get busyUntil(): number | undefined {
    this.#advance();
    const ends = this.states.flatMap(state => state.steps.at(-1)?.at ?? []);
    return ends.length === 0 ? undefined : Math.max(...ends);
  }

  create(computerId: string, settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const now = Math.floor(this.#now());
    const state: SessionState = {
      sessionId: this.#newId(),
      computerId,
      createdAt: now,
      settings,
      status: 'idle',
      updatedAt: now,
      activeTimeMs: 0,
      usage: NO_TOKENS,
      messages: [],
      steps: [],
    };
    this.#sessions.set(state.sessionId, state);
    this.#changed();
    return shown(state);
  }

  get(sessionId: string): Readonly<Record<string, unknown>> | undefined {
    this.#advance();
    const state = this.#sessions.get(sessionId);
    return state && shown(state);
  }

  /** Every session, the oldest first. */
  all(): readonly Readonly<Record<string, unknown>>[] {
    this.#advance();
    return this.states.toSorted((a, b) => a.createdAt - b.createdAt).map(shown);
  }

  /** Every message of a session, the oldest first. */
  messages(sessionId: string): readonly Message[] | undefined {
    this.#advance();
    return this.#sessions.get(sessionId)?.messages;
  }

  computerOf(sessionId: string): string | undefined {
    return this.#sessions.get(sessionId)?.computerId;
  }

  message(sessionId: string, messageId: string): Message | undefined {
    this.#advance();
    return this.#sessions.get(sessionId)?.messages.find(message => message.id === messageId);
  }

  /** Adds a person's message; the agent takes it up when it is done with those before. `undefined`: no such session. */
  send(
    sessionId: string,
    content: readonly ContentItem[],
    request: Omit<AgentRequest, 'turn' | 'settings'>,
  ): { readonly messageId: string; readonly status: Status } | undefined {
    this.#advance();
    const state = this.#sessions.get(sessionId);
    if (state === undefined) return undefined;
    const now = Math.floor(this.#now());
    const begin = Math.max(now, state.steps.at(-1)?.at ?? now);
    const turn = state.messages.filter(message => message.role === 'user').length;
    const message = append(state, { role: 'user', content, visibility: 'both' }, this.#newId(), now);
    if (state.status === 'idle') {
      state.status = 'pending';
      delete state.completedAt;
    }
    state.steps.push(...plan({ ...request, turn, settings: state.settings }, begin, this.#pace));
    this.#changed();
    return { messageId: message.id, status: state.status };
  }

  #advance(): void {
    const now = this.#now();
    let changed = false;
    for (const state of this.#sessions.values()) changed = advance(state, now, this.#newId) || changed;
    if (changed) this.#changed();
  }
}
