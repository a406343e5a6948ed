import assert from 'node:assert/strict';
import { mock } from 'node:test';
import fc from 'fast-check';
import type { Session } from '../../../src/api';
import { SessionMonitor } from '../../../src/sessions/monitor';
import { statusOf, type SessionRecord } from '../../../src/sessions/record';
import { GROUPINGS, groupSessions, SORTINGS, type Arrangement } from '../../../src/sessions/view';
import { ObservableValue } from '../../../src/util/event';
import { drawnRows, textOf } from '../../fakes/view';
import { choices, workspace } from '../../fakes/vscode';
import { cleanUp } from '../../fakes/cleanUp';
import {
  recordOf,
  sessionOf,
  sessionsScene,
  until,
  type SessionsScene,
  type SessionsWindow,
} from './support';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

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
    await until(feature.onDidChange, () => index.records.size === count);
    await drawnRows(feature.tree);
    mock.timers.tick(100);
    const fired: string[] = [];
    feature.tree.onDidChangeTreeData(nodes => {
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
    for (const [sessionId, ageMs, status = 'idle'] of [
      ['asks', 3 * MINUTE, 'running'],
      ['rests', 5 * MINUTE],
      ['kept', 7 * MINUTE],
      ['lost', 3 * MINUTE, 'running'],
      ['pinned', 4 * MINUTE],
      ['works', 2 * MINUTE, 'running'],
      ['of the week', 2 * DAY],
      ['older', 9 * DAY],
    ] as const)
      await learn(window, { sessionId, status, computerId: 'c1', updatedAt: noon - ageMs });
    const { index, computers } = window;
    computers.facts = { name: 'atlas' };
    for (const id of ['pinned', 'works']) await index.keep(id, () => ({ pinned: true }));
    await index.signal('service', { sessionId: 'asks', kind: 'waiting', at: noon - 2 * MINUTE }, undefined);
    await index.keep('kept', () => ({ archivedAt: 1, pinned: true }));
    await index.fail('service', 'lost', { at: noon + 1, sentence: 'No answer.' });
    await drawn(window, 9);
    assert.deepEqual(await textOf(window.feature.tree), [
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
    const rows = await drawnRows(window.feature.tree);
    const label = (text: string): string | undefined =>
      rows.find(row => row.text.startsWith(text))?.item.accessibilityInformation?.label;
    assert.equal(label('Today'), 'Group Today, 2 sessions');
    assert.equal(label('rests'), 'Session rests, idle 5 min, atlas, 2 messages');
    assert.equal(label('pinned'), 'Session pinned, idle 4 min, atlas, 2 messages, pinned');
    assert.match(window.view.description ?? '', /^9 · 127\.0\.0\.1/);
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
    await window.feature.refreshAll();
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
      await until(feature.onDidChange, () => feature.get('archived')?.isArchived === true);
      view.show(true);
      mock.timers.tick(50);
      assert.deepEqual([...watched].sort(), later);
      await learn(window, { sessionId: 's1', messageCount: 9 }, noon + 2);
      await until(feature.onDidChange, () => feature.get('s1')?.messageCount === 9);
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
      await until(window.feature.onDidChange, () => window.feature.get(sessionId) === undefined);
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
    const forChat = window.feature;
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

describe('groups of sessions', () => {
  const saturday = new Date(2026, 10, 21, 12).getTime();
  const groups = (records: readonly SessionRecord[], how: Partial<Arrangement> = {}) =>
    groupSessions(records, {
      ...{ grouping: 'attention', sorting: 'activity', now: saturday, language: 'en' },
      statusOf: record => statusOf(record, undefined),
      computerName: record => record.computerName,
      ...how,
    });

  it('go by computer and by workspace, the unknown last but for the archive, pinned ones first within', () => {
    const session = (sessionId: string, computerId?: string, fields: Partial<SessionRecord> = {}) =>
      recordOf({
        ...{ sessionId, computerName: computerId, ...fields },
        session: sessionOf({ sessionId, computerId, updatedAt: computerId === undefined ? saturday : 5 }),
      });
    const records = [
      session('a', 'node 10'),
      session('b', 'node 9', { workspace: { uri: 'file:///shop', name: 'shop' } }),
      session('c'),
      session('d', 'node 9', { local: { pinned: true } }),
      session('e', undefined, { local: { archivedAt: 1 } }),
    ];
    for (const [grouping, ...expected] of [
      ['computer', 'node 9: d b', 'node 10: a', 'Unknown computer: c', 'Archived: e'],
      ['workspace', 'shop: b', 'Unknown workspace: d c a', 'Archived: e'],
    ] as const)
      assert.deepEqual(
        groups(records, { grouping }).map(({ label, sessionIds }) => `${label}: ${sessionIds.join(' ')}`),
        expected,
      );
  });

  it('hold every session exactly once, however they are made', () => {
    const record = fc.record({
      sessionId: fc.string({ minLength: 1, maxLength: 4 }),
      status: fc.constantFrom('idle', 'running', 'odd'),
      updatedAt: fc.nat(2 * saturday),
      computerId: fc.option(fc.constantFrom('a', 'b', ''), { nil: undefined }),
      pinned: fc.boolean(),
      archived: fc.boolean(),
      waiting: fc.boolean(),
    });
    const many = fc.uniqueArray(record, { maxLength: 30, selector: each => each.sessionId });
    const ways = [fc.constantFrom(...GROUPINGS), fc.constantFrom(...SORTINGS)] as const;
    fc.assert(
      fc.property(many, ...ways, (all, grouping, sorting) => {
        const records = all.map(({ sessionId, pinned, archived, waiting, ...fields }) =>
          recordOf({
            sessionId,
            session: sessionOf({ ...fields, sessionId }),
            local: { ...(pinned ? { pinned } : {}), ...(archived ? { archivedAt: 1 } : {}) },
            signal: waiting ? { kind: 'waiting', at: 1 } : undefined,
          }),
        );
        const made = groups(records, { grouping, sorting });
        assert.deepEqual(
          made.flatMap(group => group.sessionIds).sort(),
          all.map(each => each.sessionId).sort(),
        );
        assert.equal(new Set(made.map(group => group.key)).size, made.length);
        const again = groups([...records].reverse(), { grouping, sorting });
        assert.deepEqual(again, made, 'the order does not depend on the order of the records');
      }),
    );
  });

  it('begin days at midnight', () => {
    const at = (day: number, hour: number): unknown => {
      const session = sessionOf({ updatedAt: new Date(2026, 10, day, hour).getTime() });
      return groups([recordOf({ session })])[0]?.key;
    };
    assert.deepEqual([at(21, 0), at(20, 23), at(15, 0), at(14, 23)], ['today', 'week', 'week', 'earlier']);
  });
});
