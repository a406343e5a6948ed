import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import fc from 'fast-check';
import { StorageError, type Collection } from '../../../src/storage';
import { FileCollection } from '../../../src/storage/collection';
import { Disk } from '../../../src/storage/disk';
import { encodeId } from '../../../src/storage/names';
import {
  cleanUp,
  decodeNote,
  entries,
  filesBelow,
  MemoryLog,
  notes,
  openWindow,
  temporaryFolder,
  type Note,
} from './support';

describe('storage records', function () {
  afterEach(cleanUp);

  it('keeps what was put, updated and removed for the next window', async () => {
    const root = temporaryFolder();
    const first = openWindow(root).collection(notes);
    await first.put('a', { text: 'one' });
    await first.put('b', { text: 'two' });
    assert.deepEqual(await first.update('a', current => ({ text: `${current?.text}!` })), { text: 'one!' });
    assert.deepEqual(await first.update('c', current => current ?? { text: 'new' }), { text: 'new' });
    assert.deepEqual(await first.remove('b'), { text: 'two' });
    assert.equal(await first.remove('b'), undefined);
    assert.equal(await first.remove('never there'), undefined);

    const second = openWindow(root).collection(notes);
    assert.equal(second.get('a'), undefined);
    assert.equal((await second.load()).size, 2);
    assert.deepEqual(entries(second), { a: { text: 'one!' }, c: { text: 'new' } });
    assert.equal(second.get('b'), undefined);
    assert.deepEqual(second.unreadable, []);
  });

  it('reads nothing and makes no folder until it is used', async () => {
    const root = path.join(temporaryFolder(), 'not', 'yet');
    const collection = openWindow(root).collection(notes);
    assert.equal(fs.existsSync(root), false);
    assert.equal((await collection.load()).size, 0);
    assert.equal(fs.existsSync(root), false);
  });

  it('gives the same collection for the same path, and refuses paths that leave the root', () => {
    const storage = openWindow(temporaryFolder());
    assert.equal(storage.collection(notes), storage.collection(notes));
    for (const bad of ['', '..', 'a/../b', '/etc', 'a//b', 'A', 'a b', 'c:']) {
      assert.throws(() => storage.collection({ ...notes, path: bad }), RangeError, bad);
    }
    assert.ok(storage.collection({ ...notes, path: 'services/ab12/sessions' }));
  });

  it('lists its folder a few times for many new records that are stored at once', async () => {
    const folder = temporaryFolder();
    let listings = 0;
    class CountingDisk extends Disk {
      override list(of: string): Promise<string[]> {
        listings++;
        return super.list(of);
      }
    }
    const open = (): FileCollection<Note> =>
      new FileCollection(notes, {
        folder,
        disk: new CountingDisk(),
        writer: 'one',
        log: new MemoryLog(),
        now: Date.now,
      });
    const collection = open();
    const put = (from: number) =>
      Promise.all(Array.from({ length: 500 }, (_, n) => collection.put(`n${from + n}`, { text: 'x' })));
    await put(0);
    await put(500);
    assert.ok(listings <= 100, `${listings} listings of the folder for 1,000 new records`);
    assert.equal((await open().load()).size, 1_000);
  });

  it('writes nothing when update returns what it was given, or nothing', async () => {
    const root = temporaryFolder();
    const collection = openWindow(root).collection(notes);
    await collection.put('a', { text: 'one' });
    const before = filesBelow(root);
    assert.deepEqual(await collection.update('a', current => current), { text: 'one' });
    assert.deepEqual(await collection.update('a', () => undefined), { text: 'one' });
    assert.equal(await collection.update('b', () => undefined), undefined);
    assert.deepEqual(filesBelow(root), before);
  });

  it('passes on what the change function throws and stores nothing', async () => {
    const collection = openWindow(temporaryFolder()).collection(notes);
    await collection.put('a', { text: 'one' });
    const problem = new Error('no');
    await assert.rejects(
      collection.update('a', () => {
        throw problem;
      }),
      error => error === problem,
    );
    assert.deepEqual(await collection.update('a', current => current), { text: 'one' });
  });

  it('loses no update of two windows that change one record at the same time', async () => {
    const root = temporaryFolder();
    const windows = [openWindow(root), openWindow(root), openWindow(root)].map(w => w.collection(notes));
    const add = (collection: Collection<Note>) =>
      collection.update('n', current => ({ text: 'count', count: (current?.count ?? 0) + 1 }));
    await Promise.all(windows.flatMap(w => Array.from({ length: 40 }, () => add(w))));
    assert.deepEqual(entries(openWindow(root).collection(notes)), {});
    const fresh = openWindow(root).collection(notes);
    await fresh.load();
    assert.deepEqual(fresh.get('n'), { text: 'count', count: 120 });
    assert.deepEqual(filesBelow(root).length, 1);
  });

  it('does not let an update in another window bring a removed record back unseen', async () => {
    const root = temporaryFolder();
    const a = openWindow(root).collection(notes);
    const b = openWindow(root).collection(notes);
    await a.put('x', { text: 'one' });
    await b.load();
    await a.remove('x');
    assert.deepEqual(b.get('x'), { text: 'one' });
    const seen: (Note | undefined)[] = [];
    await b.update('x', current => {
      seen.push(current);
      return current === undefined ? undefined : { text: 'changed' };
    });
    assert.deepEqual(seen, [undefined]);
    assert.equal(b.get('x'), undefined);
    await a.put('x', { text: 'again' });
    assert.deepEqual(await b.update('x', c => c), { text: 'again' });
  });

  it('purges removals after a day, not before', async () => {
    const root = temporaryFolder();
    const collection = openWindow(root, { now: () => 1_000_000 }).collection(notes);
    await collection.put('x', { text: 'one' });
    await collection.remove('x');
    await openWindow(root, { now: () => 1_000_000 + 86_300_000 })
      .collection(notes)
      .load();
    assert.deepEqual(filesBelow(root), ['notes/x.2.json']);
    const later = openWindow(root, { now: () => 1_000_000 + 86_500_000 }).collection(notes);
    await later.load();
    assert.deepEqual(filesBelow(root), []);
    await later.put('x', { text: 'anew' });
    assert.deepEqual(later.get('x'), { text: 'anew' });
  });

  it('keeps ids apart that differ only in case, and every odd id', async () => {
    const root = temporaryFolder();
    const collection = openWindow(root).collection(notes);
    const ids = [
      'abc',
      'ABC',
      'aBc',
      'ab%43',
      'con',
      'CON',
      'nul',
      '',
      '.',
      '..',
      '../x',
      'a/b',
      'a\\b',
      'a.1.json',
    ];
    ids.push(
      'ü',
      'u\u0308',
      '%',
      '~',
      'x'.repeat(5000),
      'X'.repeat(5000),
      '\ud800',
      '\udfff',
      'a\nb',
      'COM1',
    );
    for (const id of ids) await collection.put(id, { text: `of ${id}` });
    const names = filesBelow(root).map(name => name.toLowerCase());
    assert.equal(new Set(names).size, ids.length);
    assert.ok(names.every(name => name.length < 140 && !/^notes\/(con|nul|com1)\./.test(name)));
    const fresh = openWindow(root).collection(notes);
    await fresh.load();
    assert.deepEqual([...fresh.values.keys()].sort(), ids.toSorted());
    for (const id of ids) assert.deepEqual(fresh.get(id), { text: `of ${id}` });
  });

  it('encodes any two ids to names that differ even where case is ignored', () => {
    const anyId = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.string({ minLength: 100, maxLength: 300 }),
    );
    fc.assert(
      fc.property(anyId, anyId, (a, b) => {
        const [x, y] = [encodeId(a), encodeId(b)];
        assert.match(x, /^(?:[a-z0-9_-]|%(?:[0-9A-F]{2})?|~)+$/);
        assert.ok(x.length <= 120);
        if (a !== b) assert.notEqual(x.toLowerCase(), y.toLowerCase());
      }),
      { numRuns: 1000 },
    );
  });

  it('gives back any value that JSON can hold', async () => {
    const collection = openWindow(temporaryFolder()).collection<unknown>({
      path: 'any',
      version: 1,
      decode: value => value,
    });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.jsonValue(), async (id, value) => {
        await collection.put(id, value);
        assert.deepEqual(collection.get(id), JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 50 },
    );
  });

  it('refuses a value it could not read back, and keeps the old one', async () => {
    const collection = openWindow(temporaryFolder()).collection(notes);
    await collection.put('a', { text: 'good' });
    await assert.rejects(
      collection.put('a', { wrong: true } as unknown as Note),
      error => error instanceof StorageError && error.kind === 'invalid' && error.message.includes('no text'),
    );
    assert.deepEqual(await collection.update('a', c => c), { text: 'good' });
  });

  it('does not share the object it was given', async () => {
    const collection = openWindow(temporaryFolder()).collection(notes);
    const mine = { text: 'before' };
    await collection.put('a', mine);
    mine.text = 'after';
    assert.deepEqual(collection.get('a'), { text: 'before' });
  });

  it('makes folders and files only their owner can read', async function () {
    // Windows has no such modes.
    if (process.platform === 'win32') this.skip();
    const root = path.join(temporaryFolder(), 'deep', 'root');
    await openWindow(root)
      .collection({ ...notes, path: 'services/ab' })
      .put('a', { text: 'x' });
    assert.equal(fs.statSync(path.join(root, 'services', 'ab')).mode & 0o777, 0o700);
    assert.equal(fs.statSync(root).mode & 0o777, 0o700);
    assert.equal(fs.statSync(path.join(root, 'services', 'ab', 'a.1.json')).mode & 0o777, 0o600);
  });

  it('says clearly that a folder cannot be written, and still loads nothing from nowhere', async () => {
    const root = path.join(temporaryFolder(), 'file');
    fs.writeFileSync(root, 'not a folder');
    const collection = openWindow(root).collection(notes);
    await assert.rejects(
      collection.put('a', { text: 'x' }),
      error =>
        error instanceof StorageError && /cannot be (written|read) \((ENOTDIR|EEXIST)\)/.test(error.message),
    );
    await assert.rejects(
      collection.load(),
      error => error instanceof StorageError && error.kind === 'unreadable',
    );
    fs.rmSync(root);
    await collection.load();
    await collection.put('a', { text: 'x' });
    assert.deepEqual(collection.get('a'), { text: 'x' });
  });

  it('loads 5,000 records in well under two seconds', async function () {
    const root = temporaryFolder();
    const folder = path.join(root, 'notes');
    fs.mkdirSync(folder);
    for (let n = 0; n < 5000; n++) {
      const record = { id: `session-${n}`, version: 1, value: { text: 'x'.repeat(300), count: n } };
      fs.writeFileSync(path.join(folder, `session-${n}.${(n % 7) + 1}.json`), JSON.stringify(record));
    }
    let collection = openWindow(root).collection(notes);
    let best = Infinity;
    // Other programs may be busy: the best of three counts.
    for (let round = 0; round < 3 && best > 1000; round++) {
      collection = openWindow(root).collection(notes);
      const start = performance.now();
      assert.equal((await collection.load()).size, 5000);
      best = Math.min(best, performance.now() - start);
    }
    assert.ok(best < 2000, `${best} ms`);
    await collection.put('session-1', { text: 'new' });
    await collection.put('another', { text: 'new' });
    assert.equal(fs.existsSync(path.join(folder, 'session-1.2.json')), false);
    assert.equal(collection.values.size, 5001);
  });

  it('waits for writes under way and goes on writing after dispose', async () => {
    const root = temporaryFolder();
    const storage = openWindow(root);
    const collection = storage.collection(notes);
    void collection.put('a', { text: 'one' });
    storage.dispose();
    void collection.put('b', { text: 'two' });
    await storage.settled();
    const fresh = openWindow(root).collection(notes);
    assert.deepEqual(Object.fromEntries(await fresh.load()), { a: { text: 'one' }, b: { text: 'two' } });
  });

  it('brings old versions up to date step by step and writes that back with the next put', async () => {
    const root = temporaryFolder();
    await openWindow(root)
      .collection<string>({ path: 'notes', version: 1, decode: value => String(value) })
      .put('a', 'old text');
    const steps: number[] = [];
    const collection = openWindow(root).collection<Note>({
      path: 'notes',
      version: 3,
      decode: decodeNote,
      migrate: (value, from) => {
        steps.push(from);
        return { text: value };
      },
    });
    await collection.load();
    assert.deepEqual([steps, collection.get('a')], [[1], { text: 'old text' }]);
    assert.match(fs.readFileSync(path.join(root, 'notes', 'a.1.json'), 'utf8'), /"version":1/);
    await collection.update('a', current => ({ text: `${current?.text}!` }));
    assert.match(fs.readFileSync(path.join(root, 'notes', 'a.2.json'), 'utf8'), /"version":3/);
  });
});
