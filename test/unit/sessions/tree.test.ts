import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Session } from '../../../src/api';
import { groupSessions, startsOf } from '../../../src/sessions/groups';
import { SessionMonitor } from '../../../src/sessions/monitor';
import { RECORD_VERSION } from '../../../src/sessions/record';
import type { SessionIndex } from '../../../src/sessions/sessionIndex';
import { SessionsTree, type SessionTreeNode } from '../../../src/sessions/tree';
import { ObservableValue } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';
import { recordOf, sessionOf, until, Windows } from './support';

interface Question {
  answer(fields: Partial<Session>): void;
  fail(reason: string): void;
}

/** A window as far as its rows go: an index, a monitor, and the tree they feed. */
interface Window {
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  readonly tree: SessionsTree;
  readonly questions: Question[];
  /** What the tree has asked VS Code to draw again since it was last asked: ids, groups by their key, or everything. */
  drawn(): readonly string[];
}

/** What a person reads in the tree while polls come late, out of order or not at all. */
describe('rows of the tree of sessions', () => {
  let windows: Windows;
  let opened: Window[];
  let now: number;
  beforeEach(async () => {
    windows = await Windows.make();
    opened = [];
    now = new Date(2026, 10, 21, 12).getTime();
  });
  afterEach(async () => {
    for (const { monitor, tree } of opened) {
      monitor.dispose();
      tree.dispose();
    }
    await windows.close();
  });

  const open = async (): Promise<Window> => {
    const { index } = await windows.open();
    const questions: Question[] = [];
    const monitor = new SessionMonitor({
      index,
      focused: new ObservableValue(true),
      fastestMs: () => 1_000,
      now: () => now,
      sentence: error => (error instanceof Error ? error.message : undefined),
      api: () => ({
        sessions: {
          get: sessionId =>
            new Promise<Session>((resolve, reject) => {
              questions.push({
                answer: fields => resolve(sessionOf({ sessionId, updatedAt: now - 60_000, ...fields })),
                fail: reason => reject(new Error(reason)),
              });
            }),
        },
      }),
    });
    const statusOf = (record: { sessionId: string }) => monitor.statusOf(record.sessionId);
    const tree = new SessionsTree({
      ready: () => Promise.resolve('show'),
      record: id => index.get(id),
      groups: () =>
        groupSessions(index.records.values(), {
          grouping: 'attention',
          sorting: 'created',
          ...startsOf(now, 1),
          language: 'en',
          statusOf,
          computerName: () => undefined,
        }),
      statusOf,
      computer: () => undefined,
      format: new Formatter('en'),
      now: () => now,
    });
    let fired: string[] = [];
    const nameOf = (node: SessionTreeNode): string =>
      node.kind === 'session' ? node.sessionId : node.kind === 'group' ? node.key : node.kind;
    tree.onDidChangeTreeData(nodes => fired.push(...(nodes?.map(nameOf) ?? ['everything'])));
    index.onDidChange(ids => tree.update(new Set(ids)));
    const drawn = (): readonly string[] => {
      const names = fired;
      fired = [];
      return names;
    };
    const window = { index, monitor, tree, questions, drawn };
    opened.push(window);
    return window;
  };

  /** The rows below each group as VS Code would draw them: `group: title - description`. */
  async function rowsOf({ tree }: Window): Promise<readonly string[]> {
    const rows: string[] = [];
    for (const group of await tree.getChildren()) {
      for (const node of await tree.getChildren(group)) {
        const [above, { label, description }] = [tree.getTreeItem(group), tree.getTreeItem(node)];
        rows.push(`${above.label as string}: ${label as string} - ${description as string}`);
      }
    }
    return rows;
  }

  const learn = ({ index }: Window, fields: Partial<Session>): Promise<void> =>
    index.learn('service', {
      session: sessionOf({ title: fields.sessionId ?? 's1', updatedAt: now - 60_000, ...fields }),
      origin: 'created',
      at: now,
    });

  it('say unknown after a failed poll, with what was known, and tell the truth again after the next', async () => {
    const window = await open();
    await learn(window, { status: 'running' });
    await learn(window, { sessionId: 's2', status: 'idle' });
    assert.deepEqual(await rowsOf(window), [
      'Running: s1 - running 0 sec · 2 messages',
      'Today: s2 - idle 1 min · 2 messages',
    ]);
    window.drawn();
    now += 12_000;
    const failed = window.monitor.check('s1');
    window.questions[0]?.fail('No answer.');
    await assert.rejects(failed);
    assert.deepEqual(window.drawn(), ['everything'], 'its group went');
    const rows = await rowsOf(window);
    assert.ok(rows.includes('Today: s1 - unknown, running 12 sec ago · 2 messages'), rows.join('\n'));
    now += 1_000;
    const fine = window.monitor.check('s1');
    window.questions[1]?.answer({ title: 's1', status: 'running' });
    await fine;
    assert.deepEqual(window.drawn(), ['everything']);
    assert.equal((await rowsOf(window))[0], 'Running: s1 - running 0 sec · 2 messages');
  });

  it('know where the focus goes when rows go: down, else up, else out of the group', async () => {
    const window = await open();
    await learn(window, { sessionId: 'r1', status: 'running', createdAt: 9 });
    for (const [sessionId, createdAt] of [
      ['a', 8],
      ['b', 7],
      ['c', 6],
    ] as const)
      await learn(window, { sessionId, createdAt });
    assert.deepEqual(
      (await rowsOf(window)).map(row => row.slice(0, 9)),
      ['Running: ', 'Today: a ', 'Today: b ', 'Today: c '],
    );
    const step = (from: string, ...leaving: string[]): number => window.tree.stepFrom(from, new Set(leaving));
    assert.deepEqual(
      [step('b', 'b'), step('a', 'a', 'b'), step('c', 'c'), step('c', 'c', 'b')],
      [1, 2, -1, -2],
    );
    assert.equal(step('r1', 'r1'), 1, 'to the next group');
    assert.equal(step('b', 'a', 'b', 'c'), -3, 'from the second row of the last group to above its head');
    assert.equal(step('not there', 'a'), 0);
  });

  it('never go back to what an answer says that comes late', async () => {
    const window = await open();
    await learn(window, { status: 'idle' });
    await rowsOf(window);
    now += 5_000;
    const late = window.monitor.check('s1');
    now += 2_000;
    await window.index.noteSend('service', 's1', { status: 'running', at: now, text: 'Go on' });
    const before = await rowsOf(window);
    assert.deepEqual(before, ['Running: s1 - running 0 sec · 2 messages']);
    window.drawn();
    window.questions[0]?.answer({ title: 's1', status: 'idle', messageCount: 2 });
    await late;
    assert.deepEqual(window.drawn(), []);
    assert.deepEqual(await rowsOf(window), before);
  });

  it('show the newest question’s answer in all windows, whatever the order of answers and failures', async () => {
    const [a, b] = [await open(), await open()];
    await learn(a, { status: 'running', messageCount: 1 });
    await until(b.index.onDidChange, () => b.index.get('s1') !== undefined);
    for (const window of [a, b]) await rowsOf(window);
    now += 5_000;
    const [older, oldest] = [a.monitor.check('s1'), b.monitor.check('s1')];
    now += 5_000;
    const newest = b.index.observe(
      'service',
      sessionOf({ title: 's1', status: 'running', messageCount: 9, updatedAt: now - 60_000 }),
      now,
    );
    await newest;
    now += 1_000;
    a.questions[0]?.answer({ title: 's1', status: 'idle', messageCount: 3 });
    await older;
    b.questions[0]?.fail('Took too long.');
    await assert.rejects(oldest);
    const told = 'Running: s1 - running 1 sec · 9 messages';
    await until(a.index.onDidChange, () => a.index.get('s1')?.session?.messageCount === 9);
    for (const window of [a, b]) assert.deepEqual(await rowsOf(window), [told]);
  });

  it('are drawn one by one where one of 1,000 changes', async () => {
    const folder = path.join(windows.root, 'services', 'service', 'sessions');
    await mkdir(folder, { recursive: true });
    for (let n = 0; n < 1_000; n++) {
      const sessionId = `s${String(n)}`;
      const session = sessionOf({ sessionId, title: sessionId, createdAt: n, updatedAt: now - 60_000 });
      const value = recordOf({ sessionId, session, checkedAt: now });
      const file = path.join(folder, `${sessionId}.1.json`);
      await writeFile(file, JSON.stringify({ id: sessionId, version: RECORD_VERSION, value, writers: [] }));
    }
    const window = await open();
    assert.equal((await rowsOf(window)).length, 1_000);
    window.drawn();
    now += 1_000;
    const check = window.monitor.check('s77');
    window.questions[0]?.answer({ title: 's77', messageCount: 8, createdAt: 77 });
    await check;
    assert.deepEqual(window.drawn(), ['s77']);
    await rowsOf(window);
    window.tree.update();
    assert.deepEqual(window.drawn(), [], 'ages of a minute do not move on in a second');
  });
});
