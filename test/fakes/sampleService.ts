import { setMaxListeners } from 'node:events';
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleFetch, sampleRecord, type SampleOptions } from '../../src/sample';
import { demoSessions } from '../../src/sample/stories';
import { toDisposable, type IDisposable } from '../../src/util/disposable';
import { Emitter, type Event } from '../../src/util/event';
import { breachOf } from './contract';
import { MemoryStorage } from './memoryStorage';
import { pastSessions } from './pastSessions';

export { demoFacts } from '../../src/sample';

export interface SampleServiceOptions extends Partial<Omit<SampleOptions, 'appUrl'>> {
  /** Ports of `baseUrl` and `appUrl`; any free ones by default. */
  readonly port?: number;
  readonly appPort?: number;
  /** Credentials to accept, instead of the usual ones. */
  readonly keys?: Partial<SampleKeys>;
}

/** Credentials the service accepts. */
export interface SampleKeys {
  /** An API key of someone with the Owner role. */
  readonly owner: string;
  /** An API key of a plain member: everything but analytics. */
  readonly member: string;
  /** An access token: the `/api/v0` endpoints only. */
  readonly jwt: string;
}

/** The sample behind two loopback ports, with a memory of the requests and with things that go wrong. */
export interface SampleService {
  /** `http://127.0.0.1:PORT`: everything but readiness. */
  readonly baseUrl: string;
  /** `http://127.0.0.1:PORT`: readiness reports. */
  readonly appUrl: string;
  /** The key of an Owner. */
  readonly apiKey: string;
  readonly keys: SampleKeys;
  /** Sessions that exist from the start, for adding by id. */
  readonly sessionIds: readonly string[];
  /** The oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Fires when a request has arrived whole, before it is answered. */
  readonly onDidReceive: Event<RecordedRequest>;
  /** The next request that matches, when it has arrived whole. */
  next(method: string, path: RegExp): Promise<RecordedRequest>;
  /** Makes requests fail until disposed or used up; the first fault that matches a request hits it. */
  fail(fault: Fault): IDisposable;
  /** Resolves when no agent is working any more, or the service is closed. */
  settle(): Promise<void>;
  /** Ends every connection and lets go of the ports. May be called again. */
  close(): Promise<void>;
}

/** A request as it arrived. The credential itself is not kept. */
export interface RecordedRequest {
  /** Unix ms. */
  readonly receivedAt: number;
  readonly origin: Origin;
  readonly method: string;
  readonly path: string;
  /** A name given more than once has all its values. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: Credential;
  /** The parsed JSON; `undefined` for anything else. */
  readonly body: unknown;
  /** The status answered; `undefined` before the answer, 0 where the connection was cut instead. */
  readonly status: number | undefined;
}

type Origin = 'base' | 'app';
type Credential = keyof SampleKeys | 'invalid' | 'none';

/** What goes wrong, and with which requests: with all, unless told otherwise. */
export type Fault = (
  | { readonly kind: 'status'; readonly status?: number }
  /** 429 with a time to wait, s. */
  | { readonly kind: 'rateLimit'; readonly retryAfter: number }
  /** The true answer, `ms` later; nothing happens where the caller has gone by then. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The connection is cut before the request takes effect. */
  | { readonly kind: 'reset' }
  /** The true answer, cut in the middle. */
  | { readonly kind: 'truncate' }
  /** A web page. */
  | { readonly kind: 'html' }
  /** The true answer with its body changed. */
  | { readonly kind: 'alter'; readonly alter: (body: unknown) => unknown }
) & {
  /** The exact path, or a pattern it must match; the query is no part of it. */
  readonly match?: { readonly method?: string; readonly path?: string | RegExp; readonly origin?: Origin };
  /** How many requests are hit; all of them by default. */
  readonly times?: number;
};

/** What goes back. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const usualKeys: SampleKeys = {
  owner: 'sample_owner_5f0c9d6a1be24783',
  member: 'sample_member_c1d2e3f4a5b60798',
  jwt: `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'user_1', role: 'owner' })}.c2lnbmF0dXJl`,
};

/**
 * The sample as tests start it: the documented interface alone, so no call lists sessions and a list begins empty. Three sessions
 * wait to be added by their ids: an everyday one, a long one, and one with everything out of the ordinary. `extras: true` serves
 * the lists as well, `sessions: undefined` what the product's sample has. Rejects when a port is taken.
 */
