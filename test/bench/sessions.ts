import type { Session } from '../../src/api';
import { groupSessions } from '../../src/sessions/view/listing';
import { statusOf } from '../../src/sessions/store/record';
import { ServiceList } from '../../src/sessions/status/serviceList';
import { SessionIndex } from '../../src/sessions/store/sessionIndex';
import { openStorage } from '../fakes/storage';
import { ObservableValue } from '../../src/util/event';
import { Formatter } from '../../src/util/format';
import { silentLog } from '../fakes/log';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { atMost, median, ms, timed, type Row } from './rows';
import { sessionRow } from '../../src/sessions/view/words';

const SESSIONS = 5_000;
const COMPUTERS = 500;

const format = new Formatter('en');

/** An index of 5,000 sessions. */
export async function sessionRows(): Promise<Row[]> {
  const folder = temporaryFolder('index');
  try {
    const first = openStorage({ root: folder, log: silentLog() });
    const filling = new SessionIndex(first);
    await filling.use('service');
    const learn = await timed(() => listed(filling));
    filling.dispose();
    first.dispose();

    const storage = openStorage({ root: folder, log: silentLog() });
    const index = new SessionIndex(storage);
    const read = await timed(() => index.use('service'));
    if (index.records.size !== SESSIONS) throw new Error(`${index.records.size} sessions were read`);
    const draws: number[] = [];
    for (let round = 0; round < 9; round++) draws.push(await timed(() => draw(index)));
    const changes: number[] = [];
    for (let round = 0; round < 9; round++) {
      const session = { ...sessionOf(round), messageCount: 100 + round };
      changes.push(await timed(() => index.observe('service', session, Date.now())));
    }
    index.dispose();
    storage.dispose();
    return [
      atMost(`index of ${SESSIONS} sessions: learn them from the service's list`, learn, 2_000, ms),
      atMost(`index of ${SESSIONS} sessions: read from disk`, read, 500, ms),
      atMost(`index of ${SESSIONS} sessions: groups and all rows`, median(draws), 100, ms),
      atMost(`index of ${SESSIONS} sessions: store one answer`, median(changes), 50, ms),
    ];
  } finally {
    removeFolder(folder);
  }
}

/** Takes all sessions in from a service that lists them on 20 pages. */
async function listed(index: SessionIndex): Promise<void> {
  const page = (cursor = '0') => {
    const from = Number(cursor);
    const items = Array.from({ length: SESSIONS / 20 }, (_, n) => sessionOf(from + n));
    const next = from + items.length < SESSIONS ? { cursor: String(from + items.length) } : {};
    return Promise.resolve({ items, problems: [], ...next });
  };
  const connection = { api: { extras: { sessions: page } } };
  const focused = new ObservableValue(true);
  const list = new ServiceList({ index, connection, focused, extras: () => true, log: silentLog() } as never);
  await list.read();
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
