import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SessionRecord } from '../../../src/sessions/store/record';
import { exportText, importSessions, readImport } from '../../../src/sessions/transfer';
import { sessionDocument } from '../../../src/sessions/view/document';
import { Formatter } from '../../../src/util/format';
import { answers, told } from '../../fakes/vscode';
import { idle, recordOf, remove, sessionOf, Windows } from './support';
import { sessionRow } from '../../../src/sessions/view/words';

const fileOf = (sessions: readonly unknown[], version = 2): string =>
  JSON.stringify({ format: 'agent-console-sessions', version, service: 'h', sessions });

describe('exported lists of sessions', () => {
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
    const { records, bad } = readImport(
      fileOf([
        { ...base, origin: 'dreamt', sessionId: 'a' },
        null,
        ...ids,
        { ...base, sessionId: 'good', ...odd },
      ]),
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

  it('add what is not listed, bring back what was removed, and leave what is there', async () => {
    const windows = await Windows.make();
    try {
      const { index } = await windows.open();
      const session = sessionOf({ title: 'Here' });
      await index.learn('service', { session, origin: 'created', at: 100 });
      const theirs = recordOf({
        session: sessionOf({ title: 'Theirs' }),
        checkedAt: 110,
        local: { name: 'n' },
      });
      assert.equal(await index.add('service', theirs), false);
      assert.deepEqual([index.get('s1')?.session?.title, index.get('s1')?.local.name], ['Here', undefined]);
      await remove(index, 's1');
      assert.equal(await index.add('service', theirs), true);
      assert.equal(index.get('s1')?.session?.title, 'Here');
      assert.equal(await index.add('service', { ...theirs, sessionId: 's2' }), true);
      assert.equal(index.get('s2')?.local.name, 'n');
    } finally {
      await windows.close();
    }
  });

  it('are taken in but for what cannot be stored, which is named', async () => {
    const file = fileOf(['s1', 's2', 's3'].map(sessionId => recordOf({ sessionId })));
    const give = (act: string, value: unknown): unknown =>
      answers.set(act, Promise.resolve(value as undefined));
    give('showOpenDialog', [{}]);
    give('readFile', new TextEncoder().encode(file));
    told.length = 0;
    const add = (_service: string, { sessionId }: SessionRecord): Promise<boolean> =>
      sessionId === 's2'
        ? Promise.reject(new Error('of a newer version'))
        : Promise.resolve(sessionId === 's1');
    try {
      await importSessions({ add }, { id: 'service', host: 'h' });
    } finally {
      answers.clear();
    }
    assert.deepEqual(told, [
      'Sessions imported: 1 added, 1 already there. Entries that could not be imported: 1, the first of them s2 (of a newer version).',
    ]);
  });

  it('date nothing in the future, which would count as newer than what is learnt here', () => {
    const late = Date.now() + 300_000;
    const [record] = readImport(fileOf([recordOf({ addedAt: late, checkedAt: late })])).records;
    for (const at of [record?.addedAt, record?.checkedAt]) assert.ok(at !== undefined && at <= Date.now());
  });

  it('hold only what every part of the view can show, whatever else was in them', () => {
    const context = { status: idle, computer: () => undefined, format: new Formatter('en'), now: 200 };
    const key = fc.constantFrom(
      ...['title', 'status', 'messageCount', 'updatedAt', 'sessionSettings', 'computerId', 'name', 'at'],
    );
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
      ...{
        local: anything,
        signal: anything,
        workspace: anything,
        firstText: anything,
        computerName: anything,
      },
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
