import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sessionDocument } from '../../../src/sessions/view/document';
import { sessionRow } from '../../../src/sessions/view/row';
import { exportText, ImportError, mergeRecord, readImport } from '../../../src/sessions/store/transfer';
import { Formatter } from '../../../src/util/format';
import { idle, recordOf, sessionOf, Windows } from './support';

describe('exported lists of sessions', () => {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  it('read back as they were written', () => {
    const records = [
      recordOf({ sessionId: 'b', session: sessionOf({ title: 'B' }), checkedAt: 5, local: { name: 'n' } }),
      recordOf({ sessionId: 'a', signal: { kind: 'waiting', at: 3 } }),
    ];
    const file = readImport(exportText(records, 'api.example.com', 1_000));
    assert.equal(file.host, 'api.example.com');
    assert.deepEqual(file.bad, []);
    assert.deepEqual(plain(file.records), plain([...records].reverse()));
  });

  it('do not tell how the last question about a session went', () => {
    const check = { unchanged: 3, problem: { at: 9, sentence: 'api.example.com does not answer.' } };
    const text = exportText([recordOf({ check })], 'h', 10);
    assert.doesNotMatch(text, /does not answer/);
    const given = text.replace('"local"', `"check": ${JSON.stringify(check)}, "local"`);
    assert.equal(readImport(given).records[0]?.check, undefined);
  });

  it('name an entry that cannot be read and bring in the others', () => {
    const text = exportText([recordOf({ sessionId: 'a' }), recordOf({ sessionId: 'b' })], 'h', 1);
    const file = readImport(text.replace('"origin": "created"', '"origin": "dreamt"'));
    assert.deepEqual(
      file.records.map(record => record.sessionId),
      ['b'],
    );
    assert.deepEqual(file.bad, [{ place: 'sessions[0] a', reason: 'origin: not allowed' }]);
  });

  it('of the first version are brought up to date; of a newer one are refused', () => {
    const old = { sessionId: 'a', origin: 'added', addedAt: 1 };
    const file = { format: 'agent-console-sessions', version: 1, service: 'h', sessions: [old] };
    assert.deepEqual(readImport(JSON.stringify(file)).records[0]?.local, {});
    const named = { ...old, firstText: 'And now?', session: sessionOf({ title: 'Theirs' }) };
    const second = { ...file, version: 2, sessions: [{ ...named, local: { name: 'Mine' } }] };
    const [record] = readImport(JSON.stringify(second)).records;
    assert.deepEqual(
      [record?.firstText, record?.local.name],
      [undefined, 'Mine'],
      'its title stays the same',
    );
    assert.throws(() => readImport(JSON.stringify({ ...file, version: 4 })), { problem: 'newer' });
    assert.throws(() => readImport('{'), { problem: 'notJson' });
  });

  it('are refused whatever else a file holds', () => {
    fc.assert(fc.property(fc.json(), text => assert.throws(() => readImport(text), ImportError)));
  });

  it('never overwrite what is newer here', async () => {
    const windows = await Windows.make();
    try {
      const { index } = await windows.open();
      const here = { session: sessionOf({ title: 'Newer' }), origin: 'created', at: 100 } as const;
      await index.learn('service', here);
      await index.keep('service', 's1', () => ({ name: 'Mine', changedAt: 50 }));
      const old = recordOf({
        session: sessionOf({ title: 'Older' }),
        checkedAt: 90,
        local: { name: 'Theirs', changedAt: 60 },
        firstText: 'First',
      });
      assert.equal(await index.merge('service', old), 'updated');
      assert.equal(index.get('s1')?.session?.title, 'Newer');
      assert.equal(index.get('s1')?.local.name, 'Theirs', 'what people wrote goes by its own time');
      assert.equal(index.get('s1')?.firstText, 'First');
      assert.equal(await index.merge('service', old), 'kept');
      assert.equal(await index.merge('service', recordOf({ sessionId: 's2' })), 'added');
    } finally {
      await windows.close();
    }
  });

  it('merge to the same whichever comes first', () => {
    const record = fc.record({
      checkedAt: fc.nat(3),
      title: fc.constantFrom('a', 'b'),
      changedAt: fc.nat(3),
    });
    fc.assert(
      fc.property(record, record, (a, b) => {
        const [x, y] = [a, b].map(({ checkedAt, title, changedAt }) =>
          recordOf({
            checkedAt,
            session: sessionOf({ title: `${title}${checkedAt}` }),
            local: { changedAt },
          }),
        );
        const newest = Math.max(a.checkedAt, b.checkedAt);
        for (const merged of [mergeRecord(x, y!), mergeRecord(y, x!)]) {
          assert.equal(merged.checkedAt, newest);
          assert.equal(merged.local.changedAt, Math.max(a.changedAt, b.changedAt));
          assert.equal(mergeRecord(merged, x!), merged, 'nothing new comes of the same again');
        }
      }),
    );
  });

  it('cannot break the list, date anything in the future, or name what is no session', async () => {
    const now = 1_000_000;
    const file = (sessions: readonly unknown[]): string =>
      JSON.stringify({ format: 'agent-console-sessions', version: 2, service: 'h', sessions });
    const base = { origin: 'added', addedAt: 1 };
    const read = readImport(
      file([
        { ...base, sessionId: '..' },
        { ...base, sessionId: 'a b' },
        { ...base, sessionId: 'x\u202e' },
        { ...base, sessionId: 'y'.repeat(300) },
        { ...base, sessionId: 's1', addedAt: 9e15, checkedAt: 9e15, local: { name: 'N', changedAt: 9e15 } },
        {
          ...base,
          sessionId: 's2',
          session: { sessionId: 's2', title: 1, status: {} },
          local: { tags: [1] },
        },
      ]),
      now,
    );
    assert.equal(read.bad.length, 4);
    assert.deepEqual(
      read.records.map(({ sessionId, addedAt, checkedAt, session, local }) => [
        sessionId,
        addedAt,
        checkedAt,
        session,
        local.changedAt,
      ]),
      [
        ['s1', now, now, undefined, now],
        ['s2', 1, undefined, { sessionId: 's2' }, undefined],
      ],
    );
    assert.equal(
      readImport(file([{ ...base, sessionId: 's' }]).replace('"addedAt":1', '"addedAt":1e999')).bad.length,
      1,
    );
    const windows = await Windows.make();
    try {
      const { index } = await windows.open();
      for (const record of read.records) await index.merge('service', record);
      await index.observe('service', sessionOf({ title: 'Told' }), now + 1);
      assert.equal(index.get('s1')?.session?.title, 'Told');
    } finally {
      await windows.close();
    }
  });

  it('hold only what every part of the view can show, whatever else was in them', () => {
    const context = {
      status: idle,
      computer: () => undefined,
      format: new Formatter('en'),
      now: 200,
    };
    const key = fc.constantFrom(
      ...[
        'title',
        'status',
        'messageCount',
        'updatedAt',
        'sessionSettings',
        'computerId',
        'name',
        'tags',
        'at',
      ],
    );
    const anything = fc.letrec<{ value: unknown }>(tie => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.jsonValue(),
        fc.dictionary(key, tie('value')),
        fc.record({ ...sessionShape, sessionSettings: tie('value'), title: tie('value') }),
      ),
    })).value;
    const entry = fc.record({
      sessionId: fc.constantFrom('s1', 's2'),
      origin: fc.constantFrom('added', 'hook'),
      addedAt: fc.nat(),
      session: anything,
      local: anything,
      signal: anything,
      workspace: anything,
      firstText: anything,
      computerName: anything,
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 3 }), entries => {
        const text = JSON.stringify({
          format: 'agent-console-sessions',
          version: 2,
          service: 'h',
          sessions: entries,
        });
        for (const record of readImport(text).records) {
          sessionRow(record, context).tooltip?.();
          sessionDocument(record, context);
        }
      }),
    );
  });
});

const sessionShape = {
  sessionId: fc.constant('s1'),
  status: fc.constant('idle'),
  messageCount: fc.nat(),
  createdAt: fc.nat(),
  updatedAt: fc.nat(),
};
