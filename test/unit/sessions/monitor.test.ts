import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Session } from '../../../src/api';
import { SessionMonitor } from '../../../src/sessions/status/monitor';
import { SessionIndex } from '../../../src/sessions/store/sessionIndex';
import type { Storage } from '../../../src/storage';
import { openStorage } from '../../fakes/storage';
import { ObservableValue } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';

const answer = (sessionId: string, fields: Partial<Session> = {}): Session => ({
  sessionId,
  status: 'running',
  messageCount: 1,
  createdAt: 1,
  updatedAt: 2,
  ...fields,
});

/** Puts a session into the index, as it was at the time 5. */
const add = (index: SessionIndex, sessionId: string): Promise<void> =>
  index.learn('service', { session: answer(sessionId), origin: 'created', at: 5 });

interface Question {
  readonly sessionId: string;
  readonly signal: AbortSignal | undefined;
  answer(session: Session): void;
  fail(error: Error): void;
}

describe('SessionIndex and SessionMonitor', () => {
  let root: string;
  let storage: Storage;
  let index: SessionIndex;
  let monitor: SessionMonitor;
  let focused: ObservableValue<boolean> & { isShown?: () => Promise<void> };
  let questions: Question[];
  let waiting: ((question: Question) => void)[];
  let now: number;

  /** The next question that reaches the service. */
  const asked = (): Promise<Question> => new Promise(resolve => waiting.push(resolve));

  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'sessions-'));
    storage = openStorage({ root, log: silentLog() });
    index = new SessionIndex(storage);
    focused = new ObservableValue(true);
    questions = [];
    waiting = [];
    now = 1_000;
    await index.use('service');
    monitor = new SessionMonitor({
      index,
      focused,
      fastestMs: () => 1,
      apartMs: 0,
      now: () => now,
      sentence: error =>
        error instanceof Error && error.message !== 'cancelled' ? error.message : undefined,
      api: () => ({
        sessions: {
          get: (sessionId, options) =>
            new Promise<Session>((resolve, reject) => {
              const question = { sessionId, signal: options?.signal, answer: resolve, fail: reject };
              options?.signal?.addEventListener('abort', () => reject(new Error('cancelled')));
              questions.push(question);
              waiting.shift()?.(question);
            }),
        },
      }),
    });
  });

  afterEach(async () => {
    monitor.dispose();
    index.dispose();
    storage.dispose();
    await storage.settled();
    // A question that was given up is noted as such a little later.
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  });

  it('remembers sessions over a restart, and keeps services apart', async () => {
    await add(index, 's1');
    await index.observe('service', answer('s1', { title: 'Title' }), 10);
    const again = openStorage({ root, log: silentLog() });
    const other = new SessionIndex(again);
    await other.use('service');
    assert.equal(other.get('s1')?.session?.title, 'Title');
    await other.use('another');
    assert.equal(other.records.size, 0);
    other.dispose();
    again.dispose();
  });

  it('puts a removed session back as it was', async () => {
    await add(index, 's1');
    await index.observe('service', answer('s1'), 10);
    const before = index.get('s1');
    const removed = await index.remove('service', 's1');
    assert.equal(index.get('s1'), undefined);
    await index.observe('service', answer('s1'), 20);
    assert.equal(index.get('s1'), undefined, 'an answer does not bring back what a person removed');
    await index.restore('service', removed!);
    assert.deepEqual(index.get('s1'), before);
  });

  it('keeps unknown fields of the answer', async () => {
    await add(index, 's1');
    await index.observe('service', { ...answer('s1'), somethingNew: { a: 1 } } as Session, 10);
    assert.deepEqual((index.get('s1')?.session as unknown as { somethingNew: unknown }).somethingNew, {
      a: 1,
    });
  });

  it('asks while watched and again after the answer, one question in flight', async () => {
    await add(index, 's1');
    const first = asked();
    const watch = monitor.watch('s1');
    const second = monitor.watch('s1');
    const question = await first;
    assert.equal(questions.length, 1);
    const next = asked();
    now += 10_000;
    question.answer(answer('s1'));
    await next;
    assert.equal(monitor.statusOf('s1').value, 'running');
    watch.dispose();
    assert.equal(questions[1]!.signal!.aborted, false, 'somebody still looks');
    second.dispose();
    assert.equal(questions[1]!.signal!.aborted, true);
  });

  it('asks nothing without the focus, and at once when it returns', async () => {
    await add(index, 's1');
    focused.set(false);
    const watch = monitor.watch('s1');
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(questions.length, 0);
    const first = asked();
    focused.set(true);
    assert.equal((await first).sessionId, 's1');
    watch.dispose();
  });

  it('asks nothing for a window that is gone and was told nothing of it', async () => {
    await add(index, 's1');
    let comeBack = (): void => undefined;
    const looked = new Promise<void>(resolve => {
      focused.isShown = () => {
        resolve();
        return new Promise(back => (comeBack = back));
      };
    });
    const watch = monitor.watch('s1');
    await looked;
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(questions.length, 0);
    const first = asked();
    comeBack();
    assert.equal((await first).sessionId, 's1');
    watch.dispose();
  });

  it('shows a failed check as unknown, never as running, and recovers', async () => {
    await add(index, 's1');
    await index.observe('service', answer('s1'), 900);
    const failed = monitor.check('s1');
    questions[0]!.fail(new Error('not reachable'));
    await assert.rejects(failed);
    const status = monitor.statusOf('s1');
    assert.equal(status.value, 'unknown');
    assert.equal(status.last, 'running');
    assert.equal(status.problem?.sentence, 'not reachable');
    now += 10;
    const fine = monitor.check('s1');
    questions[1]!.answer(answer('s1', { status: 'idle' }));
    await fine;
    assert.equal(monitor.statusOf('s1').value, 'idle');
  });

  it('does not let an answer to an older question replace what a send said', async () => {
    await add(index, 's1');
    const check = monitor.check('s1');
    now += 100;
    await index.noteSend('service', 's1', { status: 'running', at: now, text: 'Hello' });
    questions[0]!.answer(answer('s1', { status: 'idle' }));
    await check;
    assert.equal(monitor.statusOf('s1').value, 'running');
  });

  it('asks soon about a session that rested, once it is learned elsewhere that the agent works', async () => {
    await add(index, 's1');
    const first = asked();
    const watch = monitor.watch('s1');
    const known = new Promise<void>(resolve => index.onDidChange(() => resolve()));
    (await first).answer(answer('s1', { status: 'idle' }));
    await known;
    const next = asked();
    now += 5_000;
    await index.observe('service', answer('s1', { status: 'running' }), now - 1_000);
    await next;
    assert.equal(questions.length, 2);
    watch.dispose();
  });

  it('drops an answer that comes after the answer to a newer question', async () => {
    await add(index, 's1');
    const late = monitor.check('s1');
    now += 100;
    // Another window asks later and is answered sooner.
    const other = new SessionMonitor({
      index,
      focused,
      fastestMs: () => 1,
      apartMs: 0,
      now: () => now,
      sentence: String,
      api: () => ({
        sessions: {
          get: sessionId => Promise.resolve(answer(sessionId, { status: 'idle', messageCount: 4 })),
        },
      }),
    });
    await other.check('s1');
    other.dispose();
    assert.equal(questions.length, 1);
    questions[0]!.answer(answer('s1', { status: 'running', messageCount: 2 }));
    await late;
    assert.equal(monitor.statusOf('s1').value, 'idle');
    assert.equal(index.get('s1')?.session?.messageCount, 4);
  });

  it('asks again at once where its turn met a question that was under way already', async () => {
    await add(index, 's1');
    const byHand = monitor.check('s1');
    now += 100;
    await index.noteSend('service', 's1', { status: 'running', at: now, text: 'Hello' });
    now += 10;
    const taken = Promise.withResolvers();
    const check = monitor.check.bind(monitor);
    monitor.check = (...args) => {
      taken.resolve(undefined);
      return check(...args);
    };
    const watch = monitor.watch('s1');
    await taken.promise;
    now += 10;
    const next = asked();
    questions[0]!.answer(answer('s1', { status: 'idle' }));
    await byHand;
    await next;
    watch.dispose();
  });

  it('leaves no problem behind when a check is only cancelled', async () => {
    await add(index, 's1');
    const abort = new AbortController();
    const check = monitor.check('s1', abort.signal);
    abort.abort();
    await assert.rejects(check);
    assert.equal(questions[0]?.signal?.aborted, true);
    assert.equal(monitor.statusOf('s1').problem, undefined);
  });

  it('keeps what a service answered with that service, when the person has gone to another meanwhile', async () => {
    await add(index, 's1');
    const check = monitor.check('s1');
    await index.use('another');
    await index.learn('service', {
      session: answer('s2', { title: 'Made there' }),
      origin: 'created',
      at: 7,
    });
    questions[0]!.answer(answer('s1', { title: 'Answered late' }));
    await assert.rejects(check);
    assert.equal(index.records.size, 0, 'nothing of one service shows up at the other');
    await index.use('service');
    assert.equal(index.get('s2')?.session?.title, 'Made there');
    assert.equal(monitor.statusOf('s1').problem, undefined);
  });

  it('asks nothing about a session without a record, until the record comes', async () => {
    await add(index, 's1');
    const watch = monitor.watch('s7');
    const known = asked();
    const other = monitor.watch('s1');
    // Its turn came after that of s7: had s7 been asked about, it would have been first.
    assert.equal((await known).sessionId, 's1');
    const next = asked();
    await add(index, 's7');
    assert.equal((await next).sessionId, 's7');
    watch.dispose();
    other.dispose();
  });

  it('opens again after the index could not be read once', async () => {
    const blocked = path.join(root, 'blocked');
    await writeFile(blocked, 'a file where a folder should be');
    const elsewhere = new SessionIndex(openStorage({ root: blocked, log: silentLog() }));
    await assert.rejects(elsewhere.use('service'));
    assert.notEqual(elsewhere.failure, undefined);
    assert.equal(elsewhere.isOpen, false);
    await rm(blocked);
    await elsewhere.use('service');
    assert.equal(elsewhere.isOpen, true);
    assert.equal(elsewhere.failure, undefined);
    elsewhere.dispose();
  });

  it('shows what another window wrote', async () => {
    const elsewhere = openStorage({ root, log: silentLog() });
    const other = new SessionIndex(elsewhere);
    await other.use('service');
    const seen = new Promise<readonly string[]>(resolve => {
      index.onDidChange(ids => {
        if (ids.includes('s9')) resolve(ids);
      });
    });
    await add(other, 's9');
    await seen;
    assert.equal(index.get('s9')?.origin, 'created');
    other.dispose();
    elsewhere.dispose();
  });
});
