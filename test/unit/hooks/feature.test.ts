import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { Hooks } from '../../../src/hooks';
import { examine, showTest, uninstall, type CheckContext } from '../../../src/hooks/dialogs';
import { Installation } from '../../../src/hooks/installation';
import { FRESH_MS, hookEvent, type SessionsForHooks } from '../../../src/hooks/events';
import { APART_MS } from '../../../src/hooks/outgoing';
import { Waiting } from '../../../src/hooks/waiting';
import { isWaiting } from '../../../src/sessions/record';
import type { KnownSession, SessionSignal, StateChange } from '../../../src/shared';
import { Emitter } from '../../../src/util/lifecycle';
import { silentLog } from '../../fakes/log';
import { acts, executed, quickPicks, told } from '../../fakes/vscode';
import { sessionOf, sessionsScene } from '../sessions/support';
import { openWindow } from '../storage/support';
import {
  eventsIn,
  filesIn,
  focusedAs,
  inboxOf,
  jsonFiles,
  later,
  linesOf,
  openFolder,
  root,
  temporaryFolder,
  temporaryPlace,
  until,
  writeEvent,
} from './support';

const details = { compare: () => Promise.reject(new Error('There is nothing to compare.')) };

/** A window in which hooks are installed, and what it does about their events. */
async function scene(outgoing: unknown) {
  const [dataFolder, folder, log] = [temporaryFolder(), temporaryFolder(), silentLog()];
  openFolder(folder);
  const bar: string[] = [];
  Object.assign(vscode.window, { terminals: [], setStatusBarMessage: (text: string) => bar.push(text) });
  const place = await temporaryPlace(path.join(dataFolder, 'hooks'));
  // It cannot be mended, and events are heard nonetheless.
  fs.rmSync(place.script);
  fs.mkdirSync(place.script);
  await filesIn(dataFolder).put('a', { file: '/a', written: 'x' });
  const storage = openWindow(dataFolder, { log });
  const signals: SessionSignal[] = [];
  const [setting, changed] = [{ outgoing }, new Emitter<void>()];
  const [states, followers] = [new Emitter<StateChange>(), { count: 0, fail: false }];
  const sessions: Partial<SessionsForHooks> = {
    signal: signal => Promise.resolve(void signals.push(signal)),
    waiting: () => [],
    get: () => ({ title: 'Fix the test', isMuted: false, workedAt: undefined }) as KnownSession,
    onDidChange: () => ({ dispose: () => undefined }),
    onDidChangeState: listener => {
      followers.count++;
      return states.event(listener);
    },
  };
  const hooks = new Hooks({
    ...{ storage, dataFolder, log, extensionFolder: root, details, focused: focusedAs(true) },
    sessions: async () => {
      await Promise.resolve();
      if (followers.fail) throw new Error('The disk is full.');
      return sessions as SessionsForHooks;
    },
    settings: {
      hooksOutgoing: () => setting.outgoing,
      notifications: { about: () => ['waiting', 'ended'], quietWhenFocused: () => true },
    },
    onDidChangeSettings: changed.event,
    isShown: () => false,
  });
  later(() => storage.settled());
  later(() => hooks.dispose());
  const event = { hook_event_name: 'Notification', session_id: 's', cwd: folder };
  const set = (outgoing: unknown): void => changed.fire(void Object.assign(setting, { outgoing }));
  return { place, log, signals, event, bar, set, states, followers };
}

/** A command that writes what it is given down, and what was written by now. */
function writer() {
  const file = path.join(temporaryFolder(), 'ran');
  const ran = () => linesOf(file).map(line => JSON.parse(line) as Record<string, string>);
  return { hook: { type: 'command', command: `(cat; echo) >>'${file}'` }, ran };
}

