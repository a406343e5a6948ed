import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { Drafts } from '../../../src/chat/drafts';
import type { SendOwner } from '../../../src/chat/owner';
import { ReadingPlaces } from '../../../src/chat/readingPlaces';
import { SendJournal } from '../../../src/chat/sendJournal';
import { Transcript } from '../../../src/chat/transcript';
import { afterwards, brittle, cleanUp, message, storageIn, temporaryFolder, until } from './support';

afterEach(cleanUp);

async function transcriptIn(root: string, sessionId = 'session'): Promise<Transcript> {
  const transcript = new Transcript(storageIn(root), 'service1', sessionId);
  afterwards(() => transcript.dispose());
  await transcript.load();
  return transcript;
}

const sent = { at: 5, text: 'hello', attachments: [{ name: 'a.ts', kind: 'text' as const, size: 3 }] };

describe('the stored transcript', () => {
  it('gives back all messages in another window and another run', async () => {
    const root = temporaryFolder();
    const first = await transcriptIn(root);
    const messages = Array.from({ length: 350 }, (_, index) => message(`m${index}`, { createdAt: index }));
    for (let from = 0; from < messages.length; from += 35) await first.keep(messages.slice(from, from + 35));
    const second = await transcriptIn(root);
    assert.deepEqual([...second.known.keys()].sort(), messages.map(({ id }) => id).sort());
    assert.deepEqual(second.known.get('m7')?.message, messages[7]);
    const files = fs.readdirSync(path.join(root, 'services/service1/transcripts/session'));
    assert.ok(files.length >= 4 && files.length < 20, `several messages a file (${files.length} files)`);
  });

  it('loses nothing when two windows write at once', async () => {
    const root = temporaryFolder();
    const [one, other] = [await transcriptIn(root), await transcriptIn(root)];
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 2 ? one : other).keep([message(`m${index}`)])),
    );
    const third = await transcriptIn(root);
    assert.equal(third.known.size, 60);
  });

  it('shows another window what came in', async () => {
    const root = temporaryFolder();
    const [one, other] = [await transcriptIn(root), await transcriptIn(root)];
    const seen = until(other.onDidChange, () => other.known.has('m1'));
    await one.keep([message('m1')]);
    await seen;
  });

  it('keeps the newer body, and what was sent, whatever comes first', async () => {
    const transcript = await transcriptIn(temporaryFolder());
    await transcript.keep([message('m', { updatedAt: 2, content: [{ type: 'text', text: 'new' }] })]);
    await transcript.keepSent('m', sent);
    await transcript.keep([message('m', { updatedAt: 1, content: [{ type: 'text', text: 'old' }] })]);
    const known = transcript.known.get('m');
    assert.equal(known?.message?.content[0]?.['text'], 'new');
    assert.equal(known.sent?.text, 'hello');
  });

  it('places what was just sent after everything known', async () => {
    const transcript = await transcriptIn(temporaryFolder());
    await transcript.keep([message('m', { createdAt: 9_000 })]);
    await transcript.keepSent('s', sent);
    assert.equal(transcript.known.get('s')?.sent?.at, 9_001);
  });

  it('keeps sessions apart whose ids differ only in case', async () => {
    const root = temporaryFolder();
    const [lower, upper] = [await transcriptIn(root, 'abc'), await transcriptIn(root, 'ABC')];
    await lower.keep([message('m')]);
    assert.equal((await transcriptIn(root, 'ABC')).known.size, 0);
    assert.equal(upper.known.size, 0);
  });

  it('does not grow one record without end for large messages', async () => {
    const root = temporaryFolder();
    const transcript = await transcriptIn(root);
    const large = 'x'.repeat(50_000);
    for (let index = 0; index < 6; index++) {
      await transcript.keep([message(`m${index}`, { content: [{ type: 'text', text: large }] })]);
    }
    const folder = path.join(root, 'services/service1/transcripts/session');
    const sizes = fs.readdirSync(folder).map(file => fs.statSync(path.join(folder, file)).size);
    assert.ok(Math.max(...sizes) < 150_000, `largest ${Math.max(...sizes)}`);
    assert.equal((await transcriptIn(root)).known.size, 6);
  });
});

