import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bodyBuilder } from '../../src/chat/attach/body';
import { Conversation } from '../../src/chat/conversation';
import { SessionIndex } from '../../src/sessions/sessionIndex';
import type { Write } from '../../src/storage/database';
import { silentLog } from '../fakes/log';
import { localEngine, openStorage } from '../fakes/storage';
import { attachmentsIn } from '../unit/chat/support';
import { atMost, clientOf, ms, stall, times, type Row } from './rows';

const [SERVICE, SESSION] = ['service', 'session'];

/** How often an accepted message goes to the disk, from what is typed until the transcript and the list of sessions have it. */
export async function acceptedRows(root: string): Promise<Row[]> {
  const log = silentLog();
  let durable = 0;
  const storage = openStorage({
    root,
    log,
    engine: options => {
      const database = localEngine(options);
      return {
        close: () => database.close(),
        call: (name, ...args) => {
          const writes = name === 'write' ? (args[0] as readonly Write[]) : [];
          if (writes.some(write => write.durable)) durable++;
          return database.call(name, ...args);
        },
      };
    },
  });
  const index = new SessionIndex(storage);
  await index.use(SERVICE);
  const session = { sessionId: SESSION, title: 'Session', status: 'idle', messageCount: 0, updatedAt: 1 };
  await index.learn(SERVICE, { session, origin: 'created', at: 1 });
  const one = (name: string) =>
    name === 'sendMessage'
      ? Promise.resolve({ messageId: 'message', status: 'running' })
      : Promise.reject(new Error('not asked'));
  const conversation = new Conversation({
    ...{ serviceId: SERVICE, sessionId: SESSION, storage, log, describe: String },
    sessions: {
      onDidChange: index.onDidChange,
      get: () => ({ ...session, statusAt: 1 }),
      watch: () => ({ dispose: () => undefined }),
      read: () => Promise.resolve(),
      pick: () => Promise.resolve(undefined),
      ensure: () => Promise.resolve(),
      refresh: () => Promise.reject(new Error('not asked')),
      noteSend: (id, sent) => index.noteSend(SERVICE, id, sent),
    },
    attachments: attachmentsIn(root),
    extras: () => false,
    buildBody: ({ text }) => Promise.resolve(text as never),
    api: () => ({ one }) as never,
  });
  await conversation.load();
  const before = durable;
  const settled = new Promise<unknown>(resolve => conversation.onDidSettle(resolve));
  conversation.composition.setText('Hello');
  await conversation.submit('Hello');
  await settled;
  const figure = durable - before;
  for (const each of [conversation, index]) each.dispose();
  await storage.settled();
  storage.dispose();
  return [atMost('durable writes of one accepted message (before: 10 to 12)', figure, 4, String)];
}

const SIZE = 25 * 1024 * 1024;

/** Takes any message and says that it was accepted. */
const SINK = `require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.end('{"messageId":"m1","status":"idle"}'));
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

/** What attaching and sending 25 MB costs the thread it is done on; `dist` holds the built extension. */
export async function sendingRows(dist: string, folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  const sink = spawn(process.execPath, ['-e', SINK], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(sink.stdout, 'data')) as [Buffer];
    for (const [kind, head] of [
      ['a PDF', '%PDF-1.7\n'],
      ['a text', 'text\n'],
    ] as const) {
      const file = path.join(folder, `large-${kind.replace(' ', '-')}`);
      fs.writeFileSync(file, head + 'A line of words, with "quotes".\n'.repeat(SIZE / 32).slice(head.length));
      const { longest, peak } = await measure(
        pathToFileURL(file).href,
        Number(line.toString()),
        path.join(dist, 'bodyWorker.mjs'),
      );
      rows.push(
        atMost(`attach and send 25 MB, ${kind}: longest stall`, longest, 50, ms),
        atMost(`attach and send 25 MB, ${kind}: peak extra memory`, peak, 4, times),
      );
    }
    return rows;
  } finally {
    const exit = once(sink, 'exit');
    sink.kill();
    await exit;
  }
}

async function measure(
  uri: string,
  port: number,
  workerFile: string,
): Promise<{ readonly longest: number; readonly peak: number }> {
  const client = clientOf(`http://127.0.0.1:${port}`);
  const attachments = attachmentsIn('/nowhere', 2 * SIZE);
  await client.one('sendMessage', {
    ids: { sessionId: 's' },
    body: JSON.stringify({ text: 'loads the code' }),
  });
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const sample = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 2);
  const longest = await stall(async () => {
    const parts = await attachments.parts([await attachments.inspect(uri)]);
    await client.one('sendMessage', {
      ids: { sessionId: 's' },
      body: await bodyBuilder(workerFile)({ text: 'Look', parts }),
    });
  });
  clearInterval(sample);
  client.dispose();
  return { longest, peak: (most - before) / SIZE };
}
