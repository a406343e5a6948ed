import assert from 'node:assert/strict';
import { unread } from '../../../src/chat/transcript/messages';
import { RowBuilder } from '../../../src/chat/transcript/rows';
import { Formatter } from '../../../src/util/format';
import { posts, scene, sendAndRead, sent, settled, texts } from './scene';
import { attachmentsIn, cleanUp, left, openWindow, temporaryFolder, until, writeFile } from './support';

afterEach(cleanUp);

describe('a conversation', () => {
  it('sends the documented body once, and reads earlier replies with the next message', async () => {
    const it = await scene();
    const { composition, transcript } = it.window.conversation;
    await composition.attach([writeFile(temporaryFolder(), 'notes.md', '# Notes\n')]);
    await sendAndRead(it.window, 'Please look.');
    const [body, ...others] = posts(it).map(post => post.body as { text: string; files: { name: string }[] });
    const files = body?.files.map(({ name }) => name);
    assert.deepEqual([body?.text, files, others], ['Please look.', ['notes.md'], []]);
    assert.deepEqual(composition.draft, { text: '', attachments: [] });
    const noted = it.window.sessions.noted.map(({ text }) => text);
    assert.deepEqual(noted, ['Please look.']);
    await it.service.settle();
    const before = transcript.known.size;
    await sendAndRead(it.window, 'And then?');
    assert.deepEqual(texts(it.window), ['Please look.', 'And then?']);
    assert.ok(transcript.known.size > before + 3, `replies were read (${before}, ${transcript.known.size})`);
  });

  it('shows what was read in another window without asking again', async () => {
    const it = await scene();
    await sendAndRead(it.window, 'one');
    const asked = it.service.requests.length;
    const later = await openWindow({ ...it, signedIn: () => false });
    assert.deepEqual(texts(later), ['one']);
    assert.equal(it.service.requests.length, asked);
  });

  it('leaves the draft of the person alone when a command sends', async () => {
    const it = await scene();
    const { conversation } = it.window;
    conversation.composition.setText('mine');
    const { state } = await conversation.sendDirectly('from a script', []);
    assert.deepEqual([state, conversation.composition.draft.text], ['accepted', 'mine']);
    assert.deepEqual(sent(it), ['from a script']);
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
  });
});

describe('a send that is refused', () => {
  it('is in the composer again, with its files and the reason, until that is empty', async () => {
    const it = await scene();
    it.service.fail({ kind: 'status', status: 403, match: { method: 'POST' } });
    const uri = writeFile(temporaryFolder(), 'a.ts', 'a');
    const { conversation } = it.window;
    await conversation.composition.attach([uri]);
    await sendAndRead(it.window, 'Hello');
    const later = await openWindow(it);
    for (const { composition, sends } of [conversation, later.conversation]) {
      const { text, attachments, problem } = composition.draft;
      assert.deepEqual([text, attachments.map(each => each.uri), sends], ['Hello', [uri], []]);
      assert.match(problem ?? '', /403/);
    }
    assert.equal(posts(it).length, 1);
    conversation.composition.setText('');
    assert.equal(conversation.composition.draft.problem, undefined);
  });

  it('leaves a file that came while it was being recorded', async () => {
    const it = await scene();
    const folder = temporaryFolder();
    const [a, b] = [writeFile(folder, 'a.ts', 'a'), writeFile(folder, 'b.ts', 'b')];
    const { composition } = it.window.conversation;
    it.service.fail({ kind: 'status', status: 403, match: { method: 'POST' } });
    await composition.attach([a]);
    const began = it.window.conversation.submit('Hello');
    await Promise.all([began, composition.attach([b]), settled(it.window)]);
    const { text, attachments } = composition.draft;
    assert.deepEqual([text, attachments.map(({ uri }) => uri).sort()], ['Hello', [a, b].sort()]);
  });

  for (const [why, signedIn, reason] of [
    ['a file cannot be sent', true, /Remove the attachments/],
    ['signed out', false, /Sign in/],
  ] as const)
    it(`never left while ${why}; the draft stays`, async () => {
      const it = await scene({ signedIn: () => signedIn });
      const { conversation } = it.window;
      if (signedIn) await conversation.composition.attach([writeFile(temporaryFolder(), 'empty', '')]);
      await assert.rejects(conversation.submit('Hello'), reason);
      assert.equal(conversation.composition.draft.text, 'Hello');
      assert.deepEqual([posts(it), conversation.sends], [[], []]);
    });
});

