import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { mock } from 'node:test';
import { LOOK_EVERY_MS } from '../../../src/chat/conversationOptions';
import { TakenElsewhere } from '../../../src/chat/owner';
import { busy, drained, queued, queueUp, sent } from './queueing';
import { scene, type Scene } from './scene';
import { cleanUp, clientOf, openWindow, until, type Window } from './support';

afterEach(async () => {
  mock.timers.reset();
  await cleanUp();
});

/** A machine: its clock, its processes, and a window in each of them. */
function machine(it: Scene) {
  let now = Date.now();
  const gone = new Set<number>();
  const asked: number[] = [];
  return {
    /** The processes that were looked for. */
    asked,
    pass: (ms: number) => (now += ms),
    end: (pid: number) => gone.add(pid),
    open: (pid: number): Promise<Window> =>
      openWindow({
        root: it.root,
        client: clientOf(it.service),
        sessionId: it.sessionId,
        process: {
          owner: { host: hostname(), pid, startedAt: 1 },
          isRunning: other => {
            asked.push(other);
            return !gone.has(other);
          },
          now: () => now,
        },
      }),
  };
}

/** Holds a call of `name` up, as when the machine is put to sleep just then, `before` it does its work or `after` that. */
function sleepIn<K extends string>(
  place: Readonly<Record<K, (...args: never) => Promise<unknown>>>,
  name: K,
  when: 'before' | 'after',
  which: () => boolean = () => true,
): { readonly asleep: Promise<void>; readonly wake: () => void } {
  const real = place[name] as (...args: unknown[]) => Promise<unknown>;
  let [fall, wake] = [(): void => undefined, (): void => undefined];
  const asleep = new Promise<void>(resolve => (fall = resolve));
  const woken = new Promise<void>(resolve => (wake = resolve));
  const put = (call: typeof real): void => void Object.assign(place, { [name]: call });
  put(async (...args) => {
    if (!which()) return real.apply(place, args);
    put(real);
    const done = when === 'after' ? await real.apply(place, args) : undefined;
    fall();
    await woken;
    return done ?? real.apply(place, args);
  });
  return { asleep, wake };
}

const HOUR = 3_600_000;

describe('a window that wakes after its claim of a queued message has lapsed', () => {
  const claimed = ({ conversation }: Window) => conversation.queued[0]?.claim !== undefined;
  for (const [place, fallAsleep, outcome] of [
    [
      'before it knows whether the agent rests',
      A => sleepIn(A.sessions, 'refresh', 'before', () => claimed(A)),
      'sent',
    ],
    ['before it records the send', A => sleepIn(A.journal, 'begin', 'before'), 'sent'],
    ['after it recorded the send', A => sleepIn(A.journal, 'begin', 'after'), 'unknown'],
    ['before it takes the message out', A => sleepIn(A.queue, 'done', 'before'), 'unknown'],
  ] satisfies [string, (A: Window) => ReturnType<typeof sleepIn>, 'sent' | 'unknown'][]) {
    it(`sends no message a second time and loses none: asleep ${place}`, async () => {
      const it = await scene();
      it.window.conversation.dispose();
      const { open, pass } = machine(it);
      const A = await open(111);
      const work = busy(it);
      await queueUp(A, 'pay the invoice');
      const { asleep, wake } = fallAsleep(A);
      work.rest();
      await A.sessions.refresh(it.sessionId);
      await asleep;
      assert.deepEqual(sent(it), []);
      pass(HOUR);
      const B = await open(222);
      await B.sessions.refresh(it.sessionId);
      await until(B.conversation.onDidChange, () => queued(B).length === 0 && !B.conversation.isSending);
      wake();
      await A.conversation.queue.sendNow();
      const left = (await open(333)).conversation;
      await until(left.onDidChange, () => left.sends.length === (outcome === 'sent' ? 0 : 1));
      assert.deepEqual(sent(it), outcome === 'sent' ? ['pay the invoice'] : []);
      assert.deepEqual(left.queued, []);
      assert.deepEqual(
        left.sends.map(({ text, state }) => [text, state]),
        outcome === 'sent' ? [] : [['pay the invoice', 'unknown']],
      );
    });
  }
});

