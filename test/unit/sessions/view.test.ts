import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Session } from '../../../src/api';
import { SessionMonitor } from '../../../src/sessions/status/monitor';
import { ObservableValue } from '../../../src/util/event';
import { drawnRows, textOf } from '../../fakes/view';
import { choices, workspace } from '../../fakes/vscode';
import { cleanUp } from '../../fakes/cleanUp';
import { sessionsScene, type SessionsScene, type SessionsWindow } from './scene';
import { sessionOf, until } from './support';

const MINUTE = 60_000;

describe('the view of sessions', () => {
  let scene: SessionsScene;
  /** Noon, so that what is an hour old is of today. */
  const noon = new Date(2026, 10, 21, 12).getTime();
  beforeEach(async () => {
    scene = await sessionsScene();
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: noon });
  });
  afterEach(async () => {
    mock.timers.reset();
    await cleanUp();
  });

  const learn = (window: SessionsWindow, fields: Partial<Session>, at = noon): Promise<void> => {
    const session = sessionOf({ title: fields.sessionId ?? 's1', updatedAt: noon - MINUTE, ...fields });
    return window.index.learn('service', { session, origin: 'listed', at });
  };
  /** Draws everything, and hands out what is to be drawn again afterwards. */
  const drawn = async (
    { feature, index }: SessionsWindow,
    count: number,
  ): Promise<() => readonly string[]> => {
    await until(feature.forChat.onDidChange, () => index.records.size === count);
    await drawnRows(feature.tree);
    mock.timers.tick(100);
    const fired: string[] = [];
    feature.tree.onDidChangeTreeData?.(nodes => {
      for (const node of Array.isArray(nodes) ? nodes : [undefined]) fired.push(node?.id ?? 'all');
    });
    return () => {
      mock.timers.tick(100);
      return fired.splice(0);
    };
  };

  it('shows each session in its group, with its title and its age, and says what cannot be told', async () => {
    const window = await scene.open();
    const title = 'A title that is far too long for a side bar of three hundred pixels';
    await learn(window, { sessionId: 'long', title, status: 'running' });
    await learn(window, { sessionId: 'asks', updatedAt: noon - 3 * MINUTE });
    await learn(window, { sessionId: 'rests', updatedAt: noon - 5 * MINUTE });
    await learn(window, { sessionId: 'kept', updatedAt: noon - 7 * MINUTE });
    await learn(window, { sessionId: 'lost', status: 'running', updatedAt: noon - 3 * MINUTE });
    const { index } = window;
    await index.signal('service', { sessionId: 'asks', kind: 'waiting', at: noon - 2 * MINUTE }, undefined);
    await index.keep('kept', () => ({ archivedAt: 1 }));
    await index.fail('service', 'lost', { at: noon + 1, sentence: 'No answer.' });
    await drawn(window, 5);
    assert.deepEqual(await textOf(window.feature.tree), [
      'Waiting for input | 1',
      '  asks | 2 min',
      'Running | 1',
      `  ${title} | now`,
      'Today | 2',
      '  lost | unknown, was running',
      '  rests | 5 min',
      'Archived | 1',
      '  kept | 7 min',
    ]);
    const rows = await drawnRows(window.feature.tree);
    const label = (text: string): string | undefined =>
      rows.find(row => row.text.startsWith(text))?.item.accessibilityInformation?.label;
    assert.equal(label('Today'), 'Group Today, 2 sessions');
    assert.equal(label('rests'), 'Session rests, idle 5 min, 2 messages');
    assert.match(window.view.description ?? '', /^5 · 127\.0\.0\.1/);
  });

  it('draws the one row of 1,000 that says something else, and none where words are the same', async () => {
    const window = await scene.open();
    await Promise.all(
      Array.from({ length: 1_000 }, (_, n) =>
        learn(window, { sessionId: `s${n}`, updatedAt: noon - 5 * MINUTE - n }),
      ),
    );
    const again = await drawn(window, 1_000);
    assert.deepEqual(again(), []);
    await window.index.keep('s77', () => ({ name: 'Named' }));
    assert.deepEqual(again(), ['session/s77']);
    await drawnRows(window.feature.tree);
    await learn(window, { sessionId: 's77', updatedAt: noon - 5 * MINUTE - 77 }, noon + 1);
    assert.deepEqual(again(), [], 'it is as it was, and was only asked about');
  });

  it('says why rows cannot be read, with a row that tries again', async () => {
    let isBroken = true;
    const window = await scene.open({}, true, storage => {
      const collection: typeof storage.collection = options => {
        if (isBroken) throw new Error('The disk is gone.');
        return storage.collection(options);
      };
      return Object.assign(Object.create(storage) as typeof storage, { collection });
    });
    mock.timers.tick(100);
    assert.match(String(window.view.message), /The disk is gone/);
    assert.deepEqual(await textOf(window.feature.tree), ['Try again']);
    isBroken = false;
    await learn(window, { sessionId: 'a' });
    await window.feature.refresh();
    assert.equal((await textOf(window.feature.tree)).length, 2);
  });

  it('is left to sessions of a workspace only in a window that has one', async () => {
    const kept: object[] = [];
    const memory = {
      get: () => undefined,
      update: (_: string, value: object) => Promise.resolve(void kept.push(value)),
    };
    const { feature } = await scene.open({ memory });
    const folders: object[] = workspace.workspaceFolders;
    for (const [has, count] of [
      [false, 0],
      [true, 1],
    ] as const) {
      if (has) folders.push({ uri: { path: '/a' } });
      choices.push('Only sessions of this workspace');
      await feature.commands.viewOptions();
      assert.equal(kept.length, count);
    }
    folders.pop();
    choices.length = 0;
  });

  it('shows nothing of a service one has left', async () => {
    const window = await scene.open();
    await learn(window, { sessionId: 'a' });
    await drawnRows(window.feature.tree);
    window.connection.signOut();
    assert.deepEqual(await textOf(window.feature.tree), []);
    mock.timers.tick(100);
    assert.equal(window.view.description, '');
  });

  it('asks again about what could not be asked about, until it answers or cannot', async () => {
    const window = await scene.open();
    const [later, gone] = [
      ['s0', 's1', 's2'],
      ['gone', 'archived'],
    ];
    for (const sessionId of [...later, ...gone]) {
      await learn(window, { sessionId });
      const lasts = sessionId === 'gone' ? { lasts: true as const } : {};
      await window.index.fail('service', sessionId, { at: noon + 1, sentence: 'No answer.', ...lasts });
    }
    await window.index.keep('archived', () => ({ archivedAt: 1 }));
    const watched = new Set<string>();
    const watch = mock.method(SessionMonitor.prototype, 'watch', (id: string) => {
      watched.add(id);
      return { dispose: () => void watched.delete(id) };
    });
    try {
      const { feature, view } = window;
      await until(feature.forChat.onDidChange, () => feature.forChat.get('archived')?.isArchived === true);
      view.show(true);
      mock.timers.tick(50);
      assert.deepEqual([...watched].sort(), later);
      await learn(window, { sessionId: 's1', messageCount: 9 }, noon + 2);
      await until(feature.forChat.onDidChange, () => feature.forChat.get('s1')?.messageCount === 9);
      mock.timers.tick(50);
      assert.deepEqual([...watched].sort(), ['s0', 's2']);
      view.show(false);
      mock.timers.tick(50);
      assert.equal(watched.size, 0, 'nobody looks');
    } finally {
      watch.mock.restore();
    }
  });

  it('takes the keyboard from a row that goes to one beside it', async () => {
    const window = await scene.open();
    for (const [at, sessionId] of ['a', 'b', 'c'].entries())
      await learn(window, { sessionId, updatedAt: noon - at * MINUTE });
    for (const sessionId of ['runs', 'old'])
      await learn(window, { sessionId, ...(sessionId === 'old' ? { updatedAt: 1 } : { status: 'running' }) });
    await drawn(window, 5);
    for (const sessionId of ['b', 'c', 'old', 'a']) {
      Object.assign(window.view, { selection: [] });
      await window.feature.commands.remove([{ kind: 'session', sessionId }, { kind: 'selection' }]);
      await until(
        window.feature.forChat.onDidChange,
        () => window.feature.forChat.get(sessionId) === undefined,
      );
    }
    assert.deepEqual(
      window.view.revealed.map(({ id }) => id),
      ['session/c', 'session/a', 'session/a', 'session/runs'],
    );
  });

  it('offers to stop an agent at work, where the service can', async () => {
    await cleanUp();
    mock.timers.reset();
    scene = await sessionsScene({ extras: true });
    const window = await scene.open({ extras: () => true, focused: new ObservableValue(true) });
    const { forChat } = window.feature;
    await until(forChat.onDidChange, () =>
      scene.service.sessionIds.every(id => forChat.get(id) !== undefined),
    );
    const session = sessionOf({ sessionId: 'busy', status: 'running' });
    await window.index.learn('service', { session, origin: 'listed', at: Date.now() });
    await until(forChat.onDidChange, () => forChat.get('busy') !== undefined);
    const rows = await drawnRows(window.feature.tree);
    const contexts = rows
      .map(({ item }) => item.contextValue ?? '')
      .filter(context => context.startsWith('session '));
    const stoppable = contexts.filter(context => context.endsWith(' stoppable'));
    assert.ok(stoppable.length > 0 && stoppable.length < contexts.length, contexts.join());
  });
});
