import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { headerOf } from '../../../src/chat/panel/panelState';
import type { Seed } from '../../../src/sessions/context';
import { isUnread } from '../../../src/sessions/store/record';
import { Formatter } from '../../../src/util/format';
import { cleanUp } from '../../fakes/cleanUp';
import { sessionsScene, type SessionsScene, type SessionsWindow } from './scene';
import { remove, sessionOf, until } from './support';

const styles = path.join(process.env['AGENT_CONSOLE_ROOT']!, 'media', 'chat', 'chat.css');
const icons = readFileSync(styles, 'utf8').split(/[\s;]+/);

/** What the chat and the Computers view see of the sessions. */
describe('sessions for other views', () => {
  let scene: SessionsScene;
  let window: SessionsWindow;
  beforeEach(async () => {
    scene = await sessionsScene();
    window = await scene.open();
    window.computers.facts = { name: 'atlas', status: 'active' };
  });
  afterEach(cleanUp);

  const learn = (
    sessionId: string,
    fields: Partial<ReturnType<typeof sessionOf>>,
    at: number,
  ): Promise<void> => {
    const session = sessionOf({ sessionId, computerId: 'c1', title: sessionId, ...fields });
    return window.index.learn('service', { session, origin: 'created', at });
  };
  const seen = (isSo: () => boolean): Promise<void> => until(window.feature.forChat.onDidChange, isSo);

  it('stand below their computer, the latest first, without archived ones', async () => {
    const { forComputers } = window.feature;
    assert.deepEqual(forComputers.ofComputer('c1'), []);
    await learn('gone', { updatedAt: 30 }, 30);
    await window.index.keep('gone', () => ({ archivedAt: 1 }));
    await learn('old', { updatedAt: 10 }, 10);
    await learn('elsewhere', { computerId: 'c2', updatedAt: 15 }, 15);
    await learn('new', { updatedAt: 20 }, 20);
    await seen(() => forComputers.ofComputer('c1').length === 2);
    assert.deepEqual(
      forComputers.ofComputer('c1').map(({ sessionId }) => sessionId),
      ['new', 'old'],
    );
  });

  it('say the same of their state wherever they are shown', async () => {
    const { forChat, forComputers } = window.feature;
    const now = Date.now();
    const shows = async (word: RegExp): Promise<void> => {
      await seen(() => word.test(forChat.get('s1')?.shown.word ?? ''));
      const { status } = headerOf(forChat.get('s1'), 's1', false, Date.now(), new Formatter('en'));
      const row = forComputers.ofComputer('c1')[0]?.row();
      assert.ok(row?.spoken?.includes(`, ${status.word}`), `${row?.spoken ?? ''} / ${status.word}`);
      assert.ok(icons.includes(status.icon), `the page has no ${status.icon}`);
      assert.equal(row?.icon?.id, status.spin ? `${status.icon}~spin` : status.icon);
    };
    const signal = (kind: 'finished' | 'waiting', at: number): Promise<void> =>
      window.index.signal('service', { sessionId: 's1', kind, at }, undefined);
    await learn('s1', { status: 'running' }, now - 60_000);
    await shows(/^running$/);
    await signal('finished', now - 50_000);
    await shows(/^running$/);
    await signal('waiting', now - 40_000);
    await shows(/^waiting$/);
    await window.index.noteSend('service', 's1', { status: 'pending', at: now - 30_000, text: 'Yes' });
    await shows(/^pending$/);
    await window.index.fail('service', 's1', { at: now, sentence: 'No answer.' });
    await shows(/^unknown, was pending/);
  });

  it('are read while their chat is open, and unread when more comes afterwards', async () => {
    const { index, feature } = window;
    await learn('s1', {}, 10);
    await seen(() => feature.forChat.get('s1') !== undefined);
    const unread = (): boolean => isUnread(index.get('s1')!);
    assert.equal(unread(), false, 'a session nobody has opened here is not unread');
    const watch = feature.forChat.watch('s1', 'inFront');
    await until(index.onDidChange, () => index.get('s1')?.local.readCount === 2);
    await learn('s1', { messageCount: 5 }, 20);
    await until(index.onDidChange, () => index.get('s1')?.local.readCount === 5);
    watch.dispose();
    await learn('s1', { messageCount: 6 }, 30);
    assert.equal(unread(), true);
    const queue = feature.forChat.watch('s1');
    await window.storage.settled();
    queue.dispose();
    assert.equal(unread(), true, 'a queue reads nothing');
    assert.equal(feature.forChat.get('s1')?.computerName, 'atlas');
  });

  it('begin with what is known of them, once, and stay as people have left them', async () => {
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
