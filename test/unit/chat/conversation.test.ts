import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { hasQueued } from '../../../src/startup';
import { unread } from '../../../src/chat/transcript/messages';
import { scene, type Scene, attachmentsIn, left, temporaryFolder, writeFile } from './support';

/** How often the service was asked for the list of messages, and how the session stands. */
const asked = ({ service: { requests }, sessionId }: Scene): number[] =>
  ['/messages', sessionId].map(
    end => requests.filter(({ method, path }) => method === 'GET' && path.endsWith(end)).length,
  );

describe('a conversation', () => {
  it('sends the documented body once, reads earlier replies with the next message, and shows another window both', async () => {
    const it = await scene({ extras: () => true });
    const { composition, transcript } = it;
    await composition.attach([writeFile(temporaryFolder(), 'notes.md', '# Notes\n')]);
    await it.send('Please look.');
    const [body, ...others] = it
      .posts()
      .map(post => post.body as { text: string; files: { name: string }[] });
    const files = body?.files.map(({ name }) => name);
    assert.deepEqual([body?.text, files, others], ['Please look.', ['notes.md'], []]);
    assert.deepEqual(composition.draft, { text: '', attachments: [] });
    assert.deepEqual(it.sessions.noted, ['Please look.']);
    const [{ sent: kept } = assert.fail()] = transcript.known.values();
    assert.deepEqual(kept?.attachments, [{ name: 'notes.md', kind: 'text', size: 8 }], 'and no address');
    await it.service.settle();
    const before = transcript.known.size;
    await it.send('And then?');
    assert.ok(transcript.known.size > before + 3, `replies were read (${before}, ${transcript.known.size})`);
    const { length } = it.service.requests;
    assert.deepEqual(asked(it), [1, 1], 'for its list, and whether only that is missing; a send costs none');
    assert.ok(!it.log.lines.some(line => /warn|error/i.test(line)));
    const later = await it.open({ signedIn: () => false });
    for (const window of [it, later]) assert.deepEqual(window.texts(), ['Please look.', 'And then?']);
    assert.equal(it.service.requests.length, length, 'what was read is not asked again');
  });

  it('goes on with a walk that was interrupted, which shows that a send without an answer has arrived', async () => {
    const it = await scene();
    await it.refresh();
    it.failSend('truncate');
    await it.send('one');
    assert.equal(it.conversation.sends[0]?.state, 'unknown');
    await it.service.settle();
    const match = { method: 'GET', path: /\/messages\// };
    const cut = it.service.fail({ kind: 'status', status: 403, match });
    await it.send('two');
    assert.deepEqual(it.texts(), [], 'the body of the new message could not be read');
    cut.dispose();
    const later = await it.open();
    await later.changed(() => later.texts().length === 2);
    await later.conversation.readOn();
    assert.deepEqual([unread(later.transcript.known), later.conversation.sends], [[], []]);
    assert.deepEqual(later.texts(), ['one', 'two']);
    assert.ok(later.transcript.known.size > 3);
    assert.equal(asked(it)[0], 0, 'extras are off');
  });
});

describe('a send', () => {
  it('that is refused is in the composer again, with its files, one that came meanwhile, and the reason, until that is empty', async () => {
    const it = await scene();
    it.failSend(403);
    const folder = temporaryFolder();
    const [a, b, empty] = ['a.ts', 'b.ts', ''].map(name => writeFile(folder, name || 'empty', name));
    const { composition, conversation } = it;
    await composition.attach([a!, empty!]);
    await assert.rejects(conversation.submit('Hello'), /Remove the attachments/);
    assert.deepEqual([it.draft(), it.posts()], [['Hello', a, empty], []], 'it never left');
    composition.detach(empty!);
    const outcome = it.settled();
    await Promise.all([conversation.submit('Hello'), composition.attach([b!])]);
    assert.equal(((await outcome) as { readonly state: string }).state, 'refused');
    await conversation.flush();
    for (const window of [it, await it.open()]) {
      assert.deepEqual([window.draft().sort(), window.conversation.sends], [['Hello', a, b].sort(), []]);
      assert.match(window.composition.draft.problem ?? '', /403/);
    }
    assert.equal(it.posts().length, 1);
    composition.setText('');
    assert.equal(composition.draft.problem, undefined);
  });

  for (const fault of ['reset', 500] as const)
    it(`without an answer (${fault}) is unknown, never sent again by itself, and once on request`, async () => {
      const it = await scene();
      await it.refresh();
      it.failSend(fault);
      await it.send('Hello');
      const { conversation } = it;
      const [send = assert.fail()] = conversation.sends;
      assert.deepEqual([send.state, send.text, send.before?.messageCount], ['unknown', 'Hello', 0]);
      assert.ok(send.at >= it.posts()[0]!.receivedAt, 'what was known of the session before tells nothing');
      assert.ok(conversation.rows.statusAt! > send.at, 'the session was looked at');
      assert.equal(asked(it)[1], 2, 'once before, which was asked for here, and once after');
      assert.deepEqual(it.draft(), [''], 'the text is with the send');
      await assert.rejects(conversation.takeBack(send.id), /dealt with meanwhile/, 'it may have arrived');
      await conversation.refresh();
      assert.equal((await it.open()).conversation.sends[0]?.state, 'unknown');
      assert.equal(it.posts().length, 1);
      const outcome = it.settled();
      const twice = [conversation.sendAgain(send.id), conversation.sendAgain(send.id)];
      const ends = (await Promise.allSettled(twice)).map(({ status }) => status);
      assert.deepEqual(ends.sort(), ['fulfilled', 'rejected']);
      await outcome;
      await conversation.readOn();
      assert.deepEqual([it.posts().length, conversation.sends, it.texts()], [2, [], ['Hello']]);
    });

  it('costs three durable writes of the chat, and has let go of the bytes of its files when it leaves', async () => {
    const read: WeakRef<Uint8Array>[] = [];
    const attachments = attachmentsIn(temporaryFolder());
    attachments.parts = () => {
      const bytes = new Uint8Array(1_000_000);
      read.push(new WeakRef(bytes));
      return Promise.resolve([{ bytes, kind: 'image', mediaType: 'image/png', name: 'a', path: 'a' }]);
    };
    let writes = 0;
    const { service, ...it } = await scene({ attachments, fails: () => ++writes < 0 });
    const held: unknown[] = [];
    service.onDidReceive(({ method }) => method === 'POST' && held.push(left(read).length));
    it.composition.setText('Look at this');
    writes = 0;
    const after = it.settled().then(() => writes);
    await it.conversation.submit('Look at this');
    assert.ok((await after) <= 3, 'to the transcript; with what the sessions note of it, four');
    assert.deepEqual([read.length, held], [1, [0]]);
    assert.deepEqual([it.transcript.known.size, it.conversation.sends], [1, []]);
  });

  it('that is accepted, but cannot be written any more, has its id logged and is kept as soon as that works', async () => {
    let isFull = false;
    const it = await scene({ fails: path => isFull && /outbox$|transcripts/.test(path) });
    it.service.onDidReceive(({ method }) => (isFull ||= method === 'POST'));
    const { conversation, transcript, log } = it;
    await it.send('Hello').catch(() => undefined);
    assert.deepEqual([conversation.isSending, transcript.known.size], [false, 0]);
    const id = conversation.sends[0]?.messageId ?? 'none';
    assert.ok(log.lines.join('\n').includes(id), log.lines.join('\n'));
    isFull = false;
    await conversation.readOn();
    assert.deepEqual([transcript.known.has(id), conversation.sends], [true, []]);
  });
});

describe('a queue', () => {
  /** A session whose agent works, and what waits until it rests. */
  async function queueing(...texts: readonly string[]) {
    const it = await scene();
    const work = it.busy();
    await it.queue(...texts);
    const rest = (): Promise<unknown> => {
      work.dispose();
      return it.refresh();
    };
    return { ...it, rest };
  }

  it('takes what is written while the agent works, each once, and sends it in order when it rests, of which other windows may know better', async () => {
    const it = await queueing();
    const { conversation, composition, sessions, storage } = it;
    assert.equal(await hasQueued(storage), false);
    await it.queue('one');
    await conversation.submit('two', 'the-same-id');
    await assert.rejects(conversation.submit('two', 'the-same-id'), /already recorded/);
    composition.setText('');
    await composition.attach([writeFile(temporaryFolder(), 'a.txt', 'file')]);
    composition.setTarget(it.computer);
    await it.queue('three');
    assert.deepEqual([it.queued(), it.draft()], [['one', 'two', 'three'], ['']]);
    await it.refresh();
    assert.deepEqual(it.sent(), []);
    assert.equal(await hasQueued(storage), true, 'which a window that opens sees first');
    conversation.watch();
    assert.deepEqual(sessions.watched, [undefined, 'inFront'], 'only who shows a session reads it');
    composition.setTarget(undefined);
    sessions.unheard = { status: 'running' };
    await it.rest();
    for (let times = 0; times < 2; times++) await it.refresh();
    assert.deepEqual(it.sent(), [], 'another window has set it to work');
    sessions.unheard = {};
    await it.drained();
    assert.deepEqual([it.sent(), await hasQueued(storage)], [['one', 'two', 'three'], false]);
    const { files, computerId } = it.posts()[2]?.body as { files: unknown[]; computerId: string };
    assert.deepEqual([files.length, computerId], [1, it.computer.computerId]);
  });

  for (const fault of [403, 'reset'] as const)
    it(`stops behind a message that is ${fault === 403 ? 'refused' : 'unknown'}, until that is settled`, async () => {
      const it = await queueing('one', 'two');
      const { conversation, composition } = it;
      it.failSend(fault);
      const outcome = it.settled();
      await it.rest();
      await outcome;
      await it.refresh();
      assert.deepEqual([it.sent(), it.queued()], [['one'], ['two']]);
      assert.ok(conversation.isQueueStopped);
      if (fault === 'reset') await conversation.discard(conversation.sends[0]!.id);
      else composition.setText(composition.draft.text.replace('one', ''));
      await it.drained();
      assert.deepEqual(it.sent(), ['one', 'two']);
    });

  it('keeps a message whose file is gone, says why, and goes on when it is taken back behind what is written', async () => {
    const it = await queueing();
    const { conversation, composition } = it;
    const uri = writeFile(temporaryFolder(), 'a.txt', 'file');
    await composition.attach([uri]);
    await it.queue('one', 'two');
    rmSync(new URL(uri));
    await it.rest();
    await it.changed(() => conversation.queued[0]?.sentence !== undefined);
    const [{ id, sentence = '' } = assert.fail()] = conversation.queued;
    assert.match(sentence, /a\.txt cannot be read/);
    composition.setText('But first');
    await conversation.takeBack(id);
    await it.drained();
    assert.deepEqual([it.sent(), it.draft()], [['two'], ['But first\n\none', uri]]);
  });

  it('refuses nothing that a command sends while one of its messages is being made ready, and no draft is touched', async () => {
    const it = await queueing('one');
    it.composition.setText('mine');
    await it.rest();
    assert.equal(it.conversation.isStarting, false, 'the person can write and send');
    const { state } = await it.conversation.sendDirectly('from a script', []);
    assert.deepEqual([state, it.sent(), it.draft()], ['accepted', ['one', 'from a script'], ['mine']]);
  });

  it('waits behind what another window is sending, which is unknown when that is gone, and then for the person', async () => {
    const it = await scene();
    it.service.fail({ kind: 'delay', ms: 60_000, match: { method: 'POST' } });
    await it.refresh();
    await it.conversation.submit('lost');
    let late = 0;
    const { conversation, queue } = await it.open({ now: () => Date.now() + late });
    await queue('next');
    const seen = async (): Promise<unknown> => {
      await conversation.refresh();
      return [...conversation.sends, ...conversation.queued].map(({ state, text }) => `${state} ${text}`);
    };
    assert.deepEqual(await seen(), ['sending lost', 'queued next'], 'its window lives');
    it.conversation.dispose();
    late = 60_000;
    assert.deepEqual([await seen(), it.sent()], [['unknown lost', 'queued next'], ['lost']]);
  });

  it('takes a message whose window lost its turn before the request left, which then leaves once', async () => {
    const it = await scene();
    let [late, isToLapse] = [0, false];
    const fails = (path: string): boolean => {
      if (isToLapse && path.endsWith('/outbox')) [late, isToLapse] = [late + 60_000, false];
      return false;
    };
    const { conversation, ...window } = await it.open({ fails, now: () => Date.now() + late });
    isToLapse = true;
    const directly = conversation.sendDirectly('from a script', []);
    await assert.rejects(directly, { message: /queue/, recorded: true });
    await window.drained();
    it.failSend('reset');
    await conversation.submit('lost');
    await window.changed(() => conversation.sends[0]?.state === 'unknown');
    isToLapse = true;
    await conversation.sendAgain(conversation.sends[0]!.id);
    await window.drained();
    assert.deepEqual(it.sent(), ['from a script', 'lost', 'lost']);
  });
});
