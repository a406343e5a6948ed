import { seeded } from './random';

/** Sessions and messages, mostly as the interface shows them (2.8, 2.9), and what is kept of them. All times are Unix ms. */

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

/** A session as it is at a time; what it was stays as it is. */
export function stateAt(state: SessionState, now: number): SessionState {
  if ((state.steps[0]?.at ?? Infinity) > now) return state;
  const newest = structuredClone(state);
  advance(newest, now);
  return newest;
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

export function shown(state: SessionState) {
  const { sessionId, status, messages, createdAt, updatedAt, title, completedAt, computerId } = state;
  const earlier = Number(state.settings['assistantActiveTimeMs'] ?? 0);
  const assistantActiveTimeMs = state.activeTimeMs + earlier;
  const sessionSettings = { ...state.settings, assistantActiveTimeMs, tokenUsage: state.usage };
  const messageCount = messages.length;
  // JSON leaves out what is undefined.
  return {
    ...{ sessionId, status, messageCount, createdAt, updatedAt, title, completedAt },
    ...{ computerId, sessionSettings },
  };
}
