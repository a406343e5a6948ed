import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Server as SecureServer } from 'node:tls';

/** A server on a port of this machine, and the connections it has. */
export class LoopbackServer {
  readonly #sockets = new Set<Socket>();
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    });
  }

  /** Takes a port, by default any that is free; rejects where somebody else has it. */
  static async listen(server: Server, port = 0): Promise<LoopbackServer> {
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
