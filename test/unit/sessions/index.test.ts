import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StateChange } from '../../../src/sessions/store/sessionIndex';
import type { Write } from '../../../src/storage/database';
import type { MakeEngine } from '../../../src/storage/engine';
import { localEngine, storedRows } from '../../fakes/storage';
import { RECORD_VERSION } from '../../../src/sessions/store/record';
import { recordOf, sessionOf, until, Windows } from './support';

describe('the index of sessions', () => {
  let windows: Windows;
  beforeEach(async () => {
    windows = await Windows.make();
  });
  afterEach(() => windows.close());

  /** Before any window: as a file of version 0.1, which the first one takes over. */
  const store = async (id: string, version: number, value: unknown): Promise<void> => {
    const folder = path.join(windows.root, 'services', 'service', 'sessions');
    await mkdir(folder, { recursive: true });
    const record = JSON.stringify({ id, version, value, writers: [] });
    await writeFile(path.join(folder, `${id}.1.json`), record);
  };

  it('reads records of version 1, with nothing kept about them, and writes them as they are now', async () => {
    const old = { sessionId: 's1', origin: 'added', addedAt: 5, firstText: 'Hello', session: sessionOf() };
    await store('s1', 1, old);
    const { index } = await windows.open();
    assert.equal(index.get('s1')?.firstText, 'Hello');
    assert.deepEqual(index.get('s1')?.local, {});
    await index.keep('service', 's1', local => ({ ...local, name: 'Mine' }));
    const again = (await windows.open()).index;
    assert.equal(again.get('s1')?.local.name, 'Mine');
    assert.equal(again.get('s1')?.session?.messageCount, 2);
    assert.deepEqual(
      storedRows(windows.root).map(({ version }) => version),
      [RECORD_VERSION],
    );
  });

  it('leaves a record of a newer version as it is, names it, and shows the others', async () => {
    await store('s9', RECORD_VERSION + 1, { sessionId: 's9', shape: 'of the future' });
    await store('s1', 2, recordOf());
    const { index } = await windows.open();
    assert.deepEqual([...index.records.keys()], ['s1']);
    assert.equal(index.unreadable.length, 1);
    await assert.rejects(
      index.learn('service', { session: sessionOf({ sessionId: 's9' }), origin: 'added', at: 9 }),
    );
    const future = storedRows(windows.root).find(({ id }) => id === 's9');
    assert.deepEqual(
      [future?.version, future?.value],
      [RECORD_VERSION + 1, '{"sessionId":"s9","shape":"of the future"}'],
    );
  });

  it('leaves a record that cannot be read out and names it', async () => {
    await store('s1', 2, { sessionId: 's1', origin: 'dreamt', addedAt: 1 });
    const { index } = await windows.open();
    assert.equal(index.records.size, 0);
    assert.match(index.unreadable[0]?.reason ?? '', /origin/);
  });

  it('waits for the disk when the service tells something new, not for each question, and other windows hear of both', async () => {
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
    const { index } = await windows.open('service', { engine });
    const other = (await windows.open()).index;
    await index.learn('service', { session: sessionOf({ status: 'running' }), origin: 'added', at: 5 });
    durable.length = 0;
    for (let at = 10; at < 20; at++) await index.observe('service', sessionOf({ status: 'running' }), at);
    await index.fail('service', 's1', { at: 20, sentence: 'No answer.' });
    await until(other.onDidChange, () => other.get('s1')?.check?.problem?.at === 20);
    assert.equal(other.get('s1')?.checkedAt, 19);
    assert.deepEqual([durable.length, durable.some(Boolean)], [11, false]);
    await index.observe('service', sessionOf({ status: 'idle' }), 21);
    await index.keep('service', 's1', local => ({ ...local, name: 'Mine' }));
    assert.deepEqual(durable.slice(11), [true, true]);
  });

  it('takes a session in that a hook told of, and forgets the signal when the session has moved on', async () => {
    const { index } = await windows.open();
    const workspace = { uri: 'file:///home/ada/shop', name: 'shop' };
    await index.signal(
      'service',
      { sessionId: 's1', kind: 'waiting', at: 1_000, message: 'May I?' },
      workspace,
    );
    assert.equal(index.get('s1')?.origin, 'hook');
    assert.equal(index.get('s1')?.signal?.message, 'May I?');
    assert.deepEqual(index.get('s1')?.workspace, workspace);
    const answer = (status: string, messageCount: number, at: number): Promise<void> =>
      index.observe('service', sessionOf({ status, messageCount }), at);
    await answer('running', 3, 900);
    assert.ok(index.get('s1')?.signal, 'asked before the hook told');
    await answer('running', 3, 1_100);
    await answer('idle', 3, 2_000);
    assert.ok(index.get('s1')?.signal, 'the service takes a moment to settle');
    await answer('idle', 3, 60_000);
    assert.ok(index.get('s1')?.signal);
    await answer('running', 3, 70_000);
    assert.equal(index.get('s1')?.signal, undefined);
  });

  it('does not take a session as waiting that has moved on before the event was read', async () => {
    const { index } = await windows.open();
    const told = { kind: 'waiting', at: 100_000 } as const;
    const session = (sessionId: string, updatedAt: number) => sessionOf({ sessionId, updatedAt });
    for (const [sessionId, updatedAt] of [
      ['past', 200_000],
      ['settling', 100_500],
      ['before', 99_000],
    ] as const) {
      await index.learn('service', { session: session(sessionId, updatedAt), origin: 'added', at: 300_000 });
      await index.signal('service', { sessionId, ...told }, undefined);
      await index.signal('service', { sessionId: `${sessionId}-first`, ...told }, undefined);
      await index.observe('service', session(`${sessionId}-first`, updatedAt), 300_000);
    }
    const waiting = [...index.records.values()].filter(({ signal }) => signal?.kind === 'waiting');
    assert.deepEqual(waiting.map(({ sessionId }) => sessionId).sort(), [
      'before',
      'before-first',
      'settling',
      'settling-first',
    ]);
    await index.signal('service', { sessionId: 'past', kind: 'waiting', at: 400_000 }, undefined);
    assert.equal(index.get('past')?.signal?.at, 400_000, 'it waits again');
  });

  it('forgets a signal with the next message, and with a message sent from here', async () => {
    const { index } = await windows.open();
    for (const sessionId of ['s1', 's2']) {
      await index.signal('service', { sessionId, kind: 'waiting', at: 1_000 }, undefined);
      await index.observe('service', sessionOf({ sessionId }), 1_100);
    }
    await index.observe('service', sessionOf({ messageCount: 3 }), 1_200);
    assert.equal(index.get('s1')?.signal, undefined);
    await index.noteSend('service', 's2', { status: 'pending', at: 1_300, text: 'Yes' });
    assert.equal(index.get('s2')?.signal, undefined);
  });

  it('does not let an older or a repeated event replace a newer one', async () => {
    const { index } = await windows.open();
    await index.signal('service', { sessionId: 's1', kind: 'ended', at: 2_000, reason: 'error' }, undefined);
    await index.signal('service', { sessionId: 's1', kind: 'waiting', at: 1_000 }, undefined);
    assert.equal(index.get('s1')?.signal?.kind, 'ended');
  });

  it('tells a change of the status once, in the window whose answer brought it', async () => {
    const [a, b] = [await windows.open(), await windows.open()];
    const told: (StateChange & { window: string })[] = [];
    a.index.onDidChangeState(change => told.push({ ...change, window: 'a' }));
    b.index.onDidChangeState(change => told.push({ ...change, window: 'b' }));
    await a.index.learn('service', { session: sessionOf({ status: 'running' }), origin: 'created', at: 5 });
    await until(b.index.onDidChange, () => b.index.get('s1') !== undefined);
    await Promise.all([
      a.index.observe('service', sessionOf({ status: 'idle' }), 10),
      b.index.observe('service', sessionOf({ status: 'idle' }), 11),
    ]);
    await a.index.observe('service', sessionOf({ status: 'idle' }), 20);
    assert.deepEqual(
      told.map(({ from, to }) => `${from} ${to}`),
      ['running idle'],
    );
    await b.index.signal('service', { sessionId: 's1', kind: 'waiting', at: 25 }, undefined);
    await b.index.noteSend('service', 's1', { status: 'pending', at: 30, text: 'More' });
    assert.deepEqual(told.slice(1), [{ sessionId: 's1', from: 'idle', to: 'pending', at: 30, window: 'b' }]);
  });

  it('keeps what people wrote when two windows write different things at once', async () => {
    const [a, b] = [await windows.open(), await windows.open()];
    await a.index.learn('service', { session: sessionOf(), origin: 'created', at: 5 });
    await Promise.all([
      a.index.keep('service', 's1', local => ({ ...local, name: 'Mine' })),
      b.index.keep('service', 's1', local => ({ ...local, pinned: true })),
      b.index.observe('service', sessionOf({ title: 'Theirs' }), 10),
    ]);
    const { index } = await windows.open();
    assert.deepEqual(index.get('s1')?.local, { name: 'Mine', pinned: true });
    assert.equal(index.get('s1')?.session?.title, 'Theirs');
  });

  it('does not take a session back from a list of the service that a person has removed', async () => {
    const { index } = await windows.open();
    const listed = { session: sessionOf(), origin: 'listed', at: 5 } as const;
    await index.learn('service', listed);
    assert.equal(index.get('s1')?.origin, 'listed');
    const record = await index.remove('service', 's1');
    await index.learn('service', { ...listed, at: 6 });
    assert.equal(index.get('s1'), undefined);
    await index.restore('service', record!);
    await index.learn('service', { ...listed, session: sessionOf({ title: 'Still there' }), at: 7 });
    assert.equal(index.get('s1')?.session?.title, 'Still there');
    await index.remove('service', 's1');
    await index.learn('service', { ...listed, origin: 'added', at: 8 });
    assert.equal(index.get('s1')?.origin, 'added', 'who asks for it by its id gets it');
  });

  it('keeps what was removed, so that another window or a later one can put it back as it was', async () => {
    const { index } = await windows.open();
    await index.learn('service', { session: sessionOf({ title: 'Ours' }), origin: 'created', at: 5 });
    await index.learn('service', { session: sessionOf({ sessionId: 's2' }), origin: 'created', at: 5 });
    await index.keep('service', 's1', () => ({ name: 'Mine', pinned: true }));
    await index.remove('service', 's1');
    await index.remove('service', 's2');
    const later = (await windows.open()).index;
    const removed = await later.removed('service');
    assert.deepEqual(removed.map(({ record }) => record.sessionId).sort(), ['s1', 's2']);
    assert.deepEqual(
      removed.map(({ at }) => at),
      removed.map(({ at }) => at).sort((a, b) => b - a),
    );
    for (const { record } of removed) await later.restore('service', record);
    assert.deepEqual(later.get('s1')?.local, { name: 'Mine', pinned: true });
    assert.equal(later.get('s1')?.session?.title, 'Ours');
    assert.deepEqual(await later.removed('service'), []);
  });

  it('does not offer to put back what an older version removed without keeping it, or what cannot be read', async () => {
    const place = path.join(windows.root, 'services', 'service', 'removed');
    await mkdir(place, { recursive: true });
    const put = (id: string, value: unknown): Promise<void> =>
      writeFile(path.join(place, `${id}.1.json`), JSON.stringify({ id, version: 1, value, writers: [] }));
    await put('s1', { at: 5 });
    await put('s2', { at: 6, record: { sessionId: 's2', origin: 'dreamt' } });
    const { index } = await windows.open();
    assert.deepEqual(await index.removed('service'), []);
    for (const sessionId of ['s1', 's2']) {
      await index.learn('service', { session: sessionOf({ sessionId }), origin: 'listed', at: 7 });
      assert.equal(index.get(sessionId), undefined);
    }
  });

  it('keeps the workspace a session was first made in', async () => {
    const { index } = await windows.open();
    const [shop, billing] = ['shop', 'billing'].map(name => ({ uri: `file:///${name}`, name }));
    await index.learn('service', { session: sessionOf(), origin: 'created', at: 5, workspace: shop });
    await index.learn('service', { session: sessionOf(), origin: 'added', at: 6, workspace: billing });
    assert.deepEqual(index.get('s1')?.workspace, shop);
  });

  it('knows what another window has removed, at once, and offers it only while it is gone', async () => {
    const [a, b] = [await windows.open(), await windows.open()];
    const listed = { session: sessionOf(), origin: 'listed', at: 5 } as const;
    await a.index.learn('service', listed);
    await until(b.index.onDidChange, () => b.index.get('s1') !== undefined);
    assert.deepEqual(await b.index.removed('service'), []);
    await a.index.remove('service', 's1');
    await b.index.learn('service', { ...listed, at: 6 });
    assert.equal(
      (await windows.open()).index.get('s1'),
      undefined,
      'a list read elsewhere brings nothing back',
    );
    await until(b.index.onDidChange, () => b.index.get('s1') === undefined);
    const [gone] = await (await windows.open()).index.removed('service');
    assert.equal(gone?.record.sessionId, 's1');
    await b.index.merge('service', recordOf());
    const later = (await windows.open()).index;
    assert.deepEqual(await later.removed('service'), []);
    await later.learn('service', { ...listed, session: sessionOf({ title: 'Listed again' }), at: 7 });
    assert.equal(later.get('s1')?.session?.title, 'Listed again', 'what came back is followed again');
  });

  it('keeps what people wrote about a session that was removed and comes back by its id or by a hook', async () => {
    const { index } = await windows.open();
    const local = { name: 'Mine', pinned: true, changedAt: 7 };
    for (const sessionId of ['s1', 's2', 's3']) {
      await index.learn('service', { session: sessionOf({ sessionId }), origin: 'created', at: 5 });
      await index.keep('service', sessionId, () => local);
    }
    const taken = [];
    for (const sessionId of ['s1', 's2', 's3']) taken.push(await index.remove('service', sessionId));
    await index.learn('service', { session: sessionOf(), origin: 'added', at: 8 });
    await index.signal('service', { sessionId: 's2', kind: 'waiting', at: 9 }, undefined);
    assert.deepEqual(index.get('s1')?.local, local);
    assert.deepEqual(index.get('s2')?.local, local);
    assert.equal(index.get('s2')?.signal?.kind, 'waiting');
    await index.keep('service', 's1', now => ({ ...now, name: 'Newer', changedAt: 20 }));
    for (const record of taken) await index.restore('service', record!);
    assert.equal(index.get('s1')?.local.name, 'Newer', 'undo takes nothing newer away');
    assert.deepEqual(index.get('s3')?.local, local);
  });

  it('goes on after a clock that was wrong has dated an answer far in the future', async () => {
    const { index } = await windows.open();
    const year = 365 * 24 * 3_600_000;
    await index.learn('service', {
      session: sessionOf({ status: 'running' }),
      origin: 'created',
      at: 5 + year,
    });
    await index.observe('service', sessionOf({ status: 'idle' }), 1_000_000);
    assert.equal(index.get('s1')?.session?.status, 'idle');
  });

  it('reads what it can of a record with an answer no service gives, and lists it', async () => {
    const odd = (sessionId: string, session: unknown): Promise<void> =>
      store(sessionId, 2, {
        sessionId,
        origin: 'added',
        addedAt: 1,
        checkedAt: 9,
        session,
        local: { name: 'N' },
      });
    const fine = {
      ...sessionOf(),
      updatedAt: 'now',
      title: 5,
      sessionSettings: { tags: 'all', model: ['x'] },
    };
    await odd('s1', fine);
    await odd('s2', { ...sessionOf(), sessionId: 7 });
    await odd('s3', 'idle');
    const { index } = await windows.open();
    assert.deepEqual(index.unreadable, []);
    assert.equal(index.get('s1')?.session?.title, undefined);
    assert.equal(index.get('s1')?.session?.messageCount, 2);
    assert.equal(index.get('s1')?.session?.updatedAt, undefined);
    for (const id of ['s2', 's3']) {
      const record = index.get(id);
      assert.deepEqual([record?.session, record?.checkedAt, record?.local.name], [undefined, undefined, 'N']);
    }
  });
});
