import assert from 'node:assert/strict';
import fc from 'fast-check';
import { GROUPINGS, groupSessions, SORTINGS, type Arrangement } from '../../../src/sessions/view/listing';
import { statusOf, type SessionRecord } from '../../../src/sessions/store/record';
import { recordOf, sessionOf } from './support';

const DAY = 24 * 60 * 60_000;
const saturday = new Date(2026, 10, 21, 12).getTime();

const arrangement = (fields: Partial<Arrangement> = {}): Arrangement => ({
  grouping: 'attention',
  sorting: 'activity',
  now: saturday,
  language: 'en',
  statusOf: record => statusOf(record, undefined),
  computerName: record => record.computerName,
  ...fields,
});

describe('groups of sessions', () => {
  const named = (sessionId: string, fields: Partial<SessionRecord> = {}): SessionRecord =>
    recordOf({ sessionId, session: sessionOf({ sessionId, updatedAt: saturday }), checkedAt: 1, ...fields });

  it('go by what a session needs: waiting before running before pinned, archived last', () => {
    const records = [
      named('archived', { local: { archivedAt: 1, pinned: true } }),
      named('earlier', { session: sessionOf({ updatedAt: saturday - 9 * DAY }) }),
      named('week', { session: sessionOf({ updatedAt: saturday - 2 * DAY }) }),
      named('today'),
      named('pinned', { local: { pinned: true } }),
      named('running', { session: sessionOf({ status: 'running' }), local: { pinned: true } }),
      named('waiting', { signal: { kind: 'waiting', at: 9 }, session: sessionOf({ status: 'running' }) }),
    ];
    const groups = groupSessions(records, arrangement());
    assert.deepEqual(
      groups.map(({ key, sessionIds }) => [key, ...sessionIds]),
      ['waiting', 'running', 'pinned', 'today', 'week', 'earlier', 'archived'].map(key => [key, key]),
    );
  });

  it('go by computer and by workspace, the unknown last but for the archive, pinned ones first within', () => {
    const on = (id: string, computerId: string, fields: Partial<SessionRecord> = {}): SessionRecord =>
      named(id, { session: sessionOf({ computerId, updatedAt: 5 }), computerName: computerId, ...fields });
    const workspace = { uri: 'file:///shop', name: 'shop' };
    const records = [
      on('a', 'node 10'),
      on('b', 'node 9', { workspace }),
      named('c'),
      on('d', 'node 9', { local: { pinned: true } }),
      named('e', { local: { archivedAt: 1 } }),
    ];
    const by = (grouping: Arrangement['grouping']): unknown =>
      groupSessions(records, arrangement({ grouping })).map(({ label, sessionIds }) => [
        label,
        ...sessionIds,
      ]);
    assert.deepEqual(by('computer'), [
      ['node 9', 'd', 'b'],
      ['node 10', 'a'],
      ['Unknown computer', 'c'],
      ['Archived', 'e'],
    ]);
    assert.deepEqual(by('workspace'), [
      ['shop', 'b'],
      ['Unknown workspace', 'd', 'c', 'a'],
      ['Archived', 'e'],
    ]);
  });

  it('hold every session exactly once, however they are made', () => {
    const record = fc.record({
      sessionId: fc.string({ minLength: 1, maxLength: 4 }),
      status: fc.constantFrom('idle', 'running', 'odd'),
      updatedAt: fc.nat(2 * saturday),
      computerId: fc.option(fc.constantFrom('a', 'b', ''), { nil: undefined }),
      pinned: fc.boolean(),
      archived: fc.boolean(),
      waiting: fc.boolean(),
    });
    const many = fc.uniqueArray(record, { maxLength: 30, selector: each => each.sessionId });
    fc.assert(
      fc.property(
        many,
        fc.constantFrom(...GROUPINGS),
        fc.constantFrom(...SORTINGS),
        (all, grouping, sorting) => {
          const records = all.map(({ sessionId, pinned, archived, waiting, ...fields }) =>
            recordOf({
              sessionId,
              session: sessionOf({ ...fields, sessionId }),
              local: { ...(pinned ? { pinned } : {}), ...(archived ? { archivedAt: 1 } : {}) },
              signal: waiting ? { kind: 'waiting', at: 1 } : undefined,
            }),
          );
          const groups = groupSessions(records, arrangement({ grouping, sorting }));
          assert.deepEqual(
            groups.flatMap(group => group.sessionIds).sort(),
            all.map(each => each.sessionId).sort(),
          );
          assert.equal(new Set(groups.map(group => group.key)).size, groups.length);
          const again = groupSessions([...records].reverse(), arrangement({ grouping, sorting }));
          assert.deepEqual(again, groups, 'the order does not depend on the order of the records');
        },
      ),
    );
  });

  it('begin days at midnight', () => {
    const at = (day: number, hour: number): unknown => {
      const session = sessionOf({ updatedAt: new Date(2026, 10, day, hour).getTime() });
      return groupSessions([recordOf({ session })], arrangement())[0]?.key;
    };
    assert.deepEqual([at(21, 0), at(20, 23), at(15, 0), at(14, 23)], ['today', 'week', 'week', 'earlier']);
  });
});
