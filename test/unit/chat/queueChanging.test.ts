import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { composerOf } from '../../../src/chat/composerState';
import { composerRequests } from '../../../src/chat/composing';
import { SendQueue } from '../../../src/chat/sendQueue';
import { Formatter } from '../../../src/util/format';
import { busy, drained, queued, queueUp, sent } from './queueing';
import { scene } from './scene';
import { cleanUp, composingOf, openWindow, until } from './support';

afterEach(cleanUp);

/** Somebody changes a message that waits: it must not go as it was. */
describe('changing a queued message', () => {
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
    // Its page is put away: what is being changed waits on. Nobody comes back: it may go, and what was written is still known.
    conversation.queue.pageGone();
    await conversation.refresh();
    await it.window.storage.settled();
    assert.ok(conversation.queue.isHeld);
    assert.deepEqual(sent(it), ['ONE']);
    conversation.queue.letGo();
    await drained(it.window);
    assert.deepEqual(sent(it), ['ONE', 'two']);
    assert.deepEqual(conversation.queue.changing, { id: two, text: 'tw' });
    conversation.queue.hold(undefined);
    assert.equal(conversation.queue.changing, undefined);
  });

  it('keeps it back from another window, and from whoever wants it sent now', async () => {
    const it = await scene();
    const work = busy(it);
    const { conversation } = it.window;
    await queueUp(it.window, 'one');
    const [id = ''] = conversation.queued.map(message => message.id);
    conversation.queue.hold({ id, text: 'one, half cha' });
    await it.window.drafts.flush();
    await until(conversation.onDidChange, () => conversation.queued[0]?.changing !== undefined);
    const other = await openWindow({ root: it.root, client: it.client, sessionId: it.sessionId });
    assert.ok(other.conversation.queue.isHeld, 'it is changed elsewhere');
    assert.equal(other.conversation.queue.changing, undefined, 'and not here');
    work.rest();
    await other.conversation.refresh();
    await other.conversation.queue.sendNow();
    await conversation.queue.sendNow();
    assert.deepEqual(sent(it), []);
    assert.ok(await conversation.queue.edit(id, 'one, changed'));
    conversation.queue.hold(undefined);
    await drained(it.window);
    assert.deepEqual(sent(it), ['one, changed']);
  });

  it('begins with what was written, not with what is shown', async () => {
    const it = await scene();
    busy(it);
    const written = `delete \u202ethe \u001b[31mtable${'x'.repeat(2_000)}`;
    await queueUp(it.window, written, 'plain');
    const settings = {
      sendKey: () => 'enter' as const,
      largePaste: () => ({ choice: 'inline' as const, characters: 1 }),
      limits: () => ({ file: 1, image: 1, message: 1 }),
    };
    const { queue } = composerOf(it.window.conversation, undefined, settings, new Formatter('en'));
    assert.doesNotMatch(queue[0]!.text, /[\u202e\u001b]/);
    assert.equal(queue[0]!.raw, written);
    assert.equal(queue[1]!.raw, undefined);
  });

  it('is told in part where it is long, and read as a whole to be changed', async () => {
    const it = await scene();
    busy(it);
    const written = 'delete \u202ethe table '.repeat(50_000);
    const { conversation } = it.window;
    await queueUp(it.window, written);
    const settings = {
      sendKey: () => 'enter' as const,
      largePaste: () => ({ choice: 'inline' as const, characters: 1 }),
      limits: () => ({ file: 1, image: 1, message: 1 }),
    };
    const [row] = composerOf(conversation, undefined, settings, new Formatter('en')).queue;
    assert.equal(row?.isCut, true);
    assert.ok(JSON.stringify(row).length < 10_000, 'it is told at each change');
    const asked = composerRequests(composingOf(conversation), () => undefined);
    assert.equal(await asked.queuedText({ id: row.id }), written);
    assert.throws(() => asked.queuedText({ id: 'gone' }), /being sent or is gone/);
    assert.throws(() => asked.editQueued({ id: row.id, text: ' \n\t' }), /Write a message first/);
    assert.deepEqual(queued(it.window), [written]);
  });

  it('waits for no window that is gone', async () => {
    const it = await scene();
    const work = busy(it);
    await queueUp(it.window, 'one');
    const [id = ''] = it.window.conversation.queued.map(message => message.id);
    const owner = { host: hostname(), pid: 2 ** 30, startedAt: 0 };
    const gone = new SendQueue({ storage: it.window.storage, serviceId: 'service1', owner });
    await gone.load();
    await gone.setChanging(it.sessionId, id);
    gone.dispose();
    work.rest();
    await drained(it.window);
    assert.deepEqual(sent(it), ['one']);
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
    conversation.queue.letGo();
    await until(conversation.onDidChange, () => conversation.queued[0]?.changing === undefined);
    const next = await openWindow(it);
    assert.deepEqual(next.conversation.queue.changing, { id, text: 'one, half cha' });
    assert.equal(next.conversation.queue.isHeld, false, 'until its page is seen');
    next.conversation.queue.hold({ id, text: 'one, changed' });
    next.conversation.queue.hold(undefined);
    await next.drafts.flush();
    await until(next.conversation.onDidChange, () => next.conversation.queued[0]?.changing === undefined);
    const last = await openWindow(it);
    assert.equal(last.conversation.queue.changing, undefined);
  });
});
