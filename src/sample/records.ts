/** Sessions and messages as the store keeps them and, mostly, as the interface shows them (2.8, 2.9). */

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
  readonly visibility?: string;
  readonly isUserVisible?: boolean;
  readonly isError?: boolean;
  readonly providerAMessageId?: string;
  readonly providerAPhase?: string | null;
  readonly providerAEncryptedContent?: string;
  readonly providerAReasoningId?: string;
  readonly providerAReasoningSummary?: string;
  readonly providerBThoughtSignature?: string;
  readonly chatCompletionReasoningField?: string;
  readonly chatCompletionReasoningContent?: string;
}

export interface Message extends MessageDraft {
  readonly id: string;
  /** Unix ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The message before this one; absent on the first. */
  readonly parentId?: string;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheReadTokens: number;
  readonly thinkingTokens: number;
}

/** Something the agent will have done at a time (Unix ms). */
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

export const NO_TOKENS: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
  thinkingTokens: 0,
};

/** Puts a message at the end of the chain. */
export function append(state: SessionState, draft: MessageDraft, id: string, at: number): Message {
  const parent = state.messages.at(-1);
  const message: Message = {
    id,
    ...draft,
    createdAt: at,
    updatedAt: at,
    ...(parent === undefined ? {} : { parentId: parent.id }),
  };
  state.messages.push(message);
  state.updatedAt = Math.max(state.updatedAt, at);
  return message;
}

/** Does everything that is due by `now`; true if anything was. */
export function advance(state: SessionState, now: number, newId: () => string): boolean {
  let changed = false;
  for (let step = state.steps[0]; step !== undefined && step.at <= now; step = state.steps[0]) {
    state.steps.shift();
    perform(state, step, newId);
    changed = true;
  }
  return changed;
}

function perform(state: SessionState, step: Step, newId: () => string): void {
  if (step.kind === 'begin') {
    state.status = 'running';
    state.turnBegan = step.at;
    delete state.completedAt;
  }
  if (step.title !== undefined) state.title ??= step.title;
  if (step.message !== undefined) append(state, step.message, newId(), step.at);
  if (step.usage !== undefined) state.usage = added(state.usage, step.usage);
  if (step.kind === 'end') {
    state.status = state.steps.length > 0 ? 'pending' : 'idle';
    state.activeTimeMs += step.at - (state.turnBegan ?? step.at);
    state.completedAt = step.at;
    delete state.turnBegan;
  }
  state.updatedAt = Math.max(state.updatedAt, step.at);
}

function added(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    thinkingTokens: a.thinkingTokens + b.thinkingTokens,
  };
}

/** The session as the interface shows it. */
export function shown(state: SessionState): Readonly<Record<string, unknown>> {
  const { sessionId, status, messages, createdAt, updatedAt, title, completedAt, computerId } = state;
  const earlier = state.settings.assistantActiveTimeMs;
  return {
    sessionId,
    status,
    messageCount: messages.length,
    createdAt,
    updatedAt,
    ...(title === undefined ? {} : { title }),
    ...(completedAt === undefined ? {} : { completedAt }),
    computerId,
    sessionSettings: {
      ...state.settings,
      assistantActiveTimeMs: state.activeTimeMs + (typeof earlier === 'number' ? earlier : 0),
      tokenUsage: state.usage,
    },
  };
}
