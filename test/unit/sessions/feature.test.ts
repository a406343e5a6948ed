import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApiClient } from '../../../src/api';
import { headerOf } from '../../../src/chat/panel/panelState';
import { isUnread } from '../../../src/sessions/record';
import { ServiceList } from '../../../src/sessions/serviceList';
import type { SessionIndex } from '../../../src/sessions/sessionIndex';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';
import { cleanUp, later, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { startSampleService, type SampleService } from '../../fakes/sampleService';
import {
  openIndex,
  remove,
  sessionOf,
  sessionsScene,
  until,
  type SessionsScene,
  type SessionsWindow,
} from './support';

const styles = path.join(process.env['AGENT_CONSOLE_ROOT']!, 'media', 'chat', 'chat.css');
const icons = readFileSync(styles, 'utf8').split(/[\s;]+/);

describe('sessions for other views', () => {
  let scene: SessionsScene;
  let window: SessionsWindow;
  beforeEach(async () => {
    scene = await sessionsScene();
    window = await scene.open();
    window.computers.facts = { name: 'atlas', status: 'active' };
  });
  afterEach(cleanUp);

  const learn = (sessionId: string, fields: Partial<ReturnType<typeof sessionOf>>, at: number) => {
    const session = sessionOf({ sessionId, computerId: 'c1', title: sessionId, ...fields });
    return window.index.learn('service', { session, origin: 'created', at });
  };
  const seen = (isSo: () => boolean): Promise<void> => until(window.feature.onDidChange, isSo);

  it('stand below their computer, the latest first, without archived ones', async () => {
    const { feature } = window;
    assert.deepEqual(feature.ofComputer('c1'), []);
    await learn('gone', { updatedAt: 30 }, 30);
    await window.index.keep('gone', () => ({ archivedAt: 1 }));
    await learn('old', { updatedAt: 10 }, 10);
    await learn('elsewhere', { computerId: 'c2', updatedAt: 15 }, 15);
    await learn('new', { updatedAt: 20 }, 20);
    await seen(() => feature.ofComputer('c1').length === 2);
    assert.deepEqual(
      feature.ofComputer('c1').map(({ sessionId }) => sessionId),
      ['new', 'old'],
    );
  });

  it('are told of when their computer is called something else, not whenever computers are asked for', async () => {
    const { feature, computers } = window;
    await learn('s1', {}, 10);
    await seen(() => feature.get('s1') !== undefined);
    computers.changed.fire();
    const told: (readonly string[])[] = [];
    feature.onDidChange(ids => told.push(ids));
    computers.changed.fire();
    assert.deepEqual(told, []);
    computers.facts = { name: 'bolt' };
    computers.changed.fire();
    assert.deepEqual([told, feature.get('s1')?.computerName], [[[]], 'bolt']);
  });

  it('are known by their ids without a look for what their agents changed', async () => {
    const asked: string[] = [];
    const { event: onDidChange } = new Emitter<readonly string[]>();
    window = await scene.open({ changes: { of: id => void asked.push(id), onDidChange } }, false);
    await learn('s1', {}, 10);
    await seen(() => window.feature.get('s1')?.title === 's1');
    assert.deepEqual(asked, []);
  });

  it('say the same of their state wherever they are shown', async () => {
    const { feature } = window;
    const now = Date.now();
    const shows = async (word: RegExp): Promise<void> => {
      await seen(() => word.test(feature.get('s1')?.shown.word ?? ''));
      const { status } = headerOf(feature.get('s1'), 's1', false, Date.now(), new Formatter('en'));
      const row = feature.ofComputer('c1')[0]?.row();
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
    await seen(() => feature.get('s1') !== undefined);
    const unread = (): boolean => isUnread(index.get('s1')!);
    assert.equal(unread(), false, 'a session nobody has opened here is not unread');
    const watch = feature.watch('s1', 'inFront');
    await until(index.onDidChange, () => index.get('s1')?.local.readCount === 2);
    await learn('s1', { messageCount: 5 }, 20);
    await until(index.onDidChange, () => index.get('s1')?.local.readCount === 5);
    watch.dispose();
    await learn('s1', { messageCount: 6 }, 30);
    assert.equal(unread(), true);
    const queue = feature.watch('s1');
    await window.storage.settled();
    queue.dispose();
    assert.equal(unread(), true, 'a queue reads nothing');
    assert.equal(feature.get('s1')?.computerName, 'atlas');
  });

  it('begin with what is known of them, once, and stay as people have left them', async () => {
    const [waits = '', pinned = '', old = ''] = scene.service.sessionIds;
    const seeds = [
      { sessionId: waits, read: 1, signal: { kind: 'waiting', message: 'May I?' } },
      { sessionId: pinned, pinned: true },
      { sessionId: old, archived: true },
    ] as const;
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

describe('the list of sessions that some services offer', () => {
  let index: SessionIndex;
  let root: string;
  let service: SampleService;
  let client: ApiClient;

  const start = async (extras: boolean): Promise<void> => {
    const started = await startSampleService({ pace: 0, extras });
    const { baseUrl, appUrl, apiKey } = started;
    const key = () => Promise.resolve(apiKey);
    const delay = () => Promise.resolve();
    const made = new ApiClient({ baseUrl, appUrl, key, log: silentLog(), delay });
    later(() => started.close());
    later(() => made.dispose());
    [service, client] = [started, made];
  };
  const open = (deps: object = {}, api: unknown = client) => {
    const focused = new ObservableValue(true);
    const usual = { index, connection: { api }, extras: () => true, focused, log: silentLog() };
    const list = new ServiceList({ ...usual, ...deps } as never);
    later(() => list.dispose());
    return list;
  };
  const asked = (): number =>
    service.requests.filter(({ method, path }) => method === 'GET' && path === '/api/v0/sessions').length;

  beforeEach(async () => {
    root = temporaryFolder();
    index = await openIndex(root);
  });
  afterEach(cleanUp);

  it('is taken into the index once for all who ask, brings back nothing removed and overwrites nothing kept here', async () => {
    await start(true);
    const sessions = open();
    await Promise.all([sessions.read(), sessions.read()]);
    assert.equal(asked(), 1);
    assert.deepEqual([...index.records.keys()].sort(), [...service.sessionIds].sort());
    for (const { origin, session } of index.records.values())
      assert.deepEqual([origin, typeof session?.status], ['listed', 'string']);
    const [first = '', second = '', ...others] = service.sessionIds;
    await remove(index, first);
    await index.keep(second, local => ({ ...local, name: 'Mine' }));
    await client.one('sendMessage', { ids: { sessionId: second }, body: JSON.stringify({ text: 'More' }) });
    const check = (window: SessionIndex): void => {
      assert.deepEqual([...window.records.keys()].sort(), [second, ...others].sort());
      assert.equal(window.get(second)?.local.name, 'Mine');
    };
    const before = index.get(second)?.session;
    await sessions.read();
    check(index);
    assert.notDeepEqual(index.get(second)?.session, before, 'what the service says of it is taken in');
    const next = await openIndex(root);
    await open({ index: next }).read();
    check(next);
    assert.equal(asked(), 3);
  });

  it('is asked for once where the service has none, never where that is switched off, and not before the window has the focus', async () => {
    await start(false);
    const none = open();
    await none.read();
    await none.read();
    assert.deepEqual([asked(), index.records.size], [1, 0]);
    await start(true);
    await open({ extras: () => false }).read();
    assert.equal(asked(), 0);
    const focused = new ObservableValue(false);
    const sessions = open({ focused });
    await sessions.read();
    assert.equal(asked(), 0);
    focused.set(true);
    await sessions.read();
    assert.equal(asked(), 1);
    assert.ok(index.records.size > 0);
  });

  it('is read page by page, up to 20, and no further once it is given up', async () => {
    const cursors: (string | undefined)[] = [];
    let onPage = (): void => undefined;
    const sessions = async (cursor?: string) => {
      await Promise.resolve();
      cursors.push(cursor);
      onPage();
      const page = cursors.length;
      return { items: [sessionOf({ sessionId: `s${page}` })], problems: [], cursor: `page ${page}` };
    };
    const limited = open({}, { extras: { sessions } });
    await limited.read();
    assert.deepEqual([...cursors.slice(0, 3), cursors.length], [undefined, 'page 1', 'page 2', 20]);
    assert.equal(index.records.size, 20);
    onPage = () => limited.cancel();
    await limited.read();
    assert.equal(cursors.length, 21);
    assert.equal(index.records.has('s21'), false);
  });
});
