import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Server as SocketServer } from 'node:net';
import * as path from 'node:path';
import { createServer as createSecureServer } from 'node:tls';
import { startSampleService, type SampleService } from '../../src/sample';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { makeCertificate } from '../unit/api/certificate';
import { signedInTo, Workbench } from './workbench';

/** Hosts that exist only behind the proxy, with certificates of an authority that only this machine trusts. */
const HOSTS = ['api.agents.test', 'app.agents.test'] as const;

describe('a proxy set in VS Code only, and a private certificate', () => {
  const servers: SocketServer[] = [];
  const tunnels: string[] = [];
  let service: SampleService;
  let workbench: Workbench;
  let folder: string;

  const listen = async (server: SocketServer): Promise<number> => {
    servers.push(server);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };

  before(async function () {
    this.timeout(120_000);
    service = await startSampleService({ pace: 0 });
    const authority = makeCertificate({ name: 'private authority', authority: true });
    folder = temporaryFolder('proxy');
    const trusted = path.join(folder, 'authority.pem');
    fs.writeFileSync(trusted, authority.cert);
    const ports = new Map<string, number>();
    for (const [index, host] of HOSTS.entries()) {
      const { port } = new URL([service.baseUrl, service.appUrl][index] ?? '');
      const certificate = makeCertificate({ name: 'leaf', dns: host, issuer: authority });
      const ending = createSecureServer(certificate, socket => {
        const onward = connect(Number(port), '127.0.0.1');
        socket.pipe(onward).pipe(socket);
        for (const end of [socket, onward])
          end.on('error', () => void [socket, onward].map(each => each.destroy()));
      });
      ports.set(host, await listen(ending));
    }
    const proxy: Server = createServer((_, response) => response.writeHead(400).end());
    proxy.on('connect', ({ url = '' }, socket) => {
      const port = ports.get(url.replace(/:443$/, ''));
      if (port === undefined) {
        socket.end('HTTP/1.1 403 No\r\n\r\n');
        return;
      }
      tunnels.push(url);
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Yes\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      for (const end of [socket, onward])
        end.on('error', () => void [socket, onward].map(each => each.destroy()));
    });
    workbench = await Workbench.open({
      settings: {
        'http.proxy': `http://127.0.0.1:${String(await listen(proxy))}`,
        'http.proxySupport': 'override',
      },
      env: {
        ...signedInTo({
          baseUrl: `https://${HOSTS[0]}`,
          appUrl: `https://${HOSTS[1]}`,
          apiKey: service.apiKey,
        }),
        NODE_EXTRA_CA_CERTS: trusted,
      },
    });
  });
  after(async () => {
    await workbench.close();
    for (const server of servers) server.close();
    await service.close();
    removeFolder(folder);
  });

  it('are used for both addresses, by every request', async () => {
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'active').waitFor();
    await workbench.expandView('Readiness');
    await workbench.row('Readiness', 'acme/billing').waitFor();
    assert.deepEqual(
      [...new Set(tunnels)].sort(),
      HOSTS.map(host => `${host}:443`),
    );
    assert.ok(service.requests.length >= 2);
  });
});
