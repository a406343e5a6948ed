import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { sampleFetch, sampleRecord, type SampleOptions } from '../../src/sample';
import { demoSessions } from '../../src/sample/demo';
import { type IDisposable } from '../../src/util/disposable';
import { type Event } from '../../src/util/event';
import { credentialOf, refusalOf, usualKeys, type SampleKeys } from './credentials';
import { Faults, spoil, type Answer, type Fault, type Origin } from './faults';
import { MemoryStorage } from './memoryStorage';
import { pastSessions } from './pastSessions';
import { recordingOf, Recorder, type RecordedRequest } from './recorder';
import { Waits } from './waits';

export { demoFacts } from '../../src/sample';
export { type SampleKeys } from './credentials';
export { type Fault, type FaultMatch, type Mishap } from './faults';
export { type RecordedRequest } from './recorder';

export interface SampleServiceOptions extends Partial<Omit<SampleOptions, 'appUrl'>> {
  /** Port of `baseUrl`; any free one by default. */
  readonly port?: number;
  /** Port of `appUrl`; any free one by default. */
  readonly appPort?: number;
  /** Credentials to accept, instead of the usual ones. */
  readonly keys?: Partial<SampleKeys>;
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
  /** The last 1,000 requests, the oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Fires when a request has arrived whole, before it is answered. */
  readonly onDidReceive: Event<RecordedRequest>;
  /** Makes requests fail until disposed or used up. */
  fail(fault: Fault): IDisposable;
  /** Resolves when no agent is working any more, or the service is closed. */
  settle(): Promise<void>;
  /** Ends every connection and lets go of the ports. May be called again. */
  close(): Promise<void>;
}

/**
 * The sample as tests start it: the documented interface alone, so no call lists sessions and a list begins empty. Three sessions
 * wait to be added by their ids: an everyday one, a long one, and one with everything out of the ordinary. `extras: true` serves
 * the lists as well, `sessions: undefined` what the product's sample has. Rejects when a port is taken.
 */
export async function startSampleService(options: SampleServiceOptions = {}): Promise<SampleService> {
  const { port = 0, appPort = 0, now = Date.now, seed = 'agent-console' } = options;
  const keys = { ...usualKeys, ...options.keys };
  const [recorder, faults, waits] = [new Recorder(), new Faults(), new Waits()];
  const servers = [createServer(), createServer()] as const;
  let closing: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    for (const part of [faults, recorder, waits]) part.dispose();
    closing ??= Promise.all(
      servers.map(server => {
        const closed = new Promise<void>(resolve => server.close(() => resolve()));
        server.closeAllConnections();
        return closed;
      }),
    );
    await closing;
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
    const received = { receivedAt: Math.floor(now()), origin, method, credential };
    const recording = recordingOf(received, url, headers, body);
    recorder.add(recording);
    const requestId = `req_${recorder.requests.length}`;
    const truth = async (): Promise<Answer> =>
      refusalOf(credential, url.pathname, requestId) ??
      answerOf(
        await fetch(url.href, {
          method,
          headers: { 'content-type': headers['content-type'] ?? '' },
          ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
        }),
      );
    const fault = faults.take(origin, method, url.pathname);
    const isGone = (): boolean => response.destroyed;
    const given =
      fault === undefined ? await truth() : await spoil(fault, truth, { requestId, waits, isGone });
    const isCut = fault?.kind === 'truncate';
    recording.status = isCut ? 0 : (given?.status ?? 0);
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
    requests: recorder.requests,
    onDidReceive: recorder.onDidReceive,
    fail: fault => faults.add(fault),
    settle: async () => {
      while (closing === undefined && (await busy())) await waits.wait(20);
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

async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: await response.text() };
}

/** Sends an answer; one that is cut ends in the middle of its body. */
function send(response: ServerResponse, { status, headers, body }: Answer, isCut: boolean): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'Content-Length': String(bytes.length) });
  if (!isCut) response.end(bytes);
  else response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.socket?.destroy());
}
