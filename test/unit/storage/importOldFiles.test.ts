import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { outboxRecords } from '../../../src/chat/outbox/record';
import { child, eachInItsFolder, entries, filesBelow, loaded, notes, open, root, scramble } from './support';
import type { Note } from './support';

/** What version 0.1 left: a file a record. */
describe('records of files, from before there was a database', () => {
  eachInItsFolder();

  function write(name: string, content: unknown): void {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, typeof content === 'string' ? content : `${JSON.stringify(content)}\n`);
  }
  const record = (id: string, value: unknown, version = 1) => ({ id, version, value, writers: [] });
  const note = (id: string, text: string) => record(id, { text });
  const collectionOf = (name: string) => open().collection<Note>({ ...notes, path: name });
  const stored = async (name: string) => entries(await loaded(collectionOf(name)));

  it('are all there after the first start, and stay where they were, with the files of people; an older revision stands for one that cannot be read, and where none can that is told', async () => {
    write('connection/a.1.json', note('a', 'old'));
    write('connection/a.12.json', note('a', 'newest'));
    write('connection/a.13.json', '');
    write('connection/b.1.json', '{"id":"b","version":1,"val');
    write('connection/c.1.json', { id: 'c', version: 1 });
    write('connection/notice%20address.1.json', note('notice address', 'told'));
    write('connection/gone.2.json', { id: 'gone', deleted: true, at: 5, writers: [] });
    write('services/s1/checks/s.1.json', note('s', 'asked'));
    write('services/s1/people/p.1.json', note('p', 'a list'));
    write('services/s1/sessions/%41b.1.json', note('Ab', 'odd id'));
    write('services/s1/usage/o-%4Fne/2026-01-14.1.json', note('2026-01-14', 'odd folder'));
    write('services/s1/attachments/x/report.1.json', note('report', 'mine'));
    write('hooks/history/1.1.json', note('1', 'an event'));
    const before = filesBelow();
    const window = open();
    const found = await loaded(window.collection({ ...notes, path: 'connection' }));
    assert.deepEqual(entries(found), { a: { text: 'newest' } });
    assert.ok(window.lines.some(line => line.includes('b.1.json')));
    assert.deepEqual(await stored('services/s1/sessions'), { Ab: { text: 'odd id' } });
    assert.deepEqual(Object.keys(await stored('services/s1/usage/o-One')), ['2026-01-14']);
    const none = { checks: 'claims are over', people: 'read anew', 'attachments/x': 'files of people' };
    for (const [name, why] of Object.entries(none))
      assert.deepEqual(await stored(`services/s1/${name}`), {}, why);
    assert.deepEqual(await stored('hooks/history'), {});
    const after = filesBelow().filter(name => !name.startsWith('store/'));
    assert.deepEqual(after, before);
    // Later changes of the files count no more.
    write('connection/a.14.json', note('a', 'too late'));
    assert.deepEqual(await stored('connection'), { a: { text: 'newest' } });
  });

  it('are messages one by one, where a file held a hundred, and found by what was said and by titles', async () => {
    const message = (id: string, role: string, text?: string) => {
      const content = text === undefined ? [] : [{ type: 'text', text }];
      return { id, text: id, message: { role, createdAt: 5, content } };
    };
    const said = [message('m1', 'user', 'a parser'), message('m2', 'assistant', 'the parser')];
    const more = [message('m3', 'assistant'), { id: 'm4', text: 'm4', sent: { at: 6, text: 'parser sent' } }];
    write('services/s/transcripts/%41/c00001.3.json', record('c00001', { entries: said }));
    write('services/s/transcripts/%41/c00002.3.json', record('c00002', { entries: [said[1], ...more] }));
    assert.deepEqual(Object.keys(await stored('services/s/transcripts/A')), ['m1', 'm2', 'm3', 'm4']);

    fs.rmSync(path.join(root, 'store'), { recursive: true });
    const session = (id: string, value: object): void =>
      write(`services/s/sessions/${id}.1.json`, record(id, { addedAt: 1, ...value }, 2));
    session('named', { local: { name: 'My parser' }, session: { title: 'Other', updatedAt: 4 } });
    session('listed', { local: {}, session: { title: 'Fix the parser', updatedAt: 3 }, firstText: 'Other' });
    session('sent', { firstText: 'Parser, please' });
    session('removed', { local: { name: 'Parser', removedAt: 5 } });
    const terms = [{ text: 'parser', isPrefix: false }];
    const { hits } = await open().search({ terms, within: ['services/s'], limit: 9 });
    const found = hits.map(({ id, by = 'title' }) => `${id} ${by}`);
    assert.deepEqual(found, ['m4 me', 'm2 agent', 'm1 me', 'named title', 'listed title', 'sent title']);
  });

  const message = { sessionId: 'one', attachments: [{ uri: 'file:///a', name: 'a', kind: 'text', size: 1 }] };
  /** The outbox that the session `one` gets from these; beside them lies what cannot be read. */
  async function outboxOf(draft: object, sends: readonly object[] = [], items: readonly unknown[] = []) {
    const put = (kind: string, id: string, value: unknown): void =>
      write(`services/s/${kind}/${id}.1.json`, record(id, value));
    put('drafts', 'one', { attachments: [], at: 50, ...draft });
    put('drafts', 'broken', { text: 5 });
    for (const [n, value] of sends.entries())
      put('sends', `send${n}`, { ...message, startedAt: 100, ...value });
    for (const [id, value] of Object.entries({ none: null, lost: { ...message, sendId: 'lost' } }))
      put('sends', id, value);
    put('queue', 'one', { items: [...items, 'broken', { id: 'no text' }] });
    const window = open();
    const outboxes = await loaded(window.collection(outboxRecords('s')));
    assert.ok(window.lines.some(line => line.includes('A stored message cannot be read')));
    assert.deepEqual([...outboxes.values.keys(), ...outboxes.unreadable], ['one']);
    return outboxes.get('one')!;
  }

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
    const sent = entries.map(({ id, state, text }) => `${id} ${state}: ${text}`);
    assert.deepEqual(sent, ['first sending: on its way', 'late unknown: Hello', 'later queued: later']);
    const { sentence, target } = entries[2]!;
    assert.deepEqual([sentence, target], ['no file', { computerId: 'd', name: 'd' }]);
  });

  const own = { text: 'Hello', attachments: ['file:///a', 'file:///b'], stash: 'next' };
  for (const [what, draft, send, text, left] of [
    ['keep a refused message', { sendId: 'x' }, { state: 'refused' }, 'Hello\n\nnext', 2],
    ['lose what is with its message', { sendId: 'x' }, { state: 'unknown', text: 'Hello again' }, 'next', 0],
    ['lose what was about to be emptied', {}, { state: 'sending' }, 'next', 0],
    ['lose what is with a message that is gone', { sendId: 'gone' }, { text: 'other' }, 'next', 0],
  ] as const)
    it(`${what} in the composer`, async () => {
      const sent = { sendId: 'x', text: 'Hello', state: 'sending', sentence: 'No.', ...send };
      const { draft: found, entries } = await outboxOf({ ...own, ...draft }, [sent]);
      assert.deepEqual([found.text, found.attachments.length], [text, left]);
      const isRefused = sent.state === 'refused';
      assert.deepEqual([found.problem, entries.length], isRefused ? ['No.', 0] : [undefined, 1]);
    });

  it('never win over what became of them since, where a damaged database has no backup', async () => {
    for (const id of ['a', 'b']) write(`connection/${id}.1.json`, note(id, 'old'));
    const window = open();
    const collection = await loaded(window.collection<Note>({ ...notes, path: 'connection' }));
    await collection.put('a', { text: 'new' });
    scramble();
    assert.deepEqual(await stored('connection'), { a: { text: 'old' }, b: { text: 'old' } });
    await collection.read('a');
    await window.settled();
    assert.deepEqual(await stored('connection'), { a: { text: 'new' }, b: { text: 'old' } });
  });

  it('are taken in again as a whole after a start that died', async () => {
    for (let n = 0; n < 5_000; n++) write(`services/s/sessions/s${n}.1.json`, note(`s${n}`, `text ${n}`));
    for (let n = 0; n < 300; n++) write(`services/s/usage/o/d${n}.1.json`, note(`d${n}`, `day ${n}`));
    // Ends in the midst of the import, as a killed process does.
    assert.throws(() => execFileSync(process.execPath, [child, 'dieImporting', root]), { status: 9 });
    assert.equal((await loaded(collectionOf('services/s/sessions'))).values.size, 5_000);
    assert.equal((await loaded(collectionOf('services/s/usage/o'))).values.size, 300);
  });
});
