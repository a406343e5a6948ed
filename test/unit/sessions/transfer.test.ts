import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SessionRecord } from '../../../src/sessions/record';
import { exportText, importSessions, readImport } from '../../../src/sessions/transfer';
import { sessionDocument, sessionRow } from '../../../src/sessions/words';
import { Formatter } from '../../../src/util/format';
import { answers, told } from '../../fakes/vscode';
import { cleanUp, temporaryFolder } from '../../fakes/cleanUp';
import { openIndex, recordOf, remove, sessionOf } from './support';

const fileOf = (sessions: readonly unknown[], version = 2): string =>
  JSON.stringify({ format: 'agent-console-sessions', version, service: 'h', sessions });

describe('exported lists of sessions', () => {
  afterEach(cleanUp);
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  it('read back as they were written, but for how the sessions stood just then', () => {
    const told = { session: sessionOf({ title: 'B' }), checkedAt: 5, local: { name: 'n' } };
    const b = recordOf({ sessionId: 'b', ...told });
    const check = { problem: { at: 9, sentence: 'api.example.com does not answer.' } };
    const text = exportText([{ ...b, check, signal: { kind: 'waiting', at: 3 } }, recordOf()], 'h', 1_000);
    assert.doesNotMatch(text, /does not answer|waiting/);
    const file = readImport(text);
    assert.deepEqual([file.host, file.bad], ['h', []]);
    assert.deepEqual(plain(file.records), plain([b, recordOf()]));
  });

  it('name what cannot be read or is no session, and bring in the others', () => {
    const base = { origin: 'added', addedAt: 1 };
    const odd = { session: { sessionId: 'good', title: 1, status: {} }, local: { tags: [1] } };
    const ids = ['..', 'a b', 'x\u202e', 'y'.repeat(300)].map(sessionId => ({ ...base, sessionId }));
    const dreamt = { ...base, origin: 'dreamt', sessionId: 'a' };
    const { records, bad } = readImport(
      fileOf([dreamt, null, ...ids, { ...base, ...odd, sessionId: 'good' }]),
    );
    assert.deepEqual(
      records.map(({ sessionId, session }) => [sessionId, session]),
      [['good', { sessionId: 'good' }]],
    );
    assert.equal(bad.length, 6);
    assert.equal(bad[0], 'sessions[0] (origin: not allowed)');
  });

  it('of the first versions are brought up to date; anything else is refused with a sentence', () => {
    const old = { sessionId: 'a', origin: 'added', addedAt: 1, firstText: 'And now?' };
    assert.deepEqual(plain(readImport(fileOf([old], 1)).records[0]?.local), {});
    const named = { ...old, session: sessionOf({ title: 'Theirs' }), local: { name: 'Mine' } };
    const [record] = readImport(fileOf([named])).records;
    assert.deepEqual(
      [record?.firstText, record?.local.name],
      [undefined, 'Mine'],
      'its title stays the same',
    );
    assert.throws(() => readImport(fileOf([], 4)), /newer version/);
    fc.assert(fc.property(fc.json(), text => assert.throws(() => readImport(text), /Nothing was changed/)));
  });

  it('add what is not listed, bring back what was removed, leave what is there, and name what cannot be stored', async () => {
    const index = await openIndex(temporaryFolder());
    for (const sessionId of ['here', 'gone']) {
      const session = sessionOf({ sessionId, title: 'Here' });
      await index.learn('service', { session, origin: 'created', at: 9 });
    }
    await remove(index, 'gone');
    const theirs = ['here', 'gone', 'new', 'bad'].map(sessionId =>
      recordOf({ sessionId, session: sessionOf({ sessionId, title: 'Theirs' }), local: { name: 'n' } }),
    );
    const give = (act: string, value: unknown): unknown =>
      answers.set(act, Promise.resolve(value as undefined));
    give('showOpenDialog', [{}]);
    give('readFile', new TextEncoder().encode(fileOf(theirs)));
    told.length = 0;
    const add = (service: string, record: SessionRecord): Promise<boolean> =>
      record.sessionId === 'bad'
        ? Promise.reject(new Error('of a newer version'))
        : index.add(service, record);
    await importSessions({ add }, { id: 'service', host: 'h' }).finally(() => answers.clear());
    assert.deepEqual(told, [
      'Sessions imported: 2 added, 1 already there. Entries that could not be imported: 1, the first of them bad (of a newer version).',
    ]);
    const kept = [...index.records.values()].map(
      ({ sessionId, session, local }) => `${sessionId} ${session?.title} ${local.name}`,
    );
    assert.deepEqual(kept.sort(), ['gone Here undefined', 'here Here undefined', 'new Theirs n']);
  });

  it('date nothing in the future, which would count as newer than what is learnt here', () => {
    const late = Date.now() + 300_000;
    const [record] = readImport(fileOf([recordOf({ addedAt: late, checkedAt: late })])).records;
    for (const at of [record?.addedAt, record?.checkedAt]) assert.ok(at !== undefined && at <= Date.now());
  });

  it('hold only what every part of the view can show, whatever else was in them', () => {
    const context = {
      status: { value: 'idle' },
      computer: () => undefined,
      format: new Formatter('en'),
      now: 200,
    };
    const names = [
      'title',
      'status',
      'messageCount',
      'updatedAt',
      'sessionSettings',
      'computerId',
      'name',
      'at',
    ];
    const key = fc.constantFrom(...names);
    const anything = fc.letrec<{ value: unknown }>(tie => ({
      value: fc.oneof({ maxDepth: 3 }, fc.jsonValue(), fc.dictionary(key, tie('value'))),
    })).value;
    const entry = fc.record({
      sessionId: fc.constantFrom('s1', 's2'),
      origin: fc.constantFrom('added', 'hook'),
      addedAt: fc.nat(),
      session: fc.oneof(
        anything,
        fc.record({ sessionId: fc.constant('s1'), sessionSettings: anything, title: anything }),
      ),
      ...{ local: anything, signal: anything, workspace: anything },
      ...{ firstText: anything, computerName: anything },
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 3 }), entries => {
        for (const record of readImport(fileOf(entries)).records) {
          sessionRow(record, context).tooltip?.();
          sessionDocument(record, context);
        }
      }),
    );
  });
});
