import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http';
import * as os from 'node:os';
import * as path from 'node:path';
import { openGate, type Gate } from '../vscode/gate';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('the door of npm start', function () {
  if (process.platform === 'win32') return;
  let folder = '';
  let behind: Server;
  let gate: Gate;
  const asked: string[] = [];

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ac-gate-'));
    behind = createServer((incoming, outgoing) => {
      asked.push(incoming.url ?? '');
      outgoing.setHeader('set-cookie', 'theirs=1');
      incoming.pipe(outgoing);
    });
    behind.on('upgrade', (incoming: IncomingMessage, socket) => {
      asked.push(incoming.url ?? '');
      socket.end(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello',
      );
    });
    const socket = path.join(folder, 'behind.sock');
    await new Promise<void>(resolve => behind.listen(socket, resolve));
    gate = await openGate(socket, [0]);
  });
  after(() => {
    gate.close();
    behind.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const ask = (url: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { headers, method: body === '' ? 'GET' : 'POST' }, answer => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.once('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
        );
      });
      sent.on('upgrade', (answer, socket, head) => {
        socket.destroy();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: head.toString() });
      });
      sent.once('error', reject);
      sent.end(body);
    });
  const origin = () => new URL(gate.address('/')).origin;
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };

  it('lets nobody in without the token', async () => {
    const wrong = [
      [`${origin()}/`, {}],
      [`${origin()}/?tkn=`, {}],
      [`${origin()}/?tkn=${'A'.repeat(24)}`, {}],
      [`${origin()}/`, { cookie: 'agent-console-start=' }],
      [`${origin()}/`, { cookie: `other=1; agent-console-start=${'A'.repeat(24)}` }],
      [`${origin()}/`, upgrade],
    ] as const;
    for (const [url, headers] of wrong) assert.equal((await ask(url, headers)).status, 403, url);
    assert.deepEqual(asked, []);
  });

  it('takes the token out of the address and leaves a cookie that scripts cannot read', async () => {
    const answer = await ask(gate.address('/?folder=/a b'.replace(' ', '%20')), {}, 'body');
    assert.equal(answer.body, 'body');
    assert.deepEqual(asked.splice(0), ['/?folder=%2Fa+b']);
    const [theirs, ours] = answer.headers['set-cookie'] ?? [];
    assert.equal(theirs, 'theirs=1');
    assert.match(ours ?? '', /^agent-console-start=[\w-]{24}; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it('hands everything on for the cookie, sockets as well', async () => {
    const { headers } = await ask(gate.address('/'));
    const cookie = headers['set-cookie']?.[1]?.split(';')[0] ?? '';
    asked.length = 0;
    assert.equal((await ask(`${origin()}/a?b=1`, { cookie }, 'x')).body, 'x');
    const socket = await ask(`${origin()}/socket?c=2`, { cookie, ...upgrade });
    assert.equal(socket.status, 101);
    assert.deepEqual(asked, ['/a?b=1', '/socket?c=2']);
  });

  it('says which port is taken', async () => {
    const port = Number(new URL(origin()).port);
    await assert.rejects(openGate('/nowhere', [port]), new RegExp(`Port ${port} is taken`));
  });

  it('answers 502 when nobody is behind it', async () => {
    const alone = await openGate(path.join(folder, 'nobody.sock'), [0]);
    assert.equal((await ask(alone.address('/'))).status, 502);
    alone.close();
  });
});
