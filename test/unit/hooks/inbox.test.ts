import assert from 'node:assert/strict';
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { HookPlace } from '../../../src/hooks/installation';
import { sweep } from '../../../src/hooks/inbox';
import { cleanUp, eventsIn, focusedAs, inboxOf, jsonFiles, later, modeOf } from './support';
import { temporaryFolder, temporaryPlace, until, writeEvent } from './support';

const folders = ['/w', '/w/app', '/other'];

/** Windows of their own processes, one for each folder, and the session ids of the events they took. */
async function threeWindows(place: HookPlace, stepMs: number) {
  const stored = temporaryFolder();
  const open = async (folder: string) => {
    const args = [place.folder, stored, folder, String(folder === '/other'), String(stepMs)];
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
    const child = fork(path.join(__dirname, 'inbox.child.js'), args, { stdio: [...stdio] });
    later(() => child.kill('SIGKILL'));
    const taken: string[] = [];
    await once(child, 'message');
    child.on('message', sessionId => taken.push(sessionId as string));
    return { child, taken };
  };
  const windows = await Promise.all(folders.map(open));
  for (const { child } of windows) child.send('begin');
  return { windows, all: () => windows.flatMap(({ taken }) => taken) };
}

/** Writes events of sessions, in each of the folders in turn. */
function write(place: HookPlace, from: number, to: number, cwds: readonly string[]): void {
  for (let n = from; n < to; n++)
    writeEvent(place, { hook_event_name: 'Notification', session_id: `s${n}`, cwd: cwds[n % cwds.length] });
}

describe('the inbox of hook events', function () {
  afterEach(cleanUp);

  it('gives each of 1,000 events to one of three windows, and to the right one', async () => {
    const place = await temporaryPlace();
    // Some are there before any window looks.
    write(place, 0, 300, folders);
    // However slow the machine is, no other window gets in between.
    const { windows, all } = await threeWindows(place, 30_000);
    for (let index = 300; index < 1_000; index += 100) {
      write(place, index, index + 100, folders);
      await new Promise(setImmediate);
    }
    await until(() => all().length >= 1_000 && jsonFiles(place.spool).length === 0);
    assert.deepEqual([new Set(all()).size, all().length], [1_000, 1_000]);
    for (const [at, { taken }] of windows.entries())
      assert.deepEqual(
        taken.filter(id => Number(id.slice(1)) % 3 !== at),
        [],
      );
  });

  it('loses nothing and tells nothing twice when a window dies in between', async () => {
    const place = await temporaryPlace();
    const { windows, all } = await threeWindows(place, 300);
    const cwds = ['/w/lib', '/w/app/src', '/other', '/nowhere'];
    write(place, 0, 100, cwds);
    const { child, taken } = windows[1]!;
    await until(() => taken.length >= 10);
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    write(place, 100, 200, cwds);
    const isLate = (id: string): boolean => Number(id.slice(1)) >= 100;
    await until(() => all().filter(isLate).length >= 100);
    assert.deepEqual(jsonFiles(place.spool), []);
    assert.equal(new Set(all()).size, all().length, 'nothing twice');
    assert.equal(new Set(all().filter(isLate)).size, 100);
  });

  it('leaves events to the next window when nobody can see the right one', async () => {
    const [place, stored] = [await temporaryPlace(), temporaryFolder()];
    let show = (): void => undefined;
    const focused = focusedAs(false, () => new Promise(resolve => (show = resolve)));
    const gone = inboxOf(place, { events: eventsIn(stored), folders: () => ['/w'], focused });
    const here = inboxOf(place, { events: eventsIn(stored), stepMs: 50 });
    writeEvent(place, { hook_event_name: 'Stop', session_id: 's', cwd: '/w' });
    await until(() => here.taken.length > 0);
    show();
    await until(() => jsonFiles(place.spool).length === 0);
    assert.deepEqual([gone.taken.length, here.taken.length], [0, 1]);
  });

  it('takes only plain files of its own kind, each once though it is not removed, and drops what cannot be read', async () => {
    const place = await temporaryPlace();
    const { taken, log, events } = inboxOf(place);
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
    // As a window leaves it that dies between storing and removing.
    const left = path.join(place.spool, taken[0]!.id);
    fs.writeFileSync(left, JSON.stringify({ hook_event_name: 'Stop' }));
    await until(() => !fs.existsSync(left));
    assert.deepEqual([taken.length, (await events.load()).size], [1, 1]);
  });

  it('keeps its folders private, the latest events and nothing that was never finished', async () => {
    const place = await temporaryPlace();
    const [now, minute, day] = [Date.now(), 60_000, 86_400_000];
    const events = eventsIn();
    const swept = async (...ages: readonly number[]): Promise<readonly string[]> => {
      const ids = ages.map((age, index) => [`${index}.${age}.json`, now - age] as const);
      await Promise.all(ids.map(([id, at]) => events.put(id, { id, name: 'Stop', at })));
      await sweep({ spool: place.spool, events }, now);
      return [...events.values.keys()];
    };
    for (const [name, age] of [
      ['1700000000.dead', 11 * minute],
      ['1700000001.busy', minute],
      ['1700000000.fine.json', 11 * minute],
    ] as const) {
      fs.writeFileSync(path.join(place.spool, name), '{}');
      fs.utimesSync(path.join(place.spool, name), (now - age) / 1000, (now - age) / 1000);
    }
    assert.deepEqual(await swept(8 * day, 6 * day), [`1.${6 * day}.json`]);
    const fresh = Array<number>(199).fill(minute);
    assert.equal((await swept(...fresh)).length, 200);
    const more = await swept(...fresh, 2 * minute, 2 * minute);
    assert.equal(more.length, 201, 'another window may have one of them in its hands');
    assert.ok(!more.includes(`1.${6 * day}.json`));
    assert.deepEqual(fs.readdirSync(place.spool).sort(), ['1700000000.fine.json', '1700000001.busy']);
    assert.deepEqual([place.folder, place.spool, place.backups].map(modeOf), [0o700, 0o700, 0o700]);
  });
});
