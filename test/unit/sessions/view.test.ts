import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mock } from 'node:test';
import type { Session } from '../../../src/api';
import { headerOf } from '../../../src/chat/panel/panelState';
import { SessionMonitor } from '../../../src/sessions/monitor';
import { isUnread } from '../../../src/sessions/record';
import { Emitter, ObservableValue } from '../../../src/util/lifecycle';
import { drawnRows, textOf } from '../../fakes/view';
import { choices } from '../../fakes/vscode';
import { later, remove, sessionsScene, until, windowAt } from './support';
import type { SessionsScene, SessionsWindow } from './support';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A Saturday at noon, so that what is an hour old is of today. */
const noon = new Date(2026, 10, 21, 12).getTime();

let scene: SessionsScene;

describe('the view of sessions', () => {
  beforeEach(async () => {
    scene = await sessionsScene();
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: noon });
  });
  afterEach(() => mock.timers.reset());

  /** Sessions of a minute ago, unless told otherwise, with their ids as titles. */
  const list = async (window: SessionsWindow, all: readonly Partial<Session>[], at = noon): Promise<void> => {
    const told = all.map(each => ({ title: each.sessionId, updatedAt: noon - MINUTE, ...each }));
    await window.known(at, ...told);
    await drawnRows(window.feature.tree);
    mock.timers.tick(100);
  };

  it('shows each session in its group, with its title and its age, counts what waits or is unread, says what cannot be told, and nothing of a service one has left', async () => {
    const window = await scene.open();
    const { index, computers, view, feature, connection } = window;
    const title = 'A title that is far too long for a side bar of three hundred pixels';
    const aged = (sessionId: string, ageMs: number, status = 'idle'): Partial<Session> => ({
      ...{ sessionId, status, computerId: 'c1', updatedAt: noon - ageMs },
    });
    computers.facts = { name: 'atlas' };
    await list(window, [
      { sessionId: 'long', title, status: 'running' },
      ...['asks', 'lost'].map(id => aged(id, 3 * MINUTE, 'running')),
      aged('works', 2 * MINUTE, 'running'),
      ...[aged('rests', 5 * MINUTE), aged('kept', 7 * MINUTE), aged('pinned', 4 * MINUTE)],
      ...[aged('of the week', 2 * DAY), aged('older', 9 * DAY)],
    ]);
    for (const id of ['pinned', 'works', 'lost'])
      await index.keep(id, () => ({ pinned: id !== 'lost', readCount: 1 }));
    await index.signal('service', { sessionId: 'asks', kind: 'waiting', at: noon - 2 * MINUTE }, undefined);
    await index.keep('kept', () => ({ archivedAt: 1, pinned: true }));
    await index.fail('service', 'lost', { at: noon + 1, sentence: 'No answer.' });
    mock.timers.tick(100);
    assert.deepEqual(await textOf(feature.tree), [
      'Waiting for input | 1',
      '  asks | 2 min',
      'Running | 2',
      `  ${title} | now`,
      '  works | now',
      'Pinned | 1',
      '  pinned | 4 min',
      'Today | 2',
      '  lost | unknown, was running',
      '  rests | 5 min',
      'Last 7 days | 1',
      '  of the week | 2 days',
      'Earlier | 1',
      '  older | 9 days',
      'Archived | 1',
      '  kept | 7 min',
    ]);
    const rows = await drawnRows(feature.tree);
    const label = (text: string): string | undefined =>
      rows.find(row => row.text.startsWith(text))?.item.accessibilityInformation?.label;
    assert.equal(label('Today'), 'Group Today, 2 sessions');
    assert.equal(label('rests'), 'Session rests, idle 5 min, atlas, 2 messages');
    assert.equal(label('pinned'), 'Session pinned, idle 4 min, unread, atlas, 2 messages, pinned');
    const states = rows.filter(({ depth }) => depth === 0).map(({ item }) => item.collapsibleState);
    assert.deepEqual(states, [2, 2, 2, 2, 2, 2, 1], 'the archive is closed');
    assert.deepEqual(view.badge, { value: 3, tooltip: 'Waiting for you: 1, Unread: 2' });
    assert.match(view.description ?? '', /^9 · 127\.0\.0\.1/);
    connection.signOut();
    assert.deepEqual(await textOf(feature.tree), []);
    mock.timers.tick(100);
    assert.equal(view.description, '');
  });

  it('draws the one row of 1,000 that says something else, and none where words are the same', async () => {
    const window = await scene.open();
    const fields = (n: number) => ({ sessionId: `s${n}`, updatedAt: noon - 5 * MINUTE - n });
    await list(window, [...Array(1_000).keys()].map(fields));
    const fired: string[] = [];
    window.feature.tree.onDidChangeTreeData(nodes => fired.push(...(nodes?.map(({ id }) => id) ?? ['all'])));
    await window.index.keep('s77', () => ({ name: 'Named' }));
    mock.timers.tick(100);
    assert.deepEqual(fired, ['session/s77']);
    await list(window, [fields(77)], noon + 1);
    assert.equal(fired.length, 1, 'it is as it was, and was only asked about');
  });

  it('says why rows cannot be read, with a row that tries again', async () => {
    const { storage } = windowAt(scene.service);
    const broken = mock.method(storage, 'collection', () => assert.fail('The disk is gone.'));
    const { feature, view, connection, api } = await scene.open({ storage });
    mock.timers.tick(100);
    assert.match(String(view.message), /The disk is gone/);
    assert.deepEqual(await textOf(feature.tree), ['Try again']);
    connection.signOut();
    await assert.rejects(feature.ready());
    assert.deepEqual(await textOf(feature.tree), []);
    connection.state.set({ kind: 'signedOut', service: undefined });
    await feature.ready();
    connection.go(api, scene.service, 'service');
    broken.mock.restore();
    await feature.refreshAll();
    mock.timers.tick(100);
    assert.deepEqual([await textOf(feature.tree), view.message], [[], undefined]);
  });

  it('is grouped as one chooses, and not left to sessions of a workspace in a window without one', async () => {
    const window = await scene.open();
    await list(window, [{ sessionId: 'elsewhere' }]);
    for (const option of ['Computer', 'Only sessions of this workspace']) {
      choices.push(option);
      await window.feature.commands.viewOptions();
      assert.deepEqual(await textOf(window.feature.tree), ['Unknown computer | 1', '  elsewhere | 1 min']);
    }
  });

  it('asks again about what could not be asked about, until it answers or cannot', async () => {
    const window = await scene.open();
    const { index, view } = window;
    const ids = ['s0', 's1', 's2', 'gone', 'archived'];
    for (const sessionId of ids) await list(window, [{ sessionId }]);
    for (const id of ids) {
      const lasts = id === 'gone' || undefined;
      await index.fail('service', id, { at: noon + 1, sentence: 'No answer.', lasts });
    }
    await index.keep('archived', () => ({ archivedAt: 1 }));
    let watched = new Set<string>();
    const watch = mock.method(SessionMonitor.prototype, 'watch', (ids: readonly string[]) => {
      watched = new Set(ids);
      return { dispose: () => undefined };
    });
    later(() => watch.mock.restore());
    const asks = (ids: string): void => {
      mock.timers.tick(100);
      assert.equal([...watched].sort().join(), ids);
    };
    view.show(true);
    asks('s0,s1,s2');
    await list(window, [{ sessionId: 's1', messageCount: 9 }], noon + 2);
    asks('s0,s2');
    // Nobody looks.
    view.show(false);
    asks('');
  });
});

