import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Session } from '../../../src/api';
import { SessionMonitor, type MonitorDeps } from '../../../src/sessions/monitor';
import { SessionIndex } from '../../../src/sessions/sessionIndex';
import { ObservableValue } from '../../../src/util/event';
import { cleanUp, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { openIndex, sessionOf } from './support';

interface Question {
  readonly sessionId: string;
  readonly signal: AbortSignal | undefined;
  answer(session: Session): void;
  fail(error: Error): void;
}

const running = (sessionId: string, fields: Partial<Session> = {}): Session =>
  sessionOf({ sessionId, status: 'running', ...fields });

describe('the watch over sessions', () => {
  let index: SessionIndex;
  let monitor: SessionMonitor;
  let focused: ObservableValue<boolean> & { isShown?: () => Promise<void> };
  let questions: Question[];
  let waiting: ((question: Question) => void)[];
  let now: number;
  let deps: MonitorDeps;

  /** The next question that reaches the service. */
  const asked = (): Promise<Question> => new Promise(resolve => waiting.push(resolve));
  /** Puts a session into the index, as it was at the time 5. */
  const add = (sessionId: string): Promise<void> =>
    index.learn('service', { session: running(sessionId), origin: 'created', at: 5 });

  beforeEach(async () => {
    index = await openIndex(temporaryFolder());
    focused = new ObservableValue(true);
    [questions, waiting, now] = [[], [], 1_000];
    const one = (_: string, { ids, signal }: { ids: { sessionId: string }; signal: AbortSignal }) =>
      new Promise<Session>((answer, fail) => {
        const question = { sessionId: ids.sessionId, signal, answer, fail };
        signal.addEventListener('abort', () => fail(new Error('cancelled')));
        questions.push(question);
        waiting.shift()?.(question);
      });
    deps = {
      index,
      focused,
      fastestSeconds: () => 0.001,
      apartMs: 0,
      now: () => now,
      connection: { api: { one: one as never }, state: new ObservableValue({ kind: 'signedOut' }) },
    };
    monitor = new SessionMonitor(deps);
    await add('s1');
  });
  afterEach(() => {
    monitor.dispose();
    return cleanUp();
  });

  it('asks while somebody looks and again after the answer, one question in flight', async () => {
    const first = asked();
    const watch = monitor.watch('s1');
    const second = monitor.watch('s1');
    const question = await first;
    assert.equal(questions.length, 1);
    const next = asked();
    now += 10_000;
    question.answer(running('s1'));
    await next;
    assert.equal(monitor.statusOf('s1').value, 'running');
    watch.dispose();
    assert.equal(questions[1]!.signal!.aborted, false, 'somebody still looks');
    second.dispose();
    assert.equal(questions[1]!.signal!.aborted, true);
  });

  it('asks nothing without the focus or for a window that is gone and was told nothing of it, and at once on return', async () => {
    const [back, looked] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    focused.isShown = () => {
      looked.resolve(undefined);
      return back.promise;
    };
    focused.set(false);
    monitor.watch('s1', 'inFront');
    await new Promise(resolve => setImmediate(resolve));
    const first = asked();
    focused.set(true);
    await looked.promise;
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(questions.length, 0);
    back.resolve(undefined);
    const { signal } = await first;
    focused.set(false);
    assert.equal(signal?.aborted, true);
  });

  it('asks nothing about a session without a record, until the record comes', async () => {
    monitor.watch('s7');
    const known = asked();
    monitor.watch('s1');
    assert.equal((await known).sessionId, 's1');
    const next = asked();
    await add('s7');
    assert.equal((await next).sessionId, 's7');
  });

  it('tells a failed check as unknown, never as running, and recovers; one that is only cancelled is no problem', async () => {
    const failed = monitor.check('s1');
    questions[0]!.fail(new Error('not reachable'));
    await assert.rejects(failed);
    const { value, last, problem } = monitor.statusOf('s1');
    assert.deepEqual([value, last, problem?.sentence], ['unknown', 'running', 'not reachable']);
    now += 10;
    const fine = monitor.check('s1');
    questions[1]!.answer(sessionOf());
    await fine;
    assert.equal(monitor.statusOf('s1').value, 'idle');
    const abort = new AbortController();
    const cancelled = monitor.check('s1', abort.signal);
    abort.abort();
    await assert.rejects(cancelled);
    assert.deepEqual([questions[2]?.signal?.aborted, monitor.statusOf('s1').problem], [true, undefined]);
  });

  it('lets no answer to an older question replace what a send or a newer question said', async () => {
    const early = monitor.check('s1');
    now += 100;
    await index.noteSend('service', 's1', { status: 'pending', at: now, text: 'Hello' });
    questions[0]!.answer(sessionOf());
    await early;
    assert.equal(monitor.statusOf('s1').value, 'pending');
    const late = monitor.check('s1');
    now += 100;
    // Another window asks later and is answered sooner.
    const other = new SessionMonitor(deps);
    const sooner = other.check('s1');
    questions[2]!.answer(sessionOf({ messageCount: 4 }));
    await sooner;
    other.dispose();
    questions[1]!.answer(running('s1'));
    await late;
    assert.equal(monitor.statusOf('s1').value, 'idle');
    assert.equal(index.get('s1')?.session?.messageCount, 4);
  });

  it('keeps what a service answered with that service, when the person has gone to another meanwhile', async () => {
    const check = monitor.check('s1');
    await index.use('another');
    const session = running('s2', { title: 'Made there' });
    await index.learn('service', { session, origin: 'created', at: 7 });
    questions[0]!.answer(running('s1', { title: 'Answered late' }));
    await assert.rejects(check);
    assert.equal(index.records.size, 0, 'nothing of one service shows up at the other');
    await index.use('service');
    assert.equal(index.get('s2')?.session?.title, 'Made there');
    assert.equal(monitor.statusOf('s1').problem, undefined);
  });
});

const SESSIONS = 200;
const IN_FRONT = 's150';
const HOUR = 3_600_000;

/** Windows whose clock and timers are the test's. */
describe('many sessions in many windows', () => {
  let root: string;
  let ends: { dispose(): void }[];
  let asked: { readonly sessionId: string; readonly at: number; readonly by: SessionIndex }[];
  let [openNow, mostAtOnce] = [0, 0];

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 });
    root = temporaryFolder();
    [ends, asked, openNow, mostAtOnce] = [[], [], 0, 0];
  });
  afterEach(() => {
    for (const end of ends) end.dispose();
    mock.timers.reset();
    return cleanUp();
  });

  /** Each answer says something new; of one that works also when, so nobody slows down. */
  const open = async (
    status: string,
    focused = true,
  ): Promise<{ index: SessionIndex; monitor: SessionMonitor }> => {
    const storage = openStorage({ root, log: silentLog() });
    const index = new SessionIndex(storage);
    await index.use('service');
    const one = async (_: string, { ids: { sessionId } }: { ids: { sessionId: string } }) => {
      asked.push({ sessionId, at: Date.now(), by: index });
      mostAtOnce = Math.max(mostAtOnce, ++openNow);
      await new Promise(resolve => setImmediate(resolve));
      openNow--;
      if (status === 'fails') throw new Error('not reachable');
      const updatedAt = status === 'running' ? Date.now() : 0;
      return sessionOf({ sessionId, status, messageCount: asked.length, updatedAt });
    };
    const monitor = new SessionMonitor({
      index,
      focused: new ObservableValue(focused),
      fastestSeconds: () => 2,
      connection: { api: { one: one as never }, state: new ObservableValue({ kind: 'signedOut' }) },
    });
    ends.push(monitor, index, storage);
    return { index, monitor };
  };
  const learn = async (
    index: SessionIndex,
    ids: readonly string[],
    status: string,
    at: number,
  ): Promise<void> => {
    for (const sessionId of ids)
      await index.learn('service', { session: sessionOf({ sessionId, status }), origin: 'created', at });
  };
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) {
      mock.timers.tick(50);
      for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve));
    }
  };

  for (const count of [1, 3]) {
    it(`are asked about at most twice a second by ${count} windows together, each in turn, the one in front first`, async () => {
      const ids = Array.from({ length: SESSIONS }, (_, at) => `s${at}`);
      const opened = await Promise.all(Array.from({ length: count }, () => open('running')));
      await learn(opened[0]!.index, ids, 'running', Date.now() - HOUR);
      for (const { monitor } of opened) for (const id of ids) monitor.watch(id);
      opened[0]?.monitor.watch(IN_FRONT, 'inFront');
      const others = (): Set<string> =>
        new Set(asked.map(({ sessionId }) => sessionId).filter(id => id !== IN_FRONT));
      const last = Date.now() + SESSIONS * 1_500;
      while (others().size < SESSIONS - 1 && Date.now() < last) await pass(50);

      const times = asked.map(({ at }) => at);
      const most = Math.max(...times.map(from => times.filter(at => at >= from && at < from + 1_000).length));
      assert.ok(most <= 2, `${most} in a second`);
      assert.equal(others().size, SESSIONS - 1, 'each has had its turn');
      const again = asked.filter(({ sessionId }) => sessionId !== IN_FRONT).length - others().size;
      assert.ok(again <= count, `${again} were asked again before others had their first turn`);
      const first = asked.find(({ by }) => by === opened[0]?.index);
      assert.equal(first?.sessionId, IN_FRONT, 'who looks waits for no others');
    });
  }

  it('are asked about once after the machine has slept, not in the moment of waking', async () => {
    const ids = ['s1', 's2', 's3'];
    const opened = [await open('idle'), await open('idle'), await open('idle', false)];
    await learn(opened[0]!.index, ids, 'idle', Date.now());
    for (const { monitor } of opened) for (const id of ids) monitor.watch(id);
    await pass(45_000);
    assert.deepEqual([...new Set(asked.map(({ sessionId }) => sessionId))].sort(), ids);
    asked = [];
    mock.timers.setTime(Date.now() + HOUR);
    await pass(500);
    assert.deepEqual(asked, [], 'there is no network yet');
    await pass(26_000);
    assert.deepEqual(asked.map(({ sessionId }) => sessionId).sort(), ids);
  });

  it('are asked about as often as by one window, one question at a time, and the answer is shared', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => open('running')));
    await learn(opened[0]!.index, ['s1'], 'running', Date.now() - HOUR);
    for (const { monitor } of opened) monitor.watch('s1');
    await pass(40_000);
    assert.equal(mostAtOnce, 1);
    assert.ok(asked.length >= 15 && asked.length <= 23, `${asked.length} times`);
    for (const { index } of opened) assert.equal(index.get('s1')?.session?.messageCount, asked.length);
  });

  it('share a failure too, and are asked about no more often because of it', async () => {
    const opened = await Promise.all(Array.from({ length: 4 }, () => open('fails')));
    await learn(opened[0]!.index, ['s1'], 'running', Date.now() - HOUR);
    for (const { monitor } of opened) monitor.watch('s1');
    await pass(2_000);
    for (const { monitor } of opened) assert.notEqual(monitor.statusOf('s1').problem, undefined);
    assert.equal(asked.length, 1);
  });

  it('wait for a window that asks about one of them, and not for one without the focus', async () => {
    const [{ index, monitor }, { monitor: unfocused }] = [
      await open('running'),
      await open('running', false),
    ];
    await learn(index, ['s1', 's2', 's3'], 'running', Date.now() - HOUR);
    // What a window leaves behind that is killed while it asks.
    void index.tryRun('s1', 20_000, () => new Promise(() => undefined));
    unfocused.watch('s3');
    monitor.watch('s1');
    monitor.watch('s2');
    await pass(10_000);
    assert.deepEqual([...new Set(asked.map(({ sessionId }) => sessionId))], ['s2']);
  });
});
