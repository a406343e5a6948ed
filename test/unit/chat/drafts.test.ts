import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Conversations, type ConversationsOptions } from '../../../src/chat/conversations';
import { Outbox } from '../../../src/chat/outbox/outbox';
import { outboxRecords } from '../../../src/chat/outbox/record';
import type { ChatSessions } from '../../../src/chat/sessions';
import type { Storage } from '../../../src/storage';
import { Emitter, ObservableValue } from '../../../src/util/lifecycle';
import { silentLog } from '../../fakes/log';
import { scene, attachmentsIn, later, storageIn, temporaryFolder, until } from './support';

/** What is stored of a conversation, which others write as they like. */
const storedIn = (storage: Storage, { path, version }: { path: string; version: number }) =>
  storage.collection({ path, version, schema: { parse: value => value } });
const outboxes = outboxRecords('service1');

describe('what is written', () => {
  function outboxIn(storage: Storage, sessionId = 'session'): Outbox {
    const outbox = new Outbox(storage.collection(outboxes), sessionId, error => assert.fail(String(error)));
    later(() => outbox.dispose());
    return outbox;
  }
  const type = (outbox: Outbox, text: string): void => outbox.type({ text, over: outbox.current.draft.text });

  it('is told of at once where it is typed, and in every other window when it is stored', async () => {
    const storage = storageIn(temporaryFolder());
    const told: string[] = [];
    const [here, there, elsewhere] = ['session', 'session', 'other'].map((sessionId, index) => {
      const outbox = outboxIn(storage, sessionId);
      outbox.onDidChange(() => told.push(`${index} ${outbox.current.draft.text}`));
      return outbox;
    });
    here!.onDidStore(() => told.push('stored'));
    for (const text of ['x', '', 'words']) type(here!, text);
    assert.deepEqual(told, ['0 x', '0 ', 'stored', '0 words'], 'what is erased at once is not written');
    await Promise.all([here, there, elsewhere].map(outbox => outbox!.flush()));
    assert.deepEqual(new Set(told.slice(3)), new Set(['0 words', '1 words', 'stored']));
  });

  // What one window makes of the draft it shows, step by step, when another has made something else of that meanwhile.
  for (const [what, shown, typed, meanwhile, after] of [
    ['both texts of two windows', '', ['of one'], 'of the other', 'of the other\n\nof one'],
    ['what was written where it is erased at once', '', ['x', ''], 'of the other', 'of the other'],
    ['what goes on above words of others', 'one', ['one two'], 'one\n\nother', 'one two\n\nother'],
    ['what goes on below words of others', 'one', ['one two'], 'other\n\none', 'other\n\none two'],
    ['what is erased beside words of others', 'one', [''], 'other\n\none', 'other'],
    ['the next words, of a text that has left', 'sent', ['sent and more'], '', 'and more'],
    ['nothing of what is shortened when it has left', 'x y', ['x'], '', ''],
    ['whole words of a text changed elsewhere', 'a house', ['a horse'], 'the house', 'the house\n\nhorse'],
  ] as const)
    it(`keeps ${what}`, async () => {
      const root = temporaryFolder();
      const [one, other] = [outboxIn(storageIn(root)), outboxIn(storageIn(root))];
      type(one, shown);
      await one.flush();
      await other.read();
      for (const text of typed) type(one, text);
      type(other, meanwhile);
      await other.flush();
      await one.flush();
      assert.equal((await other.read()).draft.text, after);
    });

  it('by the version before comes with its second text and its files, and what was refused with the reason', async () => {
    const root = temporaryFolder();
    const refused = { id: 'r', text: 'refused', attachments: [], state: 'refused', at: 1, sentence: 'No.' };
    const draft = { text: 'one', stash: 'two', attachments: ['file:///a.txt'], refused };
    const before = storedIn(storageIn(root), { ...outboxes, version: 1 });
    await before.put('session', { draft, entries: [refused], writes: [] });
    const { draft: after, entries } = await outboxIn(storageIn(root)).read();
    assert.deepEqual([after.text, after.problem, after.attachments[0]?.name], ['one\n\ntwo', 'No.', 'a.txt']);
    assert.deepEqual([entries[0]?.state, entries[0]?.sentence], ['queued', 'No.']);
  });

  it('and still in a page that went replaces what it begins with, is there already, comes below other words, or is gone where that was sent', async () => {
    const it = await scene();
    const now = Date.now();
    const heldOver = async (stored: string, text: string, at = now): Promise<string> => {
      it.composition.setText(stored);
      await it.conversation.takeUnsaved({ text, at });
      return it.composition.draft.text;
    };
    assert.equal(await heldOver('half a', 'half a thought'), 'half a thought');
    assert.equal(await heldOver('half a thought', 'half a'), 'half a thought');
    assert.equal(await heldOver('elsewhere', 'a thought'), 'elsewhere\n\na thought');
    await it.send('sent');
    it.busy();
    await it.queue('queued');
    for (const text of ['sent', 'queued']) {
      assert.equal(await heldOver('', text), '');
      assert.equal(await heldOver('', text, now + 60_000), text, 'the same words, written anew');
    }
  });
});

