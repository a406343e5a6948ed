import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { SessionsView, type SessionsViewDeps } from '../../../src/sessions/view';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';

describe('the view of sessions', () => {
  it('draws everything again only where rows could not be read, not when they have been', async () => {
    const changed = new Emitter<readonly string[]>();
    const silent = new Emitter<undefined>().event;
    const index = {
      onDidChange: changed.event,
      records: new Map(),
      unreadable: [],
      isOpen: false,
      failure: undefined as unknown,
    };
    const calls: string[] = [];
    let called = (): void => undefined;
    const call = (name: string) => () => {
      calls.push(name);
      called();
    };
    const state = new ObservableValue<unknown>({ kind: 'signedOut' });
    const view = new SessionsView({
      view: { visible: false, onDidChangeVisibility: silent },
      tree: { reset: call('reset'), update: call('update') },
      listing: { onDidChange: silent, countText: () => undefined, hiddenText: () => undefined },
      index,
      monitor: { onDidChange: silent },
      connection: { state },
      format: new Formatter('en'),
    } as unknown as SessionsViewDeps);
    const next = async (change: () => void): Promise<string[]> => {
      const done = new Promise<void>(resolve => (called = resolve));
      change();
      changed.fire([]);
      await done;
      return calls.splice(0);
    };
    assert.deepEqual(calls, [], 'VS Code asks for the first rows by itself');
    assert.deepEqual(await next(() => (index.isOpen = true)), ['update']);
    assert.deepEqual(
      await next(() => {
        index.isOpen = false;
        index.failure = new Error('The disk is gone.');
      }),
      ['reset'],
    );
    assert.deepEqual(
      await next(() => {
        index.isOpen = true;
        index.failure = undefined;
      }),
      ['reset'],
    );
    assert.deepEqual(await next(() => undefined), ['update']);
    view.dispose();
  });

  it('asks again about what could not be asked about, some at a time, until it answers or cannot', () => {
    const changed = new Emitter<readonly string[]>();
    const visibility = new Emitter<undefined>();
    const silent = new Emitter<undefined>().event;
    const ids = Array.from({ length: 30 }, (_, at) => `s${at}`);
    const problems = new Map(
      ids.map(id => [id, { at: 1, sentence: 'x', ...(id < 's13' ? { lasts: true } : {}) }]),
    );
    const watched = new Set<string>();
    const shown = { visible: false, onDidChangeVisibility: visibility.event };
    const view = new SessionsView({
      view: shown,
      tree: { reset: () => undefined, update: () => undefined },
      listing: { onDidChange: silent, countText: () => undefined, hiddenText: () => undefined },
      index: {
        onDidChange: changed.event,
        records: new Map(
          ids.map(id => [id, { sessionId: id, local: id === 's29' ? { archivedAt: 1 } : {} }]),
        ),
        unreadable: [],
        isOpen: true,
      },
      monitor: {
        onDidChange: silent,
        statusOf: (id: string) => {
          const problem = problems.get(id);
          return problem === undefined ? { value: 'idle' } : { value: 'unknown', last: 'idle', problem };
        },
        watch: (id: string) => {
          watched.add(id);
          return { dispose: () => void watched.delete(id) };
        },
      },
      connection: {
        state: new ObservableValue<unknown>({ kind: 'signedIn', service: { source: 'sample' } }),
      },
      format: new Formatter('en'),
    } as unknown as SessionsViewDeps);
    mock.timers.enable({ apis: ['setTimeout'] });
    const next = (): string[] => {
      changed.fire([]);
      mock.timers.tick(50);
      return [...watched];
    };
    try {
      assert.deepEqual(next(), [], 'nobody looks');
      shown.visible = true;
      const lasting = [...problems].filter(([, problem]) => 'lasts' in problem).map(([id]) => id);
      const first = next();
      assert.equal(first.length, 20);
      assert.ok(first.every(id => !lasting.includes(id) && id !== 's29'));
      for (const id of first) problems.delete(id);
      const left = ids.filter(id => problems.has(id) && !lasting.includes(id) && id !== 's29');
      assert.deepEqual(next(), left, 'the others take their place');
      for (const id of left) problems.delete(id);
      assert.deepEqual(next(), []);
    } finally {
      mock.timers.reset();
      view.dispose();
    }
  });
});
