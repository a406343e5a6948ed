import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Origin } from './recorder';
import { newRequestId } from './responder';

export type Handler = (origin: Origin, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Two HTTP servers on 127.0.0.1. */
export class Ports {
  readonly #servers: Readonly<Record<Origin, Server>> = {
    base: this.#server('base'),
    app: this.#server('app'),
  };
  readonly #addresses: Record<Origin, string> = { base: '', app: '' };
  #handler: Handler | undefined;
  #ready: () => void = () => undefined;
  readonly #whenReady = new Promise<void>(resolve => (this.#ready = resolve));

  /** Takes both ports, 0 for any; rejects when one is taken, leaving neither open. */
  async open(port: number, appPort: number): Promise<void> {
    try {
      await this.#listen('base', port);
      await this.#listen('app', appPort);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** `http://127.0.0.1:PORT`, also after the end. */
  address(origin: Origin): string {
    return this.#addresses[origin];
  }

  /** Hands all requests to `handler`, those that came before it too. */
  serve(handler: Handler): void {
    this.#handler = handler;
    this.#ready();
  }

  /** Ends every connection, and each new one at once; the ports stay taken. */
  disconnect(): void {
    this.#handler = undefined;
    this.#ready();
    for (const server of Object.values(this.#servers)) server.closeAllConnections();
  }

  /** Lets go of the ports; resolves when nothing is open. */
  async close(): Promise<void> {
    const closed = Object.values(this.#servers).map(
      server => new Promise<void>(resolve => server.close(() => resolve())),
    );
    this.disconnect();
    await Promise.all(closed);
  }

  #server(origin: Origin): Server {
    // Without a Host header the guard refuses, so that this answer too has a request id.
    const server = createServer({ requireHostHeader: false }, (request, response) => {
      void this.#whenReady.then(() => {
        if (this.#handler === undefined) request.socket.destroy();
        else return this.#handler(origin, request, response);
      });
    });
    server.on('clientError', (_error, socket) => {
      const head = `HTTP/1.1 400 Bad Request\r\nX-Request-Id: ${newRequestId()}\r\nConnection: close`;
      if (socket.writable) socket.end(`${head}\r\nContent-Length: 0\r\n\r\n`);
      else socket.destroy();
    });
    return server;
  }

  #listen(origin: Origin, port: number): Promise<void> {
    const server = this.#servers[origin];
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
        server.off('error', reject);
        this.#addresses[origin] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        resolve();
      });
    });
  }
}
