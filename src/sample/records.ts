import * as z from 'zod/mini';
import { seeded } from './random';

/** Sessions and messages, mostly as the interface shows them (2.8, 2.9), and what is kept of them. All times are Unix ms. */

export type Status = 'idle' | 'pending' | 'running';

/** `text` items carry text; the other types are those people see in practice. */
export interface ContentItem {
  readonly type: string;
  readonly id: string;
  readonly [field: string]: unknown;
}

/** What the author of a message decides; the chain and the times come with its place in the session. */
export interface MessageDraft {
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly content: readonly ContentItem[];
  /** The other fields of interface 2.9. */
  readonly [field: string]: unknown;
}

export interface Message extends MessageDraft {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The message before this one; absent on the first. */
  readonly parentId?: string;
}

const NO_TOKENS = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
  thinkingTokens: 0,
};
export type TokenUsage = Readonly<typeof NO_TOKENS>;

/** Something the agent will have done at a time. */
export interface Step {
  readonly at: number;
  readonly kind: 'begin' | 'say' | 'end';
  readonly title?: string;
  readonly message?: MessageDraft;
  readonly usage?: TokenUsage;
}

/** A session with everything in it. */
export interface SessionState {
  readonly sessionId: string;
  readonly computerId: string;
  readonly createdAt: number;
  readonly settings: Readonly<Record<string, unknown>>;
  status: Status;
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

const settings = z.record(z.string(), z.unknown());
const attachment = z.object({
  kind: z.enum(['image', 'file']),
  name: z.string(),
  mediaType: z.string(),
  bytes: z.number(),
  /** What is in a text file: how much, and its first lines. Only of one that is short enough to read. */
  seen: z.optional(z.object({ contents: z.string(), excerpt: z.string() })),
});
/** What people do with a session. The agent's part follows from it and from the clock. */
const act = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('message'),
    at: z.number(),
    id: z.string(),
    text: z.string(),
    content: z.array(z.looseObject({ type: z.string(), id: z.string() })),
    attachments: z.array(attachment),
  }),
  /** The agent is stopped. */
  z.object({ kind: z.literal('interrupt'), at: z.number() }),
  /** The session that goes on by itself takes up its next exchange. */
  z.object({ kind: z.literal('goOn'), at: z.number() }),
]);

/** What is kept: when something happened first, and of each session what people did with it. */
export const sampleRecord = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('first'), at: z.number() }),
  z.object({
    kind: z.literal('session'),
    /** Of a session that was not there from the start. */
    created: z.optional(z.object({ at: z.number(), computerId: z.string(), settings })),
    acts: z.array(act),
  }),
]);

export type SampleRecord = z.output<typeof sampleRecord>;
export type SessionRecord = SampleRecord & { kind: 'session' };
export type Attachment = z.output<typeof attachment>;
export type Act = z.output<typeof act>;

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

/** A session in which nothing has happened yet. */
export function emptySession(
  start: Pick<SessionState, 'sessionId' | 'computerId' | 'createdAt' | 'settings'>,
): SessionState {
  return {
    ...start,
    status: 'idle',
    updatedAt: start.createdAt,
    activeTimeMs: 0,
    usage: NO_TOKENS,
    messages: [],
    steps: [],
  };
}

/** Puts a message at the end of the chain; every window gives it the same id. */
export function append(state: SessionState, draft: MessageDraft, at: number, id?: string): void {
  const { sessionId, messages } = state;
  const parent = messages.at(-1);
  messages.push({
    id: id ?? seeded(sessionId, 'message', messages.length).uuid(),
    ...draft,
    createdAt: at,
    updatedAt: at,
    ...(parent === undefined ? {} : { parentId: parent.id }),
  });
  state.updatedAt = Math.max(state.updatedAt, at);
}

/** Does everything that is due by `now`. */
export function advance(state: SessionState, now: number): void {
  for (let step = state.steps[0]; step !== undefined && step.at <= now; step = state.steps[0]) {
    state.steps.shift();
    perform(state, step);
  }
}

function perform(state: SessionState, { at, kind, title, message, usage }: Step): void {
  if (kind === 'begin') {
    state.status = 'running';
    state.turnBegan = at;
    delete state.completedAt;
  }
  if (title !== undefined) state.title ??= title;
  if (message !== undefined) append(state, message, at);
  if (usage !== undefined) {
    const sum = { ...state.usage };
    for (const name of Object.keys(NO_TOKENS) as (keyof TokenUsage)[]) sum[name] += usage[name];
    state.usage = sum;
  }
  if (kind === 'end') {
    state.status = state.steps.length > 0 ? 'pending' : 'idle';
    state.activeTimeMs += at - (state.turnBegan ?? at);
    state.completedAt = at;
    delete state.turnBegan;
  }
  state.updatedAt = Math.max(state.updatedAt, at);
}

/** The session as the interface shows it. */
export function shown(state: SessionState): Readonly<Record<string, unknown>> {
  const { sessionId, status, messages, createdAt, updatedAt, title, completedAt, computerId } = state;
  const earlier = state.settings['assistantActiveTimeMs'];
  const sessionSettings = {
    ...state.settings,
    assistantActiveTimeMs: state.activeTimeMs + (typeof earlier === 'number' ? earlier : 0),
    tokenUsage: state.usage,
  };
  const messageCount = messages.length;
  // JSON leaves out what is undefined.
  return {
    ...{ sessionId, status, messageCount, createdAt, updatedAt, title, completedAt },
    ...{ computerId, sessionSettings },
  };
}
