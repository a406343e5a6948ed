import type * as z from 'zod/mini';
import { decodeItem, decodeSingle } from './decode';
import { idQuery, idSegment, jsonBody } from './queries';
import { lazily, list, map, number, open, optional, text } from './schema';
import { reportTo, v0Get, v0Post, type RequestOptions, type Service } from './service';

/** What the model has used so far; counts of tokens. Only ever in answers. */
export type TokenUsage = z.output<ReturnType<typeof tokenUsageSchema>>;

/** Section 2.8, second table: every field optional, every enumeration open. */
export type SessionSettings = z.output<ReturnType<typeof settingsSchema>>;

/** Section 2.8. Times are Unix ms. */
export type Session = z.output<ReturnType<typeof sessionSchema>>;

const tokenUsageSchema = lazily(() =>
  open({
    inputTokens: optional(number()),
    outputTokens: optional(number()),
    cacheCreationTokens: optional(number()),
    cacheReadTokens: optional(number()),
    thinkingTokens: optional(number()),
  }),
);

const settingsSchema = lazily(() =>
  open({
    model: optional(text()),
    reasoningEffort: optional(text()),
    interactionMode: optional(text()),
    autonomyLevel: optional(text()),
    autonomyMode: optional(text()),
    specModeModel: optional(text()),
    specModeReasoningEffort: optional(text()),
    providerLock: optional(text()),
    providerLockTimestamp: optional(text()),
    apiProviderLock: optional(text()),
    assistantActiveTimeMs: optional(number()),
    tokenUsage: optional(tokenUsageSchema()),
    archivedAt: optional(text()),
    tags: optional(list(open({ name: text(), metadata: optional(map()) }))),
    enabledToolIds: optional(list(text())),
    disabledToolIds: optional(list(text())),
  }),
);

export const sessionSchema = lazily(() =>
  open({
    sessionId: text(),
    status: text(),
    messageCount: number(),
    createdAt: number(),
    updatedAt: number(),
    title: optional(text()),
    completedAt: optional(number()),
    computerId: optional(text()),
    sessionSettings: optional(settingsSchema()),
  }),
);

/**
 * A session that was stored or comes from a file, read as tolerantly as an answer; `undefined` when it is none. Changes `value`
 * where parts of it do not fit.
 */
export function readSession(value: unknown): Session | undefined {
  const read = decodeItem(sessionSchema(), value);
  return read.ok ? read.value : undefined;
}

/** Body of section 4.5. */
export interface CreateSession {
  readonly computerId: string;
  /** Sent as it is, without `tokenUsage`, which only answers have, and without undefined fields. */
  readonly sessionSettings?: Omit<SessionSettings, 'tokenUsage'> | undefined;
}

export interface GetOptions extends RequestOptions {
  /** Computer to ask directly. */
  readonly computerId?: string | undefined;
}

/** Sections 4.5 and 4.6. There is no call that lists sessions. */
export class Sessions {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Sent once. Fails with kind `outcomeUnknown` when the session may have been created all the same. */
  async create(request: CreateSession, { signal }: RequestOptions = {}): Promise<Session> {
    const { computerId, sessionSettings } = request;
    idSegment('computerId', computerId);
    const settings: SessionSettings = { ...sessionSettings };
    delete settings.tokenUsage;
    const body = jsonBody(
      sessionSettings === undefined ? { computerId } : { computerId, sessionSettings: settings },
    );
    return this.#service.http.request(
      v0Post(this.#service, '/sessions', body),
      answer => this.#read(answer),
      signal,
    );
  }

  async get(sessionId: string, { computerId, signal }: GetOptions = {}): Promise<Session> {
    const path = `/sessions/${idSegment('sessionId', sessionId)}`;
    const query = { computerId: idQuery('computerId', computerId) };
    return this.#service.http.request(
      v0Get(this.#service, path, query),
      answer => this.#read(answer),
      signal,
    );
  }

  #read(answer: unknown): Session {
    const { redactor, log } = this.#service;
    return decodeSingle(sessionSchema(), redactor.redact(answer, { texts: false }), reportTo(log, 'Session'));
  }
}
