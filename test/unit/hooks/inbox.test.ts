import assert from 'node:assert/strict';
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { HookPlace } from '../../../src/hooks/installation';
import type { HookEvent } from '../../../src/hooks/events';
import { sweep } from '../../../src/hooks/inbox';
import {
  cleanUp,
  eventsIn,
  focusedAs,
  inboxOf,
  jsonFiles,
  later,
  temporaryFolder,
  temporaryPlace,
  until,
  writeEvent,
} from './support';

const folders = ['/w', '/w/app', '/other'];

/** A window of its own process, and the session ids of the events it took. */
async function openWindow(place: HookPlace, stored: string, folder: string, stepMs: number) {
  const file = path.join(__dirname, 'inbox.child.js');
  const isFocused = String(folder === '/other');
  const child = fork(file, [place.folder, stored, folder, isFocused, String(stepMs)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  later(() => child.kill('SIGKILL'));
  const taken: string[] = [];
  await once(child, 'message');
  child.on('message', message => {
    if (typeof message === 'object' && 'sessionId' in message) taken.push(String(message.sessionId));
  });
  return { child, taken };
}

const threeWindows = (place: HookPlace, stored: string, stepMs: number) =>
  Promise.all(folders.map(folder => openWindow(place, stored, folder, stepMs)));

/** Writes an event of session `i`, in one of the folders in turn. */
const write = (place: HookPlace, index: number, cwds: readonly string[]): void => {
  const cwd = cwds[index % cwds.length];
  writeEvent(place, { hook_event_name: 'Notification', session_id: `s${index}`, cwd });
};

describe('the inbox of hook events', function () {
  afterEach(cleanUp);

  it('gives each of 1,000 events to one of three windows, and to the right one', async () => {
    const place = await temporaryPlace();
    // Some are there before any window looks.
    for (let index = 0; index < 300; index++) write(place, index, folders);
    // However slow the machine is, no other window gets in between.
    const stored = temporaryFolder();
    const windows = await threeWindows(place, stored, 30_000);
    for (const { child } of windows) child.send('begin');
    for (let index = 300; index < 1_000; index++) {
      write(place, index, folders);
      if (index % 100 === 0) await new Promise(setImmediate);
    }
    const all = (): string[] => windows.flatMap(({ taken }) => taken);
    await until(() => all().length >= 1_000 && jsonFiles(place.spool).length === 0);
    assert.deepEqual([new Set(all()).size, all().length], [1_000, 1_000]);
    const misplaced = windows.flatMap(({ taken }, at) =>
      taken.filter(id => Number(id.slice(1)) % 3 !== at).map(id => `${id} in window ${at}`),
    );
    assert.deepEqual(misplaced, []);
    assert.equal((await eventsIn(stored).load()).size, 1_000);
  });

  it('loses nothing and tells nothing twice when a window dies in between', async () => {
    const place = await temporaryPlace();
    const windows = await threeWindows(place, temporaryFolder(), 300);
    for (const { child } of windows) child.send('begin');
    const [, victim] = windows;
    const cwds = ['/w/lib', '/w/app/src', '/other', '/nowhere'];
    let written = 0;
    for (; written < 100; written++) write(place, written, cwds);
    await until(() => victim!.taken.length >= 10);
    const exit = once(victim!.child, 'exit');
    victim!.child.kill('SIGKILL');
    await exit;
    for (; written < 200; written++) write(place, written, cwds);
    const all = (): string[] => windows.flatMap(({ taken }) => taken);
    const late = Array.from({ length: 100 }, (_, index) => `s${index + 100}`);
    const survivors = [windows[0]!, windows[2]!];
    await until(() => late.every(id => survivors.some(({ taken }) => taken.includes(id))));
    assert.deepEqual(jsonFiles(place.spool), []);
    assert.equal(new Set(all()).size, all().length, 'nothing twice');
  });

  it('leaves events to the next window when nobody can see the right one', async () => {
    const place = await temporaryPlace();
    const stored = temporaryFolder();
    const taken: string[] = [];
    const open = (id: string, own: readonly string[], isShown: () => Promise<void>): void => {
      const take = ({ sessionId = '' }: HookEvent): unknown => taken.push(`${id} ${sessionId}`);
      const events = eventsIn(stored);
      inboxOf(place, { events, folders: () => own, focused: focusedAs(false, isShown), take, stepMs: 50 });
    };
    let show = (): void => undefined;
    open('gone', ['/w'], () => new Promise(resolve => (show = resolve)));
    open('here', [], () => Promise.resolve());
    writeEvent(place, { hook_event_name: 'Stop', session_id: 's', cwd: '/w' });
    await until(() => taken.length > 0);
    show();
    await until(() => jsonFiles(place.spool).length === 0);
    assert.deepEqual(taken, ['here s']);
  });

  it('takes only plain files of its own kind, and drops what cannot be read', async () => {
    const place = await temporaryPlace();
    const { taken, log } = inboxOf(place);
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
    assert.deepEqual([taken.map(({ sessionId }) => sessionId), log.lines.length], [['good'], 1]);
    assert.equal(fs.readFileSync(outside, 'utf8').includes('linked'), true);
  });

  it('takes an event once though its file cannot be removed, and keeps it', async () => {
    const place = await temporaryPlace();
    const { taken, events } = inboxOf(place);
    writeEvent(place, { hook_event_name: 'Stop', session_id: 's' });
    await until(() => taken.length > 0 && jsonFiles(place.spool).length === 0);
    // As a window leaves it that dies between storing and removing.
    fs.writeFileSync(path.join(place.spool, taken[0]!.id), JSON.stringify({ hook_event_name: 'Stop' }));
    await until(() => jsonFiles(place.spool).length === 0);
    assert.equal(taken.length, 1);
    assert.equal((await events.load()).size, 1);
  });

  it('keeps its folders private and small', async () => {
    const place = await temporaryPlace();
    const now = Date.now();
    const events = eventsIn();
    for (let index = 0; index < 230; index++) {
      const id = `${Math.floor(now / 1000) - index * 60}.x.json`;
      await events.put(id, { id, name: 'Stop', at: now - index * 60_000 });
    }
    await events.put('1.x.json', { id: '1.x.json', name: 'Stop', at: now - 8 * 86_400_000 });
    for (const [name, age] of [
      ['1700000000.dead', 11],
      ['1700000001.busy', 1],
      ['1700000000.fine.json', 11],
    ] as const) {
      fs.writeFileSync(path.join(place.spool, name), '{}');
      const time = (now - age * 60_000) / 1000;
      fs.utimesSync(path.join(place.spool, name), time, time);
    }
    await sweep({ spool: place.spool, events }, now);
    assert.equal(events.values.size, 200);
    assert.ok(events.get(`${Math.floor(now / 1000)}.x.json`));
    assert.deepEqual(fs.readdirSync(place.spool).sort(), ['1700000000.fine.json', '1700000001.busy']);
    for (const folder of [place.folder, place.spool, place.backups])
      assert.equal(fs.statSync(folder).mode & 0o777, 0o700);
  });
});
