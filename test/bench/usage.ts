import * as path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Connection, ConnectionState } from '../../src/connection';
import type { TabId } from '../../src/usage/report/types';
import { openStorage, workerEngine } from '../../src/storage';
import { UsageData } from '../../src/usage/data';
import { Emitter, ObservableValue } from '../../src/util/event';
import { silentLog } from '../fakes/log';
import { answerOf, tokenRows, userRows } from '../fakes/usage';
import { temporaryFolder } from '../vscode/paths';
import { atMost, bundled, clientOf, ms, stall, type Row } from './rows';

const SIZE = { days: 300, people: 400 };
/** Day 301 since the earliest. */
const NOW = Date.UTC(2026, 10, 10, 12);

/** Serves the answers of a large organization from a thread of its own, so that only the client is measured. */
const SERVER = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
let hits = 0;
createServer((request, response) => {
  hits++;
  const url = new URL(request.url, 'http://x');
  const body = url.pathname.endsWith('/users')
    ? workerData.users[url.searchParams.has('cursor') ? 1 : 0]
    : workerData.tokens;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(body);
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });
parentPort.on('message', () => parentPort.postMessage(hits));
`;

/** Fetching, storing and showing 300 days of 400 people. */
export async function usageRows(): Promise<Row[]> {
  const people = userRows(SIZE);
  const half = people.length / 2;
  const users = [
    answerOf(people.slice(0, half), { has_more: true, next_cursor: 'c' }),
    answerOf(people.slice(half)),
  ];
  const tokens = answerOf(tokenRows(SIZE));
  const server = new Worker(SERVER, { eval: true, workerData: { users, tokens } });
  const asked = (): Promise<number> => {
    server.postMessage('hits');
    return new Promise(resolve => server.once('message', resolve));
  };
  const port = await new Promise<number>(resolve => server.once('message', resolve));
  const script = bundled('src/api/answer.ts');
  const root = temporaryFolder('usage');
  try {
    const first = open(port, script, root);
    const peopleStall = await stall(() => first.fetch(ask('people'), { signal: never() }));
    const tokensStall = await stall(() => first.fetch(ask('tokens'), { signal: never() }));
    const calls = await asked();
    first.dispose();
    const second = open(port, script, root);
    const readStall = await stall(() => second.fetch(ask('people'), { signal: never() }));
    const again = (await asked()) - calls;
    console.log(
      `usage: ${(users.join('').length / 1e6).toFixed(0)} MB of people, ${(tokens.length / 1e6).toFixed(0)} MB of tokens, ${calls} calls`,
    );
    return [
      atMost('usage, 300 days x 400 people: longest stall, people', peopleStall, 50, ms),
      atMost('usage, 300 days x 400 people: longest stall, tokens', tokensStall, 50, ms),
      atMost('usage, 300 days x 400 people: longest stall, second start', readStall, 50, ms),
      atMost('usage, second start: calls', again, 0, String),
    ];
  } finally {
    await server.terminate();
  }
}

function open(port: number, workerScript: string, root: string): UsageData {
  const log = silentLog();
  const baseUrl = `http://127.0.0.1:${port}`;
  const service = { id: 'bench', baseUrl, appUrl: baseUrl, host: 'bench', source: 'settings' } as const;
  const state = new ObservableValue<ConnectionState>({ kind: 'signedIn', service });
  const now = (): number => NOW;
  const api = clientOf(baseUrl, { now, workerScript });
  const connection: Connection = {
    state,
    api,
    keyMark: () => 'bench',
    onDidBecomeReady: new Emitter<never>().event,
    ready: () => Promise.resolve(state.current),
  };
  return new UsageData({
    connection,
    // In a thread of its own, as in the product.
    storage: openStorage({
      root: path.join(root, 'storage'),
      log,
      engine: workerEngine(bundled('src/storage/worker.ts')),
    }),
    log,
    now,
  });
}

function ask(tab: TabId) {
  const range = { start: '2026-01-14', end: '2026-11-09' };
  return { tab, range, compare: false, folded: true, pseudonyms: false };
}

const never = (): AbortSignal => new AbortController().signal;
