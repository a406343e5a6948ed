import assert from 'node:assert/strict';
import fc from 'fast-check';
import { contributes } from '../../../package.json';
import { commands } from '../../../src/contributions';
import { observed, sent, STALE_MS, type SessionRecord } from '../../../src/sessions/record';
import { GROUPINGS, groupSessions, SORTINGS, type Arrangement } from '../../../src/sessions/view';
import { sessionDocument, sessionRow, timeText, type ComputerFacts } from '../../../src/sessions/words';
import { holds } from '../../fakes/when';
import { recordOf, sessionOf } from './support';

const now = 10 * 60_000;
const noon = Date.parse('2026-11-21T12:00:00Z');
const context = (fields: object = {}) => ({
  now,
  computer: (): ComputerFacts | undefined => ({ name: 'atlas', status: 'active' }),
  ...fields,
});
const rowOf = (fields: Partial<SessionRecord>, given: object = {}) =>
  sessionRow(recordOf({ session: sessionOf(), checkedAt: now, ...fields }), context(given));
const settings = {
  model: 'atlas-large',
  fieldOfTheFuture: 'shown, too',
  assistantActiveTimeMs: 61_000,
  archivedAt: '2026-11-20T11:00:00Z',
  tags: [{ name: 'build', metadata: { team: 'web' } }],
  disabledToolIds: ['browser'],
  tokenUsage: { inputTokens: 1_001, outputTokens: 2_002, thinkingTokens: 5_005 },
};

describe('a session as a row', () => {
  it('says by its icon what waits, works and is unread, in words what no icon says, and no state nobody has asked about for long as if it were true', () => {
    const at = now - 60_000;
    const session = sessionOf({ messageCount: 3, computerId: 'c', updatedAt: at });
    const is = (status: string) => ({ session: { ...session, status }, checkedAt: at });
    for (const [id, description, fields, given] of [
      ['bell-dot', '1 min', { signal: { kind: 'waiting', at } }],
      ['sync~spin', '1 min', is('running')],
      ['watch', 'pending 1 min', is('pending')],
      ['circle-outline', 'paused 1 min', is('paused')],
      ['circle-filled', '1 min', { session, local: { readCount: 2 } }],
      ['error', 'ended (error) 1 min', { signal: { kind: 'ended', at, reason: 'error' } }],
      ['sync~spin', '5 min', is('running'), { now: at + STALE_MS }],
      ['question', 'unknown, was running 5 min ago', is('running'), { now: at + STALE_MS + 1 }],
    ] as const) {
      const row = rowOf(fields, given);
      assert.deepEqual([row.icon?.id, row.description], [id, description]);
    }
  });

  it('is a new session until it has a title, which never changes by itself', () => {
    const asked = (record: SessionRecord) =>
      sent(record, { status: 'running', at: now, text: ' Fix the test\nplease' });
    const fresh = recordOf({ session: sessionOf({ messageCount: 0 }) });
    const named = observed(asked(fresh), sessionOf({ title: 'Repair of the failing test' }), now + 1);
    for (const [title, record] of [
      ['New session', fresh],
      // How many messages it has is not known: unknown is not none.
      ['Session s1', recordOf({ session: { sessionId: 's1' } })],
      ['Fix the test', asked(fresh)],
      ['Fix the test', named],
      ['Theirs', asked(recordOf({ session: sessionOf({ title: 'Theirs' }) }))],
      ['Mine', { ...named, local: { name: 'Mine' } }],
    ] as const)
      assert.equal(sessionRow(record, context()).label, title);
  });

  it('has a small card: title, state and age, what it waits for, where it runs, its tokens', () => {
    const signal = { kind: 'waiting', at: now - 72_000, message: 'May I?' } as const;
    const title = 'Fix it';
    const session = sessionOf({ title, computerId: 'c-1', sessionSettings: settings });
    const check = { problem: { at: now, sentence: 'No answer.' } };
    const sessionSettings = { tokenUsage: { inputTokens: 5 } };
    const works = sessionOf({ title, status: 'running', sessionSettings });
    const waits = ['waiting 1 min', 'May I?', 'atlas · atlas-large', '3K tokens (1K in, 2K out)'];
    for (const [fields, ...lines] of [
      [{ session, signal }, ...waits],
      [{ session: sessionOf({ title }), checkedAt: now - 5_000, check }, 'unknown, was idle', 'No answer.'],
      // A card that is looked at is not drawn anew: seconds in it would stand still.
      [{ session: works, checkedAt: now - 5_000 }, 'running'],
    ] as const) {
      const { value = '' } = rowOf(fields).tooltip?.() ?? {};
      assert.deepEqual(value.replaceAll('\u200b', '').split('\n'), ['**Fix it**', ...lines]);
    }
  });
});

it('the details of a session name every field of the service, those of the future too, and all that is kept here; times with their age, what is none as it came, and what was left out', () => {
  const documentOf = (fields: Partial<SessionRecord>): string =>
    sessionDocument(recordOf(fields), context({ now: noon })).replaceAll('\\', '');
  const named = { title: 'Theirs', completedAt: 5, computerId: 'c-1' };
  const times = { lastAt: 'last week', oddAt: '2026-99-99T00:00:00Z', longMs: 7_140_000 };
  const session = sessionOf({ ...named, sessionSettings: { ...settings, ...times } });
  const local = { name: 'Mine', pinned: true, archivedAt: 5 };
  const workspace = { uri: 'file:///shop', name: 'shop' };
  const [told = '', answer = ''] = documentOf({ session, local, workspace }).split('```json');
  assert.deepEqual(JSON.parse(answer.split('```')[0] ?? ''), session);
  const words =
    '# Mine|## Settings|## Tokens|## Only on this machine|Theirs|shop|c-1|s1|1 min 1 sec|build {"team":"web"}|' +
    'atlas-large|shown, too|browser|1,001|2,002|5,005|**Last at**: last week|**Odd at**: 2026-99-99T00|**Long**: 1 hr 59 min|' +
    `**Completed**: ${timeText(5, noon) ?? ''}`;
  for (const word of words.split('|')) assert.ok(told.includes(word), `${word} is missing in\n${told}`);
  assert.match(told, /\*\*Archived at\*\*: Nov \d+, 2026, .*\(1 day ago\)/);
  const bare = documentOf({ session: { sessionId: 's1' } });
  for (const name of ['Messages', 'Created', 'Updated']) assert.ok(bare.includes(`**${name}**: not known`));
  assert.ok(!documentOf({ session: undefined }).includes('Created'), 'it was never asked');
});

