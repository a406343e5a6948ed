import assert from 'node:assert/strict';
import { scene, sendAndRead, texts } from './scene';
import { cleanUp, temporaryFolder, writeFile } from './support';

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
    let writes = 0;
    const it = await scene(undefined, () => ++writes < 0);
    const { conversation } = it.window;
    conversation.composition.setText('Hello');
    writes = 0;
    const after = new Promise<number>(resolve => conversation.onDidSettle(() => resolve(writes)));
    await conversation.submit('Hello');
    assert.ok((await after) <= 3, 'with what the sessions note of it, four');
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
    assert.deepEqual([conversation.isSending, conversation.sends], [false, []]);
    assert.equal(conversation.composition.draft.text, 'Hello');
  });
});

describe('a file', () => {
  it('that came while a send was being recorded stays, also when that is refused', async () => {
    const it = await scene();
    const folder = temporaryFolder();
    const [a, b] = [writeFile(folder, 'a.ts', 'a'), writeFile(folder, 'b.ts', 'b')];
    const { conversation } = it.window;
    const { composition } = conversation;
    it.service.fail({ kind: 'status', status: 403, match: { method: 'POST' } });
    await composition.attach([a]);
    const settled = new Promise(resolve => conversation.onDidSettle(resolve));
    const began = conversation.submit('Hello');
    await Promise.all([began, composition.attach([b]), settled]);
    const { text, attachments } = composition.draft;
    assert.deepEqual([text, attachments.map(({ uri }) => uri).sort()], ['Hello', [a, b].sort()]);
  });
});
