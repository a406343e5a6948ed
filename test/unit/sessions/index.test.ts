import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Write } from '../../../src/storage/database';
import type { MakeEngine } from '../../../src/storage/engine';
import { localEngine, storedRows } from '../../fakes/storage';
import {
  failed,
  observed,
  RECORD_VERSION,
  sent,
  signalled,
  statusOf,
  titleOf,
  untilDue,
  type SessionRecord,
} from '../../../src/sessions/record';
import { cleanUp, temporaryFolder } from '../../fakes/cleanUp';
import { openIndex, recordOf, remove, sessionOf, until } from './support';

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the index of sessions', () => {
  let root: string;
  beforeEach(() => {
    root = temporaryFolder();
  });
  afterEach(cleanUp);

  /** Before any window: as a file of version 0.1, which the first one takes over. */
  const store = async (id: string, version: number, value: unknown): Promise<void> => {
    const folder = path.join(root, 'services', 'service', 'sessions');
    await mkdir(folder, { recursive: true });
    const record = JSON.stringify({ id, version, value, writers: [] });
    await writeFile(path.join(folder, `${id}.1.json`), record);
  };

  it('reads records of version 1, with nothing kept about them, and writes them as they are now', async () => {
    const old = { sessionId: 's1', origin: 'added', addedAt: 5, firstText: 'Hello', session: sessionOf() };
    await store('s1', 1, old);
    const index = await openIndex(root);
    assert.equal(index.get('s1')?.firstText, 'Hello');
    assert.deepEqual(index.get('s1')?.local, {});
    await index.keep('s1', local => ({ ...local, name: 'Mine' }));
    const again = await openIndex(root);
    assert.equal(again.get('s1')?.local.name, 'Mine');
    assert.equal(again.get('s1')?.session?.messageCount, 2);
    assert.deepEqual(
      storedRows(root).map(({ version }) => version),
      [RECORD_VERSION],
    );
  });

  it('lists a record with an answer no service gives, or with a note nobody made, by the name it has here', async () => {
    const local = { name: 'Mine' };
    for (const [sessionId, odd] of Object.entries({
      s1: { local, session: { ...sessionOf(), title: 5 } },
      s2: { local, session: 'idle' },
      s3: { local: { ...local, pinned: 'yes' } },
      s4: { firstText: 'Hello', local: 'none' },
    }))
      await store(sessionId, 2, { ...recordOf({ sessionId }), ...odd });
    const index = await openIndex(root);
    assert.deepEqual(index.unreadable, []);
    const titles = [...index.records].map(([id, record]) => `${id} ${titleOf(record)}`);
    assert.deepEqual(titles.sort(), ['s1 Mine', 's2 Mine', 's3 Mine', 's4 Hello']);
    const { title, messageCount } = index.get('s1')?.session ?? {};
    assert.deepEqual([title, messageCount, index.get('s2')?.session], [undefined, 2, undefined]);
  });

  it('leaves a record of a newer version, or one that cannot be read, as it is, names it, and shows the others', async () => {
    await store('s9', RECORD_VERSION + 1, { sessionId: 's9', shape: 'of the future' });
    await store('s2', 2, { sessionId: 's2', origin: 'dreamt', addedAt: 1 });
    await store('s1', 2, recordOf());
    const index = await openIndex(root);
    assert.deepEqual([...index.records.keys()], ['s1']);
    assert.deepEqual(index.unreadable.map(({ id }) => id).sort(), ['s2', 's9']);
    await assert.rejects(
      index.learn('service', { session: sessionOf({ sessionId: 's9' }), origin: 'added', at: 9 }),
    );
    const future = storedRows(root).find(({ id }) => id === 's9');
    assert.deepEqual(
      [future?.version, future?.value],
      [RECORD_VERSION + 1, '{"sessionId":"s9","shape":"of the future"}'],
    );
  });

  it('waits for the disk when a person keeps something, not for what the service is asked, and other windows hear of both', async () => {
    const durable: boolean[] = [];
    const engine: MakeEngine = options => {
      const real = localEngine(options);
      return {
        close: () => real.close(),
        call: (name, ...args) => {
          if (name === 'write') durable.push((args[0] as readonly Write[]).some(write => write.durable));
          return real.call(name, ...args);
        },
      };
    };
    const index = await openIndex(root, { engine });
    const other = await openIndex(root);
    await index.learn('service', { session: sessionOf({ status: 'running' }), origin: 'added', at: 5 });
    durable.length = 0;
    for (let at = 10; at < 20; at++) await index.observe('service', sessionOf({ status: 'running' }), at);
    await index.fail('service', 's1', { at: 20, sentence: 'No answer.' });
    await until(other.onDidChange, () => other.get('s1')?.check?.problem?.at === 20);
    assert.equal(other.get('s1')?.checkedAt, 19);
    assert.deepEqual([durable.length, durable.some(Boolean)], [11, false]);
    await index.observe('service', sessionOf({ status: 'idle' }), 21);
    await index.keep('s1', local => ({ ...local, name: 'Mine' }));
    assert.deepEqual(durable.slice(11), [false, true]);
  });

  it('takes a session in that a hook told of, and forgets the signal when the session has moved on', async () => {
    const index = await openIndex(root);
    const workspace = { uri: 'file:///home/ada/shop', name: 'shop' };
    const told = { sessionId: 's1', kind: 'waiting', at: 1_000, message: 'May I?' } as const;
    await index.signal('service', told, workspace);
    const { origin, signal, workspace: kept } = index.get('s1') ?? {};
    assert.deepEqual([origin, signal?.message, kept], ['hook', 'May I?', workspace]);
    for (const [status, at, stays, why] of [
      ['running', 900, true, 'asked before the hook told'],
      ['running', 1_100, true],
      ['idle', 2_000, true, 'the service takes a moment to settle'],
      ['idle', 60_000, true],
      ['running', 70_000, false],
    ] as const) {
      await index.observe('service', sessionOf({ status, messageCount: 3 }), at);
      assert.equal(index.get('s1')?.signal !== undefined, stays, why);
    }
  });

  it('tells a change of the status once, in the window whose answer brought it', async () => {
    const [a, b] = [await openIndex(root), await openIndex(root)];
    const told: unknown[] = [];
    a.onDidChangeState(change => told.push({ ...change, window: 'a' }));
    b.onDidChangeState(change => told.push({ ...change, window: 'b' }));
    await a.learn('service', { session: sessionOf({ status: 'running' }), origin: 'created', at: 5 });
    await until(b.onDidChange, () => b.get('s1') !== undefined);
    await Promise.all([
      a.observe('service', sessionOf({ status: 'idle' }), 10),
      b.observe('service', sessionOf({ status: 'idle' }), 11),
    ]);
    await a.observe('service', sessionOf({ status: 'idle' }), 20);
    assert.deepEqual(told, [{ sessionId: 's1', from: 'running', to: 'idle', at: 10, window: 'a' }]);
    await b.signal('service', { sessionId: 's1', kind: 'waiting', at: 25 }, undefined);
    await b.noteSend('service', 's1', { status: 'pending', at: 30, text: 'More' });
    assert.deepEqual(told.slice(1), [{ sessionId: 's1', from: 'idle', to: 'pending', at: 30, window: 'b' }]);
  });

  it('keeps what was removed as it was, hides it from every window, and brings it back when a person or a hook does', async () => {
    const [a, b] = [await openIndex(root), await openIndex(root)];
    const listed = { session: sessionOf({ title: 'Ours' }), origin: 'listed', at: 5 } as const;
    const kept = { name: 'Mine', pinned: true };
    for (const sessionId of ['s1', 's2', 's3']) {
      await a.learn('service', { ...listed, session: sessionOf({ sessionId }) });
      await a.keep(sessionId, () => kept);
      await remove(a, sessionId);
    }
    await until(b.onDidChange, () => b.removed.length === 3);
    await b.learn('service', { ...listed, at: 6 });
    await b.observe('service', listed.session, 7);
    assert.deepEqual([b.records.size, b.get('s1'), await b.read('s1')], [0, undefined, undefined]);
    await b.learn('service', { ...listed, origin: 'added', at: 8 });
    await b.signal('service', { sessionId: 's2', kind: 'waiting', at: 9 }, undefined);
    assert.equal(await b.add('service', recordOf({ sessionId: 's3' })), true);
    for (const id of ['s1', 's2', 's3']) assert.deepEqual(plain(b.get(id)?.local), kept);
    assert.deepEqual(b.removed, []);
    assert.equal(b.get('s2')?.signal?.kind, 'waiting');
  });
});

