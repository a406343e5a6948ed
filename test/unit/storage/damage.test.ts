import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import fc from 'fast-check';
import { StorageError } from '../../../src/storage';
import { cleanUp, entries, filesBelow, notes, openWindow, temporaryFolder } from './support';

describe('storage with damaged, foreign and abandoned files', function () {
  afterEach(cleanUp);

  function write(root: string, name: string, content: string | Buffer): string {
    const file = path.join(root, 'notes', name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
    return file;
  }

  it('keeps a broken record aside, reports it and starts with the others', async () => {
    const root = temporaryFolder();
    await openWindow(root).collection(notes).put('good', { text: 'fine' });
    write(root, 'bad.3.json', '{"id":"bad","version":1,"val');
    const window = openWindow(root);
    const collection = window.collection(notes);
    await collection.load();
    assert.deepEqual(entries(collection), { good: { text: 'fine' } });
    const [report, ...others] = collection.unreadable;
    assert.deepEqual(others, []);
    assert.equal(report?.id, 'bad');
    assert.equal(path.dirname(report.file), path.join(root, 'notes', '.unreadable'));
    assert.equal(fs.readFileSync(report.file, 'utf8'), '{"id":"bad","version":1,"val');
    assert.ok(window.lines.some(line => line.includes(report.file)));

    await collection.put('bad', { text: 'new' });
    const next = openWindow(root).collection(notes);
    await next.load();
    assert.deepEqual(entries(next), { bad: { text: 'new' }, good: { text: 'fine' } });
    assert.deepEqual(next.unreadable, []);
    assert.equal(fs.readFileSync(report.file, 'utf8'), '{"id":"bad","version":1,"val');
  });

  it('falls back to an older revision that can be read', async () => {
    const root = temporaryFolder();
    write(root, 'a.4.json', JSON.stringify({ id: 'a', version: 1, value: { text: 'older' } }));
    write(root, 'a.5.json', '');
    const collection = openWindow(root).collection(notes);
    await collection.load();
    assert.deepEqual(collection.get('a'), { text: 'older' });
    assert.equal(collection.unreadable.length, 1);
    const next = openWindow(root).collection(notes);
    await next.load();
    assert.deepEqual([next.get('a'), next.unreadable], [{ text: 'older' }, []]);
  });

  it('updates on top of a broken record without destroying it, loaded or not', async () => {
    const root = temporaryFolder();
    write(root, 'a.1.json', 'garbage');
    const collection = openWindow(root).collection(notes);
    assert.deepEqual(await collection.update('a', current => current ?? { text: 'first' }), {
      text: 'first',
    });
    assert.deepEqual(
      filesBelow(root).map(name => name.replace(/\d+-\d+/, 'stamp')),
      ['notes/.unreadable/a.1.stamp.json', 'notes/a.2.json'],
    );
  });

  it('takes what its decode refuses, and a record under the name of another, for broken', async () => {
    const root = temporaryFolder();
    write(root, 'a.1.json', JSON.stringify({ id: 'a', version: 1, value: { no: 'text' } }));
    write(root, 'b.1.json', JSON.stringify({ id: 'elsewhere', version: 1, value: { text: 'x' } }));
    write(root, `~${'0'.repeat(64)}.1.json`, '[]');
    const collection = openWindow(root).collection(notes);
    await collection.load();
    assert.equal(collection.values.size, 0);
    assert.deepEqual(collection.unreadable.map(record => record.reason).sort(), [
      'It belongs to another id.',
      'It has no text.',
      'It is not a record.',
    ]);
    const next = openWindow(root).collection(notes);
    await next.load();
    assert.deepEqual(next.unreadable, []);
  });

  it('leaves a record of a newer version alone and refuses to overwrite it', async () => {
    const root = temporaryFolder();
    const content = JSON.stringify({ id: 'a', version: 2, value: { future: true } });
    const file = write(root, 'a.7.json', content);
    const collection = openWindow(root).collection(notes);
    await collection.put('b', { text: 'works' });
    await collection.load();
    assert.equal(collection.get('a'), undefined);
    assert.deepEqual(
      collection.unreadable.map(({ id, file: at }) => ({ id, at })),
      [{ id: 'a', at: file }],
    );
    const isNewer = (error: unknown): boolean =>
      error instanceof StorageError &&
      error.kind === 'newerVersion' &&
      error.message.includes('newer version');
    await assert.rejects(collection.put('a', { text: 'x' }), isNewer);
    await assert.rejects(
      collection.update('a', () => ({ text: 'x' })),
      isNewer,
    );
    await assert.rejects(collection.remove('a'), isNewer);
    assert.equal(fs.readFileSync(file, 'utf8'), content);
    assert.deepEqual(filesBelow(root), ['notes/a.7.json', 'notes/b.1.json']);
  });

  it('does not touch what it cannot read at all', async () => {
    const root = temporaryFolder();
    fs.mkdirSync(path.join(root, 'notes', 'a.1.json'), { recursive: true });
    fs.writeFileSync(path.join(root, 'notes', 'a.1.json', 'inside'), 'precious');
    const collection = openWindow(root).collection(notes);
    await collection.load();
    assert.deepEqual(
      collection.unreadable.map(({ id, reason }) => ({ id, reason })),
      [{ id: 'a', reason: 'EISDIR' }],
    );
    await assert.rejects(
      collection.put('a', { text: 'x' }),
      error =>
        error instanceof StorageError && error.kind === 'unreadable' && error.message.includes('EISDIR'),
    );
    assert.deepEqual(filesBelow(root), ['notes/a.1.json/inside']);
  });

  it('ignores files that are not its own', async () => {
    const root = temporaryFolder();
    for (const name of ['README', 'a.json', 'a.0.json', 'a.01.json', '.hidden', 'a.1.json.bak', '.tmp-x']) {
      write(root, name, 'not mine');
    }
    const before = filesBelow(root);
    const collection = openWindow(root).collection(notes);
    await collection.load();
    await collection.put('a', { text: 'mine' });
    await collection.remove('a');
    assert.deepEqual([collection.values.size, collection.unreadable], [0, []]);
    assert.deepEqual(
      filesBelow(root).filter(name => name !== 'notes/a.2.json'),
      before,
    );
  });

  it('sweeps temporary files of dead processes and old ones, and leaves those being written', async () => {
    const root = temporaryFolder();
    const now = Date.now();
    const dead = write(root, '.tmp-4194399-abc', 'half');
    const young = write(root, `.tmp-${process.pid}-abc`, 'half');
    const old = write(root, `.tmp-${process.ppid}-def`, 'half');
    fs.utimesSync(old, new Date(now - 61_000), new Date(now - 61_000));
    await openWindow(root, { now: () => now })
      .collection(notes)
      .load();
    assert.deepEqual([dead, young, old].map(fs.existsSync), [false, true, false]);
  });

  it('writes on when another process sweeps its temporary file', async () => {
    const root = temporaryFolder();
    let swept = 0;
    const collection = openWindow(root, {
      system: {
        platform: 'linux',
        link: (from, to) => {
          if (swept++ === 0) fs.rmSync(from);
          return fs.promises.link(from, to);
        },
        unlink: fs.promises.unlink,
      },
    }).collection(notes);
    await collection.put('a', { text: 'x' });
    assert.deepEqual(filesBelow(root), ['notes/a.1.json']);
    assert.equal(swept, 2);
  });

  it('works where files cannot be linked', async () => {
    const root = temporaryFolder();
    const system = {
      platform: process.platform,
      link: () => Promise.reject(Object.assign(new Error('no links'), { code: 'ENOTSUP' })),
      unlink: fs.promises.unlink,
    };
    const windows = [openWindow(root, { system }), openWindow(root, { system })].map(w =>
      w.collection(notes),
    );
    await Promise.all(
      windows.flatMap(window =>
        Array.from({ length: 20 }, () =>
          window.update('n', current => ({ text: 'count', count: (current?.count ?? 0) + 1 })),
        ),
      ),
    );
    const fresh = openWindow(root, { system }).collection(notes);
    await fresh.load();
    assert.deepEqual(entries(fresh), { n: { text: 'count', count: 40 } });
    assert.deepEqual([filesBelow(root).length, fresh.unreadable], [1, []]);
  });

  it('repeats what Windows refuses while another program holds the file', async () => {
    const root = temporaryFolder();
    const refusals: string[] = [];
    const sometimes = async (run: () => Promise<void>): Promise<void> => {
      if (refusals.length < 6) {
        const code = ['EPERM', 'EBUSY', 'EACCES'][refusals.length % 3] ?? '';
        refusals.push(code);
        throw Object.assign(new Error(code), { code });
      }
      await run();
    };
    const collection = openWindow(root, {
      system: {
        platform: 'win32',
        link: (from, to) => sometimes(() => fs.promises.link(from, to)),
        unlink: file => sometimes(() => fs.promises.unlink(file)),
      },
    }).collection(notes);
    await collection.put('a', { text: 'x' });
    await collection.put('a', { text: 'y' });
    assert.equal(refusals.length, 6);
    assert.deepEqual(filesBelow(root), ['notes/a.2.json']);
  });

  it('survives any bytes in any record file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async bytes => {
        const root = temporaryFolder();
        write(root, 'a.1.json', Buffer.from(bytes));
        write(root, 'b.1.json', JSON.stringify({ id: 'b', version: 1, value: { text: 'fine' } }));
        const collection = openWindow(root).collection(notes);
        await collection.load();
        assert.deepEqual(entries(collection), { b: { text: 'fine' } });
        const [kept] = collection.unreadable;
        assert.ok(kept);
        assert.deepEqual(fs.readFileSync(kept.file), Buffer.from(bytes));
      }),
      { numRuns: 15 },
    );
  });
});