describe('a send without an answer', () => {
  for (const fault of [{ kind: 'reset' }, { kind: 'status', status: 500 }] as const) {
    it(`is unknown and never sent again by itself: ${fault.kind}`, async () => {
      const it = await scene();
      await it.window.sessions.refresh(it.sessionId);
      it.service.fail({ ...fault, match: { method: 'POST' }, times: 1 });
      await sendAndRead(it.window, 'Hello');
      const { conversation } = it.window;
      const [send] = conversation.sends;
      assert.deepEqual([send?.state, send?.text, send?.before?.messageCount], ['unknown', 'Hello', 0]);
      assert.ok(conversation.rows.statusAt! > send!.at, 'the session was looked at');
      assert.equal(conversation.composition.draft.text, '', 'the text is with the send');
      const queuedBefore = conversation.takeBack(send!.id);
      await assert.rejects(queuedBefore, /has been dealt with meanwhile/, 'it may have arrived');
      await conversation.refresh();
      const later = await openWindow(it);
      assert.equal(later.conversation.sends[0]?.state, 'unknown');
      assert.equal(posts(it).length, 1);
    });
  }

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

  it('is sent again only on request, and then once', async () => {
    const it = await scene();
    it.service.fail({ kind: 'reset', match: { method: 'POST' }, times: 1 });
    await sendAndRead(it.window, 'Hello');
    const { conversation } = it.window;
    const { id } = conversation.sends[0]!;
    const outcome = settled(it.window);
    const twice = await Promise.allSettled([conversation.sendAgain(id), conversation.sendAgain(id)]);
    assert.deepEqual(twice.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    await outcome;
    await conversation.readOn();
    assert.equal(posts(it).length, 2);
    assert.deepEqual(conversation.sends, []);
    assert.deepEqual(texts(it.window), ['Hello']);
  });

  it('is settled when a later walk shows that it arrived', async () => {
    const it = await scene();
    await it.window.sessions.refresh(it.sessionId);
    it.service.fail({ kind: 'truncate', match: { method: 'POST' }, times: 1 });
    await sendAndRead(it.window, 'Did this arrive?');
    assert.equal(it.window.conversation.sends.length, 1);
    await it.service.settle();
    await sendAndRead(it.window, 'Next');
    assert.deepEqual(it.window.conversation.sends, []);
    assert.deepEqual(texts(it.window), ['Did this arrive?', 'Next']);
  });
});

describe('what is sent', () => {
  it('costs three durable writes of the chat, from what is typed to the transcript', async () => {
    let writes = 0;
    const it = await scene({ fails: () => ++writes < 0 });
    const { conversation } = it.window;
    conversation.composition.setText('Hello');
    writes = 0;
    const after = new Promise<number>(resolve => conversation.onDidSettle(() => resolve(writes)));
    await conversation.submit('Hello');
    assert.ok((await after) <= 3, 'with what the sessions note of it, four');
    assert.equal(conversation.transcript.known.size, 1);
    assert.deepEqual(conversation.sends, []);
  });

  it('has let go of the bytes of its files when it leaves', async () => {
    const { service, client, sessionId } = await scene();
    const read: WeakRef<Uint8Array>[] = [];
    const attachments = attachmentsIn(temporaryFolder());
    attachments.parts = () => {
      const bytes = new Uint8Array(1_000_000);
      read.push(new WeakRef(bytes));
      return Promise.resolve([
        { bytes, kind: 'image', mediaType: 'image/png', name: 'a.png', path: 'a.png' },
      ]);
    };
    const { conversation } = await openWindow({ root: temporaryFolder(), client, sessionId, attachments });
    const held: unknown[] = [];
    service.onDidReceive(({ method }) => method === 'POST' && held.push(left(read).length));
    await conversation.submit('Look at this');
    await until(conversation.onDidChange, () => !conversation.isSending);
    assert.deepEqual([read.length, held], [1, [0]]);
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
