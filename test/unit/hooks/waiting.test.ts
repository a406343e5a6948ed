import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { hookEvent } from '../../../src/hooks/events';
import { Waiting } from '../../../src/hooks/waiting';
import { groupSessions } from '../../../src/sessions/view';
import { Formatter } from '../../../src/util/format';
import { silentLog } from '../../fakes/log';
import { quickPicks } from '../../fakes/vscode';
import { sessionOf, sessionsScene, type SessionsScene } from '../sessions/support';
import { cleanUp, later, until } from './support';

type Window = Awaited<ReturnType<typeof open>>;

/** What the bells of all windows count; 0 while one is hidden. */
const bells: { text: string; isShown: boolean }[] = [];
const counts = (): string =>
  bells.map(({ text, isShown }) => (isShown ? text.replace(/\D/g, '') : '0')).join(' ');

/** One window on records that several share. */
async function open(scene: SessionsScene) {
  const log = silentLog();
  const { feature, index, storage } = await scene.open();
  const events = storage.collection({ path: 'hook-events', version: 1, schema: hookEvent });
  let watched: readonly string[] = [];
  const set = (ids: readonly string[]): unknown => (watched = ids);
  const sessions = Object.assign(feature, { watches: () => ({ set, dispose: () => set([]) }) as never });
  const format = new Formatter('en');
  const waiting = new Waiting({ events, sessions: () => Promise.resolve(sessions), format, log });
  later(() => waiting.dispose());
  const ids = (): string =>
    sessions
      .waiting()
      .flatMap(({ sessionId, isMuted }) => (isMuted ? [] : [sessionId]))
      .sort()
      .join(' ');
  return { waiting, index, events, sessions, watched: () => watched, ids };
}

describe('agents that wait, in two windows', function () {
  const window = vscode.window as { createStatusBarItem: unknown };
  const { createStatusBarItem } = window;
  before(() => {
    window.createStatusBarItem = () => {
      const bell = { text: '', isShown: false };
      bells.push(bell);
      return Object.assign(bell, {
        show: () => void (bell.isShown = true),
        hide: () => void (bell.isShown = false),
        dispose: () => undefined,
      });
    };
  });
  after(() => (window.createStatusBarItem = createStatusBarItem));
  beforeEach(() => void bells.splice(0));
  afterEach(cleanUp);

  const scene = async (): Promise<{ a: Window; b: Window; at: number }> => {
    const sessions = await sessionsScene();
    const [a, b] = [await open(sessions), await open(sessions)];
    const at = Math.floor(Date.now() / 1000) * 1000;
    for (const sessionId of ['one', 'two']) {
      await a.sessions.signal({ sessionId, kind: 'waiting', at });
      const id = `1.${sessionId}.json`;
      await a.events.put(id, { id, name: 'Notification', at, sessionId });
    }
    await until(() => counts() === '2 2');
    await until(() => a.watched().length === 2 && b.watched().length === 2);
    return { a, b, at };
  };
  const session = (sessionId: string, status: string, messageCount: number) =>
    sessionOf({ sessionId, status, messageCount, updatedAt: 1 });
  /** The rows that stand where sessions wait. */
  const waitingRows = ({ index }: Window): string =>
    groupSessions(index.records.values(), {
      grouping: 'attention',
      sorting: 'activity',
      statusOf: record => ({ value: record.session?.status ?? 'unknown' }),
      now: 0,
      language: 'en',
      computerName: () => undefined,
    })
      .filter(({ key }) => key === 'waiting')
      .flatMap(({ sessionIds }) => [...sessionIds].sort())
      .join(' ');

  it('do so until the next change of the status or of the number of messages', async () => {
    const { a, b, at } = await scene();
    await a.index.observe('service', session('one', 'idle', 3), at + 1_000);
    await a.index.observe('service', session('two', 'idle', 3), at + 1_000);
    assert.equal(a.ids(), 'one two', 'a first answer changes nothing');
    await a.index.observe('service', session('one', 'idle', 4), at + 2_000);
    await until(() => counts() === '1 1' && [a, b].every(({ ids }) => ids() === 'two'));
    await b.index.observe('service', session('two', 'running', 3), at + 60_000);
    await until(() => counts() === '0 0');
    assert.deepEqual([...a.watched(), ...b.watched()], [], 'nothing is asked about any more');
  });

  it('do so neither in the bell nor in the rows once a person says so or mutes them, and do again when they ask or are unmuted', async () => {
    const { a, b, at } = await scene();
    const wait = (count: string, ids: string): Promise<void> =>
      until(() => counts() === `${count} ${count}` && [a, b].every(each => waitingRows(each) === ids));
    await a.sessions.settle('one');
    await wait('1', 'two');
    await a.sessions.setMuted('two', true);
    await wait('0', '');
    await b.sessions.signal({ sessionId: 'one', kind: 'waiting', at: at + 1_000 });
    await wait('1', 'one');
    await b.sessions.setMuted('two', false);
    await wait('2', 'one two');
  });

  it('are listed with what they say, and so are the muted ones, until a person says that they wait no more', async () => {
    const { a, b, at } = await scene();
    await a.sessions.signal({ sessionId: 'one', kind: 'waiting', at: at + 1_000, message: 'May I [push]?' });
    await a.sessions.setMuted('two', true);
    quickPicks.length = 0;
    const done = a.waiting.show();
    await until(() => quickPicks[0]?.isShown === true);
    const [pick] = quickPicks;
    assert.deepEqual(
      pick?.items.map(({ label, detail = '' }) => `${label} ${detail}`.trim()),
      ['$(bell-dot) Session one May I [push]?', '$(bell-slash) Session two'],
    );
    // The list follows while it is open, and the row that a person is at stays theirs.
    const [, second] = pick.items;
    pick.activeItems = [second!];
    await b.sessions.settle('one');
    await until(() => pick.items.length === 1);
    assert.deepEqual(pick.activeItems, pick.items);
    assert.equal(pick.placeholder, 'No agent is waiting for you');
    pick.dispose();
    await done;
  });
});
