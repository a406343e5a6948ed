import assert from 'node:assert/strict';
import { mock } from 'node:test';
import fc from 'fast-check';
import { failed, observed, RECORD_VERSION, sent, signalled } from '../../../src/sessions/record';
import { titleOf, untilDue, type SessionRecord } from '../../../src/sessions/record';
import { ServiceList } from '../../../src/sessions/monitor';
import type { SessionIndex } from '../../../src/sessions/sessionIndex';
import { exportText, importSessions, readImport } from '../../../src/sessions/transfer';
import { sessionDocument, sessionRow } from '../../../src/sessions/words';
import { ObservableValue } from '../../../src/util/lifecycle';
import { silentLog } from '../../fakes/log';
import { startSampleService } from '../../fakes/sampleService';
import { storedRows, storeRows } from '../../fakes/storage';
import { answers, told } from '../../fakes/vscode';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { answer, learn, openIndex, recordOf, remove, sessionOf, until, windowAt } from './support';
import { onExec } from '../storage/support';

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the index of sessions', () => {
  let root: string;
  beforeEach(() => {
    root = temporaryFolder();
  });

  it('reads what earlier versions stored, keeps what people wrote where the rest is odd, and leaves what it cannot read as it is', async () => {
    const local = { name: 'Mine' };
    const future = { sessionId: 's9', shape: 'of the future' };
    for (const [id, version, value] of [
      ['s0', 1, { addedAt: 5, firstText: 'Hello', session: sessionOf(), local: undefined }],
      ['s1', 2, { local, session: { ...sessionOf(), title: 5 } }],
      ['s2', 2, { local: { ...local, pinned: 'yes' }, session: 'idle' }],
      ['s3', 2, { firstText: 'Hello', local: 'none' }],
      ['s5', 2, { origin: 'dreamt' }],
      ['s9', RECORD_VERSION + 1, future],
    ] as const) {
      const whole = value === future ? future : { ...recordOf({ sessionId: id }), ...value };
      storeRows(root, 'services/service/sessions', version, [[id, whole]]);
    }
    const index = await openIndex(root);
    const titles = [...index.records].map(([id, record]) => `${id} ${titleOf(record)}`);
    assert.deepEqual(titles.sort(), ['s0 Hello', 's1 Mine', 's2 Mine', 's3 Hello']);
    const { title, messageCount } = index.get('s1')?.session ?? {};
    assert.deepEqual([title, messageCount, index.get('s2')?.session], [undefined, 2, undefined]);
    assert.deepEqual(index.unreadable.map(({ id }) => id).sort(), ['s5', 's9']);
    await assert.rejects(learn(index, { sessionId: 's9' }));
    assert.deepEqual(index.get('s0')?.local, {});
    await index.keep('s0', () => local);
    const again = (await openIndex(root)).get('s0');
    assert.deepEqual([plain(again?.local), again?.session?.messageCount], [local, 2]);
    const stored = (id: string) => storedRows(root).find(row => row.id === id);
    assert.equal(stored('s0')?.version, RECORD_VERSION);
    const { version, value } = stored('s9') ?? {};
    assert.deepEqual([version, value], [RECORD_VERSION + 1, JSON.stringify(future)]);
  });

  it('waits for the disk when a person keeps something, not for what the service is asked', async () => {
    const modes: string[] = [];
    later(() => mock.reset());
    onExec(sql => modes.push(...(/synchronous = (\w+)/.exec(sql)?.slice(1) ?? [])));
    const index = await openIndex(root);
    await learn(index, { status: 'running' });
    modes.length = 0;
    for (let at = 10; at < 20; at++) await index.observe('service', sessionOf({ status: 'running' }), at);
    await index.fail('service', 's1', { at: 20, sentence: 'No answer.' });
    assert.deepEqual(modes, Array(11).fill('NORMAL'));
    await index.observe('service', sessionOf({ status: 'idle' }), 21);
    await index.keep('s1', local => ({ ...local, name: 'Mine' }));
    assert.deepEqual(modes.slice(11), ['NORMAL', 'FULL']);
  });

  it('takes a session in that a hook told of, also one that was removed, as it was kept, and forgets the signal when it has moved on', async () => {
    const [index, other] = [await openIndex(root), await openIndex(root)];
    const workspace = { uri: 'file:///home/ada/shop', name: 'shop' };
    const news = { sessionId: 's1', kind: 'waiting', at: 1_000, message: 'May I?' } as const;
    await index.signal('service', news, workspace);
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
    await index.keep('s1', () => ({ name: 'Mine' }));
    await remove(index, 's1');
    await until(other.onDidChange, () => other.removed.length === 1);
    await other.observe('service', sessionOf(), 81_000);
    assert.deepEqual([other.get('s1'), await other.read('s1')], [undefined, undefined]);
    await other.signal('service', { ...news, at: 90_000 }, undefined);
    assert.deepEqual(plain(other.get('s1')?.local), { name: 'Mine' });
  });

  it('tells a change of the status once, in the window whose answer brought it', async () => {
    const [a, b] = [await openIndex(root), await openIndex(root)];
    const changes: unknown[] = [];
    a.onDidChangeState(change => changes.push({ ...change, window: 'a' }));
    b.onDidChangeState(change => changes.push({ ...change, window: 'b' }));
    await learn(a, { status: 'running' });
    await until(b.onDidChange, () => b.get('s1') !== undefined);
    const idle = sessionOf({ status: 'idle' });
    await Promise.all([a.observe('service', idle, 10), b.observe('service', idle, 11)]);
    await a.observe('service', idle, 20);
    assert.deepEqual(changes, [{ sessionId: 's1', from: 'running', to: 'idle', at: 10, window: 'a' }]);
    await b.signal('service', { sessionId: 's1', kind: 'waiting', at: 25 }, undefined);
    await b.noteSend('service', 's1', { status: 'pending', at: 30, text: 'More' });
    const next = { sessionId: 's1', from: 'idle', to: 'pending', at: 30, window: 'b' };
    assert.deepEqual(changes.slice(1), [next]);
  });

  it('keeps what a hook told for older and repeated events, and nothing of what the session has moved on from', () => {
    const waiting = { sessionId: 's1', kind: 'waiting', at: 100_000 } as const;
    const news = signalled(recordOf(), waiting);
    for (const event of [{ ...waiting, kind: 'ended', at: 900 } as const, waiting])
      assert.equal(signalled(news, event), news);
    for (const [updatedAt, kind] of [
      [200_000, undefined],
      [140_000, 'waiting'],
      [99_000, 'waiting'],
    ] as const) {
      const session = sessionOf({ updatedAt });
      const known = observed(recordOf(), session, 300_000);
      assert.equal(signalled(known, waiting).signal?.kind, kind);
      assert.equal(observed(news, session, 300_000).signal?.kind, kind);
    }
  });

  it('has sessions checked more and more slowly while nothing happens, within bounds, and quickly again after a message', () => {
    const now = 1_800_000_000_000;
    const [MINUTE, HOUR] = [60_000, 3_600_000];
    const due = (record: SessionRecord, eager = false): number =>
      untilDue(record, { eager, inFront: false }, 3_000, now);
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
    const quiet = recordOf({ session: sessionOf({ updatedAt: now - HOUR }), checkedAt: now });
    const answered = sent(quiet, { status: undefined, at: now, text: 'Go on' });
    assert.equal(due(failed(answered, { at: now, sentence: 'x' })), 27_000);
    const pending = sent(quiet, { status: 'pending', at: now, text: 'Go on' });
    assert.equal(due(pending), 2_700);
    assert.deepEqual(observed(pending, sessionOf(), now + 20).work, { at: now }, 'it has worked');
    // Also after a change that the service does not date.
    assert.equal(due(observed(quiet, sessionOf({ updatedAt: now - HOUR, status: 'running' }), now)), 2_700);
    // A clock that was ahead is waited for, since it would win over the answers, but not for long.
    const ahead = (byMs: number) =>
      recordOf({ checkedAt: now + byMs, session: sessionOf({ status: 'running' }) });
    for (const [byMs, isDue, status] of [
      [-MINUTE, true, 'idle'],
      [MINUTE, false, 'running'],
      [10 * MINUTE, true, 'idle'],
    ] as const) {
      assert.equal(due(ahead(byMs), true) <= 0, isDue);
      assert.equal(observed(ahead(byMs), sessionOf(), now).session?.status, status);
    }
  });

  const fileOf = (sessions: readonly unknown[], version = 2): string =>
    JSON.stringify({ format: 'agent-console-sessions', version, service: 'h', sessions });

  it('exports what is kept, not how sessions stand just now; an import adds what is not listed or not known of it, brings back what was removed, leaves what is there, names what cannot be read', async () => {
    const index = await openIndex(root);
    for (const sessionId of ['here', 'gone']) await learn(index, { sessionId, title: 'Here' });
    await remove(index, 'gone');
    await index.keep('here', local => ({ ...local, pinned: true, name: 'mine' }));
    const theirs = ['here', 'gone', 'new'].map(sessionId =>
      recordOf({
        sessionId,
        session: sessionOf({ sessionId }),
        checkedAt: 5,
        local: { name: 'n', ...(sessionId === 'here' && { readCount: 2 }) },
      }),
    );
    const check = { problem: { at: 9, sentence: 'No answer.' } };
    const standing = theirs.map(each => ({ ...each, check, signal: { kind: 'waiting' as const, at: 3 } }));
    const { sessions } = JSON.parse(exportText(standing, 'h')) as { sessions: readonly unknown[] };
    const ids = ['..', 'a b', 'x\u202e', 'y'.repeat(300)].map(sessionId => ({ ...recordOf(), sessionId }));
    const bad = [{ ...recordOf(), origin: 'dreamt' }, null, ...ids];
    answer('showOpenDialog', [{}]);
    answer('readFile', new TextEncoder().encode(fileOf([...bad, ...sessions], RECORD_VERSION)));
    told.length = 0;
    await importSessions(index, { id: 'service', host: 'h' }).finally(() => answers.clear());
    assert.deepEqual(told, [
      'Sessions imported: 2 added, 1 already there. Entries that could not be imported: 6, the first of them sessions[0] (origin: not allowed).',
    ]);
    const titles = [...index.records].map(([id, { session }]) => `${id} ${session?.title}`);
    assert.deepEqual(titles.sort(), ['gone Here', 'here Here', 'new undefined']);
    assert.deepEqual(plain(index.get('new')), plain(theirs[2]));
    const kept = ['here', 'gone'].map(id => index.get(id)?.local);
    assert.deepEqual(plain(kept), [{ name: 'mine', pinned: true, readCount: 2 }, { name: 'n' }]);
  });

  it('brings an import up to date; what is no such list, or of a newer version, changes nothing', () => {
    const read = (record: object, version?: number) => readImport(fileOf([record], version)).records[0];
    const odd = { session: { sessionId: 's1', title: 1, status: {} }, local: { tags: [1] } };
    assert.deepEqual(read({ ...recordOf(), ...odd })?.session, { sessionId: 's1' });
    const old = { ...recordOf(), local: undefined, firstText: 'And now?' };
    assert.deepEqual(plain(read(old, 1)?.local), {});
    const named = read({ ...old, session: sessionOf({ title: 'Theirs' }), local: { name: 'Mine' } });
    assert.deepEqual([named?.firstText, named?.local.name], [undefined, 'Mine'], 'its title stays the same');
    assert.throws(() => readImport(fileOf([], 4)), /newer version/);
    fc.assert(fc.property(fc.json(), text => assert.throws(() => readImport(text), /Nothing was changed/)));
  });

  it('takes from an import only what every part of the view can show, in clean lines, whatever else is in it', () => {
    const context = { computer: () => undefined, now: 200 };
    const names = 'title status messageCount updatedAt sessionSettings computerId name at'.split(' ');
    const anything = fc.oneof(fc.jsonValue(), fc.object({ key: fc.constantFrom(...names), maxDepth: 3 }));
    const foreign = fc.string({ unit: 'binary' });
    const session = fc.record({ sessionId: fc.constant('s1'), sessionSettings: anything, title: foreign });
    const entry = fc.record({
      sessionId: fc.constantFrom('s1', 's2'),
      origin: fc.constantFrom('added', 'hook'),
      ...{ addedAt: fc.nat(), session: fc.oneof(anything, session), local: anything, signal: anything },
      ...{ workspace: anything, firstText: anything, computerName: fc.oneof(anything, foreign) },
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 3 }), entries => {
        for (const record of readImport(fileOf(entries)).records) {
          const { label, description, spoken, tooltip } = sessionRow(record, context);
          const said = [label, description, spoken].join(' ');
          assert.doesNotMatch(said, /[\n\u202a-\u202e\u2066-\u2069\u0000-\u0008]/);
          tooltip?.();
          sessionDocument(record, context);
        }
      }),
    );
  });

  const start = async (extras: boolean) => {
    const service = await startSampleService({ pace: 0, extras });
    later(() => service.close());
    const asked = (): number => service.requests.filter(each => each.path === '/api/v0/sessions').length;
    return { ...windowAt(service), service, asked };
  };
  const listFor = (index: SessionIndex, api: unknown, deps: object = {}) => {
    const focused = new ObservableValue(true);
    const usual = { index, connection: { api }, extras: () => true, focused, log: silentLog() };
    const list = new ServiceList({ ...usual, ...deps } as never);
    later(() => list.dispose());
    return list;
  };

  it('takes in the list that some services offer once for all who ask, in a window with the focus and where it is not switched off, without what was removed and over nothing kept here', async () => {
    const index = await openIndex(root);
    const { service, api, asked } = await start(true);
    await listFor(index, api, { extras: () => false }).read();
    const focused = new ObservableValue(false);
    const sessions = listFor(index, api, { focused });
    await sessions.read();
    assert.equal(asked(), 0);
    focused.set(true);
    await Promise.all([sessions.read(), sessions.read()]);
    assert.deepEqual([asked(), [...index.records.keys()].sort()], [1, [...service.sessionIds].sort()]);
    for (const { origin, session } of index.records.values())
      assert.deepEqual([origin, typeof session?.status], ['listed', 'string']);
    const [first = '', second = '', ...others] = service.sessionIds;
    await remove(index, first);
    await index.keep(second, local => ({ ...local, name: 'Mine' }));
    await api.one('sendMessage', { ids: { sessionId: second }, body: JSON.stringify({ text: 'More' }) });
    const before = index.get(second)?.session;
    await sessions.read();
    assert.notDeepEqual(index.get(second)?.session, before, 'what the service says of it is taken in');
    const next = await openIndex(root);
    await listFor(next, api).read();
    for (const window of [index, next]) {
      assert.deepEqual([...window.records.keys()].sort(), [second, ...others].sort());
      assert.equal(window.get(second)?.local.name, 'Mine');
    }
  });

  it('takes that list in after a start without a network, when the window has the focus again', async () => {
    const index = await openIndex(root);
    const { service, api, clock } = await start(true);
    const focused = new ObservableValue(true);
    service.fail({ kind: 'reset', times: 1 });
    await listFor(index, api, { focused }).read();
    assert.equal(index.records.size, 0);
    clock.now += 300_000;
    for (const has of [false, true]) focused.set(has);
    await until(index.onDidChange, () => index.records.size === service.sessionIds.length);
  });

  it('asks once for that list where the service has none, else page by page, up to 20, and no further once it is given up', async () => {
    const index = await openIndex(root);
    const without = await start(false);
    const none = listFor(index, without.api);
    for (let time = 0; time < 2; time++) await none.read();
    assert.deepEqual([without.asked(), index.records.size], [1, 0]);
    const cursors: (string | undefined)[] = [];
    let onPage = (): unknown => undefined;
    const sessions = async (cursor?: string) => {
      await Promise.resolve();
      const page = cursors.push(cursor);
      onPage();
      return { items: [sessionOf({ sessionId: `s${page}` })], problems: [], cursor: `page ${page}` };
    };
    const connection = { api: { extras: { sessions } } as object | undefined };
    const limited = listFor(index, undefined, { connection });
    await limited.read();
    assert.deepEqual([...cursors.slice(0, 3), cursors.length], [undefined, 'page 1', 'page 2', 20]);
    assert.equal(index.records.size, 20);
    onPage = () => (connection.api = undefined);
    await limited.read();
    assert.deepEqual([cursors.length, index.records.has('s21')], [21, false]);
  });
});