describe('the journal of sends', () => {
  const owner = (facts: Partial<SendOwner> = {}): SendOwner => ({
    host: 'here',
    pid: 100,
    startedAt: 1_000,
    ...facts,
  });
  const send = { sendId: 'a', sessionId: 'session', text: 'Hello', attachments: [] };

  async function journalIn(
    root: string,
    options: { owner?: SendOwner; running?: readonly number[]; now?: number } = {},
  ): Promise<SendJournal> {
    const journal = new SendJournal({
      storage: storageIn(root),
      serviceId: 'service1',
      owner: options.owner ?? owner(),
      isRunning: pid => (options.running ?? []).includes(pid),
      now: () => options.now ?? 50_000,
    });
    afterwards(() => journal.dispose());
    await journal.load();
    return journal;
  }

  it('makes what a dead process was sending unknown, with its text', async () => {
    const root = temporaryFolder();
    await (await journalIn(root)).begin(send);
    const later = await journalIn(root, { owner: owner({ pid: 200 }) });
    const [lost] = await later.recover('session', 'Closed.');
    assert.equal(lost?.state, 'unknown');
    assert.equal(lost.text, 'Hello');
    assert.equal(lost.sentence, 'Closed.');
    assert.equal((await journalIn(root)).get('a')?.state, 'unknown');
  });

  it('leaves alone what a living window is sending', async () => {
    const root = temporaryFolder();
    await (await journalIn(root)).begin(send);
    const later = await journalIn(root, { owner: owner({ pid: 200 }), running: [100] });
    assert.deepEqual(await later.recover('session', 'Closed.'), []);
    assert.equal(later.get('a')?.state, 'sending');
  });

  it('is not fooled by a process with the same number, nor by one that never ends', async () => {
    const root = temporaryFolder();
    await (await journalIn(root)).begin(send);
    const reused = await journalIn(root, { owner: owner({ startedAt: 90_000 }) });
    assert.equal((await reused.recover('session', '')).length, 1);
    await (await journalIn(root)).begin({ ...send, sendId: 'b' });
    const much = await journalIn(root, {
      owner: owner({ pid: 200 }),
      running: [100],
      now: 50_000 + 16 * 60_000,
    });
    assert.deepEqual(
      (await much.recover('session', '')).map(({ sendId }) => sendId),
      ['b'],
    );
  });

  it('waits for a send of another machine', async () => {
    const root = temporaryFolder();
    await (await journalIn(root, { owner: owner({ host: 'there' }) })).begin(send);
    assert.deepEqual(await (await journalIn(root)).recover('session', ''), []);
    const much = await journalIn(root, { now: 50_000 + 16 * 60_000 });
    assert.equal((await much.recover('session', '')).length, 1);
  });

  it('does not bring back a send that was removed meanwhile', async () => {
    const journal = await journalIn(temporaryFolder());
    await journal.begin(send);
    await journal.remove('a');
    assert.equal(await journal.settle('a', { state: 'refused' }), undefined);
    assert.deepEqual(journal.ofSession('session'), []);
  });
});