describe('a claim that has lapsed', () => {
  for (const [what, act] of [
    ['claimed', (B: Window, sessionId: string) => B.queue.claim(sessionId)],
    ['changed', (B: Window, sessionId: string, id: string) => B.queue.edit(sessionId, id, 'pay nothing')],
    ['being changed', (B: Window, sessionId: string, id: string) => B.queue.setChanging(sessionId, id)],
  ] as const)
    it(`takes nothing out that is ${what} elsewhere, and gives nothing up`, async () => {
      const it = await scene();
      it.window.conversation.dispose();
      const { open, pass } = machine(it);
      const [A, B] = [await open(111), await open(222)];
      busy(it);
      await queueUp(A, 'pay the invoice');
      const claimed = await A.queue.claim(it.sessionId);
      assert.ok(claimed !== undefined);
      pass(HOUR);
      await act(B, it.sessionId, claimed.id);
      const [before] = B.conversation.queued;
      await assert.rejects(A.queue.done(it.sessionId, claimed), TakenElsewhere);
      if (what !== 'being changed') await A.queue.release(it.sessionId, claimed, 'It failed');
      assert.deepEqual(A.conversation.queued, [before]);
    });
});

describe('a window that stays open when another one is gone', () => {
  for (const how of ['by itself', 'when it is asked'] as const) {
    it(`says ${how} that what that one was sending is unknown, and goes on`, async () => {
      const it = await scene();
      it.window.conversation.dispose();
      mock.timers.enable({ apis: ['setInterval'] });
      const { open, end, asked, pass } = machine(it);
      const [A, B] = [await open(111), await open(222)];
      const { conversation } = B;
      await B.sessions.refresh(it.sessionId);
      const send = { sendId: randomUUID(), sessionId: it.sessionId, text: 'lost', attachments: [] };
      await A.journal.begin(send);
      await until(conversation.onDidChange, () => conversation.isSending);
      await conversation.submit('next', randomUUID());
      const look = async (): Promise<void> => {
        asked.length = 0;
        if (how === 'by itself') mock.timers.tick(LOOK_EVERY_MS);
        else await conversation.refresh();
      };
      await look();
      assert.deepEqual(asked, [111]);
      assert.equal(conversation.sends[0]?.state, 'sending', 'its process lives');
      A.conversation.dispose();
      end(111);
      await look();
      await until(conversation.onDidChange, () => conversation.sends[0]?.state === 'unknown');
      assert.equal(conversation.sends[0].text, 'lost');
      assert.deepEqual([queued(B), sent(it)], [['next'], []], 'the person decides first');
      // Nobody is looked for any more.
      await B.storage.settled();
      asked.length = 0;
      pass(HOUR);
      mock.timers.tick(HOUR);
      assert.deepEqual(asked, []);
      await conversation.discard(send.sendId);
      await drained(B);
      assert.deepEqual(sent(it), ['next']);
    });
  }

  it('sends what that one had claimed', async () => {
    const it = await scene();
    it.window.conversation.dispose();
    mock.timers.enable({ apis: ['setInterval'] });
    const { open, end } = machine(it);
    const [A, B] = [await open(111), await open(222)];
    const work = busy(it);
    await queueUp(A, 'one');
    assert.ok((await A.queue.claim(it.sessionId)) !== undefined);
    A.conversation.dispose();
    work.rest();
    await until(B.conversation.onDidChange, () => B.conversation.queued[0]?.claim !== undefined);
    await B.sessions.refresh(it.sessionId);
    await B.conversation.queue.sendNow();
    assert.deepEqual(sent(it), []);
    end(111);
    mock.timers.tick(LOOK_EVERY_MS);
    await until(B.conversation.onDidChange, () => queued(B).length === 0 && !B.conversation.isSending);
    assert.deepEqual(sent(it), ['one']);
  });

  it('lets a message go that was being changed there', async () => {
    const it = await scene();
    it.window.conversation.dispose();
    mock.timers.enable({ apis: ['setInterval'] });
    const { open, end } = machine(it);
    const [A, B] = [await open(111), await open(222)];
    const work = busy(it);
    await queueUp(A, 'one');
    await A.queue.setChanging(it.sessionId, A.conversation.queued[0]?.id);
    A.conversation.dispose();
    work.rest();
    await until(B.conversation.onDidChange, () => B.conversation.queued[0]?.changing !== undefined);
    await B.sessions.refresh(it.sessionId);
    assert.ok(B.conversation.queue.isHeld);
    end(111);
    mock.timers.tick(LOOK_EVERY_MS);
    await until(B.conversation.onDidChange, () => queued(B).length === 0 && !B.conversation.isSending);
    assert.deepEqual(sent(it), ['one']);
  });
});
