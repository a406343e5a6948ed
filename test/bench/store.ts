import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import type { Session } from '../../src/api';
import { ServiceList } from '../../src/sessions/serviceList';
import { statusOf } from '../../src/sessions/record';
import { SessionIndex } from '../../src/sessions/sessionIndex';
import { groupSessions } from '../../src/sessions/view';
import { sessionRow } from '../../src/sessions/words';
import { openStorage, workerEngine, type CollectionOptions, type Storage } from '../../src/storage';
import { ObservableValue } from '../../src/util/event';
import { Formatter } from '../../src/util/format';
import { silentLog } from '../fakes/log';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { atMost, bundled, median, ms, percentile, stall, timed, type Row } from './rows';

const SESSIONS = 5_000;
const DAYS = 300 * 5;
const UPDATES = 1_000;
const PROCESSES = 4;
const EACH = 500;
const MESSAGES = 100_000;
const SEARCHES = 200;
interface Message {
  readonly text: string;
  readonly at: number;
}
const text = 'A note about something or other'.padEnd(300, '.');
const notes: CollectionOptions<Message> = {
  path: 'services/bench/notes',
  version: 1,
  schema: { parse: value => value as Message },
};
const transcript = (session: string): CollectionOptions<Message> => ({
  ...notes,
  path: `services/bench/transcripts/${session}`,
  text: message => message,
});

/** The store as the product has it: in a thread of its own, windows and processes beside each other. */
export async function storeRows(): Promise<Row[]> {
  const folder = temporaryFolder('store');
  const opened: Storage[] = [];
  // A store that waits for others keeps no process alive.
  const alive = setInterval(() => undefined, 1_000);
  const script = bundled('src/storage/worker.ts');
  const open = (): Storage => {
    const storage = openStorage({ root: folder, log: silentLog(), engine: workerEngine(script) });
    opened.push(storage);
    return storage;
  };
  try {
    const rows: Row[] = [];
    const add = (...row: Parameters<typeof atMost>): unknown => rows.push(atMost(...row));
    const here = open();
    const index = new SessionIndex(here);
    await index.use('bench');
    let learn = 0;
    const learning = await stall(async () => (learn = await timed(() => listed(index))));
    add(`${SESSIONS} sessions: learn them from the service's list (before: 7.2 s)`, learn, 2_000, ms);
    add(`${SESSIONS} sessions: longest stall of the host while learning`, learning, 10, ms);

    let load = 0;
    const second = open();
    const loaded = new SessionIndex(second);
    const loading = await stall(async () => (load = await timed(() => loaded.use('bench'))));
    if (loaded.records.size !== SESSIONS) throw new Error(`${loaded.records.size} sessions were read`);
    add(`${SESSIONS} sessions: loaded by a window that opens (before: 776 ms)`, load, 500, ms);
    add(`${SESSIONS} sessions: longest stall of the host while loading`, loading, 10, ms);
    const draws: number[] = [];
    for (let round = 0; round < 9; round++) draws.push(await timed(() => draw(loaded)));
    add(`${SESSIONS} sessions: groups and all rows`, median(draws), 100, ms);
    const answers: number[] = [];
    for (let round = 0; round < 9; round++) {
      const session = { ...sessionOf(round), messageCount: 100 + round };
      answers.push(await timed(() => index.observe('bench', session, Date.now())));
    }
    add(`${SESSIONS} sessions: store one answer`, median(answers), 50, ms);
    for (const each of [index, loaded]) each.dispose();

    const all = here.collection(notes);
    const other = second.collection(notes);
    await Promise.all([other.load(), ...range(UPDATES).map(n => all.put(`n${n}`, { at: n, text }))]);
    const updates: number[] = [];
    for (const n of range(UPDATES)) {
      const time = await timed(() => all.update(`n${n}`, current => ({ text, at: (current?.at ?? 0) + 1 })));
      updates.push(time);
    }
    add('one durable update, p50 (before: 1.3 ms)', percentile(updates, 50), 0.5, ms);
    add('one durable update, p99 (before: 12 ms)', percentile(updates, 99), 3, ms);

    const heard: number[] = [];
    for (const n of range(50)) {
      const told = new Promise<number>(resolve => {
        const subscription = other.onDidChange(ids => {
          if (!ids.includes(`heard${n}`)) return;
          subscription.dispose();
          resolve(performance.now());
        });
      });
      await all.put(`heard${n}`, { at: n, text });
      const written = performance.now();
      heard.push((await told) - written);
    }
    add('another window hears of a change, p50 (before: 90 ms)', Math.max(0, percentile(heard, 50)), 20, ms);

    const days = here.collection<object>({
      path: 'services/bench/usage',
      version: 1,
      schema: { parse: value => value as object },
    });
    await Promise.all(range(DAYS).map(n => days.put(`d${n}`, { tokens: n, rows: range(20) })));
    const files = fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile());
    add(`files kept for ${SESSIONS} sessions and 300 usage days (before: 6,500)`, files.length, 10, String);

    const child = bundled('test/unit/storage/writer.child.ts');
    const race = await timed(() =>
      Promise.all(
        range(PROCESSES).map(async () => once(fork(child, ['race', folder, String(EACH)]), 'exit')),
      ),
    );
    const start = await timed(() => once(fork(child, ['race', folder, '0']), 'exit'));
    add(
      `${PROCESSES} processes x ${EACH} updates of one record, besides their start (before: 5.1 s)`,
      Math.max(0, race - start),
      1_000,
      ms,
    );
    rows.push(...(await searchRows(open())));
    return rows;
  } finally {
    clearInterval(alive);
    for (const storage of opened) {
      storage.dispose();
      await storage.settled();
    }
    removeFolder(folder);
  }
}

