import assert from 'node:assert/strict';
import { scene, sendAndRead, texts } from './scene';
import { busy, drained, queueUp, sent } from './queueing';
import { cleanUp, openWindow, temporaryFolder, until, writeFile } from './support';

afterEach(cleanUp);

describe('a send whose outcome cannot be written', () => {
  it('keeps the message of an accepted one and lets the next one go', async () => {
    const it = await scene(undefined, (path, change) => path.endsWith('/sends') && change !== 'put');
    const { conversation, log } = it.window;
    await sendAndRead(it.window, 'Hello');
    assert.deepEqual(texts(it.window), ['Hello']);
    assert.equal(conversation.isSending, false);
    const id = [...conversation.transcript.known.keys()][0] ?? 'none';
    assert.ok(
      log.lines.some(line => line.includes(id)),
      log.lines.join('\n'),
    );
    await sendAndRead(it.window, 'Again');
    assert.deepEqual(texts(it.window), ['Hello', 'Again']);
    assert.equal(it.window.sessions.noted.length, 2);
  });

  it('logs the id of an accepted one and keeps it as soon as that works', async () => {
    let full = true;
    const it = await scene(undefined, (path, change) => full && change === 'update' && !/drafts/.test(path));
    const { conversation, log } = it.window;
    await sendAndRead(it.window, 'Hello').catch(() => undefined);
    assert.equal(conversation.isSending, false);
    assert.equal(conversation.transcript.known.size, 0);
    const id = conversation.sends[0]?.messageId ?? 'none';
    assert.ok(
      log.lines.some(line => line.includes(id)),
      log.lines.join('\n'),
    );
    full = false;
    await conversation.readOn();
    assert.ok(conversation.transcript.known.has(id));
    assert.deepEqual(conversation.sends, []);
  });

  it('gives back the text of a refused one', async () => {
    const it = await scene(undefined, (path, change) => path.endsWith('/sends') && change === 'update');
    it.service.fail({ kind: 'status', status: 403, match: { method: 'POST' } });
    await sendAndRead(it.window, 'Hello');
    const { conversation } = it.window;
    assert.equal(conversation.sends[0]?.state, 'refused');
    assert.equal(conversation.isSending, false);
    assert.equal(conversation.composition.draft.text, 'Hello');
  });
});

describe('a queued message on a full disk', () => {
  for (const [what, isLast] of [
    ['its record', (path: string, change: string) => path.endsWith('/sends') && change === 'put'],
    ['its claim', (path: string, change: string) => path.endsWith('/queue') && change === 'update'],
  ] as const) {
    it(`stays queued, with the reason, when ${what} was the last that could be written`, async () => {
      let [isNearlyFull, isFull] = [false, false];
      const it = await scene(undefined, (path, change) => {
        if (isFull || !isNearlyFull || !isLast(path, change)) return isFull;
        isFull = true;
        return false;
      });
      const { conversation, sessions } = it.window;
      const work = busy(it);
      await queueUp(it.window, 'one', 'two');
      work.rest();
      isNearlyFull = true;
      await sessions.refresh(it.sessionId);
      await until(conversation.onDidChange, () => conversation.queued[0]?.problem !== undefined);
      await conversation.refresh();
      assert.deepEqual([sent(it), conversation.sends, conversation.isSending], [[], [], false]);
      assert.deepEqual(
        conversation.queued.map(({ text, problem }) => [text, problem]),
        [
          ['one', 'no space left'],
          ['two', undefined],
        ],
      );
      assert.ok(conversation.isQueueStopped);
      // There is room again, and what must not be there goes.
      [isNearlyFull, isFull] = [false, false];
      await conversation.refresh();
      const { journal } = await openWindow({ root: it.root, client: it.client, sessionId: it.sessionId });
      assert.deepEqual(journal.ofSession(it.sessionId), []);
      await conversation.queue.sendNow();
      await drained(it.window);
      assert.deepEqual(sent(it), ['one', 'two']);
    });
  }
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
      const sending = conversation.sendDraft('Hello');
      const attaching = conversation.composition.attach([b]);
      const { sendId } = await sending;
      await Promise.all([attaching, settled]);
      assert.deepEqual(conversation.composition.draft, { text: '', attachments: [b] });
      assert.deepEqual(
        conversation.composition.references.map(({ name }) => name),
        ['b.ts'],
      );
      if (!refused) return;
      await conversation.editAgain(sendId);
      const { text, attachments } = conversation.composition.draft;
      assert.deepEqual({ text, attachments }, { text: 'Hello', attachments: [a, b] });
    });
  }
});
