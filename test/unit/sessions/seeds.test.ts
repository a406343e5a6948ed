import assert from 'node:assert/strict';
import type { Session } from '../../../src/api';
import { Seeds, type Seed, type SeedsDeps } from '../../../src/sessions/store/seeds';
import type { SessionIndex } from '../../../src/sessions/store/sessionIndex';
import { silentLog } from '../../fakes/log';
import { Windows } from './support';

const sample = { id: 'sample', baseUrl: '', appUrl: '', host: 'Sample', source: 'sample' } as const;
const SEEDS: readonly Seed[] = [
  { sessionId: 'waits', read: 1, signal: { kind: 'waiting', message: 'May I?' } },
  { sessionId: 'pinned', pinned: true },
  { sessionId: 'old', archived: true },
];

describe('the sessions an index begins with', () => {
  let windows: Windows;
  let index: SessionIndex;
  let asked: string[];

  const plant = async (of: readonly Seed[] = SEEDS): Promise<void> => {
    const get = (sessionId: string): Promise<Session> => {
      asked.push(sessionId);
      return Promise.resolve({ sessionId, status: 'idle', messageCount: 4, createdAt: 1, updatedAt: 2 });
    };
    const api = () => ({ sessions: { get } }) as unknown as ReturnType<SeedsDeps['api']>;
    await new Seeds({ index, api, of: () => Promise.resolve(of), log: silentLog() }).plant(sample);
  };

  beforeEach(async () => {
    asked = [];
    windows = await Windows.make();
    ({ index } = await windows.open());
    await index.use(sample.id);
  });
  afterEach(() => windows.close());

  it('come with what is known of them on this machine', async () => {
    await plant();
    assert.deepEqual(index.get('waits')?.local, { readCount: 1 });
    assert.equal(index.get('waits')?.signal?.kind, 'waiting');
    assert.equal(index.get('waits')?.signal?.at, 2);
    assert.deepEqual(index.get('pinned')?.local, { pinned: true });
    assert.deepEqual(index.get('old')?.local, { archivedAt: 2 });
  });

  it('stay as people have left them when the next window begins', async () => {
    await plant();
    await index.keep(sample.id, 'pinned', () => ({}));
    await index.keep(sample.id, 'old', () => ({}));
    await index.remove(sample.id, 'waits');
    asked = [];
    await plant();
    assert.deepEqual(asked, ['waits'], 'what is listed is not asked about');
    assert.deepEqual([...index.records.keys()].sort(), ['old', 'pinned']);
    assert.deepEqual(index.get('pinned')?.local, {});
    assert.deepEqual(index.get('old')?.local, {});
  });

  it('are none where nothing is named', async () => {
    await plant([]);
    assert.equal(index.records.size, 0);
  });
});
