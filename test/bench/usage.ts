import * as path from 'node:path';
import { openStorage, workerEngine } from '../../src/storage';
import { UsageData } from '../../src/usage/data';
import { FakeConnection } from '../fakes/connection';
import { silentLog } from '../fakes/log';
import { answerOf, tokenRows, userRows } from '../fakes/usage';
import { temporaryFolder } from '../vscode/paths';
import { answering, atMost, bundled, clientOf, ms, stall, type Row } from './rows';

const SIZE = { days: 300, people: 400 };
/** Day 301 since the earliest. */
const now = (): number => Date.UTC(2026, 10, 10, 12);
const RANGE = { start: '2026-01-14', end: '2026-11-09' };

/** Fetching, storing and showing 300 days of 400 people. */
export async function usageRows(): Promise<Row[]> {
  const people = userRows(SIZE);
  const half = people.length / 2;
  const [first, second] = [people.slice(0, half), people.slice(half)];
  const service = await answering(
    ['cursor=', answerOf(second)],
    ['/users', answerOf(first, { has_more: true, next_cursor: 'c' })],
    ['', answerOf(tokenRows(SIZE))],
  );
  const [workerScript, engine] = [
    bundled('src/api/answer.ts'),
    workerEngine(bundled('src/storage/worker.ts')),
  ];
  const root = path.join(temporaryFolder('usage'), 'storage');
  let calls = 0;
  /** What a window that starts costs, in a storage with a thread of its own, as in the product. */
  const window = (): ((tab: 'people' | 'tokens') => Promise<number>) => {
    const counted = (url: string, init: RequestInit) => {
      calls++;
      return fetch(url, init);
    };
    const api = clientOf(service.origin, { now, workerScript, fetch: counted });
    const connection = new FakeConnection(api, { baseUrl: service.origin, appUrl: service.origin });
    const log = silentLog();
    const data = new UsageData({ connection, storage: openStorage({ root, log, engine }), log, now });
    const { signal } = new AbortController();
    return tab =>
      stall(() =>
        data.fetch({ tab, range: RANGE, compare: false, folded: true, pseudonyms: false }, { signal }),
      );
  };
  const opened = window();
  const rows = [
    atMost('usage, 300 days x 400 people: longest stall, people', await opened('people'), 50, ms),
    atMost('usage, 300 days x 400 people: longest stall, tokens', await opened('tokens'), 50, ms),
  ];
  calls = 0;
  const again = await window()('people');
  await service.close();
  return [
    ...rows,
    atMost('usage, 300 days x 400 people: longest stall, second start', again, 50, ms),
    atMost('usage, second start: calls', calls, 0, String),
  ];
}
