import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { Hooks } from '../../../src/hooks';
import { hookPlace, installedFile, placeScript } from '../../../src/hooks/installation';
import { FRESH_MS, hookEvent, type HookSignal, type SessionsForHooks } from '../../../src/hooks/events';
import { APART_MS } from '../../../src/hooks/outgoing';
import { Waiting } from '../../../src/hooks/waiting';
import { groupSessions } from '../../../src/sessions/view';
import { Emitter } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { quickPicks, told } from '../../fakes/vscode';
import { sessionOf, sessionsScene, type SessionsScene } from '../sessions/support';
import { cleanUp, focusedAs, jsonFiles, later, root, temporaryFolder, until, writeEvent } from './support';

type StateChange = Parameters<Parameters<SessionsForHooks['onDidChangeState']>[0]>[0];
const nothing = () => ({ dispose: () => undefined });

/** A window in which hooks are installed, and what it does about their events. */
async function scene(outgoing: unknown, spoil: (script: string) => void = () => undefined) {
  const editor = vscode as unknown as Record<'workspace' | 'window', Record<string, unknown>>;
  const before = { ...editor.workspace };
  later(() => Object.assign(editor.workspace, before));
  const folder = temporaryFolder();
  const workspaceFolders = [{ uri: { scheme: 'file', fsPath: folder } }];
  Object.assign(editor.workspace, { workspaceFolders, onDidGrantWorkspaceTrust: nothing });
  const bar: string[] = [];
  Object.assign(editor.window, { terminals: [], setStatusBarMessage: (text: string) => bar.push(text) });
  const [dataFolder, log] = [temporaryFolder(), silentLog()];
  const storage = openStorage({ root: temporaryFolder(), log });
  const place = hookPlace(path.join(dataFolder, 'hooks'), root);
  await placeScript(place);
  spoil(place.script);
  const files = storage.collection({ path: 'hook-files', version: 1, schema: installedFile });
  await files.put('a', { file: '/a', written: 'x' });
  const signals: HookSignal[] = [];
  const [setting, changed] = [{ outgoing }, new Emitter<void>()];
  const [states, followers] = [new Emitter<StateChange>(), { count: 0, fail: false }];
  const sessions: Partial<SessionsForHooks> = {
    signal: signal => Promise.resolve(void signals.push(signal)),
    waiting: () => [],
    get: () => ({ title: 'Fix the test', isMuted: false, workedAt: undefined }),
    onDidChange: nothing,
    onDidChangeState: listener => {
      followers.count++;
      return states.event(listener);
    },
  };
  told.length = 0;
  const hooks = new Hooks({
    ...{ storage, dataFolder, log, extensionFolder: root, format: new Formatter('en') },
    focused: focusedAs(true),
    details: { compare: () => Promise.reject(new Error('Nothing is compared.')) },
    sessions: () =>
      followers.fail
        ? Promise.reject(new Error('The disk is full.'))
        : Promise.resolve(sessions as SessionsForHooks),
    settings: {
      hooksOutgoing: () => setting.outgoing,
      notifications: { about: () => ['waiting'], quietWhenFocused: () => true },
    },
    onDidChangeSettings: changed.event,
    isShown: () => false,
  });
  later(async () => {
    hooks.dispose();
    await storage.settled();
    storage.dispose();
  });
  const event = { hook_event_name: 'Notification', session_id: 's', cwd: folder };
  const set = (outgoing: unknown): void => changed.fire(void Object.assign(setting, { outgoing }));
  return { place, folder, log, signals, event, bar, set, states, followers };
}

describe('events of hooks', function () {
  afterEach(cleanUp);
  afterEach(() => mock.timers.reset());

  it('are noted, told of and run commands; those older than ten minutes are only noted', async () => {
    const ran = path.join(temporaryFolder(), 'ran');
    const own = { type: 'command', command: `cat >>'${ran}'; echo >>'${ran}'` };
    const fails = [{ command: 'exit 4' }, { command: 'kill -9 $$' }, { command: 'sleep 100', timeout: 0.1 }];
    const hooks = [own, ...fails.map(hook => ({ type: 'command', ...hook }))];
    const { place, signals, event, bar } = await scene({ Notification: [{ hooks }] });
    const old = Date.now() - FRESH_MS - 60_000;
    writeEvent(place, { ...event, message: 'Too late' }, old);
    await until(() => signals.length === 1);
    writeEvent(place, { ...event, message: 'May I?' });
    const lines = (): string[] => (fs.existsSync(ran) ? fs.readFileSync(ran, 'utf8').trim().split('\n') : []);
    await until(() => signals.length === 2 && told.length > 0 && lines().some(line => line.endsWith('}')));
    assert.deepEqual(
      signals.map(({ kind, message }) => `${kind}: ${message}`),
      ['waiting: Too late', 'waiting: May I?'],
    );
    assert.equal(told.length, 1, told.join());
    assert.match(told.join(), /is waiting for you: May I\?$/);
    assert.deepEqual(
      lines().map(line => (JSON.parse(line) as { message: string }).message),
      ['May I?'],
    );
    assert.deepEqual(jsonFiles(place.spool), []);
    await until(() => bar.length === fails.length);
    assert.deepEqual(
      bar.sort(),
      ['ended with status 4', 'failed', 'timed out'].map(
        end => `$(warning) Your hook for Notification ${end}`,
      ),
    );
  });

  it('at the end of work that the service tells of run the commands for Stop, once', async () => {
    const ran = path.join(temporaryFolder(), 'ran');
    const stop = { Stop: [{ hooks: [{ type: 'command', command: `cat >>'${ran}'; echo >>'${ran}'` }] }] };
    const { log, set, states, followers } = await scene({});
    const said = (words: RegExp) => log.lines.filter(line => words.test(line)).length;
    followers.fail = true;
    set(stop);
    await until(() => said(/Sessions cannot be followed for hooks.*The disk is full/) === 1);
    followers.fail = false;
    for (let time = 0; time < 3; time++) set(stop);
    await until(() => followers.count > 0);
    mock.timers.enable({ apis: ['setTimeout'] });
    const rest = { from: 'running', to: 'idle', at: Date.now() };
    for (const [sessionId, change] of [
      ['waits', { waiting: true }],
      ['goes on', { to: 'pending' }],
      ['rested', { from: 'idle', to: 'stopped' }],
      ['first', {}],
      ['second', { from: 'pending' }],
    ] as const) {
      states.fire({ sessionId, ...rest, ...change });
      mock.timers.tick(APART_MS);
      if (/first|second/.test(sessionId))
        await until(() => said(/Hook for Stop: status 0/) === (sessionId === 'first' ? 1 : 2));
    }
    const ids = fs.readFileSync(ran, 'utf8').trim().split('\n');
    assert.deepEqual(
      ids.map(line => (JSON.parse(line) as { session_id: string }).session_id),
      ['first', 'second'],
    );
    assert.equal(followers.count, 1);
  });

  it('are heard though the script cannot be mended; own commands that cannot be used are named in the log', async () => {
    const { place, signals, event, log, set } = await scene({ Stop: [{}], Other: [] }, script => {
      fs.rmSync(script);
      fs.mkdirSync(script);
    });
    writeEvent(place, event);
    await until(() => signals.length === 1);
    for (const outgoing of [{ Stop: [{}], Other: [] }, { Other: [] }, {}, { Other: [] }]) set(outgoing);
    assert.deepEqual(
      log.lines.flatMap(line => /hooks\.outgoing that cannot be used: (.*)/.exec(line)?.[1] ?? []),
      ['Stop[0], Other', 'Other', 'Other'],
      'only what differs from last time',
    );
  });
});

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
