import { once } from 'node:events';
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Server as SecureServer } from 'node:tls';
import { gzipSync } from 'node:zlib';

/** A server on a port of this machine, and the connections it has. */
export class LoopbackServer {
  readonly #sockets = new Set<Socket>();
  readonly port: number;
  readonly #server: NetServer;

  private constructor(server: NetServer) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    });
  }

  /** Takes a port, by default any that is free; rejects where somebody else has it. */
  static async listen(server: NetServer, port = 0): Promise<LoopbackServer> {
    server.listen({ host: '127.0.0.1', port, exclusive: true });
    await once(server, 'listening');
    return new LoopbackServer(server);
  }

  get origin(): string {
    return `http${this.#server instanceof SecureServer ? 's' : ''}://127.0.0.1:${this.port}`;
  }

  /** Ends every connection and lets go of the port; may be called again. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

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
  /** Never answers; the connection stays until the client leaves. */
  | { readonly kind: 'silence' }
  /** Sends the head and part of a body, then nothing. */
  | { readonly kind: 'stall'; readonly status?: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'resetAfterHead' }
  | { readonly kind: 'close' }
  /** Promises more than it sends, then closes. */
  | { readonly kind: 'truncate' }
  | { readonly kind: 'html'; readonly status?: number }
  | { readonly kind: 'empty'; readonly status?: number }
  | { readonly kind: 'redirect'; readonly status?: number; readonly to: string }
  | { readonly kind: 'rateLimit'; readonly retryAfter?: string | number }
  /** A valid JSON object of about `bytes`, with or without saying so first. */
  | { readonly kind: 'large'; readonly bytes: number; readonly declared: boolean }
  /** Small on the wire, `bytes` when unpacked. */
  | { readonly kind: 'gzipBomb'; readonly bytes: number }
  | { readonly kind: 'badGzip' }
  | { readonly kind: 'notHttp' };

/** A request as it arrived. */
export interface Hit {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export const REQUEST_ID = 'req_fault_1';

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A loopback service that fails as told and counts what reached it. */
export class FaultServer {
  readonly hits: Hit[] = [];
  #reply: (hit: Hit, count: number) => Fault = () => ({ kind: 'answer', body: {} });
  readonly #server: Server;
  #loopback: LoopbackServer | undefined;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  /** Bytes of large bodies handed to the network so far. */
  sentBytes = 0;
  /** Called for each four megabytes of a large body. */
  onLargePart: () => void = () => undefined;

  constructor(tls?: Certificate) {
    this.#server = tls === undefined ? createServer() : createSecureServer(tls);
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.#serve(request, response);
    });
  }

  static async start(tls?: Certificate): Promise<FaultServer> {
    const server = new FaultServer(tls);
    await server.listen();
    return server;
  }

  async listen(): Promise<void> {
    this.#loopback = await LoopbackServer.listen(this.#server);
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
  async arrived(count: number): Promise<void> {
    if (this.hits.length >= count) return;
    await new Promise<void>(resolve => this.#waiting.push({ count, resolve }));
  }

  async close(): Promise<void> {
    await this.#loopback?.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const hit: Hit = { method, url, headers, body: await text(request) };
    this.hits.push(hit);
    for (const waiter of this.#waiting.filter(({ count }) => this.hits.length >= count)) {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      waiter.resolve();
    }
    await send(this.#reply(hit, this.hits.length), response, REQUEST_ID, bytes => {
      const before = this.sentBytes;
      this.sentBytes += bytes;
      if (Math.floor(before / LARGE_PART) < Math.floor(this.sentBytes / LARGE_PART)) this.onLargePart();
    });
  }
}

const LARGE_PART = 4 * 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Answers as a fault says; `onSent` hears how many bytes of a large body went out. */
export async function send(
  fault: Fault,
  response: ServerResponse,
  requestId: string,
  onSent?: (bytes: number) => void,
): Promise<void> {
  const { socket } = response;
  if (socket === null || response.destroyed) return;
  const answer = (status: number, headers: Readonly<Record<string, string>>, body?: string | Buffer): void =>
    void response.writeHead(status, headers).end(body);
  response.setHeader('x-request-id', requestId);
  switch (fault.kind) {
    case 'answer': {
      const body = typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body ?? {});
      answer(fault.status ?? 200, { ...JSON_TYPE, ...fault.headers }, body);
      return;
    }
    case 'status': {
      const { status, detail = 'The service was told to fail.' } = fault;
      answer(status, JSON_TYPE, JSON.stringify({ title: STATUS_CODES[status], detail, status, requestId }));
      return;
    }
    case 'silence':
      return;
    case 'stall':
      response.writeHead(fault.status ?? 200, { ...JSON_TYPE, 'content-length': '100' }).write('{"a":');
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'close':
      socket.destroy();
      return;
    case 'resetAfterHead':
    case 'truncate':
      response.writeHead(200, { ...JSON_TYPE, 'content-length': '100' });
      await new Promise<void>(resolve => response.write('{"a":', () => resolve()));
      if (fault.kind === 'truncate') socket.destroy();
      else socket.resetAndDestroy();
      return;
    case 'html': {
      const page = '<!doctype html><html><body>Sign in [x](command:evil)</body></html>';
      answer(fault.status ?? 200, { 'content-type': 'text/html' }, page);
      return;
    }
    case 'empty':
      answer(fault.status ?? 200, {});
      return;
    case 'redirect':
      answer(fault.status ?? 307, { location: fault.to });
      return;
    case 'rateLimit':
      answer(429, fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) });
      return;
    case 'large':
      await sendLarge(fault, response, onSent);
      return;
    case 'gzipBomb': {
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(fault.bytes, 0x61), Buffer.from('"}')]);
      answer(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync(body));
      return;
    }
    case 'badGzip':
      answer(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }, 'this is not gzip');
      return;
    case 'notHttp':
      socket.end('220 mail.example.com ready\r\n');
      return;
  }
}

async function sendLarge(
  { bytes, declared }: Extract<Fault, { kind: 'large' }>,
  response: ServerResponse,
  onSent?: (bytes: number) => void,
): Promise<void> {
  const [head, tail] = ['{"a":"', '"}'];
  response.writeHead(200, { ...JSON_TYPE, ...(declared ? { 'content-length': String(bytes) } : {}) });
  response.write(head);
  const block = Buffer.alloc(64 * 1024, 0x61);
  let left = bytes - head.length - tail.length;
  while (left > 0 && !response.destroyed) {
    const part = block.subarray(0, Math.min(left, block.length));
    left -= part.length;
    onSent?.(part.length);
    if (!response.write(part)) {
      const done = new AbortController();
      const { signal } = done;
      const ends = ['drain', 'close'].map(name => once(response, name, { signal }).catch(() => undefined));
      await Promise.race(ends);
      done.abort();
    }
  }
  response.end(tail);
}
