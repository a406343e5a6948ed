import assert from 'node:assert/strict';
import fc from 'fast-check';
import { exportText, ImportError, mergeRecord, readImport } from '../../../src/sessions/transfer';
import { recordOf, sessionOf, Windows } from './support';

describe('exported lists of sessions', () => {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  it('read back as they were written', () => {
    const records = [
      recordOf({ sessionId: 'b', session: sessionOf({ title: 'B' }), checkedAt: 5, local: { notes: 'n' } }),
      recordOf({ sessionId: 'a', signal: { kind: 'waiting', at: 3 } }),
    ];
    const file = readImport(exportText(records, 'api.example.com', 1_000));
    assert.equal(file.host, 'api.example.com');
    assert.deepEqual(file.bad, []);
    assert.deepEqual(plain(file.records), plain([...records].reverse()));
  });

  it('name an entry that cannot be read and bring in the others', () => {
    const text = exportText([recordOf({ sessionId: 'a' }), recordOf({ sessionId: 'b' })], 'h', 1);
    const file = readImport(text.replace('"origin": "created"', '"origin": "dreamt"'));
    assert.deepEqual(
      file.records.map(record => record.sessionId),
      ['b'],
    );
    assert.deepEqual(file.bad, [{ place: 'sessions[0] a', reason: 'origin is unknown' }]);
  });

  it('of the first version are brought up to date; of a newer one are refused', () => {
    const old = { sessionId: 'a', origin: 'added', addedAt: 1 };
    const file = { format: 'agent-console-sessions', version: 1, service: 'h', sessions: [old] };
    assert.deepEqual(readImport(JSON.stringify(file)).records[0]?.local, {});
    assert.throws(() => readImport(JSON.stringify({ ...file, version: 3 })), { problem: 'newer' });
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
});
