import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import {
  plan,
  type ContentItem,
  type MessageDraft,
  type Step,
  type TokenUsage,
  parseScripts,
  stepsOf,
  type Exchange,
} from './script';
import { computerIdOf } from './computers';
import { SEED, seeded } from './random';
import scripts from './stories.txt';

/** A session as it is kept, mostly as the interface shows it (2.8, 2.9). All times are Unix ms. */
export interface SessionState {
  readonly sessionId: string;
  readonly computerId: string;
  readonly createdAt: number;
  readonly settings: Readonly<Record<string, unknown>>;
  status: 'idle' | 'pending' | 'running';
  updatedAt: number;
  title?: string;
  completedAt?: number;
  /** When the turn that is under way began. */
  turnBegan?: number;
  activeTimeMs: number;
  usage: TokenUsage;
  readonly messages: Message[];
  /** What is still to come, in order. */
  readonly steps: Step[];
}

interface Message extends MessageDraft {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The message before this one; absent on the first. */
  readonly parentId?: string;
}

const NO_TOKENS: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
  thinkingTokens: 0,
};

export function emptySession(
  start: Pick<SessionState, 'sessionId' | 'computerId' | 'createdAt' | 'settings'>,
): SessionState {
  const { createdAt: updatedAt } = start;
  return { ...start, status: 'idle', updatedAt, activeTimeMs: 0, usage: NO_TOKENS, messages: [], steps: [] };
}

/** Puts a message at the end of the chain; every window gives it the same id. */
export function append(state: SessionState, draft: MessageDraft, at: number, given?: string): void {
  const { sessionId, messages } = state;
  const parentId = messages.at(-1)?.id;
  const id = given ?? seeded(sessionId, 'message', messages.length).uuid();
  messages.push({ id, ...draft, createdAt: at, updatedAt: at, ...(parentId !== undefined && { parentId }) });
  state.updatedAt = Math.max(state.updatedAt, at);
}

/** A person asks: the agent sets to work when it is done with what came before. */
export function ask(
  state: SessionState,
  content: readonly ContentItem[],
  at: number,
  steps: (begin: number) => readonly Step[],
  id?: string,
): void {
  const begin = Math.max(at, state.steps.at(-1)?.at ?? 0);
  append(state, { role: 'user', content, visibility: 'both' }, at, id);
  if (state.status === 'idle') {
    state.status = 'pending';
    delete state.completedAt;
  }
  state.steps.push(...steps(begin));
}

export function advance(state: SessionState, now: number): void {
  for (let step = state.steps[0]; step !== undefined && step.at <= now; step = state.steps[0]) {
    state.steps.shift();
    perform(state, step);
  }
}

function perform(state: SessionState, { at, kind, title, message, usage = NO_TOKENS }: Step): void {
  if (kind === 'begin') {
    state.status = 'running';
    state.turnBegan = at;
    delete state.completedAt;
  }
  if (title !== undefined) state.title ??= title;
  if (message !== undefined) append(state, message, at);
  const sums = Object.entries(state.usage).map(([name, sum]) => [
    name,
    sum + usage[name as keyof TokenUsage],
  ]);
  state.usage = Object.fromEntries(sums) as TokenUsage;
  if (kind === 'end') {
    state.status = state.steps.length > 0 ? 'pending' : 'idle';
    state.activeTimeMs += at - (state.turnBegan ?? at);
    state.completedAt = at;
    delete state.turnBegan;
  }
  state.updatedAt = Math.max(state.updatedAt, at);
}

/** As the service tells it; JSON leaves out what is undefined. */
export function shown(state: SessionState) {
  const { sessionId, status, messages, createdAt, updatedAt, title, completedAt, computerId } = state;
  const assistantActiveTimeMs = state.activeTimeMs + Number(state.settings['assistantActiveTimeMs'] ?? 0);
  const sessionSettings = { ...state.settings, assistantActiveTimeMs, tokenUsage: state.usage };
  const common = { sessionId, status, messageCount: messages.length, createdAt, updatedAt };
  return { ...common, title, completedAt, computerId, sessionSettings };
}

/** What is kept: when something happened first, and the sessions. */
export const sampleRecord = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('first'), at: z.number() }),
  z.object({ kind: z.literal('session'), state: z.custom<SessionState>(isState) }),
]);
export type SampleRecord = z.output<typeof sampleRecord>;