/** What a row with this context, in the Sessions view, has in its menu, or on itself. */
function offered(context = '', group = ''): readonly string[] {
  const repository = { gitOpenRepositoryCount: 1, 'agentConsole.draftComments': true };
  const facts = { view: 'agentConsole.sessions', viewItem: context, ...repository };
  return contributes.menus['view/item/context']
    .filter(item => item.group.startsWith(group) && holds(item.when, facts))
    .map(({ command }) => command);
}

it('the menu of a session’s row leads to its chat, offers what can be done and is not so already, and has one button for that', () => {
  const { changes, chat, sessions } = commands;
  const { archive, unarchive } = sessions;
  for (const [status, local, given, buttons, ...some] of [
    ['idle', { archivedAt: 5, pinned: true }, {}, [], unarchive],
    ['running', { pinned: true }, { canStop: true }, [chat.stop], archive, chat.stop],
    ['running', { readCount: 1 }, { canStop: false }, [archive], archive],
    ['idle', {}, { changes: { short: '2 files', lines: [] } }, [archive, changes.show], archive],
  ] as const) {
    const { context: words } = rowOf({ session: sessionOf({ status }), local }, given);
    assert.deepEqual(offered(words, 'inline'), buttons);
    const menu = offered(words);
    const offers = [archive, unarchive, chat.stop].filter(id => menu.includes(id));
    assert.deepEqual(offers, some);
    for (const command of [chat.open, chat.export, sessions.remove])
      assert.ok(menu.includes(command), command);
  }
});

describe('groups of sessions', () => {
  const saturday = new Date(2026, 10, 21, 12).getTime();
  const groups = (records: readonly SessionRecord[], how: Partial<Arrangement> = {}) =>
    groupSessions(records, {
      ...{ grouping: 'attention', sorting: 'activity', now: saturday },
      computerName: record => record.computerName,
      ...how,
    });

  it('go by computer and by workspace, the unknown last but for the archive, pinned ones first within', () => {
    const session = (sessionId: string, computerId?: string, fields: Partial<SessionRecord> = {}) => {
      const told = sessionOf({ computerId, updatedAt: computerId === undefined ? saturday : 5 });
      return recordOf({ sessionId, computerName: computerId, session: told, ...fields });
    };
    const records = [
      session('a', 'node 10'),
      session('b', 'node 9', { workspace: { uri: 'file:///shop', name: 'shop' } }),
      session('c'),
      session('d', 'node 9', { local: { pinned: true } }),
      session('e', undefined, { local: { archivedAt: 1 } }),
    ];
    const said = (grouping: Arrangement['grouping']): string =>
      groups(records, { grouping })
        .map(({ label, records: of }) => `${label}: ${of.map(({ sessionId }) => sessionId).join(' ')}`)
        .join(', ');
    assert.equal(said('computer'), 'node 9: d b, node 10: a, Unknown computer: c, Archived: e');
    assert.equal(said('workspace'), 'shop: b, Unknown workspace: d c a, Archived: e');
  });

  it('hold every session exactly once, however they are made', () => {
    const record = fc
      .record({
        ...{ status: fc.constantFrom('idle', 'running', 'odd'), updatedAt: fc.nat(2 * saturday) },
        computerId: fc.constantFrom(undefined, 'a', 'b', ''),
        local: fc.record({ pinned: fc.boolean(), archivedAt: fc.constantFrom(undefined, 1) }),
        signal: fc.constantFrom(undefined, { kind: 'waiting', at: 1 } as const),
      })
      .map(({ local, signal, ...fields }) => ({ local, signal, session: sessionOf(fields) }));
    const many = fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), record, { maxKeys: 30 });
    const ways = fc.record({
      grouping: fc.constantFrom(...GROUPINGS),
      sorting: fc.constantFrom(...SORTINGS),
    });
    fc.assert(
      fc.property(many, ways, (all, how) => {
        const records = Object.entries(all).map(([sessionId, fields]) => recordOf({ sessionId, ...fields }));
        const made = groups(records, how);
        const held = made.flatMap(group => group.records.map(({ sessionId }) => sessionId));
        assert.deepEqual(held.sort(), Object.keys(all).sort());
        assert.equal(new Set(made.map(group => group.key)).size, made.length);
        assert.deepEqual(groups(records.reverse(), how), made, 'whatever the order of the records');
      }),
    );
  });

  it('begin days at midnight', () => {
    const at = (day: number, hour: number): unknown => {
      const session = sessionOf({ updatedAt: new Date(2026, 10, day, hour).getTime() });
      return groups([recordOf({ session })])[0]?.key;
    };
    assert.deepEqual([at(21, 0), at(20, 23), at(15, 0), at(14, 23)], ['today', 'week', 'week', 'earlier']);
  });
});
