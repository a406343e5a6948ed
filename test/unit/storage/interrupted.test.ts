import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { interrupted, same } from './interrupted';
import { cleanUp, entries, filesBelow, inspect, notes, openWindow, temporaryFolder, until } from './support';

/** A folder in memory: killed processes lose nothing there that they would not lose on a disk, and it is far faster. */
const MEMORY = '/dev/shm';
const inMemory = isWritable(MEMORY);
/** */
const OPERATIONS = 10_000;

describe('storage under four processes that are killed at random', function () {
  afterEach(cleanUp);

  it(`loses nothing in ${OPERATIONS} operations`, async () => {
    const parent = inMemory ? MEMORY : undefined;
    const root = temporaryFolder(parent);
    const watching = openWindow(root).collection(notes);
    watching.onDidChange(() => undefined);
    await watching.load();

    const script = path.join(__dirname, 'writer.child.js');
    const { kills, check } = await interrupted(script, root, temporaryFolder(parent), OPERATIONS);
    assert.ok(kills >= 4, `only ${kills} kills`);

    const after = openWindow(root).collection(notes);
    await after.load();
    assert.deepEqual(after.unreadable, []);
    const found = inspect(root, db => db.prepare('PRAGMA integrity_check').get()?.['integrity_check']);
    assert.equal(found, 'ok');
    const allowed = /^store\/(console\.db(-wal|-shm)?|passing\.db(-journal)?|backup-.*\.db)$/;
    assert.deepEqual(
      filesBelow(root).filter(name => !allowed.test(name)),
      [],
    );
    check(after.values);
    await until(watching.onDidChange, () => same(entries(watching), entries(after)));
  });
});

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
