import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ApiClient } from '../../../src/api';
import { Conversations, type ConversationsOptions } from '../../../src/chat/conversations';
import { Outbox } from '../../../src/chat/outbox/outbox';
import { outboxRecords } from '../../../src/chat/outbox/record';
import type { SendOutcome } from '../../../src/chat/outbox/sender';
import type { ChatSessions } from '../../../src/chat/sessions';
import { unread } from '../../../src/chat/transcript/messages';
import { RowBuilder } from '../../../src/chat/transcript/rows';
import type { Connection } from '../../../src/connection';
import type { Storage } from '../../../src/storage';
import { Emitter, ObservableValue } from '../../../src/util/lifecycle';
import { Formatter } from '../../../src/util/format';
import { silentLog } from '../../fakes/log';
import { draftOf, failSends, posts, queueUp, scene, sendAndRead } from './scene';
import { sent, settled, texts, type Scene } from './scene';
import { later, attachmentsIn, cleanUp, left, openWindow, storageIn } from './support';
import { temporaryFolder, until, writeFile } from './support';

afterEach(cleanUp);

/** How often the service was asked for the list of messages, or how the session stands. */
const lists = ({ service }: Scene) => gets(service, '/messages');
const looks = ({ service, sessionId }: Scene) => gets(service, sessionId);
const gets = ({ requests }: Scene['service'], end: string): number =>
  requests.filter(({ method, path }) => method === 'GET' && path.endsWith(end)).length;

