import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { hasQueued } from '../../../src/startup';
import { busy, draftOf, drained, failSends, posts, queued, queueUp } from './scene';
import { scene, sendAndRead, sent, settled } from './scene';
import { cleanUp, openWindow, temporaryFolder, until, writeFile } from './support';

afterEach(cleanUp);

/** A session whose agent works, and what waits until it rests. */
async function queueing(...texts: readonly string[]) {
  const it = await scene();
  const work = busy(it);
  await queueUp(it.window, ...texts);
  const refresh = () => it.window.sessions.refresh(it.sessionId);
  const rest = (): Promise<unknown> => {
    work.rest();
    return refresh();
  };
  const { conversation } = it.window;
  return { ...it, ...it.window, composition: conversation.composition, refresh, rest };
}

describe('a queue', () => {
  it('takes what is written while the agent works, each once, and sends it in order when it rests', async () => {
    const it = await queueing();
    const { conversation, composition, sessions, storage } = it;
    assert.equal(await hasQueued(storage), false);
    await queueUp(it.window, 'one');
    await conversation.submit('two', 'the-same-id');
    await assert.rejects(conversation.submit('two', 'the-same-id'), /already recorded/);
    composition.setText('');
    await composition.attach([writeFile(temporaryFolder(), 'a.txt', 'file')]);
    composition.setTarget(it.computer);
    await queueUp(it.window, 'three');
    assert.deepEqual([queued(it.window), draftOf(it.window)], [['one', 'two', 'three'], ['']]);
    await it.refresh();
    assert.deepEqual(sent(it), []);
    assert.equal(await hasQueued(storage), true, 'which a window that opens sees first');
    conversation.watch().dispose();
    assert.deepEqual(sessions.watched, [undefined, 'inFront'], 'only who shows a session reads it');
    composition.setTarget(undefined);
    await it.rest();
    await drained(it.window);
    assert.deepEqual(sent(it).slice(0, 2), ['one', 'two']);
    const { text, files, computerId } = posts(it)[2]?.body as Record<string, unknown>;
    assert.deepEqual([text, computerId], ['three', it.computer.computerId]);
    assert.equal((files as readonly unknown[]).length, 1);
    assert.equal(await hasQueued(storage), false);
  });

  it('waits for an agent that another window has set to work, also before this one hears of that', async () => {
    const it = await queueing('one');
    it.sessions.unheard = { status: 'running' };
    await it.rest();
    for (let times = 0; times < 2; times++) await it.refresh();
    assert.deepEqual(sent(it), []);
    it.sessions.unheard = {};
    await drained(it.window);
    assert.deepEqual(sent(it), ['one']);
  });

  it('can be removed and taken back into the composer while it waits', async () => {
    const it = await queueing('one');
    const { conversation, composition } = it;
    const [a, b] = ['a.txt', 'b.txt'].map(name => writeFile(temporaryFolder(), name, name));
    await composition.attach([a!]);
    await queueUp(it.window, 'two', 'three');
    const [one, two] = conversation.queued.map(({ id }) => id);
    assert.equal((await conversation.discard(one!)).text, 'one');
    await assert.rejects(conversation.takeBack(one!), /has been dealt with meanwhile/);
    await composition.attach([b!]);
    composition.setText('A thought');
    await conversation.takeBack(two!);
    const later = await openWindow(it);
    assert.deepEqual([queued(later), draftOf(later)], [['three'], ['A thought\n\ntwo', b, a]]);
    await it.rest();
    await drained(it.window);
    assert.deepEqual(sent(it), ['three']);
  });

  for (const fault of [403, 'reset'] as const)
    it(`stops behind a message that is ${fault === 403 ? 'refused' : 'unknown'}, until that is settled`, async () => {
      const it = await queueing('one', 'two');
      const { conversation, composition } = it;
      failSends(it, fault);
      const outcome = settled(it.window);
      await it.rest();
      await outcome;
      await it.refresh();
      assert.deepEqual([sent(it), queued(it.window)], [['one'], ['two']]);
      assert.ok(conversation.isQueueStopped);
      if (fault === 'reset') await conversation.discard(conversation.sends[0]!.id);
      else composition.setText(composition.draft.text.replace('one', ''));
      await drained(it.window);
      assert.deepEqual(sent(it), ['one', 'two']);
    });

  it('keeps a message whose file is gone, says why, and goes on when it is taken back', async () => {
    const it = await queueing();
    const { conversation } = it;
    const uri = writeFile(temporaryFolder(), 'a.txt', 'file');
    await it.composition.attach([uri]);
    await queueUp(it.window, 'one', 'two');
    rmSync(new URL(uri));
    await it.rest();
    await until(conversation.onDidChange, () => conversation.queued[0]?.sentence !== undefined);
    assert.match(conversation.queued[0]?.sentence ?? '', /a\.txt cannot be read/);
    assert.deepEqual(sent(it), []);
    await conversation.takeBack(conversation.queued[0]!.id);
    await drained(it.window);
    assert.deepEqual([sent(it), draftOf(it.window)], [['two'], ['one', uri]]);
  });

  it('refuses nothing that a command sends while one of its messages is being made ready, and no draft is touched', async () => {
    const it = await queueing('one');
    it.composition.setText('mine');
    await it.rest();
    assert.equal(it.conversation.isStarting, false, 'the person can write and send');
    const { state } = await it.conversation.sendDirectly('from a script', []);
    assert.deepEqual([state, sent(it)], ['accepted', ['one', 'from a script']]);
    assert.deepEqual(draftOf(it.window), ['mine']);
  });

  it('says that what a window was sending that is gone is unknown, and waits for the person', async () => {
    const it = await scene();
    it.service.fail({ kind: 'delay', ms: 60_000, match: { method: 'POST' } });
    await it.window.sessions.refresh(it.sessionId);
    await it.window.conversation.submit('lost');
    let late = 0;
    const other = await openWindow({ ...it, now: () => Date.now() + late });
    const { conversation } = other;
    await queueUp(other, 'next');
    assert.deepEqual([conversation.sends[0]?.state, queued(other)], ['sending', ['next']]);
    await conversation.refresh();
    assert.equal(conversation.sends[0]?.state, 'sending', 'its window lives');
    it.window.conversation.dispose();
    late = 60_000;
    await conversation.refresh();
    const [lost, ...others] = conversation.sends;
    assert.deepEqual([lost.state, lost.text, others], ['unknown', 'lost', []]);
    assert.deepEqual([queued(other), sent(it)], [['next'], ['lost']]);
  });

  it('takes a message whose window lost its turn before the request left, which then leaves once', async () => {
    const it = await scene();
    let [late, isToLapse] = [0, false];
    const fails = (path: string): boolean => {
      if (isToLapse && path.endsWith('/outbox')) [late, isToLapse] = [late + 60_000, false];
      return false;
    };
    const window = await openWindow({ ...it, fails, now: () => Date.now() + late });
    const { conversation } = window;
    isToLapse = true;
    const directly = conversation.sendDirectly('from a script', []);
    await assert.rejects(directly, { message: /queue/, recorded: true });
    await drained(window);
    failSends(it, 'reset');
    await conversation.submit('lost');
    await until(conversation.onDidChange, () => conversation.sends[0]?.state === 'unknown');
    isToLapse = true;
    await conversation.sendAgain(conversation.sends[0]!.id);
    await drained(window);
    assert.deepEqual(sent(it), ['from a script', 'lost', 'lost']);
  });

  it('beside what a page still held when it went: that replaces what it begins with, is there already, comes below other words, or is gone where that was sent', async () => {
    const it = await scene();
    const { conversation } = it.window;
    for (const [stored, held, after] of [
      ['half a', 'half a thought', 'half a thought'],
      ['half a thought', 'half a', 'half a thought'],
      ['elsewhere', 'a thought', 'elsewhere\n\na thought'],
    ] as const) {
      conversation.composition.setText(stored);
      await conversation.takeUnsaved({ text: held, at: Date.now() });
      assert.deepEqual(draftOf(it.window), [after]);
    }
    const at = Date.now() - 1000;
    await sendAndRead(it.window, 'sent');
    await conversation.takeUnsaved({ text: 'sent', at });
    busy(it);
    await queueUp(it.window, 'queued');
    await conversation.takeUnsaved({ text: 'queued', at });
    assert.deepEqual(draftOf(it.window), ['']);
    for (const text of ['sent', 'queued']) await conversation.takeUnsaved({ text, at: Date.now() + 60_000 });
    assert.deepEqual(draftOf(it.window), ['sent\n\nqueued'], 'the same words, written anew');
  });
});
