import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ownTexts } from '../../../src/chat/model';
import { TakenElsewhere } from '../../../src/chat/owner';
import { hasQueued } from '../../../src/parts/queued';
import { posts, scene, sendAndRead } from './scene';
import { busy, drained, queued, queueUp, sent } from './queueing';
import { cleanUp, openWindow, temporaryFolder, until, writeFile } from './support';

afterEach(cleanUp);

describe('a queue', () => {
  it('takes what is written while the agent works, and sends it in order when it rests', async () => {
    const it = await scene();
    const work = busy(it);
    const { conversation, sessions } = it.window;
    const uri = writeFile(temporaryFolder(), 'a.txt', 'file');
    await queueUp(it.window, 'one', 'two');
    await conversation.composition.attach([uri]);
    const [computer] = (await it.client.computers.list()).items;
    conversation.composition.setTarget({ computerId: computer!.id, name: computer!.name });
    await queueUp(it.window, 'three');
    assert.deepEqual(queued(it.window), ['one', 'two', 'three']);
    assert.deepEqual(conversation.composition.draft.attachments, []);
    assert.equal(conversation.composition.draft.text, '');
    await sessions.refresh(it.sessionId);
    assert.deepEqual(sent(it), []);
    conversation.composition.setTarget(undefined);
    work.rest();
    await conversation.queue.move(conversation.queued[2]!.id, 0);
    await drained(it.window);
    assert.deepEqual(sent(it).slice(1), ['one', 'two']);
    assert.deepEqual(posts(it)[0]?.body, {
      text: 'three',
      files: [
        {
          type: 'base64',
          mediaType: 'text/plain',
          data: Buffer.from('file').toString('base64'),
          parsedData: 'file',
          name: 'a.txt',
          path: 'src/a.txt',
        },
      ],
      computerId: computer!.id,
    });
  });

  it('can be changed while it waits', async () => {
    const it = await scene();
    const work = busy(it);
    const { conversation } = it.window;
    await queueUp(it.window, 'one', 'two', 'three');
    const [one, two, three] = conversation.queued.map(({ id }) => id);
    assert.ok(await conversation.queue.edit(two!, 'TWO'));
    assert.ok(await conversation.queue.remove(one!));
    assert.ok(await conversation.queue.move(three!, 0));
    assert.equal(await conversation.queue.remove(one!), false, 'it is gone');
    assert.deepEqual(queued(it.window), ['three', 'TWO']);
    const later = await openWindow({ root: it.root, client: it.client, sessionId: it.sessionId });
    assert.deepEqual(queued(later), ['three', 'TWO']);
    work.rest();
    await drained(it.window);
    assert.deepEqual(sent(it), ['three', 'TWO']);
  });

  it('is sent by one of many windows, each message once', async () => {
    const it = await scene();
    const work = busy(it);
    await queueUp(it.window, ...'abcdef'.split(''));
    const others = await Promise.all(
      [1, 2, 3].map(number =>
        openWindow({
          root: it.root,
          client: it.client,
          sessionId: it.sessionId,
          process: {
            owner: { host: 'here', pid: number, startedAt: 1 },
            isRunning: () => true,
          },
        }),
      ),
    );
    const windows = [it.window, ...others];
    const arrived: string[] = [];
    it.service.onDidReceive(({ method, body }) => {
      if (method === 'POST') arrived.push((body as { readonly text: string }).text);
    });
    work.rest();
    while (windows.some(({ conversation }) => conversation.queued.length > 0 || conversation.isSending)) {
      await Promise.all(windows.map(({ sessions }) => sessions.refresh(it.sessionId)));
      await new Promise(resolve => setImmediate(resolve));
    }
    assert.deepEqual(arrived, 'abcdef'.split(''));
  });

  for (const [state, fault] of [
    ['refused', { kind: 'status', status: 403 }],
    ['unknown', { kind: 'reset' }],
  ] as const) {
    it(`stops behind a message that is ${state} and goes on when that is settled`, async () => {
      const it = await scene();
      const work = busy(it);
      const { conversation, sessions } = it.window;
      await queueUp(it.window, 'one', 'two');
      it.service.fail({ ...fault, match: { method: 'POST' }, times: 1 });
      const settled = new Promise(resolve => conversation.onDidSettle(resolve));
      work.rest();
      await sessions.refresh(it.sessionId);
      await settled;
      assert.equal(conversation.sends[0]?.state, state);
      await sessions.refresh(it.sessionId);
      await sessions.refresh(it.sessionId);
      assert.deepEqual(sent(it), ['one']);
      assert.deepEqual(queued(it.window), ['two']);
      assert.ok(conversation.isQueueStopped);
      await conversation.discard(conversation.sends[0].sendId);
      await drained(it.window);
      assert.deepEqual(sent(it), ['one', 'two']);
    });
  }

  it('keeps a message whose file is gone, says why, and goes on when told to', async () => {
    const it = await scene();
    const work = busy(it);
    const { conversation, sessions } = it.window;
    const folder = temporaryFolder();
    const uri = writeFile(folder, 'a.txt', 'file');
    await conversation.composition.attach([uri]);
    await queueUp(it.window, 'one', 'two');
    const fs = await import('node:fs');
    fs.rmSync(new URL(uri));
    work.rest();
    await sessions.refresh(it.sessionId);
    await until(conversation.onDidChange, () => conversation.queued[0]?.problem !== undefined);
    assert.match(conversation.queued[0]?.problem ?? '', /a\.txt cannot be read/);
    assert.deepEqual(sent(it), []);
    writeFile(folder, 'a.txt', 'again');
    await conversation.queue.sendNow();
    await drained(it.window);
    assert.deepEqual(sent(it), ['one', 'two']);
  });

  it('drops what already stands among the sends after a crash', async () => {
    const it = await scene();
    busy(it);
    await queueUp(it.window, 'one');
    const [first] = it.window.conversation.queued;
    const send = { sendId: first!.id, sessionId: it.sessionId, text: 'one', attachments: [] };
    await it.window.journal.begin(send);
    await assert.rejects(it.window.journal.begin(send), TakenElsewhere);
    it.window.conversation.dispose();
    const later = await openWindow({
      root: it.root,
      client: it.client,
      sessionId: it.sessionId,
      process: { owner: { host: hostname(), pid: 2, startedAt: 1 }, isRunning: () => false },
    });
    await until(later.conversation.onDidChange, () => later.conversation.queued.length === 0);
    assert.deepEqual(sent(it), []);
    assert.deepEqual(
      later.conversation.sends.map(({ text, state }) => [text, state]),
      [['one', 'unknown']],
    );
  });

  it('takes over what a window that is gone had claimed', async () => {
    const it = await scene();
    const work = busy(it);
    await queueUp(it.window, 'one');
    await it.window.queue.claim(it.sessionId);
    const process = {
      owner: { host: it.window.conversation.queued[0]!.claim!.owner.host, pid: 2, startedAt: 1 },
    };
    const alive = await openWindow({
      root: it.root,
      client: it.client,
      sessionId: it.sessionId,
      process: { ...process, isRunning: () => true },
    });
    work.rest();
    await alive.sessions.refresh(it.sessionId);
    await alive.conversation.queue.sendNow();
    assert.deepEqual(sent(it), [], 'the one that claimed it lives');
    it.window.conversation.dispose();
    const later = await openWindow({
      root: it.root,
      client: it.client,
      sessionId: it.sessionId,
      process: { ...process, isRunning: () => false },
    });
    await drained(later);
    assert.deepEqual(sent(it), ['one']);
  });

  it('is not used while the agent is idle', async () => {
    const it = await scene();
    await it.window.sessions.refresh(it.sessionId);
    await it.window.conversation.submit('now', randomUUID());
    assert.deepEqual(queued(it.window), []);
    assert.deepEqual(sent(it).length <= 1, true);
    await until(it.window.conversation.onDidChange, () => !it.window.conversation.isSending);
    assert.deepEqual(sent(it), ['now']);
  });

  it('refuses the same id twice', async () => {
    const it = await scene();
    busy(it);
    await it.window.sessions.refresh(it.sessionId);
    const id = randomUUID();
    await it.window.conversation.submit('one', id);
    await assert.rejects(it.window.conversation.submit('one', id), /recorded already/);
    assert.deepEqual(queued(it.window), ['one']);
  });
});