describe('session records', () => {
  const waiting = { sessionId: 's1', kind: 'waiting', at: 1_000 } as const;

  it('take what comes after an answer that a clock far ahead has dated', () => {
    const ahead = observed(recordOf(), sessionOf({ status: 'running' }), 365 * 24 * 3_600_000);
    assert.equal(observed(ahead, sessionOf(), 1_000_000).session?.status, 'idle');
  });

  it('keep what a hook told for older and repeated events, and until the next message at the service', () => {
    const told = signalled(recordOf(), waiting);
    for (const event of [{ ...waiting, kind: 'ended', at: 900 } as const, waiting])
      assert.equal(signalled(told, event), told);
    const seen = observed(told, sessionOf(), 1_100);
    assert.equal(seen.signal?.kind, 'waiting');
    assert.equal(observed(seen, sessionOf({ messageCount: 3 }), 1_200).signal, undefined);
  });

  it('take nothing from a hook where the session has moved on before the event was read', () => {
    for (const [updatedAt, kind] of [
      [200_000, undefined],
      [100_500, 'waiting'],
      [99_000, 'waiting'],
    ] as const) {
      const [event, session] = [{ ...waiting, at: 100_000 }, sessionOf({ updatedAt })];
      const known = observed(recordOf(), session, 300_000);
      assert.equal(signalled(known, event).signal?.kind, kind);
      assert.equal(observed(signalled(recordOf(), event), session, 300_000).signal?.kind, kind);
      assert.equal(signalled(known, { ...event, at: 400_000 }).signal?.at, 400_000, 'it waits again');
    }
  });

  it('remember work that has ended', () => {
    const asked = sent(observed(recordOf(), sessionOf(), 100), { status: 'pending', at: 900, text: 'Go' });
    const working = observed(asked, sessionOf({ status: 'running' }), 950);
    assert.deepEqual(observed(working, sessionOf(), 970).work, { at: 950 });
  });

  const now = 1_800_000_000_000;
  const HOUR = 3_600_000;
  const due = (record: SessionRecord, eager = false): number => {
    const status = statusOf(record, record.check?.problem);
    return untilDue(record, status, { eager, inFront: false }, 3_000, now);
  };

  it('are checked more and more slowly while nothing happens, within bounds, and quickly again after a message', () => {
    for (const [quietMs, status, pause, eager] of [
      [0, 'running', 3_000],
      [100_000, 'running', 10_000],
      [HOUR, 'running', 30_000],
      [HOUR, 'idle', 300_000],
      [600_000, 'idle', 60_000],
      [HOUR, 'idle', 30_000, true],
    ] as const) {
      const session = sessionOf({ status, updatedAt: now - quietMs });
      assert.equal(Math.round(due(recordOf({ session, checkedAt: now }), eager) / 0.9), pause);
    }
    const told = recordOf({ session: sessionOf({ updatedAt: now - HOUR }), checkedAt: now });
    const answered = sent(told, { status: undefined, at: now, text: 'Go on' });
    assert.equal(due(failed(answered, { at: now, sentence: 'x' })), 27_000);
    assert.equal(due(sent(told, { status: 'pending', at: now, text: 'Go on' })), 2_700);
    // Also after a change that the service does not date.
    assert.equal(due(observed(told, sessionOf({ updatedAt: now - HOUR, status: 'running' }), now)), 2_700);
  });

  it('are not checked while a clock that was ahead would win over the answers, and are as soon as it would not', () => {
    const minute = 60_000;
    const dueAt = (aheadMs: number): number =>
      due(recordOf({ checkedAt: now + aheadMs, session: sessionOf({ status: 'running' }) }), true);
    assert.ok(dueAt(minute) > minute);
    assert.equal(dueAt(10 * minute), 0);
    assert.ok(dueAt(-minute) < 0);
  });
});