describe('a conversation', () => {
  it('sends the documented body once, reads earlier replies with the next message, and shows another window both', async () => {
    const it = await scene({ extras: () => true });
    const { composition, transcript } = it.window.conversation;
    await composition.attach([writeFile(temporaryFolder(), 'notes.md', '# Notes\n')]);
    await sendAndRead(it.window, 'Please look.');
    const [body, ...others] = posts(it).map(post => post.body as { text: string; files: { name: string }[] });
    const files = body?.files.map(({ name }) => name);
    assert.deepEqual([body?.text, files, others], ['Please look.', ['notes.md'], []]);
    assert.deepEqual(composition.draft, { text: '', attachments: [] });
    assert.deepEqual(it.window.sessions.noted, ['Please look.']);
    const [{ sent: kept } = assert.fail()] = transcript.known.values();
    assert.deepEqual(kept?.attachments, [{ name: 'notes.md', kind: 'text', size: 8 }], 'and no address');
    await it.service.settle();
    const before = transcript.known.size;
    await sendAndRead(it.window, 'And then?');
    assert.ok(transcript.known.size > before + 3, `replies were read (${before}, ${transcript.known.size})`);
    const asked = it.service.requests.length;
    assert.equal(lists(it), 1, 'a service is asked once whether it has a list of messages');
    assert.equal(looks(it), 1, 'then, whether it is only the list that is missing; a send costs no other');
    assert.ok(!it.window.log.lines.some(line => /warn|error/i.test(line)));
    const later = await openWindow({ ...it, signedIn: () => false });
    for (const window of [it.window, later]) assert.deepEqual(texts(window), ['Please look.', 'And then?']);
    assert.equal(it.service.requests.length, asked, 'what was read is not asked again');
  });

  it('goes on with a walk that was interrupted', async () => {
    const it = await scene();
    await sendAndRead(it.window, 'one');
    await it.service.settle();
    const match = { method: 'GET', path: /\/messages\// };
    const cut = it.service.fail({ kind: 'status', status: 403, match });
    await sendAndRead(it.window, 'two');
    assert.equal(texts(it.window).at(-1), 'one', 'the body of the new message could not be read');
    cut.dispose();
    const later = await openWindow(it);
    await until(later.conversation.onDidChange, () => texts(later).length === 2);
    await later.conversation.readOn();
    assert.deepEqual(unread(later.conversation.transcript.known), []);
    assert.ok(later.conversation.transcript.known.size > 3);
    assert.equal(lists(it), 0, 'extras are off');
  });
});

describe('a send that is refused', () => {
  it('is in the composer again, with its files, one that came meanwhile, and the reason, until that is empty', async () => {
    const it = await scene();
    failSends(it, 403);
    const [a, b, empty] = ['a.ts', 'b.ts', ''].map(name =>
      writeFile(temporaryFolder(), name || 'empty', name),
    );
    const { conversation } = it.window;
    await conversation.composition.attach([a!, empty!]);
    await assert.rejects(conversation.submit('Hello'), /Remove the attachments/);
    assert.deepEqual([draftOf(it.window), posts(it)], [['Hello', a, empty], []], 'it never left');
    conversation.composition.detach(empty!);
    const began = conversation.submit('Hello');
    const ends = [began, conversation.composition.attach([b!]), settled(it.window)];
    const [, , outcome] = await Promise.all(ends);
    assert.equal((outcome as SendOutcome).state, 'refused');
    const later = await openWindow(it);
    for (const window of [it.window, later]) {
      assert.deepEqual([draftOf(window).sort(), window.conversation.sends], [['Hello', a, b].sort(), []]);
      assert.match(window.conversation.composition.draft.problem ?? '', /403/);
    }
    assert.equal(posts(it).length, 1);
    conversation.composition.setText('');
    assert.equal(conversation.composition.draft.problem, undefined);
  });
});

describe('a send without an answer', () => {
  for (const fault of ['reset', 500] as const)
    it(`is unknown, never sent again by itself, and once on request: ${fault}`, async () => {
      const it = await scene();
      await it.window.sessions.refresh(it.sessionId);
      failSends(it, fault);
      await sendAndRead(it.window, 'Hello');
      const { conversation } = it.window;
      const [send = assert.fail()] = conversation.sends;
      assert.deepEqual([send.state, send.text, send.before?.messageCount], ['unknown', 'Hello', 0]);
      assert.ok(conversation.rows.statusAt! > send.at, 'the session was looked at');
      assert.equal(looks(it), 2, 'once before, which was asked for here, and once after');
      assert.equal(conversation.composition.draft.text, '', 'the text is with the send');
      await assert.rejects(conversation.takeBack(send.id), /dealt with meanwhile/, 'it may have arrived');
      await conversation.refresh();
      const later = await openWindow(it);
      assert.equal(later.conversation.sends[0]?.state, 'unknown');
      assert.equal(posts(it).length, 1);
      const outcome = settled(it.window);
      const twice = [conversation.sendAgain(send.id), conversation.sendAgain(send.id)];
      const ends = (await Promise.allSettled(twice)).map(({ status }) => status);
      assert.deepEqual(ends.sort(), ['fulfilled', 'rejected']);
      await outcome;
      await conversation.readOn();
      assert.deepEqual([posts(it).length, conversation.sends, texts(it.window)], [2, [], ['Hello']]);
    });

  it('says nothing of how the session stands that was asked before the answer failed to come', async () => {
    const it = await scene();
    const { conversation, sessions } = it.window;
    await sessions.refresh(it.sessionId);
    it.service.fail({ kind: 'delay', ms: 5_000, match: { method: 'POST' }, times: 1 });
    const outcome = settled(it.window);
    await conversation.submit('Hello');
    await conversation.refresh();
    const offline = it.service.fail({ kind: 'status', status: 403, match: { method: 'GET' } });
    await outcome;
    const told = (): string | undefined => {
      const row = new RowBuilder(new Formatter('en')).build(conversation.rows).at(-1);
      return row?.kind === 'message' ? row.send?.sentence : undefined;
    };
    assert.match(told() ?? '', /^It is not known whether this message arrived\. (?!The session has)/);
    offline.dispose();
    await conversation.refresh();
    assert.match(told() ?? '', /The session has 0 messages now, 0 when last checked/);
  });

  it('is settled when a later walk shows that it arrived', async () => {
    const it = await scene();
    await it.window.sessions.refresh(it.sessionId);
    failSends(it, 'truncate');
    await sendAndRead(it.window, 'Did this arrive?');
    assert.equal(it.window.conversation.sends.length, 1);
    await it.service.settle();
    await sendAndRead(it.window, 'Next');
    assert.deepEqual(it.window.conversation.sends, []);
    assert.deepEqual(texts(it.window), ['Did this arrive?', 'Next']);
  });
});

describe('what is sent', () => {
  it('costs three durable writes of the chat, and has let go of the bytes of its files when it leaves', async () => {
    const read: WeakRef<Uint8Array>[] = [];
    const attachments = attachmentsIn(temporaryFolder());
    attachments.parts = () => {
      const bytes = new Uint8Array(1_000_000);
      read.push(new WeakRef(bytes));
      const part = { kind: 'image', mediaType: 'image/png', name: 'a.png', path: 'a.png' } as const;
      return Promise.resolve([{ bytes, ...part }]);
    };
    let writes = 0;
    const { service, window } = await scene({ attachments, fails: () => ++writes < 0 });
    const { conversation } = window;
    const held: unknown[] = [];
    service.onDidReceive(({ method }) => method === 'POST' && held.push(left(read).length));
    conversation.composition.setText('Look at this');
    writes = 0;
    const after = new Promise<number>(resolve => conversation.onDidSettle(() => resolve(writes)));
    await conversation.submit('Look at this');
    assert.ok((await after) <= 3, 'to the transcript; with what the sessions note of it, four');
    assert.deepEqual([read.length, held], [1, [0]]);
    assert.deepEqual([conversation.transcript.known.size, conversation.sends], [1, []]);
  });

  it('and accepted, but cannot be written any more, has its id logged and is kept as soon as that works', async () => {
    let isFull = false;
    const it = await scene({ fails: path => isFull && /outbox$|transcripts/.test(path) });
    it.service.onDidReceive(({ method }) => (isFull ||= method === 'POST'));
    const { conversation, log } = it.window;
    await sendAndRead(it.window, 'Hello').catch(() => undefined);
    assert.deepEqual([conversation.isSending, conversation.transcript.known.size], [false, 0]);
    const id = conversation.sends[0]?.messageId ?? 'none';
    assert.ok(log.lines.join('\n').includes(id), log.lines.join('\n'));
    isFull = false;
    await conversation.readOn();
    assert.ok(conversation.transcript.known.has(id));
    assert.deepEqual(conversation.sends, []);
  });
});

/** What is stored of a conversation, which others write as they like. */
const storedIn = (storage: Storage, { path, version }: { path: string; version: number }) =>
  storage.collection({ path, version, schema: { parse: value => value } });
const outboxes = outboxRecords('service1');

describe('what is written', () => {
  function outboxIn(root: string): Outbox {
    const report = (error: unknown) => assert.fail(String(error));
    const outbox = new Outbox(storageIn(root).collection(outboxes), 'session', report);
    later(() => outbox.dispose());
    return outbox;
  }
  const type = (outbox: Outbox, text: string): void => outbox.type({ text, over: outbox.current.draft.text });
  const textIn = async (outbox: Outbox) => (await outbox.read()).draft.text;

  it('is nothing where it was erased at once, and moves no words of another window', async () => {
    const root = temporaryFolder();
    const [one, other] = [outboxIn(root), outboxIn(root)];
    let isStored = false;
    one.onDidStore(() => (isStored = true));
    type(one, 'x');
    type(one, '');
    assert.ok(isStored, 'there is nothing to wait for');
    type(other, 'words of the other window');
    await other.flush();
    await one.read();
    await one.flush();
    assert.equal(await textIn(other), 'words of the other window');
  });

  it('is told of at once where it is typed, and in every other window when it is stored', async () => {
    const storage = storageIn(temporaryFolder());
    const told: string[] = [];
    const [here, there, elsewhere] = ['session', 'session', 'other'].map((sessionId, index) => {
      const outbox = new Outbox(storage.collection(outboxes), sessionId, error => assert.fail(String(error)));
      later(() => outbox.dispose());
      outbox.onDidChange(() => told.push(`${index} ${outbox.current.draft.text}`));
      return outbox;
    });
    type(here!, 'words');
    assert.deepEqual(told, ['0 words']);
    await Promise.all([here, there, elsewhere].map(outbox => outbox!.flush()));
    assert.deepEqual(new Set(told), new Set(['0 words', '1 words']));
  });

  // What one window makes of the draft it shows, when another has made something else of that meanwhile.
  for (const [what, shown, typed, meanwhile, after] of [
    ['both texts of two windows', '', 'of one', 'of the other', 'of the other\n\nof one'],
    ['what goes on above words of others', 'one', 'one two', 'one\n\nother', 'one two\n\nother'],
    ['what goes on below words of others', 'one', 'one two', 'other\n\none', 'other\n\none two'],
    ['what is erased beside words of others', 'one', '', 'other\n\none', 'other'],
    ['the next words, of a text that has left', 'sent', 'sent and more', '', 'and more'],
    ['nothing of what is shortened when it has left', 'x y', 'x', '', ''],
    ['whole words of a text changed elsewhere', 'a house', 'a horse', 'the house', 'the house\n\nhorse'],
  ] as const)
    it(`keeps ${what}`, async () => {
      const root = temporaryFolder();
      const [one, other] = [outboxIn(root), outboxIn(root)];
      type(one, shown);
      await one.flush();
      await other.read();
      type(one, typed);
      type(other, meanwhile);
      await other.flush();
      await one.flush();
      assert.equal(await textIn(other), after);
    });

  it('by the version before comes with its second text and its files, and what was refused with the reason', async () => {
    const root = temporaryFolder();
    const refused = { id: 'r', text: 'refused', attachments: [], state: 'refused', at: 1, sentence: 'No.' };
    const draft = { text: 'one', stash: 'two', attachments: ['file:///a.txt'], refused };
    const before = storedIn(storageIn(root), { ...outboxes, version: 1 });
    await before.put('session', { draft, entries: [refused], writes: [] });
    const { draft: after, entries } = await outboxIn(root).read();
    const [file, entry] = [after.attachments[0], entries[0]];
    assert.deepEqual([after.text, after.problem, file?.name], ['one\n\ntwo', 'No.', 'a.txt']);
    assert.deepEqual([entry?.state, entry?.sentence], ['queued', 'No.']);
  });
});

const unasked = { onDidChange: new Emitter().event, get: () => undefined } as unknown as ChatSessions;

type Given = Partial<ConversationsOptions> & { readonly api?: ApiClient };

function conversationsIn(root: string, storage: Storage, given: Given = {}): Conversations {
  const { api, ...more } = given;
  const state = new ObservableValue({ kind: 'signedIn', service: { id: 'service1' } });
  const conversations = new Conversations({
    ...{
      storage,
      sessions: unasked,
      attachments: attachmentsIn(root),
      log: silentLog(),
      extras: () => false,
    },
    connection: { api, state } as unknown as Connection,
    ...more,
  });
  later(() => conversations.dispose());
  return conversations;
}

describe('a file of ours that no draft names', () => {
  for (const isLegible of [true, false])
    it(isLegible ? 'goes after a day' : 'stays where a draft cannot be read, which may name it', async () => {
      const root = temporaryFolder();
      const storage = storageIn(root);
      if (!isLegible) await storedIn(storage, outboxes).put('other', { draft: 'broken' });
      const away = { name: 'a.txt', read: () => Promise.resolve(Buffer.from('a')) };
      const file = fileURLToPath((await attachmentsIn(root).keep('service1', 'a.txt', away)).uri);
      await utimes(dirname(file), 0, 0);
      const later = storageIn(root);
      conversationsIn(root, later).use('service1', 'session');
      await later.collection(outboxes).load();
      while (isLegible && existsSync(file)) await setImmediate();
      for (let turn = 0; turn < 50; turn++) await setImmediate();
      assert.equal(existsSync(file), !isLegible);
    });
});

describe('a conversation that nobody uses any more', () => {
  for (const isHeard of [false, true])
    it(`sends what ${isHeard ? 'another window queues' : 'is queued'}, where no chat is shown, and goes after that`, async () => {
      const { sessionId, client, ...it } = await scene();
      const { conversation: of, sessions, storage } = it.window;
      const work = it.service.busy(sessionId);
      if (!isHeard) await queueUp(it.window, 'later');
      const conversations = conversationsIn(it.root, storage, { sessions, api: client });
      conversations.goOn();
      await storage.settled();
      if (isHeard) await queueUp(it.window, 'later');
      of.dispose();
      const { conversation, lease } = conversations.use('service1', sessionId);
      lease.dispose();
      work.dispose();
      while (!conversation.isDisposed) await sessions.refresh(sessionId);
      assert.deepEqual(sent(it), ['later']);
    });

  it('goes when the files that were given to it are attached', async () => {
    const root = temporaryFolder();
    const storage = storageIn(root);
    const { conversation, lease } = conversationsIn(root, storage).use('service1', 'session');
    await conversation.load();
    const read = async (): Promise<Uint8Array> => {
      lease.dispose();
      await setImmediate();
      return Buffer.from('a');
    };
    await conversation.composition.attachFiles([{ name: 'a.txt', read }]);
    while (!conversation.isDisposed) await setImmediate();
    await storage.settled();
    const kept = await storage.collection(outboxes).read('session');
    assert.equal(kept?.draft.attachments[0]?.name, 'a.txt');
  });

  it('stays the same until all that was written in it is stored, which is tried again, and told of once', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    later(() => mock.timers.reset());
    const root = temporaryFolder();
    let isFull = true;
    const storage = storageIn(root, undefined, () => isFull);
    const log = silentLog();
    const conversations = conversationsIn(root, storage, { log });
    const { conversation, lease } = conversations.use('service1', 'session');
    conversation.composition.setText('last');
    lease.dispose();
    await assert.rejects(conversation.flush());
    const again = conversations.use('service1', 'session');
    assert.deepEqual([again.conversation === conversation, conversation.isDisposed], [true, false]);
    conversation.composition.setText('last words');
    await assert.rejects(conversation.flush());
    again.lease.dispose();
    assert.deepEqual([log.lines.length, conversation.composition.draft.text], [1, 'last words']);
    isFull = false;
    mock.timers.tick(5_000);
    await conversation.flush();
    assert.equal(conversation.isDisposed, true);
    const last = conversations.use('service1', 'session').conversation;
    last.composition.setText('and more', 'last words');
    last.dispose();
    await storage.settled();
    const { draft } = (await storage.collection(outboxes).read('session'))!;
    assert.equal(draft.text, 'and more', 'what is written is stored when a window goes');
  });
});
