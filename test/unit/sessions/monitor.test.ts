import assert from 'node:assert/strict';
import type { Session } from '../../../src/api';
import { SessionMonitor, type MonitorDeps } from '../../../src/sessions/monitor';
import type { SessionIndex } from '../../../src/sessions/sessionIndex';
import { ObservableValue } from '../../../src/util/event';
import { cleanUp, temporaryFolder } from '../../fakes/cleanUp';
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
