import assert from 'node:assert/strict';
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
});
