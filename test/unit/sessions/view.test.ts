import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Session } from '../../../src/api';
import { stepFrom } from '../../../src/sessions/view/groups';
import { SessionsView, type SessionsViewDeps } from '../../../src/sessions/view/view';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';
import { drawnRows, fakeView, textOf } from '../../fakes/view';
import { choices } from '../../fakes/vscode';
import { SessionsScene, type SessionsWindow } from './scene';
import { sessionOf, until } from './support';

const MINUTE = 60_000;

describe('the view of sessions', () => {
  let scene: SessionsScene;
  /** Noon, so that what is an hour old is of today. */
  const noon = new Date(2026, 10, 21, 12).getTime();
  beforeEach(async () => {
    scene = await SessionsScene.make();
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: noon });
  });
  afterEach(async () => {
    mock.timers.reset();
    await scene.close();
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
    await index.keep('service', 'kept', () => ({ archivedAt: 1 }));
    await index.fail('service', 'lost', { at: noon + 1, sentence: 'No answer.' });
    await drawn(window, 5);
    assert.deepEqual(await textOf(window.feature.tree), [
      'Waiting for input | 1',
      '  asks | 2 min',
      'Running | 1',
      `  ${title} | now`,
      'Today | 2',
      '  lost | unknown, running',
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
    await window.index.keep('service', 's77', () => ({ name: 'Named' }));
    assert.deepEqual(again(), ['session/s77']);
    await drawnRows(window.feature.tree);
    await learn(window, { sessionId: 's77', updatedAt: noon - 5 * MINUTE - 77 }, noon + 1);
    assert.deepEqual(again(), [], 'it is as it was, and was only asked about');
  });

  it('draws nothing while it is hidden, and has the right ages as soon as it is seen again', async () => {
    const window = await scene.open();
    await learn(window, { sessionId: 'a' });
    await learn(window, { sessionId: 'b', updatedAt: noon - 2 * 60 * MINUTE });
    const again = await drawn(window, 2);
    window.view.show(false);
    mock.timers.setTime(noon + 10 * MINUTE);
    await window.index.keep('service', 'b', () => ({ name: 'B' }));
    assert.deepEqual(again(), []);
    window.view.show(true);
    assert.deepEqual(again(), ['session/a', 'session/b'], 'without waiting for the next minute');
    assert.deepEqual((await textOf(window.feature.tree)).slice(1), ['  a | 11 min', '  B | 2 hr']);
  });

  it('moves on with the minutes while it is seen', async () => {
    const window = await scene.open();
    await learn(window, { sessionId: 'a' });
    await learn(window, { sessionId: 'b', updatedAt: noon - 2 * 60 * MINUTE });
    const again = await drawn(window, 2);
    window.view.show(false);
    window.view.show(true);
    again();
    await drawnRows(window.feature.tree);
    mock.timers.tick(MINUTE);
    assert.deepEqual(again(), ['session/a'], 'two hours are two hours a minute later');
  });

  it('keeps a row the same one wherever it goes, so that it stays selected', async () => {
    const window = await scene.open();
    await learn(window, { sessionId: 'a', status: 'running' });
    await learn(window, { sessionId: 'b', status: 'running' });
    await learn(window, { sessionId: 'c' });
    const again = await drawn(window, 3);
    const idOf = async (text: string): Promise<string | undefined> =>
      (await drawnRows(window.feature.tree)).find(row => row.text.startsWith(text))?.item.id;
    const id = await idOf('a |');
    const [group] = await drawnRows(window.feature.tree);
    await learn(window, { sessionId: 'a', status: 'idle' }, noon + 1);
    assert.deepEqual(again().toSorted(), ['group/running', 'group/today']);
    assert.equal(await idOf('a |'), id);
    const [after] = await drawnRows(window.feature.tree);
    assert.equal(after?.node, group?.node);
  });

  it('is arranged as one chooses', async () => {
    const window = await scene.open();
    await learn(window, { sessionId: 'a', computerId: 'c1', updatedAt: noon - 5 * MINUTE });
    window.computers.facts = { name: 'atlas', status: 'active' };
    const again = await drawn(window, 1);
    choices.push('Computer');
    await window.feature.commands.viewOptions();
    assert.deepEqual(again(), ['all']);
    assert.deepEqual(await textOf(window.feature.tree), ['atlas | 1', '  a | 5 min']);
    choices.push('What sessions need');
    await window.feature.commands.viewOptions();
    assert.deepEqual(again(), ['all']);
    assert.deepEqual(await textOf(window.feature.tree), ['Today | 1', '  a | 5 min']);
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

  it('shows nothing of a service one has left', async () => {
    const window = await scene.open();
    await learn(window, { sessionId: 'a' });
    await drawnRows(window.feature.tree);
    window.connection.signOut();
    assert.deepEqual(await textOf(window.feature.tree), []);
    mock.timers.tick(100);
    assert.equal(window.view.description, '');
  });

  it('shows all there is to know of a session as a document', async () => {
    const window = await scene.open();
    await learn(window, { sessionId: 'a', title: 'Fix it' });
    await until(window.feature.forChat.onDidChange, () => window.feature.forChat.get('a') !== undefined);
    await window.feature.commands.showDetails({ kind: 'session', sessionId: 'a' });
    assert.match(window.documents.get('Fix it') ?? '', /^# Fix it\n[^]*\*\*Id\*\*: a\n[^]*```json\n\{/);
  });

  it('knows where the focus goes when rows go: down, else up, else out of the group', () => {
    const groups = [
      { key: 'running', kind: 'running', sessionIds: ['r1'] },
      { key: 'today', kind: 'today', sessionIds: ['a', 'b', 'c'] },
    ] as const;
    const step = (from: string, ...leaving: string[]): number => stepFrom(groups, from, new Set(leaving));
    assert.deepEqual(
      [step('b', 'b'), step('a', 'a', 'b'), step('c', 'c'), step('c', 'c', 'b')],
      [1, 2, -1, -2],
    );
    assert.equal(step('r1', 'r1'), 1, 'to the next group');
    assert.equal(step('b', 'a', 'b', 'c'), -3, 'from the second row of the last group to above its head');
    assert.equal(step('not there', 'a'), 0);
  });

  it('asks again about what could not be asked about, some at a time, until it answers or cannot', () => {
    const changed = new Emitter<readonly string[]>();
    const silent = new Emitter<undefined>().event;
    const ids = Array.from({ length: 30 }, (_, at) => `s${at}`);
    const problems = new Map(
      ids.map(id => [id, { at: 1, sentence: 'x', ...(id < 's13' ? { lasts: true } : {}) }]),
    );
    const watched = new Set<string>();
    const records = ids.map(
      id => [id, { sessionId: id, local: id === 's29' ? { archivedAt: 1 } : {} }] as const,
    );
    const shown = fakeView(false);
    const view = new SessionsView({
      view: shown,
      listing: { onDidChange: silent, groups: () => [], countText: () => '', hiddenText: () => undefined },
      index: { onDidChange: changed.event, records: new Map(records), unreadable: [], isOpen: true },
      monitor: {
        statusOf: (id: string) => {
          const problem = problems.get(id);
          return problem === undefined ? { value: 'idle' } : { value: 'unknown', last: 'idle', problem };
        },
        watch: (id: string) => {
          watched.add(id);
          return { dispose: () => void watched.delete(id) };
        },
      },
      connection: {
        state: new ObservableValue<unknown>({ kind: 'signedIn', service: { source: 'sample' } }),
      },
      format: new Formatter('en'),
    } as unknown as SessionsViewDeps);
    const next = (): string[] => {
      changed.fire([]);
      mock.timers.tick(50);
      return [...watched];
    };
    assert.deepEqual(next(), [], 'nobody looks');
    shown.show(true);
    const lasting = [...problems].filter(([, problem]) => 'lasts' in problem).map(([id]) => id);
    const first = next();
    assert.equal(first.length, 20);
    assert.ok(first.every(id => !lasting.includes(id) && id !== 's29'));
    for (const id of first) problems.delete(id);
    const left = ids.filter(id => problems.has(id) && !lasting.includes(id) && id !== 's29');
    assert.deepEqual(next(), left, 'the others take their place');
    for (const id of left) problems.delete(id);
    assert.deepEqual(next(), []);
    view.dispose();
  });
});
