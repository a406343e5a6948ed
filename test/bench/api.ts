import * as fs from 'node:fs';
import { createServer } from 'node:http';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readAnswer } from '../../src/api/answer';
import type { SentBody } from '../../src/api/call';
import { messageBody } from '../../src/chat/attach/body';
import { openStorage, workerEngine } from '../../src/storage';
import { UsageData } from '../../src/usage/data';
import { redact, Redactor } from '../../src/util/redact';
import { FakeConnection } from '../fakes/connection';
import { LoopbackServer } from '../fakes/faultServer';
import { silentLog } from '../fakes/log';
import { answerOf, tokenRows, userRows } from '../fakes/usage';
import { attachmentsIn } from '../unit/chat/support';
import { temporaryFolder } from '../vscode/paths';
import { answering, atMost, bundled, clientOf, median, ms, stall, timed, times, type Row } from './rows';

/** What our client adds to a request on loopback: asked in turn with bare `fetch`, p50 against p50. */
export async function clientRows(): Promise<Row[]> {
  const computers = Array.from({ length: 20 }, (_, index) => ({
    ...{ id: `computer-${index}`, name: `computer ${index}`, hostname: `host${index}.example.com` },
    ...{ status: 'active', providerType: 'cloud', remoteUser: 'agent' },
    ...{ createdAt: 1_790_000_000_000 + index, updatedAt: 1_790_000_000_000 + index },
  }));
  const answer = JSON.stringify({ computers, pagination: { hasMore: false, nextCursor: null } });
  const json = { 'content-type': 'application/json' };
  const service = createServer((_, response) => response.writeHead(200, json).end(answer));
  const server = await LoopbackServer.listen(service);
  const client = clientOf(server.origin);
  const headers = { Authorization: 'Bearer key' };
  const bare = async () => (await fetch(`${server.origin}/api/v0/computers`, { headers })).json();
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < 4_000; round++) {
    ours.push(await timed(() => client.list('computers')));
    theirs.push(await timed(bare));
  }
  client.dispose();
  await server.close();
  // The first ones pay for what is loaded once.
  const ratio = median(ours.slice(500)) / median(theirs.slice(500));
  return [atMost('client on loopback against bare fetch, p50', ratio, 1.5, times)];
}

const PIECES = [
  'Plain words of a person. ',
  ...['a://b:', 'akey=', '--key ', 'bearer ', 'token="', 'https://a@', 'password: |\n '],
  ...['pwd,,,,,,,,,,,,--', '-u=', '//:a'],
];

/** Redaction of the worst of several texts, and what a large answer costs the extension host. */
export async function redactionRows(): Promise<Row[]> {
  const redactor = new Redactor('bench');
  const text = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length));
  const took: number[] = [];
  for (const piece of PIECES) {
    const long = text(piece, 64 * 1024);
    const rounds: number[] = [];
    for (let round = 0; round < 20; round++) rounds.push(await timed(() => redact(long, redactor)));
    took.push(Math.min(...rounds));
  }
  const script = bundled('src/api/answer.ts');
  const costs: number[] = [];
  for (const piece of PIECES.slice(0, 2)) {
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, note: text(piece, 8 * 1024) }));
    const body = new TextEncoder().encode(JSON.stringify({ users: rows }));
    const before = process.threadCpuUsage();
    await readAnswer('users', body, redactor, new AbortController().signal, script);
    const { user, system } = process.threadCpuUsage(before);
    costs.push((user + system) / 1_000);
  }
  return [
    atMost('redaction of 64 KB of text, the worst of several', Math.max(...took), 5, ms),
    atMost('an answer of 16 MB: work of the extension host', Math.max(...costs), 50, ms),
  ];
}

const SIZE = 25 * 1024 * 1024;

/** What attaching and sending 25 MB, a PDF or a text, costs the thread it is done on. */
export async function sendingRows(): Promise<Row[]> {
  const sink = await answering(['', '{"messageId":"m1","status":"idle"}']);
  const client = clientOf(sink.origin);
  const send = (body: SentBody) => client.one('sendMessage', { ids: { sessionId: 's' }, body });
  const attachments = attachmentsIn('/nowhere', 2 * SIZE);
  const stalls: number[] = [];
  const peaks: number[] = [];
  for (const head of ['%PDF-1.7\n', 'text\n']) {
    const file = path.join(temporaryFolder('sending'), 'large');
    fs.writeFileSync(file, head + 'A line of words, with "quotes".\n'.repeat(SIZE / 32).slice(head.length));
    await send(JSON.stringify({ text: 'loads the code' }));
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    let most = before;
    const sample = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 2);
    const { longest } = await stall(async () => {
      const parts = await attachments.parts([await attachments.inspect(pathToFileURL(file).href)]);
      await send(await messageBody({ text: 'Look', parts }));
    });
    clearInterval(sample);
    stalls.push(longest);
    peaks.push((most - before) / SIZE);
  }
  client.dispose();
  await sink.close();
  return [
    atMost('attach and send 25 MB, a PDF or a text: longest stall', Math.max(...stalls), 50, ms),
    atMost('attach and send 25 MB, a PDF or a text: peak extra memory', Math.max(...peaks), 4, times),
  ];
}

const USAGE = { days: 300, people: 400 };
/** Day 301 since the earliest. */
const now = (): number => Date.UTC(2026, 10, 10, 12);
const DAYS = { start: '2026-01-14', end: '2026-11-09' };

/** Fetching, storing and showing 300 days of 400 people. */
export async function usageRows(): Promise<Row[]> {
  const people = userRows(USAGE);
  const half = people.length / 2;
  const service = await answering(
    ['cursor=', answerOf(people.slice(half))],
    ['/users', answerOf(people.slice(0, half), { has_more: true, next_cursor: 'c' })],
    ['', answerOf(tokenRows(USAGE))],
  );
  const workerScript = bundled('src/api/answer.ts');
  const engine = workerEngine(bundled('src/storage/worker.ts'));
  const root = path.join(temporaryFolder('usage'), 'storage');
  let calls = 0;
  /** What a window that starts costs, in a storage with a thread of its own, as in the product. */
  const window = () => {
    const counted = (url: string, init: RequestInit) => {
      calls++;
      return fetch(url, init);
    };
    const api = clientOf(service.origin, { now, workerScript, fetch: counted });
    const connection = new FakeConnection(api, { baseUrl: service.origin, appUrl: service.origin });
    const log = silentLog();
    const data = new UsageData({ connection, storage: openStorage({ root, log, engine }), log, now });
    const { signal } = new AbortController();
    const query = { range: DAYS, compare: false, folded: true, pseudonyms: false };
    return async (tab: 'people' | 'tokens'): Promise<number> =>
      (await stall(() => data.fetch({ ...query, tab }, { signal }))).longest;
  };
  const opened = window();
  const stalls = [await opened('people'), await opened('tokens')];
  calls = 0;
  stalls.push(await window()('people'));
  await service.close();
  return [
    atMost('usage, 300 days x 400 people, and a second start: longest stall', Math.max(...stalls), 50, ms),
    atMost('usage, second start: calls', calls, 0, String),
  ];
}
