import { createServer, request as ask } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Server } from 'node:net';
import { pipeline } from 'node:stream';
import certificates from './certificates.json';
import { LoopbackServer } from './faultServer';

/** Which server on this machine answers for which name. */
type Hosts = Readonly<Record<string, string>>;

/** An organization's network: https through its proxy only, names that mean nothing outside, certificates of its own authority but for `strangers`. */
export const PrivateNetwork = {
  start: async (hosts: Hosts, strangers: Hosts = {}) => {
    const servers: LoopbackServer[] = [];
    const listen = async (server: Server): Promise<LoopbackServer> => {
      const loopback = await LoopbackServer.listen(server);
      servers.push(loopback);
      return loopback;
    };
    const ports = new Map<string, number>();
    for (const [host, url] of [...Object.entries(hosts), ...Object.entries(strangers)]) {
      const cert = host in hosts ? certificates.leaf : certificates.strange;
      ports.set(`${host}:443`, (await listen(gateway(url, cert))).port);
    }
    const tunnels: string[] = [];
    const proxy = createServer((_, response) => response.writeHead(400).end());
    proxy.on('connect', ({ url: host = '' }, socket) => {
      tunnels.push(host);
      const port = ports.get(host);
      socket.on('error', () => undefined);
      if (port === undefined) return void socket.end('HTTP/1.1 403 No\r\n\r\n');
      socket.write('HTTP/1.1 200 Yes\r\n\r\n');
      pipeline(socket, connect(port, '127.0.0.1'), socket, () => undefined);
    });
    return {
      /** Whom to trust, PEM. */
      authority: certificates.authority,
      /** Each tunnel that the proxy was asked for, `host:port`; one may carry many requests. */
      tunnels,
      proxyUrl: (await listen(proxy)).origin,
      close: () => Promise.all(servers.map(server => server.close())),
    };
  },
};
export type PrivateNetwork = Awaited<ReturnType<typeof PrivateNetwork.start>>;

/** Ends the encryption and hands each request on. */
function gateway(url: string, cert: string): Server {
  return createSecureServer({ key: certificates.key, cert }, (request, response) => {
    const { method, headers } = request;
    const to = new URL(request.url ?? '/', url);
    const onward = ask(to, { method, headers: { ...headers, host: to.host } }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
}