export async function startSampleService(options: SampleServiceOptions = {}): Promise<SampleService> {
  const { port = 0, appPort = 0, now = Date.now, seed = 'agent-console' } = options;
  const keys = { ...usualKeys, ...options.keys };
  const servers = [createServer(), createServer()] as const;
  const requests: { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] }[] = [];
  const received = new Emitter<RecordedRequest>();
  const faults = new Map<object, { readonly fault: Fault; left: number }>();
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  let closing: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    ending.abort();
    faults.clear();
    received.dispose();
    closing ??= Promise.all(
      servers.map(server => {
        const closed = new Promise<void>(resolve => server.close(() => resolve()));
        server.closeAllConnections();
        return closed;
      }),
    );
    await closing;
  };
  /** True after `ms`, false as soon as the service is closed. */
  const wait = (ms: number): Promise<boolean> =>
    sleep(ms, true, { signal: ending.signal }).catch(() => false);
  const faultFor = (origin: Origin, method: string, path: string): Fault | undefined => {
    for (const [key, entry] of faults) {
      const { match = {} } = entry.fault;
      if ((match.origin ?? origin) !== origin || (match.method ?? method) !== method) continue;
      if (typeof match.path === 'string' ? match.path !== path : match.path?.test(path) === false) continue;
      if (--entry.left <= 0) faults.delete(key);
      return entry.fault;
    }
    return undefined;
  };
  let addresses: readonly [base: string, app: string];
  try {
    addresses = [await listen(servers[0], port), await listen(servers[1], appPort)];
  } catch (error) {
    await close();
    throw error;
  }
  const [baseUrl, appUrl] = addresses;
  const records = new MemoryStorage().collection({ path: 'sample', version: 1, schema: sampleRecord });
  const sample = { extras: false, sessions: pastSessions, records, ...options, appUrl };
  const fetch = sampleFetch(sample);
  /** Lists sessions also where the service does not. */
  const list = sampleFetch({ ...sample, extras: true });

  const answer = async (
    origin: Origin,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const body = await buffer(request);
    const { method = '', headers } = request;
    const url = new URL(`${origin === 'base' ? baseUrl : appUrl}${request.url ?? ''}`);
    const credential = credentialOf(headers.authorization, keys);
    const query = [...new Set(url.searchParams.keys())].map(name => {
      const [value = '', ...more] = url.searchParams.getAll(name);
      return [name, more.length === 0 ? value : [value, ...more]] as const;
    });
    const recorded: (typeof requests)[number] = {
      ...{
        receivedAt: Math.floor(now()),
        origin,
        method,
        path: url.pathname,
        query: Object.fromEntries(query),
        credential,
      },
      headers: { ...(headers as Record<string, string>), authorization: `[${credential}]` },
      ...{ body: parsed(body), status: undefined },
    };
    requests.push(recorded);
    received.fire(recorded);
    const requestId = `req_${requests.length}`;
    const truth = async (): Promise<Answer> => {
      const refused = refusalOf(credential, url.pathname, requestId);
      if (refused !== undefined) return refused;
      const breach = breachOf(
        method,
        url,
        headers['content-type'],
        recorded.body ?? (body.length || undefined),
      );
      if (breach !== undefined) return errorAnswer(400, breach, requestId);
      const given = await fetch(url.href, {
        method,
        ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
      });
      return { status: given.status, headers: Object.fromEntries(given.headers), body: await given.text() };
    };
    const fault = faultFor(origin, method, url.pathname);
    const given = await spoiled(fault, truth, requestId, ms =>
      wait(ms).then(over => over && !response.destroyed),
    );
    const isCut = fault?.kind === 'truncate';
    recorded.status = isCut ? 0 : (given?.status ?? 0);
    if (given === undefined) request.socket.resetAndDestroy();
    else send(response, given, isCut);
  };

  for (const [index, server] of servers.entries()) {
    server.on('request', (request, response) => {
      for (const side of [request, response]) side.on('error', () => undefined);
      answer(index === 0 ? 'base' : 'app', request, response).catch(() => request.socket.destroy());
    });
  }

  const busy = async (): Promise<boolean> => {
    for (let cursor = ''; ;) {
      const page = await list(`${baseUrl}/api/v0/sessions?limit=100${cursor}`);
      const { sessions, pagination } = (await page.json()) as {
        sessions: { status: string }[];
        pagination: { nextCursor: string | null };
      };
      if (sessions.some(({ status }) => status !== 'idle')) return true;
      if (pagination.nextCursor === null) return false;
      cursor = `&cursor=${pagination.nextCursor}`;
    }
  };
  const made = (sample.sessions ?? demoSessions)({ seed, now: now(), pace: 1, computerId: name => name });
  return {
    ...{ baseUrl, appUrl, keys, close },
    apiKey: keys.owner,
    sessionIds: made.map(({ sessionId }) => sessionId),
    requests,
    onDidReceive: received.event,
    next: (method, path) =>
      new Promise(resolve => {
        const subscription = received.event(request => {
          if (request.method !== method || !path.test(request.path)) return;
          subscription.dispose();
          resolve(request);
        });
      }),
    fail: fault => {
      const key = {};
      faults.set(key, { fault, left: fault.times ?? Infinity });
      return toDisposable(() => faults.delete(key));
    },
    settle: async () => {
      while (closing === undefined && (await busy())) await wait(20);
    },
  };
}