function isState(value: unknown): boolean {
  const { sessionId, messages, steps } = (value ?? {}) as Partial<Record<keyof SessionState, unknown>>;
  return typeof sessionId === 'string' && Array.isArray(messages) && Array.isArray(steps);
}

/** Where the state of the sample is kept, shared by all windows; a collection of the store is one. */
export interface SampleRecords {
  /** Reads everything once; later calls answer at once. */
  load(): Promise<unknown>;
  readonly values: ReadonlyMap<string, SampleRecord>;
  /** Changes the newest value, again if another window wrote in between; the value it was given writes nothing. */
  update(
    id: string,
    change: (current: SampleRecord | undefined) => SampleRecord | undefined,
  ): Promise<SampleRecord | undefined>;
}

/** Interface 4.7. */
export interface GivenMessage {
  readonly text: string;
  readonly images?: readonly Given[];
  readonly files?: readonly Given[];
}

interface Given {
  readonly mediaType: string;
  readonly data: string;
  readonly name?: string;
  readonly path?: string;
}

/** Attachments above this are described in the stored message instead of being part of it. */
const KEPT_DATA = 512 * 1024;

/** A message as it is stored, and the names of its attachments. */
function messageOf({ text, images = [], files = [] }: GivenMessage) {
  const content: ContentItem[] = [{ type: 'text', text, id: randomUUID() }];
  const given = [
    ...images.map((image, at) => ({ ...image, type: 'image', name: `image ${at + 1}` })),
    ...files.map((file, at) => ({
      ...{ ...file, type: 'document' },
      name: file.name ?? file.path ?? `file ${at + 1}`,
    })),
  ];
  for (const { type, name, mediaType, data } of given) {
    const [id, source] = [randomUUID(), { type: 'base64', mediaType, data }];
    if (data.length > KEPT_DATA) {
      const bytes = Buffer.byteLength(data, 'base64');
      content.push({ type: 'text', id, text: `Attached: ${name} (${mediaType}, ${bytes} bytes)` });
    } else content.push({ type, id, source, ...(type === 'document' && { name }) });
  }
  return { content, attachments: given.map(({ name }) => name) };
}

/**
 * Sessions and their agents. What an agent will do is decided when a person asks; where a session stands then depends on the clock
 * alone, so all windows that share the records see the same, and nothing runs in between.
 */
export class Sessions {
  readonly #records: SampleRecords;
  readonly #now: () => number;
  readonly #pace: number;

  /** `now` is Unix ms; `pace` is how long the agent takes, as a multiple of its natural pace. */
  constructor(records: SampleRecords, now: () => number, pace: number) {
    this.#records = records;
    this.#now = now;
    this.#pace = pace;
  }