describe('drafts', () => {
  function draftsIn(root: string): Drafts {
    const drafts = new Drafts(storageIn(root), 'service1', error => assert.fail(String(error)));
    afterwards(() => drafts.dispose());
    return drafts;
  }

  it('are there at once, and durable after a flush', async () => {
    const root = temporaryFolder();
    const drafts = draftsIn(root);
    await drafts.load();
    drafts.set('session', { text: 'half a thou', attachments: [] });
    drafts.set('session', { text: 'half a thought', attachments: ['file:///a'] });
    assert.equal(drafts.get('session').text, 'half a thought');
    await drafts.flush();
    const later = draftsIn(root);
    await later.load();
    assert.deepEqual(later.get('session'), { text: 'half a thought', attachments: ['file:///a'] });
  });

  it('are written when their owner goes', async () => {
    const root = temporaryFolder();
    const storage = storageIn(root);
    const drafts = new Drafts(storage, 'service1', error => assert.fail(String(error)));
    await drafts.load();
    drafts.set('session', { text: 'last words', attachments: [] });
    drafts.dispose();
    await storage.settled();
    const later = draftsIn(root);
    await later.load();
    assert.equal(later.get('session').text, 'last words');
  });

  it('that cannot be written stay, are told of once, and are written as soon as that works', async () => {
    const root = temporaryFolder();
    let tries = 0;
    const storage = brittle(storageIn(root), () => tries++ < 4);
    const errors: unknown[] = [];
    const drafts = new Drafts(storage, 'service1', error => errors.push(error), 1);
    afterwards(() => drafts.dispose());
    await drafts.load();
    drafts.set('session', { text: 'first', attachments: [] });
    await drafts.flush();
    assert.equal(drafts.get('session').text, 'first');
    drafts.set('session', { text: 'first and second', attachments: [] });
    await drafts.flush();
    assert.equal(drafts.get('session').text, 'first and second');
    const written = draftsIn(root);
    await written.load();
    await until(written.onDidChange, () => written.get('session').text === 'first and second');
    assert.equal(errors.length, 1);
    assert.equal(tries, 5);
  });

  it('leave no record when empty', async () => {
    const root = temporaryFolder();
    const drafts = draftsIn(root);
    await drafts.load();
    drafts.set('session', { text: 'x', attachments: [] });
    await drafts.flush();
    drafts.set('session', { text: '', attachments: [] });
    await drafts.flush();
    const later = draftsIn(root);
    await later.load();
    assert.deepEqual(later.get('session'), { text: '', attachments: [] });
  });
});

describe('where sessions were read', () => {
  const at = (offset: number) => ({ scroll: { key: 'message:m', offset }, opened: ['message:m:0'] });

  async function placesIn(root: string): Promise<ReadingPlaces> {
    const places = new ReadingPlaces(storageIn(root), 'service1', error => assert.fail(String(error)));
    afterwards(() => places.dispose());
    await places.load();
    return places;
  }

  it('is known in the next window, and leaves no record at the end with nothing opened', async () => {
    const root = temporaryFolder();
    const places = await placesIn(root);
    places.keep('one', { ...at(5), opened: Array.from({ length: 300 }, (_, index) => `part${index}`) });
    places.keep('two', at(7));
    assert.deepEqual(places.get('two'), at(7), 'at once');
    await places.flush();
    const next = await placesIn(root);
    assert.deepEqual(next.get('two'), at(7));
    assert.deepEqual([next.get('one').opened?.length, next.get('one').opened?.at(-1)], [100, 'part299']);
    assert.deepEqual(next.get('three'), { scroll: undefined, opened: undefined });
    next.keep('two', { opened: [] });
    await next.flush();
    assert.equal((await placesIn(root)).get('two').scroll, undefined);
  });

  it('does not move a window that reads there itself', async () => {
    const root = temporaryFolder();
    const [one, other] = [await placesIn(root), await placesIn(root)];
    one.keep('session', at(1));
    other.keep('session', at(2));
    await one.flush();
    await other.flush();
    assert.deepEqual([one.get('session'), other.get('session')], [at(1), at(2)]);
  });

  it('is remembered of two hundred sessions', async () => {
    const root = temporaryFolder();
    const places = await placesIn(root);
    for (let number = 0; number < 205; number++) places.keep(`s${number}`, at(number));
    await places.flush();
    const next = await placesIn(root);
    const known = Array.from({ length: 205 }, (_, number) => next.get(`s${number}`).scroll);
    assert.equal(known.filter(scroll => scroll !== undefined).length, 200);
  });
});
