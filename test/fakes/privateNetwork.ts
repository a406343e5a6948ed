import { createServer, request as ask } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Server } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import certificates from './certificates.json';
import { LoopbackServer } from './faultServer';

/** Which server on this machine answers for which name. */
type Hosts = Readonly<Record<string, string>>;

/**
 * A network as an organization has it: its hosts are reached over https through its proxy only. Their names mean nothing outside, and
 * their certificates are of its own authority, but for those of `strangers`; certificates.sh has the names.
 */
export class PrivateNetwork {
  /** Whom to trust, PEM. */
  readonly authority = certificates.authority;
  /** Each tunnel that the proxy was asked for, `host:port`; one may carry many requests. */
  readonly tunnels: string[] = [];
  readonly #ports = new Map<string, number>();
  readonly #servers: LoopbackServer[] = [];
  proxyUrl = '';

  static async start(hosts: Hosts, strangers: Hosts = {}): Promise<PrivateNetwork> {
    const network = new PrivateNetwork();
    for (const [host, url] of Object.entries(hosts)) await network.#answerFor(host, url, certificates.leaf);
    for (const [host, url] of Object.entries(strangers))
      await network.#answerFor(host, url, certificates.strange);
    const proxy = createServer((_, response) => response.writeHead(400).end());
    proxy.on('connect', ({ url = '' }, socket) => network.#tunnel(url, socket));
    network.proxyUrl = (await network.#listen(proxy)).origin;
    return network;
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(server => server.close()));
  }

  /** Ends the encryption and hands each request on, as a gateway does. */
  async #answerFor(host: string, url: string, cert: string): Promise<void> {
    const server = createSecureServer({ key: certificates.key, cert }, (request, response) => {
      const { method, headers } = request;
      const to = new URL(request.url ?? '/', url);
      const onward = ask(to, { method, headers: { ...headers, host: to.host } }, answer => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      request.pipe(onward);
    });
    this.#ports.set(`${host}:443`, (await this.#listen(server)).port);
  }

  #tunnel(host: string, socket: Duplex): void {
    this.tunnels.push(host);
    const port = this.#ports.get(host);
    if (port === undefined) {
      socket.on('error', () => undefined).end('HTTP/1.1 403 No\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Yes\r\n\r\n');
    pipeline(socket, connect(port, '127.0.0.1'), socket, () => undefined);
  }

  async #listen(server: Server): Promise<LoopbackServer> {
    const loopback = await LoopbackServer.listen(server);
    this.#servers.push(loopback);
    return loopback;
  }
}
