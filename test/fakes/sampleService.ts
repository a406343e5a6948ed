import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleFetch, type SampleOptions, type SampleRecord, type SampleRecords } from '../../src/sample';
import { demoSessions } from '../../src/sample/sessions';
import { Emitter, toDisposable, type IDisposable } from '../../src/util/lifecycle';
import { until } from '../until';
import { breachOf } from './contract';
import { LoopbackServer, send, type Fault } from './faultServer';
import { pastSessions } from './pastSessions';

export interface SampleServiceOptions extends Partial<SampleOptions> {
  /** Answers the calls that only some services offer, too. */
  readonly extras?: boolean;
  /** Ports of `baseUrl` and `appUrl`; any free ones by default. */
  readonly port?: number;
  readonly appPort?: number;
  /** Credentials to accept, instead of the usual ones. */
  readonly keys?: Partial<typeof usualKeys>;
}

/** The sample behind two loopback ports, with a memory of the requests and with things that go wrong. */
export type SampleService = Awaited<ReturnType<typeof startSampleService>>;

type Origin = 'base' | 'app';
type Credential = keyof typeof usualKeys | 'invalid' | 'none';

/** A request as it arrived. The credential itself is not kept. */
interface RecordedRequest {
  /** Unix ms. */
  readonly receivedAt: number;
  readonly origin: Origin;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly credential: Credential;
  /** The parsed JSON; `undefined` for anything else. */
  readonly body: unknown;
  /** The status answered; `undefined` before the answer, 0 where the connection was cut instead. */
  status: number | undefined;
}

const EXTRAS = /^GET .*\/(sessions|sessions\/[^/]+\/messages)$|\/interrupt$/;

/** Instead of the true answer. One altered, late, or cut (`truncate`) comes when the request has had its effect, every other fault before. */
type ServiceFault = (
  | Fault
  /** The true answer, `ms` later; nothing happens where the caller has gone by then. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The true answer with its body changed. */
  | { readonly kind: 'alter'; readonly alter: (body: unknown) => unknown }
) & {
  /** The exact path, or a pattern it must match; the query is no part of it. */
  readonly match?: { readonly method?: string; readonly path?: string | RegExp; readonly origin?: Origin };
  /** How many requests are hit; all of them by default. */
  readonly times?: number;
};

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const usualKeys = {
  /** An API key of someone with the Owner role. */
  owner: 'sample_owner_5f0c9d6a1be24783',
  /** An API key of a plain member: everything but analytics. */
  member: 'sample_member_c1d2e3f4a5b60798',
  /** An access token: the `/api/v0` endpoints only. */
  jwt: `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'user_1', role: 'owner' })}.c2lnbmF0dXJl`,
};

