import assert from 'node:assert/strict';
import { decodeHeldSignal, HeldSignals } from '../../../src/hooks/heldSignals';
import type { HookSignal } from '../../../src/hooks/sessions';
import { SessionIndex } from '../../../src/sessions/sessionIndex';
import { openStorage } from '../../../src/storage';
import { Emitter } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';
import { cleanUp, later, temporaryFolder, unexpected, until } from './support';

const stored = { path: 'hook-signals', version: 1, decode: decodeHeldSignal };

/** Resolves when these are the sessions of which something is kept until somebody signs in. */
async function settled(root: string, wanted: readonly string[]): Promise<void> {
  for (;;) {
    const storage = openStorage({ root, log: silentLog() });
    const ids = [...(await storage.collection(stored).load()).keys()].sort();
    storage.dispose();
    if (ids.join() === wanted.join()) return;
  }
}

interface Window {
  readonly signals: HeldSignals;
  readonly index: SessionIndex;
  readonly signIn: () => void;
}

/** One window on records that several share; nobody is signed in. */
async function open(root: string): Promise<Window> {
  const storage = openStorage({ root, log: silentLog() });
  const index = new SessionIndex(storage);
  let isSignedIn = false;
  const changed = new Emitter<void>();
  const sessions = {
    signal: async (signal: HookSignal): Promise<boolean> => {
      if (!isSignedIn) return false;
      await index.use('service');
      await index.signal('service', signal, undefined);
      return true;
    },
    onDidChangeService: changed.event,
  };
  const signals = new HeldSignals({
    held: storage.collection(stored),
    sessions: () => Promise.resolve(sessions),
    onFailure: unexpected,
  });
  later(() => {
    for (const part of [signals, index, storage]) part.dispose();
  });
  await signals.load();
  return {
    signals,
    index,
    signIn: () => {
      isSignedIn = true;
      changed.fire();
    },
  };
}

const told = (sessionId: string, kind: HookSignal['kind'], at = Date.now()): HookSignal => ({
  sessionId,
  kind,
  at,
});

describe('what hooks tell while nobody is signed in', function () {
  afterEach(cleanUp);

  it('enters the index with the next sign-in, each session with what was told last', async () => {
    const root = temporaryFolder();
    const window = await open(root);
    const now = Date.now();
    await window.signals.tell(told('a', 'waiting', now - 5_000));
    await window.signals.tell(told('a', 'ended', now));
    await window.signals.tell(told('a', 'finished', now - 3_000));
    await window.signals.tell(told('b', 'waiting', now));
    await settled(root, ['a', 'b']);
    assert.equal(window.index.records.size, 0);
    window.signIn();
    await until(() => window.index.records.size === 2);
    assert.deepEqual(
      ['a', 'b'].map(id => [window.index.get(id)?.signal?.kind, window.index.get(id)?.origin]),
      [
        ['ended', 'hook'],
        ['waiting', 'hook'],
      ],
    );
    await window.signals.tell(told('c', 'finished'));
    assert.equal(window.index.get('c')?.signal?.kind, 'finished');
    await settled(root, []);
  });

  it('outlives the window, and is handed over once whichever window signs in', async () => {
    const root = temporaryFolder();
    const first = await open(root);
    await first.signals.tell(told('a', 'waiting'));
    await first.signals.tell(told('forgotten', 'waiting', Date.now() - 61 * 24 * 60 * 60_000));
    first.signals.dispose();
    const [one, two] = [await open(root), await open(root)];
    await settled(root, ['a']);
    one.signIn();
    two.signIn();
    await until(() => one.index.get('a') !== undefined && two.index.get('a') !== undefined);
    await settled(root, []);
  });

  it('refuses what is stored and is no signal', () => {
    for (const value of [null, [], {}, { sessionId: 's', at: 1 }, { sessionId: 's', at: 1, kind: 'running' }])
      assert.throws(() => decodeHeldSignal(value));
    assert.deepEqual(decodeHeldSignal(told('s', 'ended', 1)), told('s', 'ended', 1));
  });
});
