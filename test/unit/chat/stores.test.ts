import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Conversations } from '../../../src/chat/conversations';
import { Outbox } from '../../../src/chat/outbox/outbox';
import { outboxRecords } from '../../../src/chat/outbox/record';
import type { ApiClient } from '../../../src/api';
import type { ChatSessions } from '../../../src/chat/sessions';
import type { Connection } from '../../../src/connection';
import type { Storage } from '../../../src/storage';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';
import { queueUp, scene, sent } from './scene';
import { afterwards, attachmentsIn, brittle, cleanUp, storageIn, temporaryFolder } from './support';

afterEach(cleanUp);

describe('what is written', () => {
  function outboxIn(root: string, storage = storageIn(root), onError?: (error: unknown) => void): Outbox {
    const collection = storage.collection(outboxRecords('service1'));
    const outbox = new Outbox(collection, 'session', onError ?? (error => assert.fail(String(error))));
    afterwards(() => outbox.dispose());
    return outbox;
  }
  const type = (outbox: Outbox, text: string): void => outbox.type({ text, over: outbox.current.draft.text });

  it('is written when its window goes', async () => {
    const root = temporaryFolder();
    const storage = storageIn(root);
    const outbox = outboxIn(root, storage);
    type(outbox, 'last words');
    outbox.dispose();
    await storage.settled();
    assert.equal((await outboxIn(root).read()).draft.text, 'last words');
  });

  it('stays where it cannot be written, is told of once, and is written as soon as that works', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    afterwards(() => mock.timers.reset());
    const root = temporaryFolder();
    let tries = 0;
    const errors: unknown[] = [];
    const storage = brittle(storageIn(root), () => tries++ < 3);
    const outbox = outboxIn(root, storage, error => errors.push(error));
    type(outbox, 'first');
    await assert.rejects(outbox.flush());
    type(outbox, 'first and second');
    await assert.rejects(outbox.flush());
    await assert.rejects(outbox.flush());
    assert.equal(outbox.current.draft.text, 'first and second');
    const stored = new Promise<void>(resolve => outbox.onDidStore(resolve));
    mock.timers.tick(5_000);
    await stored;
    assert.equal((await outboxIn(root).read()).draft.text, 'first and second');
    assert.equal(errors.length, 1);
  });

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
    assert.equal((await other.read()).draft.text, 'words of the other window');
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
      assert.equal((await other.read()).draft.text, after);
    });

  it('by the version before comes with its second text and its files, and what was refused with the reason', async () => {
    const root = temporaryFolder();
    const refused = { id: 'r', text: 'refused', attachments: [], state: 'refused', at: 1, sentence: 'No.' };
    const draft = { text: 'one', stash: 'two', attachments: ['file:///a.txt'], refused };
    const { path } = outboxRecords('service1');
    const before = storageIn(root).collection({ path, version: 1, schema: { parse: value => value } });
    await before.put('session', { draft, entries: [refused], writes: [] });
    const { draft: after, entries } = await outboxIn(root).read();
    const [file, entry] = [after.attachments[0], entries[0]];
    assert.deepEqual([after.text, after.problem, file?.name], ['one\n\ntwo', 'No.', 'a.txt']);
    assert.deepEqual([entry?.state, entry?.sentence], ['queued', 'No.']);
  });
});

const unasked = { onDidChange: new Emitter().event, get: () => undefined } as unknown as ChatSessions;

function conversationsIn(root: string, storage: Storage, sessions = unasked, api?: ApiClient): Conversations {
  const state = { kind: api === undefined ? 'signedOut' : 'signedIn', service: { id: 'service1' } };
  const conversations = new Conversations({
    ...{ storage, sessions, attachments: attachmentsIn(root), log: silentLog(), extras: () => false },
    connection: { api, state: new ObservableValue(state) } as unknown as Connection,
  });
  afterwards(() => conversations.dispose());
  return conversations;
}

describe('a file of ours that no draft names', () => {
  for (const [what, others, isLeft] of [
    ['goes after a day', [], false],
    ['stays where a draft cannot be read, which may name it', [['other', { draft: 'broken' }]], true],
  ] as const)
    it(what, async () => {
      const root = temporaryFolder();
      const storage = storageIn(root);
      const { path, version } = outboxRecords('service1');
      const records = storage.collection({ path, version, schema: { parse: value => value } });
      for (const [id, value] of others) await records.put(id, value);
      const away = { name: 'a.txt', read: () => Promise.resolve(Buffer.from('a')) };
      const file = fileURLToPath((await attachmentsIn(root).keep('service1', 'a.txt', away)).uri);
      await utimes(dirname(file), 0, 0);
      const later = storageIn(root);
      conversationsIn(root, later).use('service1', 'session');
      await later.collection(outboxRecords('service1')).load();
      while (!isLeft && existsSync(file)) await setImmediate();
      for (let turn = 0; turn < 50; turn++) await setImmediate();
      assert.equal(existsSync(file), isLeft);
    });
});

describe('a conversation that nobody uses any more', () => {
  for (const [what, isHeard] of [
    ['is queued', false],
    ['another window queues', true],
  ] as const)
    it(`sends what ${what}, where no chat is shown, and goes after that`, async () => {
      const { sessionId, client, ...it } = await scene();
      const { conversation: of, sessions, storage } = it.window;
      const work = it.service.busy(sessionId);
      if (!isHeard) await queueUp(it.window, 'later');
      const conversations = conversationsIn(it.root, storage, sessions, client);
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
    const kept = await storage.collection(outboxRecords('service1')).read('session');
    assert.deepEqual(
      kept?.draft.attachments.map(({ name }) => name),
      ['a.txt'],
    );
  });

  it('goes when all that was written in it is stored, and is the same until then', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    afterwards(() => mock.timers.reset());
    const root = temporaryFolder();
    let isFull = true;
    const storage = brittle(storageIn(root), () => isFull);
    const conversations = conversationsIn(root, storage);
    const { conversation, lease } = conversations.use('service1', 'session');
    conversation.composition.setText('last words');
    lease.dispose();
    await assert.rejects(conversation.flush());
    const again = conversations.use('service1', 'session');
    assert.deepEqual([again.conversation === conversation, conversation.isDisposed], [true, false]);
    again.lease.dispose();
    isFull = false;
    mock.timers.tick(5_000);
    await conversation.flush();
    assert.equal(conversation.isDisposed, true);
    const { draft } = (await storage.collection(outboxRecords('service1')).read('session'))!;
    assert.equal(draft.text, 'last words');
  });
});