/** Words, beginnings and phrases in many messages, as somebody types them. */
async function searchRows(storage: Storage): Promise<Row[]> {
  const random = randomNumbers(1);
  const vocabulary = range(20_000).map(n => (n * 7_919 + 1_000_003).toString(36));
  // Few words are common and many are rare.
  const word = (): string => vocabulary[Math.floor(vocabulary.length * random() ** 4)] ?? '';
  for (let from = 0; from < MESSAGES; from += 500) {
    const messages = storage.collection(transcript(`s${from / 500}`));
    await Promise.all(
      range(500).map(n => messages.put(`m${n}`, { text: range(40).map(word).join(' '), at: from + n })),
    );
  }
  const whole = [
    () => word(),
    () => `${word()} ${word()}`,
    () => word().slice(0, 3),
    () => word().slice(0, 1),
  ];
  const times: number[] = [];
  const held = await stall(async () => {
    for (const n of range(SEARCHES)) {
      const terms = [{ text: whole[n % whole.length]?.() ?? '', isPrefix: n % whole.length > 1 }];
      const query = { terms, within: ['services/bench'], limit: 50 };
      times.push(await timed(() => storage.search(query)));
    }
  });
  return [
    atMost(`search in ${MESSAGES} messages, p95`, percentile(times.slice(1), 95), 50, ms),
    atMost(`search in ${MESSAGES} messages: longest stall of the host`, held, 10, ms),
  ];
}

/** The same numbers each time, from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n);
}

const COMPUTERS = 500;

const format = new Formatter('en');

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

function draw(index: SessionIndex): Promise<number> {
  const now = Date.now();
  const computer = () => ({ name: 'atlas', status: 'active' });
  const groups = groupSessions(index.records.values(), {
    grouping: 'attention',
    sorting: 'activity',
    now,
    language: 'en',
    statusOf: record => statusOf(record, undefined, now),
    computerName: () => 'atlas',
  });
  let characters = 0;
  for (const record of index.records.values()) {
    const status = statusOf(record, undefined, now);
    characters += sessionRow(record, { status, computer, format, now }).description?.length ?? 0;
  }
  return Promise.resolve(groups.length + characters);
}

function sessionOf(n: number): Session {
  const updatedAt = Date.now() - n * 600_000;
  return {
    sessionId: `session-${String(n).padStart(5, '0')}-of-an-index`,
    status: n % 50 === 0 ? 'running' : 'idle',
    title: `Session number ${String(n)} about something or other`,
    messageCount: n % 90,
    createdAt: updatedAt - 60_000,
    updatedAt,
    computerId: `computer-${String(n % COMPUTERS)}`,
    sessionSettings: { model: 'atlas-large', tokenUsage: { inputTokens: n * 1_000, outputTokens: n * 10 } },
  };
}
