import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { busy, queued, queueUp, sent } from './queueing';
import { scene, type Scene } from './scene';
import { cleanUp, clientOf, openWindow, until, type Window } from './support';

afterEach(cleanUp);

/** A machine: its clock, its processes, and a window in each of them. */
function machine(it: Scene) {
  let now = Date.now();
  const gone = new Set<number>();
  return {
    pass: (ms: number) => (now += ms),
    end: (pid: number) => gone.add(pid),
    open: (pid: number): Promise<Window> =>
      openWindow({
        root: it.root,
        client: clientOf(it.service),
        sessionId: it.sessionId,
        process: {
          owner: { host: hostname(), pid, startedAt: 1 },
          isRunning: other => !gone.has(other),
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
