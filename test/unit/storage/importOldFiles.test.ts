import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { outboxRecords } from '../../../src/chat/outbox/record';
import { cleanUp, databaseOf, entries, filesBelow, loaded, notes, openWindow } from './support';
import { temporaryFolder, valueOf, type Note } from './support';

/** What version 0.1 left: a file a record. */
describe('records of files, from before there was a database', function () {
  let root: string;
  beforeEach(() => (root = temporaryFolder()));
  afterEach(cleanUp);

  const note = (text: string, version = 1) => ({ version, value: { text }, writers: [] });

  function write(root: string, name: string, content: unknown): void {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, typeof content === 'string' ? content : `${JSON.stringify(content)}\n`);
  }

  const collectionOf = (root: string, name: string) =>
    openWindow(root).collection<Note>({ ...notes, path: name });
  const stored = async (root: string, name: string) => entries(await loaded(collectionOf(root, name)));

  it('are all there after the first start, and stay where they were', async () => {
    write(root, 'connection/a.1.json', { id: 'a', ...note('old') });
    write(root, 'connection/a.12.json', { id: 'a', ...note('newest') });
    write(root, 'connection/notice%20address.1.json', { id: 'notice address', ...note('told') });
    write(root, 'services/s1/checks/s.1.json', { id: 's', ...note('asked') });
    write(root, 'services/s1/people/p.1.json', { id: 'p', ...note('a list') });
    write(root, 'connection/gone.2.json', { id: 'gone', deleted: true, at: 5, writers: [] });
    write(root, 'services/s1/sessions/%41b.1.json', { id: 'Ab', ...note('odd id') });
    write(root, 'services/s1/usage/o-%4Fne/2026-01-14.1.json', { id: '2026-01-14', ...note('odd folder') });
    const before = filesBelow(root);
    assert.deepEqual(await stored(root, 'connection'), { a: { text: 'newest' } });
    assert.deepEqual(await stored(root, 'services/s1/sessions'), { Ab: { text: 'odd id' } });
    assert.deepEqual(await stored(root, 'services/s1/checks'), {}, 'claims are over');
    assert.deepEqual(await stored(root, 'services/s1/people'), {}, 'read anew');
    const days = { '2026-01-14': { text: 'odd folder' } };
    assert.deepEqual(await stored(root, 'services/s1/usage/o-One'), days);
    assert.deepEqual(
      filesBelow(root).filter(name => !name.startsWith('store/')),
      before,
    );
    // Later changes of the files count no more.
    write(root, 'connection/a.13.json', { id: 'a', ...note('too late') });
    assert.deepEqual(await stored(root, 'connection'), { a: { text: 'newest' } });
  });

  it('fall back to an older revision where the newest cannot be read, and are told of where none can', async () => {
    write(root, 'connection/a.4.json', { id: 'a', ...note('older') });
    write(root, 'connection/a.5.json', '');
    write(root, 'connection/b.1.json', '{"id":"b","version":1,"val');
    write(root, 'connection/c.1.json', { id: 'c', version: 1 });
    const window = openWindow(root);
    assert.deepEqual(entries(await loaded(window.collection({ ...notes, path: 'connection' }))), {
      a: { text: 'older' },
    });
    assert.ok(window.lines.some(line => line.includes('b.1.json')));
  });

  it('are imported by the same window once what kept them from it is gone', async () => {
    // A file where a folder should be.
    write(root, 'connection', '');
    const collection = collectionOf(root, 'connection');
    await assert.rejects(collection.load(), /cannot be read or written/);
    await assert.rejects(collection.load(), /ENOTDIR/);
    fs.rmSync(path.join(root, 'connection'));
    write(root, 'connection/a.1.json', { id: 'a', ...note('there') });
    assert.deepEqual(entries(await loaded(collection)), { a: { text: 'there' } });
  });

  it('are messages one by one, where a file held a hundred', async () => {
    const chunk = (from: number) => ({
      entries: Array.from({ length: 3 }, (_, n) => ({ id: `m${from + n}`, text: `message ${from + n}` })),
    });
    for (const [name, from] of [['c00001', 0] as const, ['c00002', 2] as const])
      write(root, `services/s/transcripts/%41/${name}.3.json`, { id: name, version: 1, value: chunk(from) });
    const messages = await loaded(collectionOf(root, 'services/s/transcripts/A'));
    assert.deepEqual([...messages.values.keys()], ['m0', 'm1', 'm2', 'm3', 'm4']);
  });

  it('are found by their titles and by what was said, and not by what is hidden', async () => {
    const message = (role: string, text?: string) => ({
      message: { role, createdAt: 5, content: text === undefined ? [] : [{ type: 'text', text }] },
    });
    const entries = [
      { id: 'm1', ...message('user', 'a parser') },
      { id: 'm2', ...message('assistant', 'the parser') },
      { id: 'm3', ...message('assistant') },
      { id: 'm4', sent: { at: 6, text: 'parser sent' } },
    ];
    write(root, 'services/s/transcripts/a/c1.1.json', { id: 'c1', version: 1, value: { entries } });
    const session = (id: string, value: object): void =>
      write(root, `services/s/sessions/${id}.1.json`, { id, version: 2, value: { addedAt: 1, ...value } });
    session('named', { local: { name: 'My parser' }, session: { title: 'Other', updatedAt: 4 } });
    session('listed', { local: {}, session: { title: 'Fix the parser', updatedAt: 3 }, firstText: 'Other' });
    session('sent', { firstText: 'Parser, please' });
    session('removed', { local: { name: 'Parser', removedAt: 5 } });
    const terms = [{ text: 'parser', isPrefix: false }];
    const { hits } = await openWindow(root).search({ terms, within: ['services/s'], limit: 9 });
    assert.deepEqual(
      hits.map(({ id, by = 'title' }) => `${id} ${by}`),
      ['m4 me', 'm2 agent', 'm1 me', 'named title', 'listed title', 'sent title'],
    );
  });

  /** The outbox that the session `one` gets from these; beside them lies what cannot be read. */
  async function outboxOf(draft: object, sends: readonly object[] = [], items: readonly unknown[] = []) {
    const put = (kind: string, id: string, value: unknown): void =>
      write(root, `services/s/${kind}/${id}.1.json`, { id, version: 1, value });
    put('drafts', 'one', { attachments: [], at: 50, ...draft });
    put('drafts', 'broken', { text: 5 });
    for (const [n, value] of sends.entries())
      put('sends', `send${n}`, { ...message, startedAt: 100, ...value });
    for (const [id, value] of Object.entries({ none: null, lost: { ...message, sendId: 'lost' } }))
      put('sends', id, value);
    put('queue', 'one', { items: [...items, 'broken', { id: 'no text' }] });
    const window = openWindow(root);
    const outboxes = await loaded(window.collection(outboxRecords('s')));
    assert.ok(window.lines.some(line => line.includes('A stored message cannot be read')));
    assert.deepEqual([...outboxes.values.keys(), ...outboxes.unreadable], ['one']);
    return outboxes.get('one')!;
  }
  const message = { sessionId: 'one', attachments: [{ uri: 'file:///a', name: 'a', kind: 'text', size: 1 }] };

  it('become one outbox a session: what is written, what was sent, what waits', async () => {
    const { draft, entries } = await outboxOf(
      { text: 'half a thought', stash: 'other', target: { computerId: 'c', name: 'C' } },
      [
        { sendId: 'late', state: 'unknown', text: 'Hello', startedAt: 101 },
        { sendId: 'first', state: 'sending', text: 'on its way' },
      ],
      [
        { ...message, id: 'first', text: 'on its way', queuedAt: 90 },
        { ...message, id: 'later', text: 'later', queuedAt: 95, problem: 'no file', computerId: 'd' },
      ],
    );
    assert.deepEqual([draft.text, draft.target?.name], ['half a thought\n\nother', 'C']);
    assert.deepEqual(
      entries.map(({ id, state, text }) => [id, state, text]),
      [
        ['first', 'sending', 'on its way'],
        ['late', 'unknown', 'Hello'],
        ['later', 'queued', 'later'],
      ],
    );
    const { sentence, target } = entries[2]!;
    assert.deepEqual([sentence, target], ['no file', { computerId: 'd', name: 'd' }]);
  });

  const own = { text: 'Hello', attachments: ['file:///a', 'file:///b'], stash: 'next' };
  for (const [what, draft, send, text, left] of [
    ['keep a refused message', { sendId: 'x' }, { state: 'refused' }, 'Hello\n\nnext', 2],
    ['lose what is with its message', { sendId: 'x' }, { state: 'unknown', text: 'Hello again' }, 'next', 0],
    ['lose what was about to be emptied', {}, { state: 'sending' }, 'next', 1],
    ['lose what is with a message that is gone', { sendId: 'gone' }, { text: 'other' }, 'next', 0],
    ['keep what is written once more', { at: 200 }, { state: 'sending' }, 'Hello\n\nnext', 2],
    ['keep what only looks like a message of before', {}, { state: 'unknown' }, 'Hello\n\nnext', 2],
  ] as const)
    it(`${what} in the composer`, async () => {
      const sent = { sendId: 'x', text: 'Hello', state: 'sending', sentence: 'No.', ...send };
      const { draft: found, entries } = await outboxOf({ ...own, ...draft }, [sent]);
      assert.deepEqual([found.text, found.attachments.length], [text, left]);
      const isRefused = sent.state === 'refused';
      assert.deepEqual([found.problem, entries.length], isRefused ? ['No.', 0] : [undefined, 1]);
    });

  it('never win over what became of them since, where a damaged database has no backup', async () => {
    write(root, 'connection/a.1.json', { id: 'a', ...note('old') });
    write(root, 'connection/b.1.json', { id: 'b', ...note('left') });
    const window = openWindow(root);
    const collection = await loaded(window.collection<Note>({ ...notes, path: 'connection' }));
    await collection.put('a', { text: 'new' });
    fs.writeFileSync(databaseOf(root), 'damaged');
    fs.rmSync(`${databaseOf(root)}-wal`);
    assert.deepEqual(await stored(root, 'connection'), { a: { text: 'old' }, b: { text: 'left' } });
    await collection.read('a');
    await window.settled();
    assert.deepEqual(await stored(root, 'connection'), { a: { text: 'new' }, b: { text: 'left' } });
  });

  it('leave the files of people alone', async () => {
    write(root, 'services/s/attachments/x/report.1.json', { id: 'report', ...note('mine') });
    write(root, 'hooks/history/1.1.json', { id: '1', ...note('an event') });
    await loaded(collectionOf(root, 'connection'));
    assert.equal(valueOf(root, 'SELECT count(*) FROM documents'), 0);
  });

  it('are taken in again as a whole after a start that died', async () => {
    for (let n = 0; n < 5_000; n++)
      write(root, `services/s/sessions/s${n}.1.json`, { id: `s${n}`, ...note(`text ${n}`) });
    for (let n = 0; n < 300; n++)
      write(root, `services/s/usage/o/d${n}.1.json`, { id: `d${n}`, ...note(`day ${n}`) });
    // Ends in the midst of the import, as a killed process does.
    assert.throws(() =>
      execFileSync(process.execPath, [path.join(__dirname, 'writer.child.js'), 'dieImporting', root]),
    );
    const sessions = await loaded(collectionOf(root, 'services/s/sessions'));
    const days = await loaded(collectionOf(root, 'services/s/usage/o'));
    assert.deepEqual([sessions.values.size, days.values.size], [5_000, 300]);
  });
});
