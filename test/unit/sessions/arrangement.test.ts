import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  GROUPINGS,
  groupSessions,
  SORTINGS,
  startsOf,
  type Arrangement,
} from '../../../src/sessions/view/groups';
import { statusOf } from '../../../src/sessions/store/model';
import type { SessionRecord } from '../../../src/sessions/store/record';
import { recordOf, sessionOf } from './support';

const arrangement = (fields: Partial<Arrangement> = {}): Arrangement => ({
  grouping: 'attention',
  sorting: 'activity',
  startOfToday: 1_000,
  startOfWeek: 500,
  language: 'en',
  statusOf: record => statusOf(record, undefined),
  computerName: record => record.computerName,
  ...fields,
});

describe('groups of sessions', () => {
  const named = (sessionId: string, fields: Partial<SessionRecord> = {}): SessionRecord =>
    recordOf({ sessionId, session: sessionOf({ sessionId, updatedAt: 2_000 }), checkedAt: 1, ...fields });

  it('go by what a session needs: waiting before running before pinned, archived last', () => {
    const records = [
      named('archived', { local: { archivedAt: 1, pinned: true } }),
      named('earlier', { session: sessionOf({ updatedAt: 400 }) }),
      named('week', { session: sessionOf({ updatedAt: 700 }) }),
      named('today'),
      named('pinned', { local: { pinned: true } }),
      named('running', { session: sessionOf({ status: 'running' }), local: { pinned: true } }),
      named('waiting', { signal: { kind: 'waiting', at: 9 }, session: sessionOf({ status: 'running' }) }),
    ];
    const groups = groupSessions(records, arrangement());
    assert.deepEqual(
      groups.map(({ kind, sessionIds }) => [kind, ...sessionIds]),
      ['waiting', 'running', 'pinned', 'today', 'week', 'earlier', 'archived'].map(kind => [kind, kind]),
    );
  });

  it('count nothing as running that is not known to be: after a failed check, or an old word', () => {
    const day = 24 * 60 * 60_000;
    const now = Date.UTC(2026, 10, 21, 12);
    const at = (sessionId: string, ago: number, status = 'running'): SessionRecord =>
      named(sessionId, {
        session: sessionOf({ sessionId, status, updatedAt: now - ago }),
        checkedAt: now - ago,
      });
    const records = [
      at('known', 1_000),
      at('about to start', 2_000, 'pending'),
      at('failed', 3_000),
      at('old', 3 * day),
      { ...at('pinned', 3 * day), local: { pinned: true } },
    ];
    const groups = groupSessions(
      records,
      arrangement({
        startOfToday: now - day / 2,
        startOfWeek: now - 5 * day,
        statusOf: record =>
          statusOf(
            record,
            record.sessionId === 'failed' ? { at: now, sentence: 'No answer.' } : undefined,
            now,
          ),
      }),
    );
    assert.deepEqual(
      groups.map(({ kind, sessionIds }) => [kind, ...sessionIds]),
      [
        ['running', 'known', 'about to start'],
        ['pinned', 'pinned'],
        ['today', 'failed'],
        ['week', 'old'],
      ],
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
      groupSessions(records, arrangement({ grouping })).map(({ name, kind, sessionIds }) => [
        name ?? kind,
        ...sessionIds,
      ]);
    assert.deepEqual(by('computer'), [
      ['node 9', 'd', 'b'],
      ['node 10', 'a'],
      ['computer', 'c'],
      ['archived', 'e'],
    ]);
    assert.deepEqual(by('workspace'), [
      ['shop', 'b'],
      ['workspace', 'd', 'c', 'a'],
      ['archived', 'e'],
    ]);
  });

  it('hold every session exactly once, however they are made', () => {
    const record = fc.record({
      sessionId: fc.string({ minLength: 1, maxLength: 4 }),
      status: fc.constantFrom('idle', 'running', 'odd'),
      updatedAt: fc.nat(2_000),
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

  it('begin days at midnight and weeks where the language does', () => {
    const saturday = new Date(2026, 10, 21, 15).getTime();
    const monday = startsOf(saturday, 1);
    assert.equal(monday.startOfToday, new Date(2026, 10, 21).getTime());
    assert.equal(monday.startOfWeek, new Date(2026, 10, 16).getTime());
    assert.equal(startsOf(saturday, 7).startOfWeek, new Date(2026, 10, 15).getTime());
    assert.equal(startsOf(saturday, 6).startOfWeek, monday.startOfToday);
  });
});
