import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { Following } from '../../../src/hooks/following';
import type { OutgoingEvent } from '../../../src/hooks/outgoing';
import type { SessionsForHooks } from '../../../src/hooks/sessions';
import { decodeStop, Stops, type Told } from '../../../src/hooks/stops';
import { openStorage } from '../../../src/storage';
import { Emitter } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';
import { cleanUp, later, temporaryFolder, unexpected } from './support';

const event: OutgoingEvent = { hook_event_name: 'Stop', session_id: 's', cwd: '/' };

/** Windows on one folder of records; `ran` has what they have run. */
function windows(count: number): {
  readonly all: Stops[];
  readonly ran: string[];
  allowed: boolean[];
  root: string;
} {
  const root = temporaryFolder();
  const ran: string[] = [];
  const allowed = Array.from({ length: count }, () => true);
  const all = allowed.map((_, at) => {
    const storage = openStorage({ root, log: silentLog() });
    later(() => storage.dispose());
    return new Stops(storage.collection({ path: 'hook-stops', version: 1, decode: decodeStop }), {
      isWanted: () => allowed[at] === true,
      run: ({ session_id }) => Promise.resolve(void ran.push(`${at} ${session_id}`)),
    });
  });
  return { all, ran, allowed, root };
}

describe('the end of work', function () {
  afterEach(cleanUp);

  const hook = (at: number): Told => ({ by: 'hook', at });
  const status = (at: number, workedAt?: number): Told => ({ by: 'status', at, workedAt });
  for (const [what, told, runs] of [
    ['by a hook, then by the service', [hook(100_000), status(103_000, 99_000)], 1],
    ['by a hook, then by a service that lags behind', [hook(100_000), status(105_000, 103_000)], 1],
    ['by a hook, then by the service an hour later', [hook(100_000), status(3_700_000, 99_000)], 1],
    ['by the service, then by a hook', [status(100_000, 97_000), hook(101_000)], 1],
    ['by the service, then by a hook from before', [status(100_000, 40_000), hook(50_000)], 1],
    ['by a service that asks twice', [status(100_000, 97_000), status(101_000, 97_000)], 1],
    ['by a service that knows no more of the work', [hook(100_000), status(100_000)], 1],
    ['by hooks, each of an end of its own', [hook(100_000), hook(101_000), hook(100_500)], 3],
    ['by the service, each of an end of its own', [status(100_000, 97_000), status(109_000, 106_000)], 2],
    ['twice by both', [hook(100_000), status(103_000, 99_000), hook(109_000), status(110_000, 108_000)], 2],
    ['by both of shorter and shorter work', [status(100_000, 99_000), hook(100_000), hook(101_000)], 2],
    ['by a hook, then of later work that no hook tells of', [hook(100_000), status(200_000, 180_000)], 2],
  ] as const) {
    it(`told ${what} runs the command ${runs === 1 ? 'once' : `${runs} times`}`, async () => {
      const { all, ran } = windows(2);
      for (const [n, each] of told.entries()) await all[n % 2]!.tell(event, each);
      assert.equal(ran.length, runs);
    });
  }

  it('runs the command once when eight windows hear of it at the same moment, for each session', async () => {
    const { all, ran } = windows(8);
    const told = all.flatMap(stops =>
      ['s', 't'].map(id => stops.tell({ ...event, session_id: id }, status(100_000, 97_000))),
    );
    await Promise.all(told);
    assert.deepEqual(ran.map(each => each.slice(2)).sort(), ['s', 't']);
  });

  it('is left to other windows by one that may run nothing', async () => {
    const { all, ran, allowed } = windows(2);
    allowed[0] = false;
    await all[0]!.tell(event, hook(100_000));
    await all[1]!.tell(event, status(103_000, 99_000));
    assert.deepEqual(ran, ['1 s']);
  });

  it('told by a clock that was ahead hides none that comes after', async () => {
    const { all, ran } = windows(1);
    const now = Date.now();
    await all[0]!.tell(event, status(now + 3_600_000, now + 3_590_000));
    await all[0]!.tell(event, status(now, now - 5_000));
    await all[0]!.tell(event, hook(now));
    assert.equal(ran.length, 2, 'the second by status and by hook is one end');
  });

  it('is forgotten after two months', async () => {
    const { all, root } = windows(1);
    await all[0]!.tell(event, hook(Date.now() - 61 * 86_400_000));
    await all[0]!.tell({ ...event, session_id: 'new' }, hook(Date.now()));
    await all[0]!.forgetOld();
    const left = fs.readdirSync(`${root}/hook-stops`).filter(name => name.endsWith('.json'));
    const records = left.map(name => fs.readFileSync(`${root}/hook-stops/${name}`, 'utf8')).join('\n');
    assert.match(records, /"new"/);
    assert.doesNotMatch(records, /"sessionId":"s"/);
  });
});

describe('sessions that a hook waits for', () => {
  afterEach(cleanUp);

  const stage = (
    working: string[],
  ): {
    awaited: Set<string>;
    stops: unknown[];
    changed: Emitter<unknown>;
    state: Emitter<never>;
    following: Following;
  } => {
    const [changed, state] = [new Emitter<unknown>(), new Emitter<never>()];
    const awaited = new Set<string>();
    const stops: unknown[] = [];
    const sessions: SessionsForHooks = {
      titleOf: () => undefined,
      working: () => working,
      await: id => {
        awaited.add(id);
        return { dispose: () => void awaited.delete(id) };
      },
      workOf: () => ({ seenAt: 7, began: undefined }),
      onDidChange: changed.event,
      onDidChangeState: state.event,
    };
    const following = new Following({
      sessions: () => Promise.resolve(sessions),
      onStop: (...stop) => stops.push(stop),
      onFailure: unexpected,
    });
    later(() => following.dispose());
    return { awaited, stops, changed, state, following };
  };

  it('are those that work, the latest twenty, as long as they do', async () => {
    const working = Array.from({ length: 25 }, (_, n) => `s${n}`);
    const { awaited, changed, following } = stage(working);
    await Promise.resolve();
    assert.deepEqual([...awaited], working.slice(0, 20));
    working.splice(0, 22);
    changed.fire(undefined);
    assert.deepEqual([...awaited], ['s22', 's23', 's24']);
    following.dispose();
    assert.equal(awaited.size, 0);
    changed.fire(undefined);
    assert.equal(awaited.size, 0);
  });

  it('have stopped when they go from work to none, and do not wait for the person', async () => {
    const { state, stops } = stage([]);
    await Promise.resolve();
    const change = { sessionId: 's', from: 'running', to: 'idle', at: 9 };
    for (const each of [
      { ...change, from: 'idle', to: 'running' },
      { ...change, to: 'pending' },
      { ...change, waiting: true },
      { ...change, to: 'later' },
    ])
      state.fire(each as never);
    assert.deepEqual(stops, []);
    state.fire(change as never);
    state.fire({ ...change, from: 'pending' } as never);
    assert.deepEqual(stops, [
      ['s', 9, 7],
      ['s', 9, 7],
    ]);
  });
});
