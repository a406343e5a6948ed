import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Server as SecureServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { until } from '../until';

/** A server on a port of this machine, and the connections it has. */
export const LoopbackServer = {
  /** Takes a port, by default any that is free; rejects where somebody else has it. */
  listen: async (server: NetServer, wanted = 0) => {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    });
    server.listen({ host: '127.0.0.1', port: wanted, exclusive: true });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    /** Ends every connection and lets go of the port; may be called again. */
    const close = async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    };
    return { port, origin: `http${server instanceof SecureServer ? 's' : ''}://127.0.0.1:${port}`, close };
  },
};
export type LoopbackServer = Awaited<ReturnType<typeof LoopbackServer.listen>>;

/** One way to answer, or not to. Bodies that are objects go out as JSON. */
export type Fault =
  | {
      readonly kind: 'answer';
      readonly status?: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The error body of interface section 7. */
  | { readonly kind: 'status'; readonly status: number; readonly detail?: string }
  /** `silence` never answers; `stall` sends the head and part of a body, then nothing; `truncate` then closes. */
  | { readonly kind: 'silence' | 'reset' | 'resetAfterHead' | 'close' | 'truncate' | 'badGzip' | 'notHttp' }
  | { readonly kind: 'stall' | 'html' | 'empty'; readonly status?: number }
  | { readonly kind: 'redirect'; readonly status?: number; readonly to: string }
  | { readonly kind: 'rateLimit'; readonly retryAfter?: string | number }
  /** A valid JSON object of about `bytes`, with or without saying so first. */
  | { readonly kind: 'large'; readonly bytes: number; readonly declared: boolean }
  /** Small on the wire, `bytes` when unpacked. */
  | { readonly kind: 'gzipBomb'; readonly bytes: number };

/** A request as it arrived. */
export interface Hit {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export const REQUEST_ID = 'req_fault_1';

/** A loopback service that fails as told and counts what reached it. */
export class FaultServer {
  readonly hits: Hit[] = [];
  #reply: (hit: Hit, count: number) => Fault = () => ({ kind: 'answer' });
  #loopback: LoopbackServer | undefined;
  /** Bytes of large bodies handed to the network so far. */
  sentBytes = 0;
  /** Called for each four megabytes of a large body. */
  onLargePart: () => void = () => undefined;

  static async start(tls?: { readonly key: string; readonly cert: string }): Promise<FaultServer> {
    const server = new FaultServer();
    await server.listen(tls);
    return server;
  }

  async listen(tls?: { readonly key: string; readonly cert: string }): Promise<void> {
    const server = tls === undefined ? createServer() : createSecureServer(tls);
    server.on('request', (request, response) => void this.#serve(request, response));
    this.#loopback = await LoopbackServer.listen(server);
  }

  get origin(): string {
    return this.#loopback!.origin;
  }

  /** Answers every request from now on with `fault`, or as the function decides; `count` starts at 1. Forgets all hits. */
  answer(fault: Fault | ((hit: Hit, count: number) => Fault)): void {
    this.hits.length = 0;
    this.sentBytes = 0;
    this.#reply = typeof fault === 'function' ? fault : () => fault;
  }

  /** Resolves when `count` requests have arrived since `answer`. */
  arrived(count: number): Promise<void> {
    return until(() => this.hits.length >= count);
  }

  async close(): Promise<void> {
    await this.#loopback?.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const hit: Hit = { method, url, headers, body: await text(request) };
    this.hits.push(hit);
    await send(this.#reply(hit, this.hits.length), response, REQUEST_ID, bytes => {
      const before = this.sentBytes;
      this.sentBytes += bytes;
      if (Math.floor(before / LARGE_PART) < Math.floor(this.sentBytes / LARGE_PART)) this.onLargePart();
    });
  }
}

const LARGE_PART = 4 * 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
const GZIPPED = { ...JSON_TYPE, 'content-encoding': 'gzip' };

type Answer = readonly [status: number, headers: Readonly<Record<string, string>>, body?: string | Buffer];

/** What a fault that answers whole answers. */
function answerOf(fault: Fault, requestId: string): Answer | undefined {
  switch (fault.kind) {
    case 'answer': {
      const { status = 200, headers, body = {} } = fault;
      return [status, { ...JSON_TYPE, ...headers }, typeof body === 'string' ? body : JSON.stringify(body)];
    }
    case 'status': {
      const { status, detail = 'The service was told to fail.' } = fault;
      const title = STATUS_CODES[status];
      return [status, JSON_TYPE, JSON.stringify({ title, detail, status, requestId })];
    }
    case 'html': {
      const page = '<!doctype html><html><body>Sign in [x](command:evil)</body></html>';
      return [fault.status ?? 200, { 'content-type': 'text/html' }, page];
    }
    case 'empty':
      return [fault.status ?? 200, {}];
    case 'redirect':
      return [fault.status ?? 307, { location: fault.to }];
    case 'rateLimit':
      return [429, fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) }];
    case 'gzipBomb':
      return [200, GZIPPED, gzipSync(JSON.stringify({ a: 'a'.repeat(fault.bytes) }))];
    case 'badGzip':
      return [200, GZIPPED, 'this is not gzip'];
    default:
      return undefined;
  }
}

/** Answers as a fault says; `onSent` hears how many bytes of a large body went out. */
export async function send(
  fault: Fault,
  response: ServerResponse,
  requestId: string,
  onSent: (bytes: number) => void = () => undefined,
): Promise<void> {
  const { socket } = response;
  if (socket === null || response.destroyed) return;
  response.setHeader('x-request-id', requestId);
  const answer = answerOf(fault, requestId);
  if (answer !== undefined) response.writeHead(answer[0], answer[1]).end(answer[2]);
  else if (fault.kind === 'large') {
    const length = fault.declared ? { 'content-length': String(fault.bytes) } : {};
    response.writeHead(200, { ...JSON_TYPE, ...length });
    const body = Readable.from(largeBody(fault.bytes, onSent), { highWaterMark: 1 });
    await pipeline(body, response).catch(() => undefined);
  } else if (fault.kind === 'notHttp') socket.end('220 mail.example.com ready\r\n');
  else if (['stall', 'truncate', 'resetAfterHead'].includes(fault.kind)) {
    const status = 'status' in fault ? fault.status : undefined;
    response.writeHead(status ?? 200, { ...JSON_TYPE, 'content-length': '100' });
    await new Promise<void>(resolve => response.write('{"a":', () => resolve()));
  }
  if (fault.kind === 'close' || fault.kind === 'truncate') socket.destroy();
  if (fault.kind === 'reset' || fault.kind === 'resetAfterHead') socket.resetAndDestroy();
}

function* largeBody(bytes: number, onSent: (bytes: number) => void): Generator<string | Buffer> {
  const [head, tail] = ['{"a":"', '"}'];
  yield head;
  const block = Buffer.alloc(64 * 1024, 0x61);
  for (let left = bytes - head.length - tail.length; left > 0; left -= block.length) {
    const part = block.subarray(0, left);
    onSent(part.length);
    yield part;
  }
  yield tail;
}
