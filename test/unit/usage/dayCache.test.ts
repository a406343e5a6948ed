import assert from 'node:assert/strict';
import type { Collection, Storage } from '../../../src/storage';
import { addDays, daysOf } from '../../../src/usage/calendar';
import { DayCache } from '../../../src/usage/dayCache';
import { DayRecord } from '../../../src/usage/dayRecord';
import { silentLog } from '../../fakes/log';

const FIRST = '2026-01-14';
const DAYS = daysOf({ start: FIRST, end: addDays(FIRST, 99) });

/** A disk that counts what is read of it and reads the folder only when told. */
function disk(days: readonly string[]) {
  const stored = new Map<string, DayRecord>(days.map(day => [day, new DayRecord('tokens', 1, [])]));
  const seen = new Map<string, DayRecord>();
  const read: string[] = [];
  let open = (): void => undefined;
  const opened = new Promise<void>(resolve => (open = resolve));
  const records = {
    values: seen,
    get: (day: string) => seen.get(day),
    load: async () => {
      read.push('all');
      await opened;
      for (const [day, record] of stored) seen.set(day, record);
      return seen;
    },
    update: (day: string) => {
      read.push(day);
      const record = stored.get(day);
      if (record !== undefined) seen.set(day, record);
      return Promise.resolve(record);
    },
    put: (day: string, record: DayRecord) => {
      stored.set(day, record);
      seen.set(day, record);
      return Promise.resolve();
    },
  };
  const storage = { collection: () => records as unknown as Collection<unknown> } as unknown as Storage;
  return { cache: new DayCache(storage, 'x', silentLog()), stored, read, open };
}

describe('the days stored', () => {
  it('are all there for whoever asks while they are being read', async () => {
    const { cache, read, open } = disk(DAYS);
    const both = [cache.read('tokens', DAYS), cache.read('tokens', DAYS)];
    open();
    for (const found of await Promise.all(both)) assert.equal(found.size, DAYS.length);
    assert.deepEqual(read, ['all']);
  });

  it('that are not there are not looked for again before somebody fetches', async () => {
    const { cache, read, stored } = disk([]);
    const few = DAYS.slice(0, 3);
    await cache.read('tokens', few);
    await cache.read('tokens', few);
    assert.equal(read.length, 3);
    stored.set(FIRST, new DayRecord('tokens', 1, []));
    cache.lookAgain('tokens');
    assert.deepEqual([...(await cache.read('tokens', few)).keys()], [FIRST]);
    assert.equal(read.length, 6);
    await cache.put('tokens', new Map([[few[1]!, new DayRecord('tokens', 2, [])]]));
    assert.equal((await cache.read('tokens', few)).size, 2);
    assert.equal(read.length, 6);
  });
});
