import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { mock } from 'node:test';
import { FolderWatch } from '../../../src/util/folderWatch';
import { databaseOf, eachInItsFolder, entries, filesBelow, loaded, notes, open, openWindow } from './support';
import { onExec, root, until, valueOf, type Note } from './support';

describe('storage records', () => {
  eachInItsFolder();
  /** The notes as a window of a time has them. */
  const notesAt = (now = Date.now()) => open({ now: () => now }).collection(notes);

  it('keeps what was put, updated and removed for the next window, and writes nothing where nothing changes or what was written could not be read', async () => {
    const first = notesAt();
    const odd = ['A', 'con', '', '..', '../x', 'a/b', 'a\nb', 'ü', 'u\u0308', '%', 'x'.repeat(5000)];
    for (const id of [...odd, 'a', 'b']) await first.put(id, { text: `of ${id}` });
    assert.deepEqual(await first.update('a', current => ({ text: `${current?.text}!` })), { text: 'of a!' });
    assert.deepEqual(await first.update('c', current => current ?? { text: 'new' }), { text: 'new' });
    for (const id of ['b', 'b', 'never there']) await first.remove(id);
    const newest = (): unknown => valueOf('SELECT max(seq) FROM documents');
    const before = newest();
    for (const change of [(current?: Note) => current, () => undefined])
      assert.deepEqual(await first.update('a', change), { text: 'of a!' });
    assert.equal(await first.update('b', () => undefined), undefined);
    await assert.rejects(
      first.update('a', () => assert.fail('no')),
      /no/,
    );
    await assert.rejects(first.put('a', {} as Note), /no text/);
    assert.equal(newest(), before);

    const second = notesAt();
    assert.equal(second.get('a'), undefined);
    const others = Object.fromEntries(odd.map(id => [id, { text: `of ${id}` }]));
    assert.deepEqual(entries(await loaded(second)), { ...others, a: { text: 'of a!' }, c: { text: 'new' } });
    const folder = path.join(root, 'not', 'yet');
    assert.deepEqual(await openWindow(folder).peek('notes'), []);
    assert.equal(fs.existsSync(folder), false, 'a look at what may be stored makes no folder');
  });

  it('forgets removals after a week, not before, and till then no update of another window brings them back', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const day = 86_400_000;
    const count = (): unknown => valueOf('SELECT count(*) FROM documents');
    const change = (now: Note | undefined) => now && { text: `${now.text} changed` };
    const [collection, unaware, reader] = [notesAt(day), notesAt(day), notesAt(day)];
    await collection.put('x', { text: 'one' });
    for (const each of [unaware, reader]) assert.deepEqual(await each.read('x'), { text: 'one' });
    await collection.remove('x');
    assert.deepEqual([await unaware.update('x', change), unaware.get('x')], [undefined, undefined]);
    assert.deepEqual([await reader.read('x'), reader.get('x')], [undefined, undefined]);
    await notesAt(7 * day).load();
    assert.equal(count(), 1);
    const later = await loaded(notesAt(9 * day));
    mock.timers.tick(5_000);
    assert.equal(count(), 0);
    assert.deepEqual([await unaware.update('x', change), count()], [undefined, 0]);
    await later.put('x', { text: 'anew' });
    assert.deepEqual(later.get('x'), { text: 'anew' });
    // What knew the removed record follows the new one.
    assert.deepEqual(await collection.read('x'), { text: 'anew' });
  });

  it('waits for no disk where nothing is lost by a loss of power, and tells other windows all the same', async () => {
    const counted: typeof notes = { ...notes, isVolatile: (before, after) => before?.text === after.text };
    const [here, there] = [open(), open()].map(window => window.collection(counted));
    await there!.load();
    const modes: string[] = [];
    onExec(sql => modes.push(...(/synchronous = (\w+)/.exec(sql)?.slice(1) ?? [])));
    const count = (text: string) => here!.update('a', now => ({ text, count: (now?.count ?? 0) + 1 }));
    for (const text of ['one', 'one', 'two', 'two']) await count(text);
    await here!.remove('a');
    assert.deepEqual(modes, ['FULL', 'NORMAL', 'FULL', 'NORMAL', 'FULL']);
    await count('one');
    await count('one');
    await until(there!.onDidChange, () => there!.get('a')?.count === 2);
  });

  it('makes folders and files only their owner can read', async function () {
    // Windows has no such modes.
    if (process.platform === 'win32') this.skip();
    const folder = path.join(root, 'deep', 'root');
    await openWindow(folder).collection(notes).put('a', { text: 'x' });
    assert.equal(fs.statSync(path.dirname(databaseOf(folder))).mode & 0o777, 0o700);
    for (const file of filesBelow(folder))
      assert.equal(fs.statSync(path.join(folder, file)).mode & 0o777, 0o600, file);
  });

  it('says clearly that a folder or its database cannot be written, or a disk has no locks, and still loads nothing from nowhere', async () => {
    const file = path.join(root, 'file');
    fs.writeFileSync(file, 'not a folder');
    const collection = openWindow(file).collection(notes);
    const says = { name: 'StorageError', message: /cannot be read or written \((ENOTDIR|EEXIST)\)/ };
    await assert.rejects(collection.put('a', { text: 'x' }), says);
    await assert.rejects(collection.load(), says);
    fs.rmSync(file);
    await collection.put('a', { text: 'x' });
    assert.deepEqual(entries(await loaded(collection)), { a: { text: 'x' } });
    let errcode = 15;
    onExec(() => {
      throw Object.assign(new Error('of SQLite'), { errcode });
    });
    for (const [code, sentence] of [
      [15, /The disk that holds .* has no file locks/],
      // Of a file that is only to be read; some codes say more in higher bits.
      [8 | (1 << 8), /cannot be read or written \(of SQLite\)/],
    ] as const) {
      errcode = code;
      await assert.rejects(collection.put('a', { text: 'y' }), { name: 'StorageError', message: sentence });
    }
  });

  it('brings old versions up to date step by step and writes that back with the next put', async () => {
    await open()
      .collection<string>({ path: 'notes', version: 1, schema: { parse: value => String(value) } })
      .put('a', 'old text');
    const steps: number[] = [];
    const migrate = (value: unknown, from: number) => (steps.push(from), { text: value });
    const collection = await loaded(open().collection({ ...notes, version: 3, migrate }));
    assert.deepEqual([steps, collection.get('a')], [[1], { text: 'old text' }]);
    const version = (): unknown => valueOf('SELECT version FROM documents');
    assert.equal(version(), 1);
    await collection.update('a', current => ({ text: `${current?.text}!` }));
    assert.equal(version(), 3);
  });

  it('looks now and then where the system cannot watch', async () => {
    const reasons: string[] = [];
    let looks = 0;
    const watch = new FolderWatch({
      folder: path.join(root, 'not there'),
      onChange: () => looks++,
      onUnavailable: reason => reasons.push(reason),
      pollMs: 5,
    });
    await until(() => looks >= 5);
    watch.dispose();
    assert.equal(reasons.length, 1);
    assert.match(reasons[0]!, /ENOENT/);
  });
});
