import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Outboxes, type Outbox } from '../../../src/chat/outbox/outbox';
import { inDraft, withTaken } from '../../../src/chat/outbox/record';
import { Transcript } from '../../../src/chat/transcript/transcript';
import { afterwards, brittle, cleanUp, message, storageIn, temporaryFolder } from './support';

afterEach(cleanUp);

async function transcriptIn(root: string, sessionId = 'session'): Promise<Transcript> {
  const transcript = new Transcript(storageIn(root), 'service1', sessionId);
  await transcript.load();
  return transcript;
}

const sent = { at: 5, text: 'hello', attachments: [{ name: 'a.ts', kind: 'text' as const, size: 3 }] };

describe('the stored transcript', () => {
  it('keeps the newer body, and what was sent, whatever comes first', async () => {
    const transcript = await transcriptIn(temporaryFolder());
    await transcript.keep([message('m', { updatedAt: 2, content: [{ type: 'text', text: 'new' }] })]);
    await transcript.keepSent('m', sent);
    await transcript.keep([message('m', { updatedAt: 1, content: [{ type: 'text', text: 'old' }] })]);
    const known = transcript.known.get('m');
    assert.equal(known?.message?.content[0]?.['text'], 'new');
    assert.equal(known.sent?.text, 'hello');
  });

  it('places what was just sent after everything known', async () => {
    const transcript = await transcriptIn(temporaryFolder());
    await transcript.keep([message('m', { createdAt: 9_000 })]);
    await transcript.keepSent('s', sent);
    assert.equal(transcript.known.get('s')?.sent?.at, 9_001);
  });
});

describe('what is written', () => {
  function outboxIn(root: string, storage = storageIn(root), onError?: (error: unknown) => void): Outbox {
    const outboxes = new Outboxes(storage, 'service1', onError ?? (error => assert.fail(String(error))));
    afterwards(() => outboxes.dispose());
    return outboxes.of('session');
  }
  const type = (outbox: Outbox, text: string): void =>
    outbox.type({ text, stash: undefined, over: outbox.current.draft, at: 1 });

  it('is there at once, and durable after a flush', async () => {
    const root = temporaryFolder();
    const outbox = outboxIn(root);
    type(outbox, 'half a thou');
    type(outbox, 'half a thought');
    outbox.edit(inDraft(() => ({ attachments: ['file:///a'] })));
    assert.equal(outbox.current.draft.text, 'half a thought');
    await outbox.flush();
    const { draft } = await outboxIn(root).read();
    assert.deepEqual([draft.text, draft.attachments], ['half a thought', ['file:///a']]);
  });

  it('is written when its window goes', async () => {
    const root = temporaryFolder();
    const storage = storageIn(root);
    const outboxes = new Outboxes(storage, 'service1', error => assert.fail(String(error)));
    type(outboxes.of('session'), 'last words');
    outboxes.dispose();
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
    const { text, stash } = (await other.read()).draft;
    assert.deepEqual([text, stash], ['words of the other window', undefined]);
  });

  it('does not come back where one window shortens what another has shortened and sent', async () => {
    const root = temporaryFolder();
    const [one, other] = [outboxIn(root), outboxIn(root)];
    type(one, 'x y');
    await one.flush();
    await other.read();
    for (const outbox of [one, other]) type(outbox, 'x');
    const sent = { id: 'sent', text: 'x', attachments: [], state: 'sending', at: 1 } as const;
    await other.change(withTaken(sent));
    await one.flush();
    const { draft, entries } = await one.read();
    assert.deepEqual([draft.text, draft.stash, entries], ['', undefined, [sent]]);
  });

  it('is shown by both windows that wrote at the same time', async () => {
    const root = temporaryFolder();
    const [one, other] = [outboxIn(root), outboxIn(root)];
    type(one, 'in the first window');
    type(other, 'in the second window');
    await one.flush();
    await other.flush();
    const { text, stash } = (await one.read()).draft;
    assert.deepEqual([text, stash], ['in the second window', 'in the first window']);
  });
});
