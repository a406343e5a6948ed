import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { hasQueued } from '../../../src/startup';
import { busy, drained, failSends, posts, queued, queueUp, scene, sendAndRead, sent, settled } from './scene';
import { cleanUp, openWindow, temporaryFolder, until, writeFile } from './support';

afterEach(cleanUp);

describe('a queue', () => {
  it('takes what is written while the agent works, each once, and sends it in order when it rests', async () => {
    const it = await scene();
    const work = busy(it);
    const { conversation, sessions, storage } = it.window;
    const { composition } = conversation;
    assert.equal(await hasQueued(storage), false);
    await queueUp(it.window, 'one');
    await conversation.submit('two', 'the-same-id');
    await assert.rejects(conversation.submit('two', 'the-same-id'), /already recorded/);
    composition.setText('');
    await composition.attach([writeFile(temporaryFolder(), 'a.txt', 'file')]);
    composition.setTarget(it.computer);
    await queueUp(it.window, 'three');
    assert.deepEqual(queued(it.window), ['one', 'two', 'three']);
    assert.deepEqual([composition.draft.attachments, composition.draft.text], [[], '']);
    await sessions.refresh(it.sessionId);
    assert.deepEqual(sent(it), []);
    assert.equal(
      await hasQueued(storage),
      true,
      'a window that opens sees that without reading anything else',
    );
    conversation.watch().dispose();
    assert.deepEqual(sessions.watched, [undefined, 'inFront'], 'only who shows a session reads it');
    composition.setTarget(undefined);
    work.rest();
    await drained(it.window);
    assert.deepEqual(sent(it).slice(0, 2), ['one', 'two']);
    const { text, files, computerId } = posts(it)[2]?.body as Record<string, unknown>;
    assert.deepEqual(
      [text, (files as readonly unknown[]).length, computerId],
      ['three', 1, it.computer.computerId],
    );
    assert.equal(await hasQueued(storage), false);
  });

  it('waits for an agent that another window has set to work, also before this one hears of that', async () => {
    const it = await scene();
    const work = busy(it);
    const { sessions } = it.window;
    await queueUp(it.window, 'one');
    sessions.unheard = { status: 'running' };
    work.rest();
    for (let times = 0; times < 3; times++) await sessions.refresh(it.sessionId);
    assert.deepEqual(sent(it), []);
    sessions.unheard = {};
    await drained(it.window);
    assert.deepEqual(sent(it), ['one']);
  });

  it('can be removed and taken back into the composer while it waits', async () => {
    const it = await scene();
    const work = busy(it);
    const { conversation } = it.window;
    const { composition } = conversation;
    const [a, b] = ['a.txt', 'b.txt'].map(name => writeFile(temporaryFolder(), name, name));
    await queueUp(it.window, 'one');
    await composition.attach([a!]);
    await queueUp(it.window, 'two', 'three');
    const [one, two] = conversation.queued.map(({ id }) => id);
    assert.equal((await conversation.discard(one!)).text, 'one');
    await assert.rejects(conversation.takeBack(one!), /has been dealt with meanwhile/);
    await composition.attach([b!]);
    composition.setText('A thought');
    await conversation.takeBack(two!);
    assert.deepEqual(queued(it.window), ['three']);
    const later = await openWindow(it);
    assert.deepEqual(queued(later), ['three']);
    const { text, attachments } = later.conversation.composition.draft;
    assert.deepEqual([text, ...attachments.map(({ uri }) => uri)], ['A thought\n\ntwo', b, a]);
    work.rest();
    await drained(it.window);
    assert.deepEqual(sent(it), ['three']);
  });

  for (const [state, fault] of [
    ['refused', 403],
    ['unknown', 'reset'],
  ] as const)
    it(`stops behind a message that is ${state} and goes on when that is settled`, async () => {
      const it = await scene();
      const work = busy(it);
      const { conversation, sessions } = it.window;
      const { composition } = conversation;
      await queueUp(it.window, 'one', 'two');
      failSends(it, fault);
      const outcome = settled(it.window);
      work.rest();
      await sessions.refresh(it.sessionId);
      await outcome;
      await sessions.refresh(it.sessionId);
      assert.deepEqual([sent(it), queued(it.window)], [['one'], ['two']]);
      assert.ok(conversation.isQueueStopped);
      if (state === 'unknown') await conversation.discard(conversation.sends[0]!.id);
      else composition.setText(composition.draft.text.replace('one', ''));
      await drained(it.window);
      assert.deepEqual(sent(it), ['one', 'two']);
    });

  it('keeps a message whose file is gone, says why, and goes on when it is taken back', async () => {
    const it = await scene();
    const work = busy(it);
    const { conversation, sessions } = it.window;
    const uri = writeFile(temporaryFolder(), 'a.txt', 'file');
    await conversation.composition.attach([uri]);
    await queueUp(it.window, 'one', 'two');
    rmSync(new URL(uri));
    work.rest();
    await sessions.refresh(it.sessionId);
    await until(conversation.onDidChange, () => conversation.queued[0]?.sentence !== undefined);
    assert.match(conversation.queued[0]?.sentence ?? '', /a\.txt cannot be read/);
    assert.deepEqual(sent(it), []);
    await conversation.takeBack(conversation.queued[0]!.id);
    await drained(it.window);
    assert.deepEqual([sent(it), conversation.composition.draft.text], [['two'], 'one']);
  });

  it('refuses nothing that a command sends while one of its messages is being made ready, and no draft is touched', async () => {
    const it = await scene();
    const work = busy(it);
    const { conversation, sessions } = it.window;
    await queueUp(it.window, 'one');
    conversation.composition.setText('mine');
    work.rest();
    await sessions.refresh(it.sessionId);
    assert.equal(conversation.isStarting, false, 'the person can write and send');
    const { state } = await conversation.sendDirectly('from a script', []);
    assert.deepEqual([state, sent(it)], ['accepted', ['one', 'from a script']]);
    assert.equal(conversation.composition.draft.text, 'mine');
  });

  it('says that what a window was sending that is gone is unknown, and waits for the person', async () => {
    const it = await scene();
    it.service.fail({ kind: 'delay', ms: 60_000, match: { method: 'POST' } });
    await it.window.sessions.refresh(it.sessionId);
    await it.window.conversation.submit('lost');
    let late = 0;
    const other = await openWindow({ ...it, now: () => Date.now() + late });
    const { conversation, sessions } = other;
    await sessions.refresh(it.sessionId);
    await conversation.submit('next');
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
});

describe('what a page still held when it went', () => {
  it('replaces what it begins with, is there already, or comes below other words', async () => {
    const { conversation } = (await scene()).window;
    for (const [stored, held, after] of [
      ['half a', 'half a thought', 'half a thought'],
      ['half a thought', 'half a', 'half a thought'],
      ['elsewhere', 'a thought', 'elsewhere\n\na thought'],
    ] as const) {
      conversation.composition.setText(stored);
      await conversation.takeUnsaved({ text: held, at: Date.now() });
      assert.equal(conversation.composition.draft.text, after);
    }
  });

  it('is gone once it was sent or queued from elsewhere', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const at = Date.now() - 1000;
    await sendAndRead(it.window, 'half a thought');
    await conversation.takeUnsaved({ text: 'half a thought', at });
    busy(it);
    await queueUp(it.window, 'the other half');
    await conversation.takeUnsaved({ text: 'the other half', at });
    assert.equal(conversation.composition.draft.text, '');
  });
});

describe('the look at the session beside a send', () => {
  it('costs no request before, also of what is queued, and one after an unknown outcome', async () => {
    const it = await scene();
    await sendAndRead(it.window, 'one');
    await it.service.settle();
    const { messageCount } = await it.window.sessions.refresh(it.sessionId);
    it.window.sessions.age(it.sessionId, 60_000);
    const isLook = ({ method, path }: { method: string; path: string }): boolean =>
      method === 'GET' && path.endsWith(it.sessionId);
    const looks = (): number => it.service.requests.filter(isLook).length;
    const before = looks();
    const work = busy(it);
    await queueUp(it.window, 'queued');
    work.rest();
    await drained(it.window);
    assert.equal(looks(), before + 2, 'each asked for here');
    failSends(it, 'reset');
    await sendAndRead(it.window, 'two');
    assert.equal(it.window.conversation.sends[0]?.before?.messageCount, messageCount);
    assert.equal(looks(), before + 3);
  });
});