describe('what an earlier window has queued', () => {
  it('is seen without reading anything else, until it is gone', async () => {
    const it = await scene();
    assert.equal(await hasQueued(it.root), false);
    busy(it);
    await it.window.sessions.refresh(it.sessionId);
    await queueUp(it.window, 'later');
    await it.window.storage.settled();
    assert.equal(await hasQueued(it.root), true);
    const [waiting] = it.window.conversation.queued;
    assert.ok(await it.window.conversation.queue.remove(waiting!.id));
    await it.window.storage.settled();
    assert.equal(await hasQueued(it.root), false);
  });
});

describe('what a page still held when it went', () => {
  it('comes back as the draft', async () => {
    const it = await scene();
    await it.window.conversation.takeUnsaved({ text: 'half a thought' });
    assert.equal(it.window.conversation.composition.draft.text, 'half a thought');
  });

  it('never takes the place of what was written later; neither is lost', async () => {
    const it = await scene();
    const { conversation, drafts } = it.window;
    const draft = () => drafts.get(it.sessionId);
    conversation.composition.setText('Written later, elsewhere');
    await conversation.takeUnsaved({ text: 'An older thought', at: Date.now() - 60_000 });
    assert.equal(draft().text, 'Written later, elsewhere');
    assert.equal(draft().stash, 'An older thought');
    // Its only letter is the first one of what it takes the place of.
    await conversation.takeUnsaved({ text: 'W', at: Date.now() + 60_000 });
    assert.equal(draft().text, 'W');
    assert.equal(draft().stash, 'An older thought\n\nWritten later, elsewhere');
  });

  it('replaces earlier words of its own, and is gone once it was sent from elsewhere', async () => {
    const it = await scene();
    const { conversation, drafts } = it.window;
    conversation.composition.setText('half a tought');
    await conversation.takeUnsaved({ text: 'half a thought, and more', at: Date.now() });
    assert.equal(drafts.get(it.sessionId).text, 'half a thought, and more');
    assert.equal(drafts.get(it.sessionId).stash, undefined);
    const at = Date.now() - 1000;
    await sendAndRead(it.window, 'half a thought, and more');
    await conversation.takeUnsaved({ text: 'half a thought, and more', at });
    assert.equal(conversation.composition.draft.text, '');
  });

  it('is known to be sent or queued by its id', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const id = randomUUID();
    const settled = new Promise(resolve => conversation.onDidSettle(resolve));
    await conversation.submit('sent', id);
    assert.ok(conversation.isRecorded(id));
    await settled;
    assert.ok(conversation.isRecorded(id));
    assert.ok(!conversation.isRecorded('another'));
    await it.service.settle();
    await sendAndRead(it.window, 'next');
    busy(it);
    const other = randomUUID();
    await it.window.sessions.refresh(it.sessionId);
    await conversation.submit('queued', other);
    assert.ok(conversation.isRecorded(other));
    assert.equal(conversation.composition.draft.text, '');
  });
});