describe('sessions for other views', () => {
  let window: SessionsWindow;
  const styles = path.join(process.env['AGENT_CONSOLE_ROOT']!, 'media', 'chat', 'chat.css');
  const icons = readFileSync(styles, 'utf8').split(/[\s;]+/);
  beforeEach(async () => {
    scene = await sessionsScene();
    window = await scene.open({}, false);
    window.computers.facts = { name: 'atlas', status: 'active' };
  });

  it('stand below their computer, the latest first, without archived ones, and are told of when it is called something else', async () => {
    // Nobody asks what agents changed: that would begin to look for it.
    const changes = { of: () => assert.fail('it was asked for'), onDidChange: new Emitter<never>().event };
    window = await scene.open({ changes }, false);
    const { feature, computers } = window;
    const ofComputer = () => feature.ofComputer('c1').map(({ sessionId }) => sessionId);
    assert.deepEqual(ofComputer(), []);
    const of = (sessionId: string, updatedAt: number, computerId = 'c1') => ({
      sessionId,
      updatedAt,
      computerId,
    });
    await window.known(30, of('gone', 30), of('old', 10), of('elsewhere', 15, 'c2'), of('new', 20));
    await window.index.keep('gone', () => ({ archivedAt: 1 }));
    assert.deepEqual(ofComputer(), ['new', 'old']);
    const told: (readonly string[])[] = [];
    feature.onDidChange(ids => told.push(ids));
    computers.facts = { name: 'bolt' };
    computers.changed.fire();
    assert.deepEqual([told, feature.get('old')?.computerName], [[[]], 'bolt']);
  });

  it('say the same of their state wherever they are shown', async () => {
    const { feature, index } = window;
    const now = Date.now();
    const shows = (word: RegExp): void => {
      assert.match(feature.get('s1')?.shown.word ?? '', word);
      const { status } = headerOf(feature.get('s1'), 's1', false, Date.now());
      const row = feature.ofComputer('c1')[0]?.row();
      assert.ok(row?.spoken?.includes(`, ${status.word}`), `${row?.spoken ?? ''} / ${status.word}`);
      assert.ok(icons.includes(status.icon), `the page has no ${status.icon}`);
      assert.equal(row?.icon?.id, status.spin ? `${status.icon}~spin` : status.icon);
    };
    const signal = (kind: 'finished' | 'waiting', at: number): Promise<void> =>
      index.signal('service', { sessionId: 's1', kind, at }, undefined);
    await window.known(now - 60_000, { computerId: 'c1', status: 'running' });
    shows(/^running$/);
    await signal('finished', now - 50_000);
    shows(/^running$/);
    await signal('waiting', now - 40_000);
    shows(/^waiting$/);
    await index.noteSend('service', 's1', { status: 'pending', at: now - 30_000, text: 'Yes' });
    shows(/^pending$/);
    await index.fail('service', 's1', { at: now, sentence: 'No answer.' });
    shows(/^unknown, was pending/);
  });

  it('are read while their chat is open in a window with the focus, and unread when more comes later', async () => {
    const focused = new ObservableValue(true);
    window = await scene.open({ focused }, false);
    const { index, feature } = window;
    const unread = (): boolean => isUnread(index.get('s1')!);
    const read = (count: number): Promise<void> =>
      until(index.onDidChange, () => index.get('s1')?.local.readCount === count);
    await window.known(10, {});
    assert.equal(unread(), false, 'a session nobody has opened here is not unread');
    const watch = feature.watch('s1', 'inFront');
    await read(2);
    await window.known(20, { messageCount: 5 });
    await read(5);
    focused.set(false);
    await window.known(25, { messageCount: 6 });
    await window.storage.settled();
    assert.equal(unread(), true, 'nobody looks at this window');
    focused.set(true);
    await read(6);
    watch.dispose();
    await window.known(30, { messageCount: 7 });
    const queue = feature.watch('s1');
    await window.storage.settled();
    queue.dispose();
    assert.equal(unread(), true, 'a queue reads nothing');
  });

  it('are called after what was sent to them, though the person has gone to another service before it was answered', async () => {
    const { connection, feature } = window;
    await window.known(10, {});
    connection.go(connection.api!, scene.service, 'another');
    await feature.ready();
    await feature.noteSend('service', 's1', { status: 'pending', at: 20, text: 'Hello' });
    connection.go(connection.api!, scene.service, 'service');
    await feature.ready();
    assert.equal(feature.get('s1')?.title, 'Hello');
  });

  it('are asked about in turn on a refresh: the latest twenty that the list of the service has not told and that are not archived', async () => {
    scene = await sessionsScene({ extras: true });
    window = await scene.open({ extras: () => true, focused: new ObservableValue(true) }, false);
    const all = Array.from({ length: 22 }, (_, n) => ({ sessionId: `s${n}`, updatedAt: 100 + n }));
    await window.known(5, ...all);
    await window.index.keep('s21', () => ({ archivedAt: 1 }));
    const watch = mock.method(SessionMonitor.prototype, 'watch');
    later(() => watch.mock.restore());
    await window.feature.refreshAll();
    const asked = watch.mock.calls.find(({ arguments: [, why] }) => why === 'inFront');
    const latest = all.slice(1, 21).map(({ sessionId }) => sessionId);
    assert.deepEqual(asked?.arguments[0], latest.reverse());
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
    const { local, signal } = index.get(waits)!;
    assert.deepEqual([local.readCount, signal?.message], [1, 'May I?']);
    assert.equal(index.get(pinned)?.local.pinned, true);
    assert.notEqual(index.get(old)?.local.archivedAt, undefined);
    await index.keep(pinned, () => ({}));
    await remove(index, waits);
    const asked = scene.service.requests.length;
    const again = (await open()).index;
    assert.equal(scene.service.requests.length, asked, 'what was there is not asked about');
    assert.deepEqual([...again.records.keys()].sort(), [pinned, old].sort());
    assert.deepEqual(again.get(pinned)?.local, {});
  });

  it('are none of the sample where a hook tells of them, but for those that it has', async () => {
    const [known = ''] = scene.service.sessionIds;
    await window.known(5, { sessionId: known });
    const { service } = window.connection.state.current;
    window.connection.state.set({ kind: 'signedIn', service: { ...service!, source: 'sample' } });
    for (const sessionId of ['real', known])
      await window.feature.signal({ sessionId, kind: 'waiting', at: Date.now() });
    assert.deepEqual(
      window.feature.waiting().map(({ sessionId }) => sessionId),
      [known],
    );
    assert.equal(window.feature.get('real'), undefined);
  });

  it('offer to stop an agent at work, where the service can', async () => {
    const { open, service } = await sessionsScene({ extras: true });
    window = await open({ extras: () => true, focused: new ObservableValue(true) });
    const { index } = window;
    await until(index.onDidChange, () => service.sessionIds.every(id => index.records.has(id)));
    const [busy, rests] = [
      { title: 'busy', status: 'running' },
      { sessionId: 's2', title: 'rests' },
    ];
    await window.known(Date.now(), busy, rests);
    const rows = await drawnRows(window.feature.tree);
    const offer = (name: string) =>
      rows.find(({ text }) => text.startsWith(name))?.item.contextValue?.endsWith(' stoppable');
    assert.deepEqual([offer('busy'), offer('rests')], [true, false]);
    // With another key, too.
    const { api } = windowAt(service);
    window.connection.api = api;
    window.connection.anotherKey();
    await until(() => api.extras.canInterrupt);
  });
});
