import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ownTexts } from '../../../src/chat/model';
import { hasQueued } from '../../../src/parts/queued';
import { posts, scene, sendAndRead, type Scene } from './scene';
import { cleanUp, openWindow, temporaryFolder, until, writeFile, type Window } from './support';

afterEach(cleanUp);

/** The agent works until `rest` is called: what the service says of the session is changed. */
function busy({ service, sessionId }: Scene): { rest(): void } {
  const fault = service.fail({
    kind: 'alter',
    match: { method: 'GET', path: new RegExp(`/sessions/${sessionId}$`) },
    alter: body => ({ ...(body as object), status: 'running' }),
  });
  return { rest: () => fault.dispose() };
}

const sent = (it: Scene): readonly unknown[] => posts(it).map(({ body }) => (body as { text: unknown }).text);
const queued = ({ conversation }: Window): readonly string[] => conversation.queued.map(({ text }) => text);

async function queueUp(window: Window, ...texts: readonly string[]): Promise<void> {
  await window.sessions.refresh(window.conversation.sessionId);
  for (const text of texts) await window.conversation.submit(text, randomUUID());
}

/** Waits until nothing is queued or on its way. */
async function drained({ conversation, sessions }: Window): Promise<void> {
  const empty = (): boolean => conversation.queued.length === 0 && !conversation.isSending;
  while (!empty()) {
    const settled = new Promise(resolve => conversation.onDidSettle(resolve));
    await sessions.refresh(conversation.sessionId);
    if (!empty()) await settled;
  }
}

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

  it('keeps a message back while it is being changed', async () => {
    const it = await scene();
    const work = busy(it);
    const { conversation } = it.window;
    await queueUp(it.window, 'one', 'two');
    const [one, two] = conversation.queued.map(({ id }) => id);
    conversation.queue.hold({ id: one! });
    work.rest();
    await conversation.refresh();
    await conversation.refresh();
    await it.window.storage.settled();
    assert.ok(conversation.queue.isHeld);
    assert.deepEqual(sent(it), []);
    assert.ok(await conversation.queue.edit(one!, 'ONE'));
    // Holding another one lets the first go.
    conversation.queue.hold({ id: two!, text: 'tw' });
    assert.equal(conversation.queue.isHeld, false);
    await until(conversation.onDidChange, () => conversation.queue.isHeld && !conversation.isSending);
    assert.deepEqual(queued(it.window), ['two']);
    // Its page is gone: it may go, and what was written for it is still known.
    conversation.queue.letGo();
    await drained(it.window);
    assert.deepEqual(sent(it), ['ONE', 'two']);
    assert.deepEqual(conversation.queue.changing, { id: two, text: 'tw' });
    conversation.queue.hold(undefined);
    assert.equal(conversation.queue.changing, undefined);
  });

  it('knows in the next window what was being written for it', async () => {
    const it = await scene();
    busy(it);
    const { conversation, drafts } = it.window;
    await queueUp(it.window, 'one');
    const [id = ''] = conversation.queued.map(message => message.id);
    conversation.composition.setText('A draft');
    conversation.queue.hold({ id, text: 'one, half cha' });
    // What happens to the draft leaves it.
    await conversation.submit('A draft', 'an-id-of-a-send');
    await drafts.flush();
    const next = await openWindow(it);
    assert.deepEqual(next.conversation.queue.changing, { id, text: 'one, half cha' });
    assert.equal(next.conversation.queue.isHeld, false, 'until its page is seen');
    next.conversation.queue.hold({ id, text: 'one, changed' });
    next.conversation.queue.hold(undefined);
    await next.drafts.flush();
    const last = await openWindow(it);
    assert.equal(last.conversation.queue.changing, undefined);
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
  }).timeout(30_000);

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
    await it.window.journal.begin({
      sendId: first!.id,
      sessionId: it.sessionId,
      text: 'one',
      attachments: [],
    });
    await until(it.window.conversation.onDidChange, () => it.window.conversation.queued.length === 0);
    assert.deepEqual(sent(it), []);
    assert.equal(it.window.conversation.sends[0]?.text, 'one');
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
  }).timeout(10_000);
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