describe('the look before a send', () => {
  it('counts the messages there are then, and does not hold the send up', async () => {
    const it = await scene();
    await sendAndRead(it.window, 'one');
    await it.service.settle();
    const { messageCount } = await it.client.sessions.get(it.sessionId);
    it.window.sessions.age(it.sessionId, 60_000);
    it.service.fail({ kind: 'reset', match: { method: 'POST' }, times: 1 });
    await sendAndRead(it.window, 'two');
    assert.equal(it.window.conversation.sends[0]?.before?.messageCount, messageCount);
    await it.window.conversation.discard(it.window.conversation.sends[0].sendId);
    it.window.sessions.age(it.sessionId, 60_000);
    it.service.fail({ kind: 'delay', ms: 60_000, match: { method: 'GET', path: /sessions\/[^/]+$/ } });
    const began = Date.now();
    await it.window.conversation.sendDraft('three');
    assert.ok(Date.now() - began < 4000);
  });
});

describe('own earlier messages', () => {
  it('are listed, the latest first, each once', async () => {
    const it = await scene();
    for (const text of ['one', 'two', 'one']) {
      await sendAndRead(it.window, text);
      await it.service.settle();
    }
    assert.deepEqual(ownTexts(it.window.conversation.transcript.known), ['one', 'two']);
  });
});