/** The documented interface alone: no call lists sessions, and three (`pastSessions`) wait to be added by their ids. */
export async function startSampleService(options: SampleServiceOptions = {}) {
  const { port = 0, appPort = 0, now = Date.now } = options;
  const keys = { ...usualKeys, ...options.keys };
  const requests: RecordedRequest[] = [];
  const received = new Emitter<RecordedRequest>();
  const faults = new Set<{ readonly fault: ServiceFault; left: number }>();
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const [base, app] = [createServer(), createServer()];
  const first = await LoopbackServer.listen(base, port);
  const second = await LoopbackServer.listen(app, appPort);
  const urls = { base: first.origin, app: second.origin };
  const close = async (): Promise<void> => {
    ending.abort();
    faults.clear();
    received.dispose();
    await Promise.all([first.close(), second.close()]);
  };
  /** True after `ms`, false as soon as the service is closed. It is the slowness that a test asks for, and no test waits by it. */
  const wait = (ms: number): Promise<boolean> =>
    sleep(ms, true, { signal: ending.signal }).catch(() => false);
  const faultFor = ({ origin, method, path }: RecordedRequest): ServiceFault | undefined => {
    const hits = ({ match = {} }: ServiceFault): boolean =>
      (match.origin ?? origin) === origin &&
      (match.method ?? method) === method &&
      (match.path instanceof RegExp ? match.path.test(path) : (match.path ?? path) === path);
    const entry = [...faults].find(({ fault }) => hits(fault));
    if (entry !== undefined && --entry.left <= 0) faults.delete(entry);
    return entry?.fault;
  };
  /** Makes requests fail until disposed or used up; the first fault that matches a request hits it. */
  const fail = (fault: ServiceFault): IDisposable => {
    const entry = { fault, left: fault.times ?? Infinity };
    faults.add(entry);
    return toDisposable(() => faults.delete(entry));
  };
  const sample = { sessions: pastSessions, records: sampleRecords(), ...options };
  const fetch = sampleFetch(sample);

  /** What the service answers where nothing goes wrong. */
  const truth = async (url: URL, request: RecordedRequest, sent: string): Promise<Fault> => {
    const { origin, method, headers, credential } = request;
    const refused = refusalOf(credential, url.pathname);
    if (refused !== undefined) return refused;
    const body = request.body ?? (sent.length || undefined);
    const breach = breachOf(method, url, headers['content-type'] as string | undefined, body);
    if (breach !== undefined) return { kind: 'status', status: 400, detail: breach };
    const isElsewhere = url.pathname.startsWith('/api/organization/') !== (origin === 'app');
    const isExtra = EXTRAS.test(`${method} ${url.pathname}`) && options.extras !== true;
    if (isElsewhere || isExtra) return { kind: 'status', status: 404, detail: 'There is no such endpoint.' };
    const answer = await fetch(url.href, { method, ...(sent !== '' && { body: sent }) });
    const { status } = answer;
    return { kind: 'answer', status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  };

  const serve = async (origin: Origin, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await text(request);
    const { method = '', headers } = request;
    const url = new URL(`${urls[origin]}${request.url ?? ''}`);
    const credential = credentialOf(headers.authorization, keys);
    const recorded: RecordedRequest = {
      ...{ receivedAt: Math.floor(now()), origin, method, path: url.pathname, credential },
      query: Object.fromEntries(url.searchParams),
      headers: { ...headers, authorization: `[${credential}]` },
      ...{ body: parsed(sent), status: undefined },
    };
    requests.push(recorded);
    received.fire(recorded);
    const fault = faultFor(recorded);
    const isLate = fault?.kind === 'delay' && (!(await wait(fault.ms)) || response.destroyed);
    const isTrue = ['delay', 'alter', 'truncate', undefined].includes(fault?.kind);
    let answer: Fault = { kind: 'reset' };
    if (!isLate) answer = isTrue ? await truth(url, recorded, sent) : (fault as Fault);
    if (fault?.kind === 'alter' && answer.kind === 'answer')
      answer = { ...answer, body: JSON.stringify(fault.alter(JSON.parse(String(answer.body)))) };
    if (fault?.kind === 'truncate') answer = fault;
    const done = send(answer, response, `req_${requests.length}`);
    recorded.status = response.headersSent && answer.kind !== 'truncate' ? response.statusCode : 0;
    await done;
  };

  for (const [origin, server] of Object.entries({ base, app }))
    server.on('request', (request: IncomingMessage, response) => {
      for (const side of [request, response]) side.on('error', () => undefined);
      serve(origin as Origin, request, response).catch(() => request.socket.destroy());
    });

  const workUntil = (record: SampleRecord): number =>
    (record.kind === 'session' && record.state.steps.at(-1)?.at) || 0;
  const isBusy = () => [...sample.records.values.values()].some(record => workUntil(record) > now());
  const made = (sample.sessions ?? demoSessions)({ now: now(), pace: 1 });
  return {
    /** Everything but readiness, and its reports. */
    ...{ baseUrl: urls.base, appUrl: urls.app },
    ...{ keys, apiKey: keys.owner },
    /** Sessions that exist from the start, for adding by id. */
    sessionIds: made.map(({ sessionId }): string => sessionId),
    /** The oldest first. */
    requests: requests as readonly RecordedRequest[],
    /** Fires when a request has arrived whole, before it is answered. */
    onDidReceive: received.event,
    /** The next request that matches, when it has arrived whole. */
    next: (method: string, path: RegExp) =>
      new Promise<RecordedRequest>(resolve => {
        const subscription = received.event(request => {
          if (request.method !== method || !path.test(request.path)) return;
          subscription.dispose();
          resolve(request);
        });
      }),
    fail,
    /** The service says that the agent of a session, or of each, is at work, until disposed. */
    busy: (sessionId = '[^/]+') =>
      fail({
        kind: 'alter',
        match: { method: 'GET', path: new RegExp(`/sessions/${sessionId}$`) },
        alter: body => ({ ...(body as object), status: 'running' }),
      }),
    /** What it answers to its Owner past the extension, as another client would ask; a body is posted. */
    ask: async <T>(path: string, body?: unknown): Promise<T> => {
      const headers = { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' };
      const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      return (await globalThis.fetch(`${urls.base}${path}`, { headers, ...post })).json() as Promise<T>;
    },
    /** Resolves when no agent is working any more, or the service is closed. */
    settle: () => until(() => ending.signal.aborted || !isBusy()),
    /** Ends every connection and lets go of the ports. May be called again. */
    close,
  };
}

/** Whose credential an `Authorization` header holds. */
function credentialOf(header: string | undefined, keys: typeof usualKeys): Credential {
  if (header === undefined) return 'none';
  const token = /^bearer +(\S+)$/i.exec(header)?.[1];
  return (['owner', 'member', 'jwt'] as const).find(name => keys[name] === token) ?? 'invalid';
}

/** The refusal of a credential that may not ask for a path (interface section 5); `undefined` for one that may. */
function refusalOf(credential: Credential, path: string): Fault | undefined {
  const refuse = (detail: string, status = 401): Fault => ({ kind: 'status', status, detail });
  if (credential === 'none') return refuse('The Authorization header is missing.');
  if (credential === 'invalid') return refuse('The API key or access token is not valid.');
  if (credential === 'jwt' && !path.startsWith('/api/v0/'))
    return refuse('This endpoint takes an API key, not an access token.');
  if (credential === 'member' && path.startsWith('/api/v1/analytics/'))
    return refuse('Analytics needs the Manager or Owner role.', 403);
  return undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** What the sample remembers, in this process alone. */
export function sampleRecords(): SampleRecords {
  const values = new Map<string, SampleRecord>();
  const load = () => Promise.resolve();
  return {
    ...{ values, load },
    update: async (id, change) => {
      await load();
      const value = change(values.get(id));
      if (value !== undefined) values.set(id, value);
      return values.get(id);
    },
  };
}
