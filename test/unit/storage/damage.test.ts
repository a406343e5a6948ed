import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import nodeFs, * as fs from 'node:fs';
import * as path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mock } from 'node:test';
import { StorageError } from '../../../src/storage';
import { journalFor } from '../../../src/storage/sqlite';
import { spoil } from '../../fakes/storage';
import {
  child,
  databaseOf,
  eachInItsFolder,
  entries,
  filesBelow,
  forked,
  gated,
  inspect,
  keepBackup,
  loaded,
  notes,
  onExec,
  open,
  openNotes,
  openWindow,
  root,
  scramble,
} from './support';
import { storedNotes, temporaryFolder, turn, until, valueOf, type Note } from './support';

describe('storage that is damaged, foreign or refused', () => {
  eachInItsFolder();

  async function fill(text = 'precious', folder = root): Promise<void> {
    const window = openWindow(folder);
    await window.collection(notes).put('a', { text });
    window.dispose();
    await window.settled();
  }
  const lose = (): void => inspect(db => db.exec("DELETE FROM documents WHERE id = 'a'"));
  const texts = (notes: readonly (Note | undefined)[]) => notes.map(note => note?.text);

  it('shows the others beside a record that makes no sense, reads it when it makes some, and keeps it in quarantine when it is written over', async () => {
    await open().collection(notes).put('good', { text: 'fine' });
    const bad = ['{"tex', '[]', '{"no":"text"}'];
    for (const [broken, version] of [
      ...bad.map(each => [each, 1] as const),
      ['{"future":true}', 2] as const,
    ]) {
      await open().collection(notes).put('a', { text: 'precious' });
      spoil(root, 'notes', 'a', broken, version);
      const unaware = [openNotes(), openNotes(), openNotes()];
      const [reader, updater, writer] = await Promise.all(unaware);
      for (const each of [reader!, updater!, writer!]) {
        assert.deepEqual(entries(each), { good: { text: 'fine' } });
        assert.equal(each.unreadable.map(({ id }) => id).join(), 'a');
      }
      if (version === 1) {
        await writer!.update('a', current => current ?? { text: 'new' });
        assert.deepEqual([writer!.get('a'), writer!.unreadable], [{ text: 'new' }, []]);
      } else {
        const isNewer = { name: 'StorageError', message: /by a newer version/ };
        await assert.rejects(writer!.put('a', { text: 'x' }), isNewer);
        await assert.rejects(writer!.remove('a'), isNewer);
        assert.equal(valueOf("SELECT value FROM documents WHERE id = 'a'"), broken);
      }
      // However old a backup makes it.
      inspect(db => db.exec("UPDATE documents SET seq = 1 WHERE id = 'a'"));
      spoil(root, 'notes', 'a', '{"text":"of the backup"}');
      const found = [await reader!.read('a'), await updater!.update('a', now => now)];
      assert.deepEqual(texts(found), ['of the backup', 'of the backup']);
      for (const each of [reader!, updater!]) assert.deepEqual(each.unreadable, []);
    }
    const kept = valueOf('SELECT json_group_array(value) FROM quarantine');
    assert.deepEqual(JSON.parse(String(kept)), bad);
  });

  it('brings a database of the version before up to date', async () => {
    await fill();
    inspect(db => db.exec('DROP TABLE leases; PRAGMA user_version = 2'));
    assert.equal(await open().tryRun('a', 1_000, () => Promise.resolve('held')), 'held');
    assert.deepEqual(await storedNotes(), { a: { text: 'precious' } });
    assert.equal(valueOf('PRAGMA user_version'), 3);
  });

  it('backs up once a day, says where it cannot; puts a damaged database aside for the newest backup that is whole, and says so', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const store = path.join(root, 'store');
    const backup = (day: number): string => path.join(store, `backup-1970-01-0${day + 1}.db`);
    fs.mkdirSync(store);
    // What keeps the first copy of a window from being made.
    const obstacle = path.join(store, 'copying.db');
    let today = 0;
    // A window that is closed in the evening, and one that stays open.
    for (const days of [[1], [2, 3, 4, 5]]) {
      const window = open({ now: () => today * 86_400_000 });
      for (const day of days) {
        today = day;
        await window.collection(notes).put('a', { text: `day ${day}` });
        if (day === days[0]) {
          fs.mkdirSync(obstacle);
          mock.timers.tick(5_000);
          await until(() => window.lines.some(line => line.includes('could not be checked or backed up')));
          fs.rmdirSync(obstacle);
          // Of a process that was killed.
          fs.writeFileSync(obstacle, '');
        }
        mock.timers.tick(3_600_000);
        await until(() => fs.existsSync(backup(day)));
      }
      window.dispose();
      await window.settled();
    }
    const kept = filesBelow(store).filter(name => /backup|copying/.test(name));
    assert.equal(kept.join(), [4, 5, 6].map(day => `backup-1970-01-0${day}.db`).join());
    // One that cannot be read, and one that is damaged as all files are.
    fs.mkdirSync(backup(6));
    for (const file of [databaseOf(), backup(5)]) scramble(file);
    fs.utimesSync(databaseOf(), 0, 0);
    const window = open();
    const collection = await loaded(window.collection(notes));
    assert.deepEqual(entries(collection), { a: { text: 'day 4' } });
    const [{ day, keptAs } = { keptAs: '' }, ...more] = window.restored;
    assert.deepEqual([day, more], ['1970-01-05', []]);
    assert.ok(fs.statSync(keptAs).mtimeMs > 0, 'the damaged file is kept, and other windows are told');
    // Whoever needs the room deletes what the notice names.
    const other = await openNotes();
    fs.rmSync(keptAs);
    await collection.put('b', { text: 'goes on' });
    await until(() => other.get('b')?.text === 'goes on');
  });

  it('takes no empty database for one whose backup finds no room, and that backup when there is some', async () => {
    await fill();
    keepBackup();
    scramble();
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const copy = mock.method(nodeFs, 'copyFileSync', () => {
      throw full;
    });
    const window = open();
    const collection = window.collection(notes);
    await assert.rejects(collection.load(), /no space left to store data/);
    await assert.rejects(collection.put('b', { text: 'x' }), /no space left to store data/);
    copy.mock.restore();
    assert.deepEqual(entries(await loaded(collection)), { a: { text: 'precious' } });
    assert.equal(window.restored.length, 1);
  });

  for (const act of ['read', 'update'] as const)
    it(`keeps what it knows over what a backup brings back, also where it is the first to ${act} that`, async () => {
      const window = open();
      const collection = window.collection(notes);
      for (const id of ['a', 'b', 'gone']) await collection.put(id, { text: 'of the morning' });
      keepBackup();
      await collection.put('a', { text: 'of the afternoon' });
      await collection.put('new', { text: 'not in the backup' });
      await collection.remove('gone');
      await collection.load();
      scramble();
      // As when several open a new one at the same moment, each finds it locked once.
      let opened = 0;
      onExec(sql => {
        if (sql.includes('journal_mode') && opened++ % 2 === 0)
          throw Object.assign(new Error('database is locked'), { errcode: 5 });
      });
      const other = open();
      assert.deepEqual(await other.collection(notes).read('a'), { text: 'of the morning' });
      assert.equal(other.restored.length, 1);
      const change = (now: Note | undefined) => now && { ...now, count: 1 };
      const ask = (id: string) => (act === 'read' ? collection.read(id) : collection.update(id, change));
      const write = collection.put('b', { text: 'written while that is stored again' });
      const found = await Promise.all([ask('a'), ask('new'), ask('gone')]);
      assert.deepEqual(texts(found), ['of the afternoon', 'not in the backup', undefined]);
      await write;
      await window.settled();
      const fresh = await storedNotes();
      assert.deepEqual(fresh, entries(collection));
      const all = ['of the afternoon', 'written while that is stored again', 'not in the backup'];
      assert.deepEqual(texts(Object.values(fresh)), all);
    });

  it('keeps what it knows, also where one database after another takes the place of what was read', async () => {
    const gate = Promise.withResolvers<undefined>();
    let replace = (): void => assert.fail('There is no engine.');
    const window = open({
      engine: options => {
        replace = options.onOpened;
        return gated('read', 2, gate.promise)(options);
      },
    });
    const collection = await loaded(window.collection(notes));
    await collection.put('a', { text: 'precious' });
    lose();
    const stored = until(collection.onDidChange, () => true);
    replace();
    replace();
    await stored;
    await turn();
    lose();
    gate.resolve(undefined);
    await window.settled();
    assert.deepEqual(entries(collection), { a: { text: 'precious' } });
    assert.deepEqual(await storedNotes(), entries(collection));
  });

  it('is opened anew where somebody has taken its folder away', async () => {
    const window = open();
    const collection = await loaded(window.collection(notes));
    await collection.put('a', { text: 'precious' });
    fs.renameSync(path.join(root, 'store'), path.join(root, 'elsewhere'));
    await collection.put('b', { text: 'after that' });
    await window.settled();
    assert.deepEqual(await storedNotes(), { a: { text: 'precious' }, b: { text: 'after that' } });
  });

  it('is restored by one of four processes that find the damage at the same time', async () => {
    for (let round = 0; round < 2; round++) {
      const folder = temporaryFolder();
      await fill('of the backup', folder);
      keepBackup(folder);
      scramble(databaseOf(folder));
      const damaged = fs.readFileSync(databaseOf(folder));
      const children = forked(4, 'restore', folder);
      await Promise.all(children.map(each => once(each, 'message')));
      const told = Promise.all(children.map(async each => (await once(each, 'message'))[0] as unknown));
      for (const each of children) each.send('go');
      const answers = (await told) as readonly { readonly keptAs?: string; readonly text?: string }[];
      for (const { text } of answers) assert.equal(text, 'of the backup');
      const [kept = '', ...others] = answers.flatMap(({ keptAs }) => keptAs ?? []);
      assert.deepEqual([fs.readFileSync(kept), others], [damaged, []]);
      assert.doesNotMatch(filesBelow(folder).join(), /restoring/);
    }
  });

  it('finds bytes that were flipped, wherever they are, and never hands out nonsense', async () => {
    const window = open();
    const collection = window.collection(notes);
    await Promise.all(
      Array.from({ length: 300 }, (_, n) => collection.put(`n${n}`, { text: `text ${n} `.repeat(20) })),
    );
    window.dispose();
    await window.settled();
    const whole = fs.readFileSync(databaseOf());
    assert.ok(whole.length > 100_000);
    for (let at = 17; at < whole.length; at += Math.ceil(whole.length / 60)) {
      const flipped = Buffer.from(whole);
      flipped.writeUInt8(flipped.readUInt8(at) ^ 0xff, at);
      fs.writeFileSync(databaseOf(), flipped);
      const shown = open().collection(notes);
      try {
        await shown.load();
      } catch (error) {
        assert.ok(error instanceof StorageError, `byte ${at}: ${String(error)}`);
      }
      for (const { text } of shown.values.values()) assert.equal(typeof text, 'string');
      for (const name of filesBelow()) fs.rmSync(path.join(root, name));
    }
  });

  it('finds damage that nobody has read yet after an end without a close', async () => {
    const left = temporaryFolder();
    const window = open();
    const large = { ...notes, path: 'large' };
    await window.collection(notes).put('a', { text: 'precious' });
    for (let n = 0; n < 30; n++) await window.collection(large).put(`n${n}`, { text: `${n} `.repeat(2_000) });
    inspect(db => db.exec('PRAGMA wal_checkpoint'));
    await window.collection(notes).put('b', { text: 'in the journal' });
    fs.cpSync(root, left, { recursive: true });
    // One of this day: only the end without a close is a reason to look.
    const day = new Date().toISOString().slice(0, 10);
    fs.copyFileSync(databaseOf(left), path.join(left, 'store', `backup-${day}.db`));
    // The kind of a page that only a check looks at.
    const bytes = fs.readFileSync(databaseOf(left));
    const at = bytes.indexOf('20 '.repeat(50));
    assert.ok(at > 4096);
    bytes.writeUInt8(0xff, at - (at % 4096));
    fs.writeFileSync(databaseOf(left), bytes);

    mock.timers.enable({ apis: ['setTimeout'] });
    const found = openWindow(left);
    await found.collection(notes).load();
    assert.equal(found.restored.length, 0);
    mock.timers.tick(5_000);
    assert.deepEqual([found.restored[0]?.day, found.restored.length], [day, 1]);
    await found.settled();
    assert.equal((await openWindow(left).collection(large).load()).size, 30);
    assert.deepEqual(await storedNotes(left), { a: { text: 'precious' }, b: { text: 'in the journal' } });
  });

  it('reads while another program holds the lock for writing, and tells of it when something is to be written', async () => {
    await fill();
    // A clock five times as fast: a person is told after ten seconds.
    const { hrtime } = process;
    mock.method(performance, 'now', () => Number(hrtime.bigint()) / 200_000);
    using other = new DatabaseSync(databaseOf());
    other.exec('BEGIN IMMEDIATE');
    const collection = await openNotes();
    let asked = 0;
    onExec(sql => (asked += Number(sql.endsWith('BEGIN IMMEDIATE'))));
    const busy = /Other windows keep the stored data in .* busy/;
    await assert.rejects(collection.put('b', { text: 'x' }), busy);
    assert.ok(asked >= 4, `It asks ${asked} times: others that write would always be first.`);
    assert.deepEqual(entries(collection), { a: { text: 'precious' } });
    other.exec('ROLLBACK');
    await collection.put('b', { text: 'x' });
  });

  it('loses nothing that it has acknowledged, at whatever write the disk is full', async function () {
    // `ulimit` needs a POSIX shell.
    if (process.platform === 'win32') this.skip();
    let acknowledged = 0;
    // Blocks of 512 bytes that a file may have: the journal or the database hits the limit at another step each time.
    for (let blocks = 40; blocks <= 400; blocks += 24) {
      const script = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`;
      const args = ['-c', script, process.execPath, child, 'fill', root, String(acknowledged)];
      const { stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
      assert.match(stderr, /StorageError/, `with ${blocks} blocks`);
      acknowledged = Number(/(\d+)\s*$/.exec(stdout)?.[1] ?? acknowledged);
      const window = open();
      const collection = await loaded(window.collection(notes));
      for (let n = 0; n < acknowledged; n++)
        assert.ok(collection.get(`fill-${n}`), `record ${n} with ${blocks} blocks`);
      assert.equal(valueOf('PRAGMA integrity_check'), 'ok');
      window.dispose();
      await window.settled();
    }
    assert.ok(acknowledged > 10, `${acknowledged} records were written`);
  });

  it('takes the journal that is safe with the version of SQLite', () => {
    const modes = ['3.50.4', '3.51.2', '3.51.3', '3.52.0', '4.0.0'].map(journalFor);
    assert.deepEqual(modes, ['PERSIST', 'PERSIST', 'WAL', 'WAL', 'WAL']);
  });
});
