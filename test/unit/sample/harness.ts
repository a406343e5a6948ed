import assert from 'node:assert/strict';
import { startSampleService, type SampleService, type SampleServiceOptions } from '../../../src/sample';
import { computers, error, message, sent, session } from './contract';
import { type Shape } from './shapes';

/** A fixed moment: the data of 45 control revisions and of analytics through 20 November 2026. */
export const NOW = Date.UTC(2026, 10, 21, 9, 30);

/** A clock that stands still until it is moved. */
export class ManualClock {
  time = NOW;
  readonly now = (): number => this.time;
  advance(ms: number): void {
    this.time += ms;
  }
}

const running = new Set<SampleService>();

/** Starts a service at `NOW`; `closeAll` ends it. */
export async function start(options: SampleServiceOptions = {}): Promise<SampleService> {
  const service = await startSampleService({ now: () => NOW, ...options });
  running.add(service);
  return service;
}

export async function closeAll(): Promise<void> {
  await Promise.all([...running].map(service => service.close()));
  running.clear();
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; `undefined` for anything else. */
  readonly body: unknown;
}

export interface CallOptions {
  readonly origin?: 'base' | 'app';
  readonly method?: string;
  /** `null` sends none. */
  readonly key?: string | null;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** One request over HTTP; JSON where the answer is JSON. */
export async function call(service: SampleService, path: string, options: CallOptions = {}): Promise<Reply> {
  const { origin = 'base', key = service.apiKey, body, headers } = options;
  const answer = await fetch((origin === 'base' ? service.baseUrl : service.appUrl) + path, {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = (answer.headers.get('content-type') ?? '').startsWith('application/json');
  let parsed: unknown;
  try {
    parsed = json ? JSON.parse(text) : undefined;
  } catch {
    parsed = undefined;
  }
  return { status: answer.status, headers: answer.headers, text, body: parsed };
}

/** A call that must be refused: status, the documented error body, and the same request id in both places. */
export async function refused(
  service: SampleService,
  status: number,
  detail: RegExp,
  path: string,
  options: CallOptions = {},
): Promise<Reply> {
  const reply = await call(service, path, options);
  assert.equal(reply.status, status, `${path}: ${reply.text.slice(0, 300)}`);
  const body = error(reply.body, path);
  assert.equal(body.status, status);
  assert.match(body.detail, detail);
  assert.equal(reply.headers.get('x-request-id'), body.requestId);
  return reply;
}

/** A call that must succeed with a body of the given form; hands it back. */
export async function ok<T>(
  service: SampleService,
  path: string,
  shape: Shape<T>,
  options: CallOptions = {},
): Promise<T> {
  const reply = await call(service, path, options);
  assert.ok(
    reply.status === 200 || reply.status === 201,
    `${path}: ${reply.status} ${reply.text.slice(0, 300)}`,
  );
  assert.match(reply.headers.get('x-request-id') ?? '', /^req_[0-9a-f]{16}$/);
  return shape(reply.body, path);
}

/** The id of the computer with a name. */
export async function computerId(service: SampleService, name = 'atlas'): Promise<string> {
  const { computers: all } = await ok(service, '/api/v0/computers', computers);
  const found = all.find(candidate => candidate.name === name);
  assert.ok(found, name);
  return found.id;
}

export async function newSession(service: SampleService, sessionSettings?: object): Promise<string> {
  const body = { computerId: await computerId(service), ...(sessionSettings && { sessionSettings }) };
  return (await ok(service, '/api/v0/sessions', session, { body })).sessionId;
}

export type Session = ReturnType<typeof session>;
export type Message = ReturnType<typeof message>;

export function readSession(service: SampleService, sessionId: string): Promise<Session> {
  return ok(service, `/api/v0/sessions/${sessionId}`, session);
}

/** Sends a message; hands back its id and the status after it. */
export function post(
  service: SampleService,
  sessionId: string,
  body: object | string,
): Promise<ReturnType<typeof sent>> {
  const content = typeof body === 'string' ? { text: body } : body;
  return ok(service, `/api/v0/sessions/${sessionId}/messages`, sent, { body: content });
}

/** Messages from `messageId` back to the first, by `parentId` alone. */
export async function ancestors(
  service: SampleService,
  sessionId: string,
  messageId: string,
): Promise<Message[]> {
  const chain: Message[] = [];
  for (let id: string | undefined = messageId; id !== undefined; id = chain.at(-1)?.parentId) {
    chain.push(await ok(service, `/api/v0/sessions/${sessionId}/messages/${id}`, message));
  }
  return chain;
}

/** How long a promise takes, in ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');
