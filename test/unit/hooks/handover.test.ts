import assert from 'node:assert/strict';
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { mock } from 'node:test';
import { Handover, sweepPlace } from '../../../src/hooks/handover';
import { History } from '../../../src/hooks/history';
import { FRESH_MS, type HookEvent, type WindowPresence } from '../../../src/hooks/model';
import type { HookPlace } from '../../../src/hooks/place';
import { WindowBoard } from '../../../src/hooks/windowBoard';
import { cleanUp, jsonFiles, later, temporaryPlace, until, writeEvent, unexpected } from './support';

interface Window {
  readonly child: ChildProcess;
  readonly id: string;
  /** Session ids of the events it took. */
  readonly taken: string[];
}

async function openWindow(
  place: HookPlace,
  id: string,
  folder: string,
  focused = false,
  stepMs = 300,
): Promise<Window> {
  const file = path.join(__dirname, 'handover.child.js');
  const child = fork(file, [place.folder, id, folder, String(focused), String(stepMs)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  later(() => child.kill('SIGKILL'));
  const taken: string[] = [];
  const ready = once(child, 'message');
  await ready;
  child.on('message', message => {
    if (typeof message === 'object' && 'sessionId' in message) taken.push(String(message.sessionId));
  });
  return { child, id, taken };
}

const folders = ['/w', '/w/app', '/other'];

/** The windows as they see each other, and an event of session `i` for each of them in turn, or for none. */
async function threeWindows(place: HookPlace, stepMs?: number): Promise<readonly Window[]> {
  return Promise.all(
    folders.map((folder, index) => openWindow(place, `window-${index}`, folder, index === 2, stepMs)),
  );
}
const cwds = ['/w/lib', '/w/app/src', '/other', '/nowhere'];
const rightWindow = [0, 1, 2, 2];
const write = (place: HookPlace, index: number): void => {
  writeEvent(place, { hook_event_name: 'Notification', session_id: `s${index}`, cwd: cwds[index % 4] });
};

describe('the hand-over of hook events', function () {
  afterEach(cleanUp);

  it('gives each of 1,000 events to one of three windows, and to the right one', async () => {
    const place = await temporaryPlace();
    // Some are there before any window looks.
    for (let index = 0; index < 300; index++) write(place, index);
    // However slow the machine is, no other window gets in between.
    const windows = await threeWindows(place, 30_000);
    for (const { child } of windows) child.send('begin');
    for (let index = 300; index < 1_000; index++) {
      write(place, index);
      if (index % 100 === 0) await new Promise(setImmediate);
    }
    const all = (): string[] => windows.flatMap(({ taken }) => taken);
    await until(() => all().length >= 1_000 && jsonFiles(place.spool).length === 0);
    assert.equal(new Set(all()).size, 1_000);
    assert.equal(all().length, 1_000);
    const misplaced = windows.flatMap(({ taken }, at) =>
      taken.filter(id => rightWindow[Number(id.slice(1)) % 4] !== at).map(id => `${id} in window ${at}`),
    );
    assert.deepEqual(misplaced, []);
    assert.ok(jsonFiles(place.history).length <= 350, 'the history stays small');
  });

  it('loses nothing and tells nothing twice when a window dies in between', async () => {
    const place = await temporaryPlace();
    const windows = await threeWindows(place);
    for (const { child } of windows) child.send('begin');
    const [, victim] = windows;
    let written = 0;
    for (; written < 200; written++) write(place, written);
    await until(() => victim!.taken.length >= 10);
    const exit = once(victim!.child, 'exit');
    victim!.child.kill('SIGKILL');
    await exit;
    for (; written < 400; written++) write(place, written);
    const all = (): string[] => windows.flatMap(({ taken }) => taken);
    const late = Array.from({ length: 200 }, (_, index) => `s${index + 200}`);
    const survivors = [windows[0]!, windows[2]!];
    await until(() => late.every(id => survivors.some(({ taken }) => taken.includes(id))));
    assert.deepEqual(jsonFiles(place.spool), []);
    assert.equal(new Set(all()).size, all().length, 'nothing twice');
  });

  it('leaves events to the next window when nobody can see the right one', async () => {
    const place = await temporaryPlace();
    const taken: string[] = [];
    const windows: WindowPresence[] = [presence('gone', ['/w']), presence('here', [])];
    const open = (id: string, isShown: () => Promise<void>): void => {
      const handover = new Handover({
        place,
        id,
        windows: () => Promise.resolve(windows),
        isShown,
        take: event => taken.push(`${id} ${event.sessionId ?? ''}`),
        onProblem: unexpected,
        stepMs: 50,
      });
      later(() => handover.dispose());
    };
    let show = (): void => undefined;
    open('gone', () => new Promise(resolve => (show = resolve)));
    open('here', () => Promise.resolve());
    writeEvent(place, { hook_event_name: 'Stop', session_id: 's', cwd: '/w' });
    await until(() => taken.length > 0);
    show();
    await until(() => jsonFiles(place.spool).length === 0);
    assert.deepEqual(taken, ['here s']);
  });

  it('takes only plain files of its own kind, and drops what cannot be read', async () => {
    const place = await temporaryPlace();
    const problems: string[] = [];
    const { taken } = alone(place, { onProblem: sentence => problems.push(sentence) });
    const outside = path.join(place.folder, 'outside.json');
    fs.writeFileSync(outside, JSON.stringify({ hook_event_name: 'Stop', session_id: 'linked' }));
    fs.symlinkSync(outside, path.join(place.spool, '1.link.json'));
    fs.mkdirSync(path.join(place.spool, '2.folder.json'));
    spawnSync('mkfifo', [path.join(place.spool, '3.pipe.json')]);
    fs.copyFileSync(outside, path.join(place.spool, '..4.json'));
    fs.copyFileSync(outside, path.join(place.spool, '1700000000.half'));
    const bad = writeEvent(place, '{"hook_event_name":');
    writeEvent(place, { hook_event_name: 'Stop', session_id: 'good' });
    await until(() => taken.length > 0 && !fs.existsSync(path.join(place.spool, bad)));
    assert.deepEqual(
      taken.map(({ sessionId }) => sessionId),
      ['good'],
    );
    assert.equal(problems.length, 1);
    assert.equal(fs.readFileSync(outside, 'utf8').includes('linked'), true);
    assert.deepEqual(fs.readdirSync(place.history).length, 1);
  });

  it('hands old events over too, with their age', async () => {
    const place = await temporaryPlace();
    const { taken } = alone(place);
    const at = Date.now() - FRESH_MS - 60_000;
    writeEvent(place, { hook_event_name: 'Stop', session_id: 'old' }, at);
    await until(() => taken.length > 0);
    assert.ok(Math.abs(taken[0]!.at - at) < 1_000);
  });

  it('goes on when somebody removes its folders', async () => {
    const place = await temporaryPlace();
    const { taken } = alone(place, { onProblem: () => undefined });
    fs.rmdirSync(place.history);
    writeEvent(place, { hook_event_name: 'Stop', session_id: 's' });
    await until(() => taken.length > 0);
    assert.equal(jsonFiles(place.history).length, 1);
  });

  it('keeps its folders private and small', async () => {
    const place = await temporaryPlace();
    const now = Date.now();
    for (let index = 0; index < 230; index++) {
      const second = Math.floor(now / 1000) - index;
      fs.writeFileSync(path.join(place.history, `${second}.x.json`), '{}');
    }
    fs.writeFileSync(path.join(place.history, '1000000000.x.json'), '{}');
    for (const [name, age] of [
      ['1700000000.dead', 11],
      ['trial-12ab-34', 11],
      ['1700000001.busy', 1],
      ['1700000000.fine.json', 11],
    ] as const) {
      fs.writeFileSync(path.join(place.spool, name), '{}');
      const time = (now - age * 60_000) / 1000;
      fs.utimesSync(path.join(place.spool, name), time, time);
    }
    await sweepPlace(place, now);
    assert.equal(fs.readdirSync(place.history).length, 200);
    assert.ok(fs.existsSync(path.join(place.history, `${Math.floor(now / 1000)}.x.json`)));
    assert.deepEqual(fs.readdirSync(place.spool).sort(), ['1700000000.fine.json', '1700000001.busy']);
    for (const folder of [place.folder, place.spool, place.history, place.windows, place.backups])
      assert.equal(fs.statSync(folder).mode & 0o777, 0o700);
  });

  it('shows all windows the same history', async () => {
    const place = await temporaryPlace();
    const history = new History(place.history);
    later(() => history.dispose());
    const { taken } = alone(place);
    writeEvent(place, { hook_event_name: 'Stop', session_id: 'a' }, Date.now() - 2_000);
    writeEvent(place, { hook_event_name: 'Stop', session_id: 'b' });
    await new Promise<void>(resolve => {
      const look = (): void => {
        if (history.events.length === 2) resolve();
      };
      history.onDidChange(look);
      look();
    });
    assert.deepEqual(
      history.events.map(({ sessionId }) => sessionId),
      ['b', 'a'],
    );
    await until(() => taken.length === 2);
  });
});

describe('what windows know of each other', () => {
  afterEach(cleanUp);

  it('that others are there, also when the machine has slept', async () => {
    const place = await temporaryPlace();
    const here = { folders: ['/w'], focused: false, focusedAt: 0 };
    const began = Date.now();
    mock.timers.enable({ apis: ['setInterval', 'Date'], now: began });
    later(() => mock.timers.reset());
    const board = new WindowBoard({
      folder: place.windows,
      id: 'one',
      describe: () => Promise.resolve(here),
      isShown: () => Promise.resolve(),
      onFailure: unexpected,
    });
    later(() => board.dispose());
    await board.publish();
    // Another window of this machine, whose turn for a sign of life is yet to come.
    const file = path.join(place.windows, 'two.json');
    fs.writeFileSync(file, JSON.stringify({ id: 'two', ...here, pid: process.pid, host: os.hostname() }));
    fs.utimesSync(file, new Date(began), new Date(began));
    const seen = async (): Promise<string[]> => {
      await board.publish();
      return (await board.windows()).map(({ id }) => id);
    };
    mock.timers.setTime(began + 8 * 60 * 60_000);
    assert.deepEqual(await seen(), ['one', 'two'], 'nobody has had the time for a sign of life');
    mock.timers.tick(15_000);
    assert.deepEqual(await seen(), ['one', 'two'], 'only this window has');
    for (let beat = 0; beat < 4; beat++) mock.timers.tick(15_000);
    assert.deepEqual(await seen(), ['one'], 'by now it is gone');
  });

  it('their folders and focus, as long as they live', async () => {
    const place = await temporaryPlace();
    const child = spawnSync(process.execPath, ['-e', '']);
    const here = { folders: ['/w'], focused: true, focusedAt: 5 };
    const board = (id: string): WindowBoard =>
      new WindowBoard({
        folder: place.windows,
        id,
        describe: () => Promise.resolve(here),
        isShown: () => Promise.resolve(),
        onFailure: unexpected,
      });
    const [one, two] = [board('one'), board('two')];
    later(() => one.dispose());
    await Promise.all([one.publish(), two.publish()]);
    assert.deepEqual(
      (await one.windows()).map(({ id }) => id),
      ['one', 'two'],
    );
    assert.deepEqual((await one.windows())[1], { id: 'two', ...here });
    assert.equal(fs.statSync(path.join(place.windows, 'one.json')).mode & 0o777, 0o600);

    const file = (id: string, more: object): void =>
      fs.writeFileSync(path.join(place.windows, `${id}.json`), JSON.stringify({ id, ...here, ...more }));
    const host = (
      JSON.parse(fs.readFileSync(path.join(place.windows, 'two.json'), 'utf8')) as { host: string }
    ).host;
    file('dead', { pid: child.pid, host });
    file('stale', { pid: process.pid, host });
    fs.utimesSync(path.join(place.windows, 'stale.json'), 1, 1);
    file('away', { pid: child.pid, host: 'another-machine' });
    fs.writeFileSync(path.join(place.windows, 'broken.json'), '{');
    fs.writeFileSync(path.join(place.windows, 'odd.json'), '{"id":3}');
    await one.publish();
    assert.deepEqual((await one.windows()).map(({ id }) => id).sort(), ['away', 'one', 'two']);
    assert.equal(fs.existsSync(path.join(place.windows, 'dead.json')), false);
    two.dispose();
    assert.equal(fs.existsSync(path.join(place.windows, 'two.json')), false);
    await one.publish();
    assert.deepEqual((await one.windows()).map(({ id }) => id).sort(), ['away', 'one']);
  });
});

function presence(id: string, of: string[]): WindowPresence {
  return { id, folders: of, focused: false, focusedAt: 0 };
}

/** One window that hears everything. */
function alone(
  place: HookPlace,
  more: { onProblem?: (sentence: string) => void } = {},
): { readonly taken: HookEvent[] } {
  const taken: HookEvent[] = [];
  const handover = new Handover({
    place,
    id: 'only',
    windows: () => Promise.resolve([presence('only', [])]),
    isShown: () => Promise.resolve(),
    take: event => taken.push(event),
    onProblem: more.onProblem ?? unexpected,
  });
  later(() => handover.dispose());
  return { taken };
}