/** Takes a port, 0 for any free one; resolves to the address. */
async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Whose credential an `Authorization` header holds. */
function credentialOf(header: string | undefined, keys: SampleKeys): Credential {
  if (header === undefined) return 'none';
  const token = /^bearer +(\S+)$/i.exec(header)?.[1];
  return (['owner', 'member', 'jwt'] as const).find(name => keys[name] === token) ?? 'invalid';
}

/** The refusal of a credential that may not ask for a path (interface section 5); `undefined` for one that may. */
function refusalOf(credential: Credential, path: string, requestId: string): Answer | undefined {
  const refuse = (detail: string): Answer =>
    errorAnswer(401, detail, requestId, { 'WWW-Authenticate': 'Bearer' });
  if (credential === 'none') return refuse('The Authorization header is missing.');
  if (credential === 'invalid') return refuse('The API key or access token is not valid.');
  if (path.startsWith('/api/v0/')) return undefined;
  if (credential === 'jwt') return refuse('This endpoint takes an API key, not an access token.');
  if (credential === 'member' && path.startsWith('/api/v1/analytics/'))
    return errorAnswer(403, 'Analytics needs the Manager or Owner role.', requestId);
  return undefined;
}

/** The error body of interface section 7; the endpoints whose error body is not shown use it too. */
function errorAnswer(
  status: number,
  detail: string,
  requestId: string,
  more: Readonly<Record<string, string>> = {},
): Answer {
  const body = JSON.stringify({ title: STATUS_CODES[status] ?? 'Error', detail, status, requestId });
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'X-Request-Id': requestId, ...more },
    body,
  };
}

/** What a fault makes of the true answer; `undefined` where the connection is cut. */
async function spoiled(
  fault: Fault | undefined,
  truth: () => Promise<Answer>,
  requestId: string,
  wait: (ms: number) => Promise<boolean>,
): Promise<Answer | undefined> {
  switch (fault?.kind) {
    case undefined:
    case 'truncate':
      return truth();
    case 'delay':
      return (await wait(fault.ms)) ? truth() : undefined;
    case 'alter': {
      const given = await truth();
      return { ...given, body: JSON.stringify(fault.alter(JSON.parse(given.body))) };
    }
    case 'status':
      return errorAnswer(fault.status ?? 500, 'The service was told to fail.', requestId);
    case 'rateLimit':
      return errorAnswer(429, 'Too many requests.', requestId, { 'Retry-After': String(fault.retryAfter) });
    case 'html': {
      const body =
        '<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in</h1></body></html>';
      return { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body };
    }
    case 'reset':
      return undefined;
  }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** Sends an answer; one that is cut ends in the middle of its body. */
function send(response: ServerResponse, { status, headers, body }: Answer, isCut: boolean): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'Content-Length': String(bytes.length) });
  if (!isCut) response.end(bytes);
  else response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.socket?.destroy());
}
