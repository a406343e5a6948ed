import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import type { Session } from '../../src/api';
import { seeded } from '../../src/sample/random';
import { ServiceList } from '../../src/sessions/monitor';
import { SessionIndex } from '../../src/sessions/sessionIndex';
import { groupSessions } from '../../src/sessions/view';
import { sessionRow } from '../../src/sessions/words';
import { openStorage, workerEngine, type CollectionOptions, type Storage } from '../../src/storage';
import { ObservableValue } from '../../src/util/lifecycle';
import { silentLog } from '../fakes/log';
import { until } from '../until';
import { temporaryFolder } from '../vscode/paths';
import { atMost, bundled, median, ms, percentile, stall, timed, type Row } from './rows';

const SESSIONS = 5_000;
const UPDATES = 1_000;
const MESSAGES = 100_000;
interface Message {
  readonly text: string;
  readonly at: number;
}
const text = 'A note about something or other'.padEnd(300, '.');
const records = (path: string): CollectionOptions<Message> => ({
  path: `services/bench/${path}`,
  version: 1,
  schema: { parse: value => value as Message },
});

/** The store as the product has it: in a thread of its own, windows and processes beside each other. */
export async function storeRows(): Promise<Row[]> {
  const folder = temporaryFolder('store');
  // A store that waits for others keeps no process alive.
  const alive = setInterval(() => undefined, 1_000);
  const engine = workerEngine(bundled('src/storage/worker.ts'));
  const open = (): Storage => openStorage({ root: folder, log: silentLog(), engine });
  const rows: Row[] = [];
  const add = (...row: Parameters<typeof atMost>): unknown => rows.push(atMost(...row));
  const sessions = `${SESSIONS} sessions`;
  const [here, second] = [open(), open()];
  const [index, loaded] = [new SessionIndex(here), new SessionIndex(second)];
  await index.use('bench');
  const learning = await stall(() => listed(index));
  add(`${sessions}: learn them from the service's list (before: 7.2 s)`, learning.took, 2_000, ms);
  const loading = await stall(() => loaded.use('bench'));
  if (loaded.records.size !== SESSIONS) throw new Error(`${loaded.records.size} sessions were read`);
  const draws = await timesOf(9, () => draw(loaded));
  const first = loading.took + median(draws);
  add(`${sessions}: loaded and all rows made (before: 776 ms to load alone)`, first, 500, ms);
  const held = Math.max(learning.longest, loading.longest);
  add(`${sessions}: longest stall of the host, learning and loading`, held, 10, ms);
  for (const each of [index, loaded]) each.dispose();

  const all = here.collection(records('notes'));
  const other = second.collection(records('notes'));
  await Promise.all([other.load(), ...range(UPDATES).map(n => all.put(`n${n}`, { at: n, text }))]);
  const updates = await timesOf(UPDATES, n =>
    all.update(`n${n}`, current => ({ text, at: (current?.at ?? 0) + 1 })),
  );
  add('one durable update, p50 (before: 1.3 ms)', percentile(updates, 50), 0.5, ms);
  add('one durable update, p99 (before: 12 ms)', percentile(updates, 99), 3, ms);
  const heard: number[] = [];
  for (const n of range(50)) {
    let at = 0;
    const subscription = other.onDidChange(() => (at = performance.now()));
    await all.put(`heard${n}`, { at: n, text });
    const written = performance.now();
    await until(other.onDidChange, () => at > 0);
    subscription.dispose();
    heard.push(at - written);
  }
  add('another window hears of a change, p50 (before: 90 ms)', Math.max(0, percentile(heard, 50)), 20, ms);

  const days = here.collection(records('usage'));
  await Promise.all(range(300 * 5).map(n => days.put(`d${n}`, { at: n, text })));
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(each => each.isFile());
  add(`files kept for ${SESSIONS} sessions and 300 usage days (before: 6,500)`, files.length, 10, String);
  const child = bundled('test/unit/storage/writer.child.ts');
  const race = (each: number) => once(fork(child, ['race', folder, String(each)]), 'exit');
  const start = await timed(() => race(0));
  const updating = await timed(() => Promise.all(range(4).map(() => race(500))));
  const together = '4 processes x 500 updates of one record, besides their start (before: 5.1 s)';
  add(together, Math.max(0, updating - start), 1_000, ms);
  rows.push(...(await searchRows(open())));
  clearInterval(alive);
  return rows;
}

async function timesOf(count: number, act: (n: number) => unknown): Promise<readonly number[]> {
  const times: number[] = [];
  for (const n of range(count)) times.push(await timed(() => act(n)));
  return times;
}

/** Words, beginnings and phrases in many messages, as somebody types them. */
async function searchRows(storage: Storage): Promise<Row[]> {
  const random = seeded('search');
  const vocabulary = range(20_000).map(n => (n * 7_919 + 1_000_003).toString(36));
  // Few words are common and many are rare.
  const word = (): string =>
    vocabulary[Math.floor(vocabulary.length * (random.int(0, 1e9) / 1e9) ** 4)] ?? '';
  for (let from = 0; from < MESSAGES; from += 500) {
    const transcript = { ...records(`transcripts/s${from}`), text: (message: Message) => message };
    const messages = storage.collection(transcript);
    await Promise.all(
      range(500).map(n => messages.put(`m${n}`, { text: range(40).map(word).join(' '), at: from + n })),
    );
  }
  const typed = [word, () => `${word()} ${word()}`, () => word().slice(0, 3), () => word().slice(0, 1)];
  let times: readonly number[] = [];
  const { longest } = await stall(async () => {
    times = await timesOf(200, n => {
      const terms = [{ text: typed[n % 4]?.() ?? '', isPrefix: n % 4 > 1 }];
      return storage.search({ terms, within: ['services/bench'], limit: 50 });
    });
  });
  return [
    atMost(`search in ${MESSAGES} messages, p95`, percentile(times.slice(1), 95), 50, ms),
    atMost(`search in ${MESSAGES} messages: longest stall of the host`, longest, 10, ms),
  ];
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n);
}

/** Takes all sessions in from a service that lists them, on pages as they are asked for; one reading ends before the last of so many. */
async function listed(index: SessionIndex): Promise<void> {
  let from = 0;
  const page = () => {
    const items = range(100).map(n => sessionOf(from + n));
    from += items.length;
    return Promise.resolve({ items, problems: [], ...(from < SESSIONS ? { cursor: String(from) } : {}) });
  };
  const connection = { api: { extras: { sessions: page } } };
  const focused = new ObservableValue(true);
  const list = new ServiceList({ index, connection, focused, extras: () => true, log: silentLog() } as never);
  while (from < SESSIONS) await list.read();
  list.dispose();
}

function draw(index: SessionIndex): void {
  const now = Date.now();
  const computer = () => ({ name: 'atlas', status: 'active' });
  groupSessions(index.records.values(), {
    ...{ grouping: 'attention', sorting: 'activity', now },
    computerName: () => 'atlas',
  });
  for (const record of index.records.values()) sessionRow(record, { computer, now });
}

function sessionOf(n: number): Session {
  const updatedAt = Date.now() - n * 600_000;
  return {
    sessionId: `session-${String(n).padStart(5, '0')}-of-an-index`,
    status: n % 50 === 0 ? 'running' : 'idle',
    title: `Session number ${n} about something or other`,
    messageCount: n % 90,
    createdAt: updatedAt - 60_000,
    updatedAt,
    computerId: `computer-${n % 500}`,
    sessionSettings: { model: 'atlas-large', tokenUsage: { inputTokens: n * 1_000, outputTokens: n * 10 } },
  };
}
