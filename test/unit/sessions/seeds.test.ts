import assert from 'node:assert/strict';
import type { Seed } from '../../../src/sessions/context';
import { cleanUp } from '../../fakes/cleanUp';
import { sessionsScene, type SessionsScene, type SessionsWindow } from './scene';
import { remove } from './support';

describe('the sessions an index begins with', () => {
  let scene: SessionsScene;
  beforeEach(async () => {
    scene = await sessionsScene();
  });
  afterEach(cleanUp);

  it('come with what is known of them, once, and stay as people have left them', async () => {
    const [waits = '', pinned = '', old = ''] = scene.service.sessionIds;
    const seeds: readonly Seed[] = [
      { sessionId: waits, read: 1, signal: { kind: 'waiting', message: 'May I?' } },
      { sessionId: pinned, pinned: true },
      { sessionId: old, archived: true },
    ];
    const open = (): Promise<SessionsWindow> => scene.open({ seeds: () => Promise.resolve(seeds) });
    const { index } = await open();
    const of = (id: string): unknown => JSON.parse(JSON.stringify(index.get(id)?.local));
    assert.deepEqual([of(waits), of(pinned)], [{ readCount: 1 }, { pinned: true }]);
    assert.equal(index.get(waits)?.signal?.message, 'May I?');
    assert.notEqual(index.get(old)?.local.archivedAt, undefined);
    await index.keep(pinned, () => ({}));
    await remove(index, waits);
    const asked = scene.service.requests.length;
    const again = (await open()).index;
    assert.equal(scene.service.requests.length, asked, 'what was there is not asked about');
    assert.deepEqual([...again.records.keys()].sort(), [pinned, old].sort());
    assert.deepEqual(again.get(pinned)?.local, {});
  });
});