describe('hooks in a window', function () {
  beforeEach(() => ([told.length, acts.length] = [0, 0]));
  beforeEach(() => later(() => mock.timers.reset()));

  it('note events, tell of them and run commands that can be used; old ones they only note', async () => {
    const { hook, ran } = writer();
    const fails = [{ command: 'exit 4' }, { command: 'kill -9 $$' }, { command: 'sleep 100', timeout: 0.1 }];
    const hooks = [hook, ...fails.map(each => ({ type: 'command', ...each }))];
    const unusable = { Stop: [{}], Other: [] };
    const { place, signals, event, bar } = await scene({ Notification: [{ hooks }], ...unusable });
    writeEvent(place, { ...event, message: 'Too late' }, Date.now() - FRESH_MS - 60_000);
    await until(() => signals.length === 1);
    writeEvent(place, { ...event, message: 'May I?' });
    await until(() => bar.length === fails.length && ran().length > 0);
    const noted = signals.map(({ kind, message }) => `${kind}: ${message}`);
    assert.deepEqual(noted, ['waiting: Too late', 'waiting: May I?']);
    assert.equal(told.length, 1, told.join());
    assert.match(told.join(), /is waiting for you: May I\?$/);
    writeEvent(place, { ...event, hook_event_name: 'SessionEnd', reason: 'error' });
    await until(() => told.length === 2);
    assert.deepEqual(acts, ['window.showInformationMessage', 'window.showWarningMessage']);
    const messages = ran().map(({ message }) => message);
    assert.deepEqual([messages, jsonFiles(place.spool)], [['May I?'], []]);
    const ends = bar.map(said => said.replace('$(warning) Your hook for Notification ', '')).sort();
    assert.deepEqual(ends, ['ended with status 4', 'failed', 'failed']);
  });

  it('run the commands for Stop at the end of work that the service tells of, once', async () => {
    const { hook, ran } = writer();
    const { log, set, states, followers } = await scene({});
    followers.fail = true;
    set({ Stop: [{ hooks: [hook] }] });
    await until(() => /Sessions cannot be followed for hooks.*The disk is full/.test(log.lines.join()));
    followers.fail = false;
    for (let time = 0; time < 3; time++) set({ Stop: [{ hooks: [hook] }] });
    await until(() => followers.count > 0);
    mock.timers.enable({ apis: ['setTimeout'] });
    const rest = { from: 'running', to: 'idle', at: Date.now() };
    const ids: string[] = [];
    for (const [sessionId, change, isEnd] of [
      ['waits', { waiting: true }, false],
      ['goes on', { to: 'pending' }, false],
      ['rested', { from: 'idle', to: 'stopped' }, false],
      ['first', {}, true],
      ['second', { from: 'pending' }, true],
    ] as const) {
      states.fire({ sessionId, ...rest, ...change });
      mock.timers.tick(APART_MS);
      if (isEnd) ids.push(sessionId);
      await until(() => ran().length === ids.length);
    }
    const stopped = ran().map(({ session_id }) => session_id);
    assert.deepEqual([stopped, followers.count], [ids, 1]);
  });

  it('have a check that finds what works, each broken link of the chain and what mends it, and unusable own commands; an event that is lost is no command that failed', async () => {
    const installation = new Installation(await temporaryPlace(), filesIn());
    const { place } = installation;
    const file = path.join(temporaryFolder(), 'settings.json');
    await installation.carryOut(await installation.planInstall(file, ['Stop', 'SessionEnd']));
    const at: CheckContext = {
      ...{ log: silentLog(), installation, events: eventsIn() },
      isListening: () => true,
      settings: { hooksOutgoing: () => ({ Stop: [{ type: 'command', command: 'x' }] }) },
    };
    const rowsOf = async (how = at): Promise<string[]> =>
      (await examine(how)).map(({ icon, label }) => `${icon}: ${label}`);
    const command = { value: 'echo broken; exit 7' };
    await showTest({ ...at, installation: Object.create(installation, { command }) as Installation }, '/w');
    await showTest(at, '/w', 4_000);
    inboxOf(place, { events: at.events });
    await showTest(at, '/w');
    assert.deepEqual(told.slice(0, 2), [
      'The hook command failed (exit status 7). broken',
      'The hook command ran, but its event did not arrive within 10 seconds.',
    ]);
    assert.match(told[2] ?? '', /^The test event arrived after [\d,]+ ms\. Hooks work\.$/);
    const rows = await rowsOf();
    assert.match(rows.splice(2, 1)[0] ?? '', /^pass: Last event .* ago$/);
    assert.deepEqual(rows, [
      'pass: Hook present for Stop, SessionEnd',
      'pass: This window is listening',
      'error: Some of your own commands cannot be used: Stop[0]',
    ]);
    for (const [spoil, row] of [
      [() => fs.writeFileSync(file, '{"hooks":{}}'), 'error: Hook missing'],
      [() => fs.writeFileSync(file, '{'), 'error: Settings file cannot be changed'],
      [() => fs.rmSync(file), 'error: Settings file is missing'],
    ] as const) {
      spoil();
      assert.ok((await rowsOf()).includes(row), row);
    }
    for (const spoil of [() => fs.writeFileSync(place.script, ''), () => fs.rmSync(place.script)]) {
      spoil();
      await rowsOf();
      assert.ok(fs.readFileSync(place.script).length > 0, 'a script that is spoilt is mended');
    }
    fs.rmSync(place.script);
    fs.mkdirSync(place.script);
    assert.deepEqual((await rowsOf()).slice(0, 3), [
      'error: Settings file is missing',
      'error: The script of the hook command is missing or from another version',
      'pass: This window is listening',
    ]);
    fs.rmdirSync(place.script);
    const [missing] = await examine(at);
    await missing?.value();
    assert.equal(executed.at(-1), `agentConsole.hooks.install ${file}`);
    await installation.carryOut(await installation.planUninstall(file));
    await assert.rejects(uninstall({ ...at, details }), /No hooks have been installed here/);
    await assert.rejects(showTest({ ...at, isListening: () => false }, '/w'), /No hooks are installed/);
    assert.equal((await rowsOf())[0], 'error: No hooks have been installed from here');
    const deaf = await rowsOf({ ...at, isListening: () => false, events: eventsIn() });
    assert.deepEqual(deaf.slice(1, 3), [
      'error: This window is not listening',
      'info: No event has arrived yet',
    ]);
  });

  it('show agents that wait in two windows: in the bell, the rows and the list of both, until the session moves on or a person says so or mutes it, and again when it asks or is unmuted', async () => {
    const bells: { text: string; isShown: boolean }[] = [];
    const createStatusBarItem = (): object => {
      const [show, hide] = [true, false].map(isShown => () => Object.assign(bell, { isShown }));
      const bell = { text: '', isShown: false, show, hide, dispose: hide };
      bells.push(bell);
      return bell;
    };
    Object.assign(vscode.window, { createStatusBarItem });
    later(() => Reflect.deleteProperty(vscode.window, 'createStatusBarItem'));
    const shared = await sessionsScene();
    const open = async () => {
      const { feature, index, storage } = await shared.open();
      const events = storage.collection({ path: 'hook-events', version: 1, schema: hookEvent });
      const watched: string[] = [];
      const set = (ids: readonly string[]): unknown => watched.splice(0, Infinity, ...ids);
      const sessions = Object.assign(feature, { watches: () => ({ set, dispose: () => set([]) }) as never });
      const log = silentLog();
      const waiting = new Waiting({ events, sessions: () => Promise.resolve(sessions), log });
      later(() => waiting.dispose());
      return { waiting, index, events, sessions, watched };
    };
    const [a, b] = [await open(), await open()];
    const wait = (...ids: readonly string[]): Promise<void> =>
      until(() =>
        [a, b].every(({ index, watched }, at) => {
          const { text, isShown } = bells[at] ?? { text: '', isShown: false };
          const rows = [...index.records.values()].filter(isWaiting).map(({ sessionId }) => sessionId);
          const [count, all] = [isShown ? Number(text.replace(/\D/g, '')) : 0, ids.join()];
          return count === ids.length && rows.sort().join() === all && watched.sort().join() === all;
        }),
      );
    const at = Math.floor(Date.now() / 1000) * 1000;
    const moves = (window: typeof a, sessionId: string, status: string, messageCount: number, age: number) =>
      window.index.observe('service', sessionOf({ sessionId, status, messageCount, updatedAt: 1 }), at + age);
    for (const sessionId of ['one', 'two']) {
      await a.sessions.signal({ sessionId, kind: 'waiting', at });
      const id = `1.${sessionId}.json`;
      await a.events.put(id, { id, name: 'Notification', at, sessionId });
    }
    await wait('one', 'two');
    await moves(a, 'two', 'idle', 3, 1_000);
    await a.sessions.signal({ sessionId: 'one', kind: 'waiting', at: at + 1_000, message: 'May I [push]?' });
    await a.sessions.setMuted('two', true);
    await wait('one');
    quickPicks.length = 0;
    const done = a.waiting.show();
    await until(() => quickPicks[0]?.isShown === true);
    const pick = quickPicks[0]!;
    const listed = pick.items.map(({ label, detail = '' }) => `${label} ${detail}`.trim());
    assert.deepEqual(listed, ['$(bell-dot) Session one May I [push]?', '$(bell-slash) Session two']);
    // The list follows while it is open, and the row that a person is at stays theirs.
    pick.activeItems = pick.items.slice(1);
    await b.sessions.settle('one');
    await until(() => pick.items.length === 1);
    assert.deepEqual(pick.activeItems, pick.items);
    assert.equal(pick.placeholder, 'No agent is waiting for you');
    pick.dispose();
    await done;
    await wait();
    await b.sessions.signal({ sessionId: 'one', kind: 'waiting', at: at + 2_000 });
    await wait('one');
    await b.sessions.setMuted('two', false);
    await wait('one', 'two');
    await moves(a, 'one', 'idle', 3, 3_000);
    await moves(b, 'two', 'idle', 4, 4_000);
    await wait('one');
    await moves(b, 'one', 'running', 3, 60_000);
    await wait();
    // A window that is opened later knows, too, whatever else has been told since; what is in the archive waits in silence.
    await a.sessions.signal({ sessionId: 'one', kind: 'waiting', at: at + 70_000 });
    for (const sessionId of ['one', 'two']) {
      const id = `2.${sessionId}.json`;
      await a.events.put(id, { id, name: 'SubagentStop', at: at + 1, sessionId });
    }
    await wait('one');
    await open();
    await until(() => bells[2]?.isShown === true);
    await a.index.keep('one', local => ({ ...local, archivedAt: 1 }));
    await until(() => bells.every(({ isShown }) => !isShown));
  });
});