const unasked = { onDidChange: new Emitter().event, get: () => undefined } as unknown as ChatSessions;

type Given = Partial<ConversationsOptions> & { readonly api?: unknown };

function conversationsIn(root: string, storage: Storage, { api, ...given }: Given = {}): Conversations {
  const state = new ObservableValue({ kind: 'signedIn', service: { id: 'service1' } });
  const conversations = new Conversations({
    ...{ storage, sessions: unasked, log: silentLog(), extras: () => false },
    attachments: attachmentsIn(root),
    connection: { api, state } as unknown as ConversationsOptions['connection'],
    ...given,
  });
  later(() => conversations.dispose());
  return conversations;
}

for (const isLegible of [true, false])
  it(`a file of ours that no draft names ${isLegible ? 'goes after a day' : 'stays where a draft cannot be read'}`, async () => {
    const root = temporaryFolder();
    const storage = storageIn(root);
    const read = () => Promise.resolve(Buffer.from('a'));
    const keep = (name: string) => attachmentsIn(root).keep('service1', name, { name, read });
    const [old, used] = [await keep('old.txt'), await keep('used.txt')];
    const [file, named] = [old, used].map(({ uri }) => fileURLToPath(uri));
    const draft = { text: '', attachments: [used] };
    await storedIn(storage, outboxes).put('another', { draft, entries: [], writes: [] });
    if (!isLegible) await storedIn(storage, outboxes).put('other', { draft: 'broken' });
    for (const each of [file, named]) await utimes(dirname(each!), 0, 0);
    const young = fileURLToPath((await keep('young.txt')).uri);
    const later = storageIn(root);
    const attachments = attachmentsIn(root);
    const swept = mock.method(attachments, 'sweep');
    conversationsIn(root, later, { attachments }).use('service1', 'session');
    await later.collection(outboxes).load();
    await setImmediate();
    for (const { result } of swept.mock.calls) await (result as unknown as Promise<void>);
    const left = [file, named, young].map(each => existsSync(each!));
    assert.deepEqual(left, [!isLegible, true, true]);
  });

describe('a conversation that nobody uses any more', () => {
  const draftIn = async (storage: Storage) => {
    await storage.settled();
    return (await storage.collection(outboxes).read('session'))?.draft;
  };

  for (const isHeard of [false, true])
    it(`sends what ${isHeard ? 'another window queues' : 'is queued'}, where no chat is shown, and goes after that`, async () => {
      const it = await scene();
      const { sessionId, sessions, storage, client: api } = it;
      const work = it.busy();
      if (!isHeard) await it.queue('later');
      const conversations = conversationsIn(it.root, storage, { sessions, api });
      const fail = () => Promise.reject(new Error('busy'));
      mock.method(storage.collection(outboxes), 'load', fail, { times: 1 });
      conversations.goOn();
      await storage.settled();
      if (isHeard) await it.queue('later');
      it.conversation.dispose();
      const { conversation: used, lease } = conversations.use('service1', sessionId);
      lease.dispose();
      work.dispose();
      await until(() => it.refresh().then(() => used.isDisposed && used.transcript.known.size === 0));
      await used.transcript.load();
      assert.deepEqual([it.sent(), used.transcript.known.size > 0], [['later'], true]);
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
    await until(() => conversation.isDisposed);
    assert.equal((await draftIn(storage))?.attachments[0]?.name, 'a.txt');
  });

  it('stays the same until all that was written in it is stored, which is tried again, and told of once', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    later(() => mock.timers.reset());
    let isFull = true;
    const root = temporaryFolder();
    const storage = storageIn(root, undefined, () => isFull);
    const log = silentLog();
    const conversations = conversationsIn(root, storage, { log });
    const use = () => conversations.use('service1', 'session');
    const { conversation, lease } = use();
    conversation.composition.setText('last');
    lease.dispose();
    await assert.rejects(conversation.flush());
    const again = use();
    assert.deepEqual([again.conversation === conversation, conversation.isDisposed], [true, false]);
    conversation.composition.setText('last words');
    await assert.rejects(conversation.flush());
    again.lease.dispose();
    assert.deepEqual([log.lines.length, conversation.composition.draft.text], [1, 'last words']);
    isFull = false;
    mock.timers.tick(5_000);
    await conversation.flush();
    assert.equal(conversation.isDisposed, true);
    const last = use().conversation;
    last.composition.setText('and more', 'last words');
    last.dispose();
    assert.equal((await draftIn(storage))?.text, 'and more', 'what is written is stored when a window goes');
    last.composition.setTarget({ computerId: 'c', name: 'Chosen' });
    assert.equal((await draftIn(storage))?.target?.name, 'Chosen', 'also what is chosen after that');
  });
});
