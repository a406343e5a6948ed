import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { ApiClient } from '../../src/api';
import { Attachments, type AttachableFiles } from '../../src/chat/attach/attachments';
import { bodyBuilder } from '../../src/chat/attach/body';
import { readLocal } from '../../src/chat/attach/workspaceFiles';
import { silentLog } from '../fakes/log';
import { atMost, ms, stall, times, type Row } from './rows';

const SIZE = 25 * 1024 * 1024;

/** Takes any message and says that it was accepted. */
const SINK = `require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.end('{"messageId":"m1","status":"idle"}'));
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

const files: AttachableFiles = {
  stat: async file => {
    const { size, mtimeMs: mtime } = await fs.promises.stat(file);
    return { kind: 'file', size, mtime };
  },
  read: readLocal,
  name: file => path.basename(file),
  workspacePath: file => path.basename(file),
};

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
        file,
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
    await ended(sink);
  }
}

async function measure(
  file: string,
  port: number,
  workerFile: string,
): Promise<{ readonly longest: number; readonly peak: number }> {
  const address = `http://127.0.0.1:${port}`;
  const client = new ApiClient({
    baseUrl: address,
    appUrl: address,
    key: () => Promise.resolve('key'),
    log: silentLog(),
  });
  const limit = 2 * SIZE;
  const attachments = new Attachments(files, '/nowhere', () => ({ file: limit, message: limit }), 'en');
  await client.one('sendMessage', {
    ids: { sessionId: 's' },
    body: JSON.stringify({ text: 'loads the code' }),
  });
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const sample = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 2);
  const longest = await stall(async () => {
    const parts = await attachments.parts([await attachments.inspect(file)]);
    await client.one('sendMessage', {
      ids: { sessionId: 's' },
      body: await bodyBuilder(workerFile)({ text: 'Look', parts }),
    });
  });
  clearInterval(sample);
  client.dispose();
  return { longest, peak: (most - before) / SIZE };
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill();
  await exit;
}