  async create(computerId: string, settings: SessionState['settings']): Promise<SessionState> {
    const createdAt = Math.floor(this.#now());
    const state = emptySession({ sessionId: randomUUID(), createdAt, computerId, settings });
    await this.#records.update(state.sessionId, () => ({ kind: 'session', state }));
    return state;
  }

  /** The session as it is now, also one that another window has just made; `undefined`: there is none. */
  async find(sessionId: string): Promise<SessionState | undefined> {
    if (this.#get(sessionId) === undefined) await this.#records.update(sessionId, current => current);
    return this.#get(sessionId);
  }

  all(): readonly SessionState[] {
    return [...this.#records.values.keys()]
      .flatMap(id => this.#get(id) ?? [])
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  async send(sessionId: string, given: GivenMessage) {
    const messageId = randomUUID();
    const { content, attachments } = messageOf(given);
    let status: SessionState['status'] = 'pending';
    await this.#change(sessionId, (state, at) => {
      const turn = state.messages.filter(({ role }) => role === 'user').length;
      const request = { text: given.text, attachments, turn, settings: state.settings };
      ask(state, content, at, begin => plan(request, begin, this.#pace), messageId);
      status = state.status;
    });
    return { messageId, status };
  }

  /** Ends what the agent does, and forgets what it was to do. */
  async interrupt(sessionId: string): Promise<void> {
    await this.#change(sessionId, (state, at) => {
      if (state.status === 'idle') return;
      state.steps.length = 0;
      state.status = 'idle';
      state.updatedAt = state.completedAt = at;
      delete state.turnBegan;
    });
  }

  async #change(sessionId: string, change: (state: SessionState, at: number) => void): Promise<void> {
    await this.#records.update(sessionId, current => {
      if (current?.kind !== 'session') return current;
      const [state, at] = [structuredClone(current.state), Math.floor(this.#now())];
      advance(state, at);
      change(state, at);
      return { kind: 'session', state };
    });
  }

  /** As it is now; what is stored stays as it is. */
  #get(sessionId: string): SessionState | undefined {
    const record = this.#records.values.get(sessionId);
    if (record?.kind !== 'session') return undefined;
    const now = this.#now();
    if ((record.state.steps[0]?.at ?? Infinity) > now) return record.state;
    const state = structuredClone(record.state);
    advance(state, now);
    return state;
  }
}

/** What hooks and people on this machine have added to a session, which the service never learns of. */
interface Local {
  readonly pinned?: boolean;
  readonly archived?: boolean;
  /** Messages that have been read; unread ones follow. */
  readonly read?: number;
  readonly signal?: {
    readonly kind: 'waiting' | 'finished' | 'ended';
    readonly message?: string;
    readonly reason?: string;
  };
}

/** A session of the sample, about the shop of the sample workspace. */
interface Story {
  readonly title: string;
  readonly computer: string;
  /** When it was begun, in minutes before the sample is first used. */
  readonly minutesAgo: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly local?: Local;
  readonly exchanges: readonly Exchange[];
}

/** `docs/orders.png` of the shop: orders and returns of four weeks. */
export const ORDERS_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAeAAAAEYAgMAAAD5e81yAAAADFBMVEX////IyMgvfdHgiiyeJK+QAAAAu0lEQVR42u3aMQ6AIBAA' +
  'QZ5o4yf9pMZKLQwKiEBm20tuEighBEmSJEmSJEnqqKliTnukliMwGAwGg8FgMBgMBoPBYDAY/AucsgQMBoMjS1ImYDAYDO4Ijr/s' +
  'n5ZkTto66rLrwWAwGAwGg8FgMBgMBoPBYDAYDAaDwWAwGAxuHS7/E+DlHwF3DAaDwWAwGAwGg8FgMLjkZN0DDwBf14MfwvdLwNXg' +
  '/AkYDAaDwWAwGPwhPFcsSJIkSZLUVhtrNuVcEVzl+QAAAABJRU5ErkJggg==';

export const STORIES: readonly Story[] = parseScripts(scripts).map(({ title, about, exchanges }) => ({
  ...(about as Omit<Story, 'title' | 'exchanges'>),
  ...{ title, exchanges },
}));

/** At this multiple of the natural pace an answer takes minutes. */
const UNHURRIED = 6;

export interface Surroundings {
  readonly now: number;
  readonly pace: number;
}

/** The sessions of the sample as they are when it is first used; one of them is still being worked on. */
export function demoSessions({ now, pace }: Surroundings): SessionState[] {
  return STORIES.map(story => {
    const { title, minutesAgo, settings, exchanges } = story;
    const random = seeded(SEED, 'story', title);
    const createdAt = Math.floor(now - minutesAgo * 60_000);
    const about = {
      sessionId: idOf(story),
      computerId: computerIdOf(story.computer),
      createdAt,
      settings,
    };
    const state = Object.assign(emptySession(about), { title });
    const id = (): string => `item_${random.hex(12)}`;
    const turn = { pace: pace * UNHURRIED, random, model: settings['model'] };
    for (const { ask: text, picture: name, lines } of exchanges) {
      const at = state.messages.length === 0 ? createdAt : state.updatedAt + 90_000;
      const source = { type: 'base64', mediaType: 'image/png', data: ORDERS_PNG };
      const said = { type: 'text', text, id: id() };
      const image = name === undefined ? [] : [{ type: 'image', id: id(), name, source }];
      ask(state, [said, ...image], at, start => stepsOf(lines, { start, ...turn }));
      advance(state, now);
    }
    return state;
  });
}

/** What people and hooks have added to the sessions of the sample on this machine, for whoever first sees them. */
export function demoFacts(): readonly (Local & { readonly sessionId: string })[] {
  return STORIES.map(story => ({ sessionId: idOf(story), ...story.local }));
}

export function idOf({ title }: Pick<Story, 'title'>): string {
  return seeded(SEED, 'session', title).uuid();
}
