import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { openAddress } from '../../src/ui/openAddress';
import { LoopbackServer } from '../fakes/loopbackServer';

/** What a browser asks for when a link of a message is opened. */
describe('an address', () => {
  let server: Server;
  let loopback: LoopbackServer;
  let origin: string;
  before(async () => {
    server = createServer((request, response) => void response.end(request.url));
    loopback = await LoopbackServer.listen(server);
    // This machine under a name whose ports no server of VS Code maps.
    origin = `http://links.localhost:${loopback.port}`;
  });
  after(() => loopback.close());

  for (const address of [
    '/plain?a=b&c=d',
    '/a%23b%3Fc%2Fd%20e?q=1%2B1%26x%3D%2523&r=a+b%20c',
    '/%E2%9C%93/%25?to=https%3A%2F%2Fexample.com%2F%3Fa%3Db%23c',
  ]) {
    it(`is opened as it is written: ${address}`, async () => {
      const asked = new Promise<string | undefined>(resolve => {
        const listen = ({ url }: IncomingMessage): void => {
          if (url === '/favicon.ico') return;
          server.off('request', listen);
          resolve(url);
        };
        server.on('request', listen);
      });
      await openAddress(`${origin}${address}`);
      assert.equal(await asked, address);
    });
  }
});
