import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SentBody } from '../../src/api/client';
import { messageBody } from '../../src/chat/attach/body';
import { attachmentsIn } from '../unit/chat/support';
import { temporaryFolder } from '../vscode/paths';
import { answering, atMost, clientOf, ms, stall, times, type Row } from './rows';

const SIZE = 25 * 1024 * 1024;

/** What attaching and sending 25 MB costs the thread it is done on. */
export async function sendingRows(): Promise<Row[]> {
  const rows: Row[] = [];
  const sink = await answering(['', '{"messageId":"m1","status":"idle"}']);
  for (const [kind, head] of [
    ['a PDF', '%PDF-1.7\n'],
    ['a text', 'text\n'],
  ] as const) {
    const file = path.join(temporaryFolder('sending'), 'large');
    fs.writeFileSync(file, head + 'A line of words, with "quotes".\n'.repeat(SIZE / 32).slice(head.length));
    const { longest, peak } = await measure(pathToFileURL(file).href, sink.origin);
    rows.push(
      atMost(`attach and send 25 MB, ${kind}: longest stall`, longest, 50, ms),
      atMost(`attach and send 25 MB, ${kind}: peak extra memory`, peak, 4, times),
    );
  }
  await sink.close();
  return rows;
}

async function measure(uri: string, origin: string) {
  const client = clientOf(origin);
  const attachments = attachmentsIn('/nowhere', 2 * SIZE);
  const send = (body: SentBody) => client.one('sendMessage', { ids: { sessionId: 's' }, body });
  await send(JSON.stringify({ text: 'loads the code' }));
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const sample = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 2);
  const longest = await stall(async () => {
    const parts = await attachments.parts([await attachments.inspect(uri)]);
    await send(await messageBody({ text: 'Look', parts }));
  });
  clearInterval(sample);
  client.dispose();
  return { longest, peak: (most - before) / SIZE };
}
