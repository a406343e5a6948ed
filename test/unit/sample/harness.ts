import assert from 'node:assert/strict';
import { ApiClient } from '../../../src/api';
import type { Logger } from '../../../src/log';
import { sampleFetch, type SampleOptions, type SampleRecords } from '../../../src/sample';
import { sampleRecords } from '../../fakes/sampleService';

/** A fixed moment: the data of 45 control revisions and of analytics through 20 November 2026. */
const NOW = Date.UTC(2026, 10, 21, 9, 30);

const baseUrl = 'https://api.sample.invalid';
const appUrl = 'https://app.sample.invalid';

export interface CallOptions {
  /** Asks the web application. */
  readonly app?: boolean;
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

export interface Session {
  readonly sessionId: string;
  readonly status: string;
  readonly messageCount: number;
  readonly updatedAt: number;
  readonly createdAt: number;
  readonly completedAt?: number;
  readonly computerId: string;
  readonly title?: string;
  readonly sessionSettings: Readonly<Record<string, unknown>>;
}

export interface Message {
  readonly id: string;
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly id: string; readonly text?: string }[];
  readonly createdAt: number;
  readonly parentId?: string;
  readonly [field: string]: unknown;
}

/** The sample as one window has it, with a clock that stands still until it is moved. */
export class Sample {
  time = NOW;
  readonly fetch: ReturnType<typeof sampleFetch>;
  readonly records: SampleRecords;
  /** What a client finds wrong with an answer. */
  readonly complaints: string[] = [];
  readonly api: ApiClient;

  constructor(options: Partial<SampleOptions> = {}) {
    this.records = options.records ?? sampleRecords();
    this.fetch = sampleFetch({ now: () => this.time, ...options, appUrl, records: this.records });
    const complain = (message: string): void => void this.complaints.push(message);
    const quiet = (): void => undefined;
    const log: Logger = { debug: quiet, info: quiet, warn: complain, error: complain };
    const key = (): Promise<string> => Promise.resolve('any-key');
    this.api = new ApiClient({ baseUrl, appUrl, key, log, fetch: this.fetch });
  }

  async call(
    path: string,
    { app = false, method, body }: CallOptions = {},
  ): Promise<{ status: number; body: unknown; text: string }> {
    const answer = await this.fetch((app ? appUrl : baseUrl) + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: JSON.parse(text) as unknown };
  }

  /** The body of an answer that must be a success. */
  async ok<T = Record<string, unknown>>(path: string, options: CallOptions = {}): Promise<T> {
    const { status, body, text } = await this.call(path, options);
    assert.ok(status === 200 || status === 201, `${path}: ${status} ${text.slice(0, 300)}`);
    return body as T;
  }

  async computerId(name = 'atlas'): Promise<string> {
    const { computers } = await this.ok<{ computers: { id: string; name: string }[] }>('/api/v0/computers');
    return computers.find(computer => computer.name === name)?.id ?? assert.fail(name);
  }

  async newSession(sessionSettings?: object): Promise<string> {
    const body = { computerId: await this.computerId(), ...(sessionSettings && { sessionSettings }) };
    return (await this.ok<Session>('/api/v0/sessions', { body })).sessionId;
  }

  session(id: string): Promise<Session> {
    return this.ok(`/api/v0/sessions/${id}`);
  }

  async sessions(): Promise<readonly Session[]> {
    return (await this.ok<{ sessions: Session[] }>('/api/v0/sessions?limit=100')).sessions;
  }

  send(session: string, body: object | string): Promise<{ messageId: string; status: string }> {
    const content = typeof body === 'string' ? { text: body } : body;
    return this.ok(`/api/v0/sessions/${session}/messages`, { body: content });
  }

  async messages(session: string): Promise<readonly Message[]> {
    const path = `/api/v0/sessions/${session}/messages?limit=100`;
    return (await this.ok<{ messages: Message[] }>(path)).messages;
  }

  /** Messages from `messageId` back to the first, by `parentId` alone. */
  async ancestors(session: string, messageId: string): Promise<readonly Message[]> {
    const chain: Message[] = [];
    for (let id: string | undefined = messageId; id !== undefined; id = chain.at(-1)?.parentId) {
      chain.push(await this.ok<Message>(`/api/v0/sessions/${session}/messages/${id}`));
    }
    return chain;
  }

  /** Every page of a list, by the cursor each gives. */
  async all<T>(path: string, name: string, limit: number): Promise<readonly T[]> {
    const found: T[] = [];
    for (let cursor = ''; ;) {
      const page = await this.ok(`${path}?limit=${limit}${cursor}`);
      const { hasMore, nextCursor } = page['pagination'] as { hasMore: boolean; nextCursor: string | null };
      found.push(...(page[name] as T[]));
      assert.equal(hasMore, nextCursor !== null);
      if (nextCursor === null) return found;
      cursor = `&cursor=${nextCursor}`;
    }
  }
}

export const base64 = (content: string): string => Buffer.from(content).toString('base64');
