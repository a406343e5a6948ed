import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Session } from '../../../src/api';
import { SessionMonitor } from '../../../src/sessions/monitor';
import { statusOf } from '../../../src/sessions/record';
import type { SessionIndex } from '../../../src/sessions/sessionIndex';
import { ObservableValue } from '../../../src/util/lifecycle';
import { silentLog } from '../../fakes/log';
import { later, learn, openIndex, sessionOf, temporaryFolder } from './support';

/** What a window asks about a session, as it reaches the service. */
const questionOf = (by: SessionIndex, sessionId: string, signal: AbortSignal) => {
  const { promise, resolve: answer, reject: fail } = Promise.withResolvers<Session>();
  signal.addEventListener('abort', () => fail(new Error('cancelled')));
  return { sessionId, at: Date.now(), by, signal, promise, answer, fail };
};
type Question = ReturnType<typeof questionOf>;
type Focus = ObservableValue<boolean> & { isShown?: () => Promise<void> };

const SESSIONS = 200;
const IN_FRONT = 's150';
const HOUR = 3_600_000;
const running = (fields: Partial<Session> = {}): Session =>
  sessionOf({ status: 'running', updatedAt: Date.now(), ...fields });

describe('the watch over sessions', () => {
  let root: string;
  /** All that has reached the service, from any window. */
  let asked: Question[];
  let [openNow, mostAtOnce] = [0, 0];

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 });
    later(() => mock.timers.reset());
    root = temporaryFolder();
    [asked, openNow, mostAtOnce] = [[], 0, 0];
  });

  /** A window whose clock and timers are the test's; without `reply` its questions, about a session it knows, wait for the test. */
  const open = async (reply?: (question: Question) => void, focused: Focus = new ObservableValue(true)) => {
    const index = await openIndex(root);
    const one = (_: string, { ids, signal }: { ids: { sessionId: string }; signal: AbortSignal }) => {
      const question = questionOf(index, ids.sessionId, signal);
      asked.push(question);
      mostAtOnce = Math.max(mostAtOnce, ++openNow);
      if (reply !== undefined) setImmediate(reply, question);
      return question.promise.finally(() => openNow--);
    };
    const [log, state] = [silentLog(), new ObservableValue({ kind: 'signedOut' as const })];
    const connection = { api: { one: one as never }, state };
    const monitor = new SessionMonitor({ index, focused, fastestSeconds: () => 2, connection, log });
    later(() => monitor.dispose());
    if (reply === undefined) await learn(index, { status: 'running' });
    const statusOfS1 = () => statusOf(index.get('s1')!, Date.now());
    return { index, monitor, statusOfS1 };
  };
  /** Each answer says something new; of one that works also when, so nobody slows down. */
  const works = ({ sessionId, answer }: Question): void =>
    answer(running({ sessionId, messageCount: asked.length }));
  const rests = ({ sessionId, answer }: Question): void => answer(sessionOf({ sessionId, updatedAt: 0 }));
  const opened = async (count: number, reply: (question: Question) => void, ...ids: readonly string[]) => {
    const windows = await Promise.all(Array.from({ length: count }, () => open(reply)));
    for (const sessionId of ids)
      await learn(windows[0]!.index, { sessionId, status: 'running' }, Date.now() - HOUR);
    for (const { monitor } of windows) for (const id of ids) monitor.watch([id]);
    return windows;
  };
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) {
      mock.timers.tick(50);
      for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve));
    }
  };
  const askedIds = (): readonly string[] => asked.map(({ sessionId }) => sessionId);

  it('asks while somebody looks and again after the answer, one question in flight, nothing before there is a record; what fails is unknown, never running, until it is answered', async () => {
    const { index, monitor, statusOfS1 } = await open();
    monitor.watch(['s7']);
    const [watch, second] = [monitor.watch(['s1']), monitor.watch(['s1'])];
    await pass(5_000);
    assert.equal(asked.length, 1);
    asked[0]!.fail(new Error('not reachable'));
    await pass(50);
    const { value, last, problem } = statusOfS1();
    assert.deepEqual([value, last, problem?.sentence], ['unknown', 'running', 'not reachable']);
    await pass(30_000);
    asked[1]!.answer(running());
    await pass(5_000);
    assert.deepEqual([asked.length, statusOfS1().value], [3, 'running']);
    watch.dispose();
    assert.equal(asked[2]!.signal.aborted, false, 'somebody still looks');
    second.dispose();
    await learn(index, { sessionId: 's7' });
    await pass(2_000);
    assert.deepEqual(askedIds(), ['s1', 's1', 's1', 's7']);
    const cancelled = [asked[2]!.signal.aborted, statusOfS1().problem];
    assert.deepEqual(cancelled, [true, undefined], 'what is only cancelled is no problem');
  });

  it('asks nothing without the focus or for a window that is gone and was told nothing of it, and at once on return', async () => {
    const back = Promise.withResolvers<undefined>();
    const focused: Focus = new ObservableValue(false);
    focused.isShown = () => back.promise;
    const { monitor } = await open(undefined, focused);
    monitor.watch(['s1'], 'inFront');
    await pass(2_000);
    for (const isFocused of [true, false, true]) {
      focused.set(isFocused);
      await pass(2_000);
    }
    assert.equal(asked.length, 0);
    back.resolve(undefined);
    await pass(100);
    assert.equal(asked.length, 1);
    focused.set(false);
    assert.equal(asked[0]!.signal.aborted, true);
  });

  it('lets no answer to an older question replace what a send or a newer question of another window said', async () => {
    const { index, monitor, statusOfS1 } = await open();
    const early = monitor.check('s1');
    mock.timers.tick(100);
    await index.noteSend('service', 's1', { status: 'pending', at: Date.now(), text: 'Hello' });
    asked[0]!.answer(sessionOf());
    await early;
    assert.equal(statusOfS1().value, 'pending');
    const late = monitor.check('s1');
    mock.timers.tick(100);
    const sooner = (await open()).monitor.check('s1');
    asked[2]!.answer(sessionOf({ messageCount: 4 }));
    await sooner;
    asked[1]!.answer(running());
    await late;
    assert.deepEqual([statusOfS1().value, index.get('s1')?.session?.messageCount], ['idle', 4]);
  });

  it('keeps what a service answered with that service, when the person has gone to another meanwhile', async () => {
    const { index, monitor, statusOfS1 } = await open();
    const check = monitor.check('s1');
    await index.use('another');
    await learn(index, { sessionId: 's2', title: 'Made there' });
    asked[0]!.answer(running({ title: 'Answered late' }));
    await assert.rejects(check);
    assert.equal(index.records.size, 0, 'nothing of one service shows up at the other');
    await index.use('service');
    assert.equal(index.get('s2')?.session?.title, 'Made there');
    assert.equal(statusOfS1().problem, undefined);
  });

  for (const count of [1, 3]) {
    it(`asks at most twice a second from ${count} windows together, about each in turn, the one in front first`, async () => {
      const ids = Array.from({ length: SESSIONS }, (_, at) => `s${at}`);
      const [first] = await opened(count, works, ...ids);
      first?.monitor.watch([IN_FRONT], 'inFront');
      const others = (): Set<string> => new Set(askedIds().filter(id => id !== IN_FRONT));
      const last = Date.now() + SESSIONS * 1_500;
      while (others().size < SESSIONS - 1 && Date.now() < last) await pass(50);

      const times = asked.map(({ at }) => at);
      const most = Math.max(...times.map(from => times.filter(at => at >= from && at < from + 1_000).length));
      assert.ok(most <= 2, `${most} in a second`);
      assert.equal(others().size, SESSIONS - 1, 'each has had its turn');
      const again = askedIds().filter(id => id !== IN_FRONT).length - others().size;
      assert.ok(again <= count, `${again} were asked again before others had their first turn`);
      const own = asked.find(({ by }) => by === first?.index);
      assert.equal(own?.sessionId, IN_FRONT, 'who looks waits for no others');
    });
  }

  it('asks once after the machine has slept, not in the moment of waking', async () => {
    const ids = ['s1', 's2', 's3'];
    const unfocused = await open(rests, new ObservableValue(false));
    for (const id of ids) unfocused.monitor.watch([id]);
    await opened(2, rests, ...ids);
    await pass(45_000);
    assert.deepEqual([...new Set(askedIds())].sort(), ids);
    asked = [];
    mock.timers.setTime(Date.now() + HOUR);
    await pass(500);
    assert.deepEqual(asked, [], 'there is no network yet');
    await pass(26_000);
    assert.deepEqual([...askedIds()].sort(), ids);
  });

  it('asks from eight windows as often as from one, one question at a time, and all know the answer, or why there is none', async () => {
    const windows = await opened(8, works, 's1');
    await pass(40_000);
    assert.equal(mostAtOnce, 1);
    assert.ok(asked.length >= 15 && asked.length <= 23, `${asked.length} times`);
    for (const { index } of windows) assert.equal(index.get('s1')?.session?.messageCount, asked.length);
    asked = [];
    const others = await opened(4, ({ fail }) => fail(new Error('not reachable')), 's2');
    await pass(2_000);
    for (const { index } of others) assert.notEqual(index.get('s2')?.check?.problem, undefined);
    assert.equal(askedIds().filter(id => id === 's2').length, 1);
  });
});
