import assert from 'node:assert/strict';
import { Poller } from '../../../src/util/poller';
import { SharedRequests } from '../../../src/util/promises';
import { catchUnhandled } from '../../fakes/unhandled';

describe('Poller', () => {
  it('asks at once, one round at a time, and again after the answer', async () => {
    const rounds: PromiseWithResolvers<number>[] = [];
    const begun: (() => void)[] = [];
    const next = (): Promise<void> => new Promise(resolve => begun.push(resolve));
    const first = next();
    const poller = new Poller({
      run: () => {
        const round = Promise.withResolvers<number>();
        rounds.push(round);
        begun.shift()?.();
        return round.promise;
      },
    });
    poller.start();
    poller.start();
    await first;
    poller.poke();
    assert.equal(rounds.length, 1);
    const second = next();
    rounds[0]!.resolve(Infinity);
    await second;
    assert.equal(rounds.length, 2, 'a poke during a round is answered by another round');
    poller.dispose();
  });

  it('aborts the round in flight when it stops, and drops its answer', async () => {
    const aborted = Promise.withResolvers<boolean>();
    const begun = Promise.withResolvers<boolean>();
    let rounds = 0;
    const poller = new Poller({
      run: signal => {
        rounds++;
        signal.addEventListener('abort', () => aborted.resolve(true));
        begun.resolve(true);
        return new Promise(() => undefined);
      },
    });
    poller.start();
    await begun.promise;
    poller.stop();
    assert.equal(await aborted.promise, true);
    assert.equal(rounds, 1);
    assert.equal(poller.isRunning, false);
  });

  it('repeats a failed round after retryMs, and does not hide why it failed', async () => {
    const caught = catchUnhandled();
    let count = 0;
    const second = Promise.withResolvers<boolean>();
    const poller = new Poller({
      retryMs: 1,
      run: () => {
        count++;
        if (count === 2) second.resolve(true);
        return count === 1 ? Promise.reject(new Error('no')) : Promise.resolve(Infinity);
      },
    });
    poller.start();
    await second.promise;
    assert.equal(count, 2);
    poller.dispose();
    caught.dispose();
    assert.deepEqual(caught.errors, [new Error('no')]);
  });

  it('asks nothing for a window that does not answer, and goes on when it does', async () => {
    const answers: PromiseWithResolvers<unknown>[] = [];
    const ran = Promise.withResolvers<boolean>();
    let rounds = 0;
    let begun = Promise.withResolvers<boolean>();
    const poller = new Poller({
      isShown: () => {
        const answer = Promise.withResolvers<unknown>();
        answers.push(answer);
        begun.resolve(true);
        return answer.promise;
      },
      run: () => {
        rounds++;
        ran.resolve(true);
        return Promise.resolve(Infinity);
      },
    });
    poller.start();
    await begun.promise;
    poller.stop();
    begun = Promise.withResolvers();
    poller.start();
    await begun.promise;
    answers[0]?.resolve(undefined);
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(rounds, 0, 'the round of that answer was given up');
    answers[1]?.resolve(undefined);
    await ran.promise;
    assert.deepEqual([answers.length, rounds], [2, 1]);
    poller.dispose();
  });
});

describe('SharedRequests', () => {
  it('asks once for callers at the same time', async () => {
    const shared = new SharedRequests<number>();
    let asked = 0;
    const answer = Promise.withResolvers<number>();
    const start = (): Promise<number> => {
      asked++;
      return answer.promise;
    };
    const both = Promise.all([shared.run('a', start), shared.run('a', start)]);
    answer.resolve(7);
    assert.deepEqual(await both, [7, 7]);
    assert.equal(asked, 1);
    await shared.run('a', () => Promise.resolve(8));
  });

  it('lets one caller go without ending the request of the other', async () => {
    const shared = new SharedRequests<number>();
    const answer = Promise.withResolvers<number>();
    let ended = false;
    const start = (signal: AbortSignal): Promise<number> => {
      signal.addEventListener('abort', () => (ended = true));
      return answer.promise;
    };
    const leaving = new AbortController();
    const stays = shared.run('a', start, new AbortController().signal);
    const leaves = shared.run('a', start, leaving.signal);
    leaving.abort();
    await assert.rejects(leaves);
    assert.equal(ended, false);
    answer.resolve(1);
    assert.equal(await stays, 1);
  });

  it('ends the request when its last caller has gone', async () => {
    const shared = new SharedRequests<number>();
    const ended = Promise.withResolvers<boolean>();
    const start = (signal: AbortSignal): Promise<number> =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          ended.resolve(true);
          reject(signal.reason as Error);
        }),
      );
    const leaving = new AbortController();
    const leaves = shared.run('a', start, leaving.signal);
    leaving.abort();
    await assert.rejects(leaves);
    assert.equal(await ended.promise, true);
    assert.equal(await shared.run('a', () => Promise.resolve(2)), 2, 'the next caller asks anew');
  });
});
