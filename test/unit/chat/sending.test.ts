import assert from 'node:assert/strict';
import { scene, sendAndRead, texts } from './scene';
import { busy, drained, queueUp, sent } from './queueing';
import { storedRows } from '../../fakes/storage';
import { cleanUp, temporaryFolder, until, writeFile } from './support';

afterEach(cleanUp);

/** A scene in which nothing can be written to these records from when a message arrives until `room` is made. */
async function fullAfterArrival(records: RegExp) {
  let isFull = false;
  const it = await scene(undefined, path => isFull && records.test(path));
  it.service.onDidReceive(({ method }) => {
    if (method === 'POST') isFull = true;
  });
  return { ...it, room: () => (isFull = false) };
}

describe('an accepted message', () => {
  it('costs three durable writes of the chat, from what is typed to the transcript', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const written = (): number => Math.max(0, ...storedRows(it.root).map(({ seq }) => seq));
    conversation.composition.setText('Hello');
    const before = written();
    const after = new Promise<number>(resolve => conversation.onDidSettle(() => resolve(written())));
    await conversation.submit('Hello');
    assert.ok((await after) - before <= 3, 'with what the sessions note of it, four');
    assert.equal(conversation.transcript.known.size, 1);
    assert.deepEqual(conversation.sends, []);
  });
});

describe('a send whose outcome cannot be written', () => {
  it('keeps the message of an accepted one and lets the next one go', async () => {
    const it = await fullAfterArrival(/outbox$/);
    const { conversation, log } = it.window;
    await sendAndRead(it.window, 'Hello');
    assert.deepEqual(texts(it.window), ['Hello']);
    assert.deepEqual([conversation.isSending, conversation.sends], [false, []]);
    const id = [...conversation.transcript.known.keys()][0] ?? 'none';
    assert.ok(
      log.lines.some(line => line.includes(id)),
      log.lines.join('\n'),
    );
    it.room();
    await sendAndRead(it.window, 'Again');
    assert.deepEqual(texts(it.window), ['Hello', 'Again']);
    assert.equal(it.window.sessions.noted.length, 2);
  });

  it('logs the id of an accepted one and keeps it as soon as that works', async () => {
    const it = await fullAfterArrival(/outbox$|transcripts/);
    const { conversation, log } = it.window;
    await sendAndRead(it.window, 'Hello').catch(() => undefined);
    assert.equal(conversation.isSending, false);
    assert.equal(conversation.transcript.known.size, 0);
    const id = conversation.sends[0]?.messageId ?? 'none';
    assert.ok(
      log.lines.some(line => line.includes(id)),
      log.lines.join('\n'),
    );
    it.room();
    await conversation.readOn();
    assert.ok(conversation.transcript.known.has(id));
    assert.deepEqual(conversation.sends, []);
  });

  it('gives back the text of a refused one', async () => {
    const it = await fullAfterArrival(/outbox$/);
    it.service.fail({ kind: 'status', status: 403, match: { method: 'POST' } });
    await sendAndRead(it.window, 'Hello');
    const { conversation } = it.window;
    assert.equal(conversation.sends[0]?.state, 'refused');
    assert.equal(conversation.isSending, false);
    assert.equal(conversation.composition.draft.text, 'Hello');
  });
});

describe('a queued message on a full disk', () => {
  it('stays queued, with the reason, until there is room or it is taken back', async () => {
    let isFull = false;
    const it = await scene(undefined, path => isFull && path.endsWith('/outbox'));
    const { conversation, sessions } = it.window;
    const work = busy(it);
    await queueUp(it.window, 'one', 'two');
    work.rest();
    isFull = true;
    await sessions.refresh(it.sessionId);
    await until(conversation.onDidChange, () => conversation.queued[0]?.sentence !== undefined);
    await conversation.refresh();
    assert.deepEqual([sent(it), conversation.sends, conversation.isSending], [[], [], false]);
    assert.deepEqual(
      conversation.queued.map(({ text, sentence }) => [text, sentence]),
      [
        ['one', 'no space left'],
        ['two', undefined],
      ],
    );
    assert.ok(conversation.isQueueStopped);
    isFull = false;
    assert.ok(await conversation.composition.takeBackQueued(conversation.queued[0]!.id));
    await drained(it.window);
    assert.deepEqual([sent(it), conversation.composition.draft.text], [['two'], 'one']);
  });
});

describe('a file', () => {
  for (const refused of [false, true]) {
    it(`that came while a send was being recorded stays${refused ? ', also when that is refused' : ''}`, async () => {
      const it = await scene();
      const folder = temporaryFolder();
      const [a, b] = [writeFile(folder, 'a.ts', 'a'), writeFile(folder, 'b.ts', 'b')];
      const { conversation } = it.window;
      if (refused) it.service.fail({ kind: 'status', status: 403, match: { method: 'POST' } });
      await conversation.composition.attach([a]);
      const settled = new Promise(resolve => conversation.onDidSettle(resolve));
      const sending = conversation.submit('Hello');
      const attaching = conversation.composition.attach([b]);
      await Promise.all([sending, attaching, settled]);
      assert.deepEqual(conversation.composition.draft, { text: '', attachments: [b] });
      assert.deepEqual(
        conversation.composition.references.map(({ name }) => name),
        ['b.ts'],
      );
      if (!refused) return;
      await conversation.composition.editAgain(conversation.sends[0]!.id);
      const { text, attachments } = conversation.composition.draft;
      assert.deepEqual({ text, attachments }, { text: 'Hello', attachments: [a, b] });
    });
  }
});
