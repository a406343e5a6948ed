import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** One way to answer, or not to. Bodies that are objects go out as JSON. */
export type Fault =
  | {
      readonly kind: 'answer';
      readonly status?: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Never answers; the connection stays until the client leaves. */
  | { readonly kind: 'silence' }
  /** Sends the head and part of a body, then nothing. */
  | { readonly kind: 'stall'; readonly status?: number }
  | { readonly kind: 'resetBeforeHead' }
  | { readonly kind: 'resetAfterHead' }
  | { readonly kind: 'closeBeforeHead' }
  /** Promises more than it sends, then closes. */
  | { readonly kind: 'truncated' }
  | { readonly kind: 'html'; readonly status?: number }
  | { readonly kind: 'empty'; readonly status?: number }
  | { readonly kind: 'redirect'; readonly status?: number; readonly to: string }
  | { readonly kind: 'rateLimited'; readonly retryAfter?: string }
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

/** A loopback service that fails as told and counts what reached it. */
export class FaultServer {
  readonly hits: Hit[] = [];
  #reply: (hit: Hit, count: number) => Fault = () => ({ kind: 'answer', body: {} });
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #secure: boolean;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  /** Bytes of large bodies handed to the network so far. */
  sentBytes = 0;
  /** Called for each four megabytes of a large body. */
  onLargePart: () => void = () => undefined;

  private constructor(tls: { key: string; cert: string } | undefined) {
    const listener = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#serve(request, response);
    this.#secure = tls !== undefined;
    this.#server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(tls?: { key: string; cert: string }): Promise<FaultServer> {
    const server = new FaultServer(tls);
    await new Promise<void>(resolve => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http${this.#secure ? 's' : ''}://127.0.0.1:${this.port}`;
  }

  /** How many connections clients hold open. */
  get connections(): number {
    return this.#sockets.size;
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
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>(resolve => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const hit: Hit = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
    this.hits.push(hit);
    for (const waiter of this.#waiting.filter(({ count }) => this.hits.length >= count)) {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      waiter.resolve();
    }
    await this.#fail(this.#reply(hit, this.hits.length), request.socket, response);
  }

  async #fail(fault: Fault, socket: Socket, response: ServerResponse): Promise<void> {
    response.setHeader('x-request-id', REQUEST_ID);
    switch (fault.kind) {
      case 'answer': {
        const text = typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body ?? {});
        response.writeHead(fault.status ?? 200, { 'content-type': 'application/json', ...fault.headers });
        response.end(text);
        return;
      }
      case 'silence':
        return;
      case 'stall':
        response.writeHead(fault.status ?? 200, {
          'content-type': 'application/json',
          'content-length': '100',
        });
        response.write('{"a":');
        return;
      case 'resetBeforeHead':
        socket.resetAndDestroy();
        return;
      case 'closeBeforeHead':
        socket.destroy();
        return;
      case 'resetAfterHead':
      case 'truncated':
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        await new Promise<void>(resolve => response.write('{"a":', () => resolve()));
        if (fault.kind === 'truncated') socket.destroy();
        else socket.resetAndDestroy();
        return;
      case 'html':
        response.writeHead(fault.status ?? 200, { 'content-type': 'text/html' });
        response.end('<!doctype html><html><body>Sign in [x](command:evil)</body></html>');
        return;
      case 'empty':
        response.writeHead(fault.status ?? 200);
        response.end();
        return;
      case 'redirect':
        response.writeHead(fault.status ?? 307, { location: fault.to });
        response.end();
        return;
      case 'rateLimited':
        response.writeHead(429, fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter });
        response.end();
        return;
      case 'large':
        await this.#large(fault.bytes, fault.declared, response);
        return;
      case 'gzipBomb':
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        response.end(
          gzipSync(
            Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(fault.bytes, 0x61), Buffer.from('"}')]),
          ),
        );
        return;
      case 'badGzip':
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        response.end('this is not gzip');
        return;
      case 'notHttp':
        socket.end('220 mail.example.com ready\r\n');
        return;
    }
  }

  async #large(bytes: number, declared: boolean, response: ServerResponse): Promise<void> {
    const [head, tail] = ['{"a":"', '"}'];
    response.writeHead(200, {
      'content-type': 'application/json',
      ...(declared ? { 'content-length': String(bytes) } : {}),
    });
    response.write(head);
    const block = Buffer.alloc(64 * 1024, 0x61);
    let left = bytes - head.length - tail.length;
    while (left > 0 && !response.destroyed) {
      const part = block.subarray(0, Math.min(left, block.length));
      left -= part.length;
      this.sentBytes += part.length;
      if (this.sentBytes % (64 * block.length) === 0) this.onLargePart();
      if (!response.write(part)) {
        await new Promise<void>(resolve => {
          const go = (): void => {
            response.off('drain', go).off('close', go);
            resolve();
          };
          response.once('drain', go).once('close', go);
        });
      }
    }
    response.end(tail);
  }
}
