import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { SessionSettings } from '../../../src/api';
import { commands } from '../../../src/contributions';
import { observed, sent, STALE_MS, statusOf } from '../../../src/sessions/record';
import { sessionDocument, sessionRow, timeText, type ComputerFacts } from '../../../src/sessions/words';
import { Formatter } from '../../../src/util/format';
import { recordOf, sessionOf } from './support';

const format = new Formatter('en');
const now = 10 * 60_000;
const context = (fields: object = {}) => ({
  status: { value: 'idle', at: now },
  computer: (): ComputerFacts | undefined => ({ name: 'atlas', status: 'active' }),
  format,
  now,
  ...fields,
});
const settings: SessionSettings = {
  model: 'atlas-large',
  reasoningEffort: 'high',
  interactionMode: 'spec',
  autonomyLevel: 'low',
  autonomyMode: 'auto-low',
  specModeModel: 'atlas-mini',
  specModeReasoningEffort: 'max',
  providerLock: 'one',
  providerLockTimestamp: '2026-11-20T10:00:00Z',
  apiProviderLock: 'two',
  assistantActiveTimeMs: 61_000,
  archivedAt: '2026-11-20T11:00:00Z',
  tags: [{ name: 'build', metadata: { team: 'web' } }],
  enabledToolIds: ['shell'],
  disabledToolIds: ['browser'],
  tokenUsage: {
    inputTokens: 1_001,
    outputTokens: 2_002,
    cacheCreationTokens: 3_003,
    cacheReadTokens: 4_004,
    thinkingTokens: 5_005,
  },
};

/** The lines of a row's card, as they are read. */
function cardOf(...of: Parameters<typeof sessionRow>): readonly string[] {
  const { value = '' } = sessionRow(...of).tooltip?.() ?? {};
  return value.replaceAll('\u200b', '').split('\n');
}

describe('a session as a row', () => {
  it('says by its icon what waits, works and is unread, and in words what no icon says', () => {
    const shown = (fields: Parameters<typeof recordOf>[0], given: object = {}): readonly unknown[] => {
      const { icon, description } = sessionRow(recordOf({ session: sessionOf(), ...fields }), context(given));
      return [icon?.id, description];
    };
    const session = sessionOf({ messageCount: 3, computerId: 'c', updatedAt: now - 60_000 });
    const signal = (kind: 'waiting' | 'ended', reason?: string) => ({ kind, at: now - 60_000, reason });
    const status = (value: string): object => ({ status: { value, at: now - 60_000 } });
    for (const [icon, description, fields, given] of [
      ['bell-dot', '1 min', { signal: signal('waiting') }],
      ['sync~spin', '1 min', { session }, status('running')],
      ['watch', 'pending 1 min', { session }, status('pending')],
      ['circle-outline', 'paused 1 min', { session }, status('paused')],
      ['circle-filled', '1 min', { session, local: { readCount: 2 } }],
      ['error', 'ended (error) 1 min', { signal: signal('ended', 'error') }],
    ] as const)
      assert.deepEqual(shown(fields, given), [icon, description]);
  });

  it('does not show a state nobody has asked about for long as if it were true', () => {
    const record = recordOf({ session: sessionOf({ status: 'running' }), checkedAt: 1_000 });
    assert.equal(statusOf(record, undefined, 1_000 + STALE_MS).value, 'running');
    const old = statusOf(record, undefined, 1_001 + STALE_MS);
    assert.deepEqual([old.value, old.last], ['unknown', 'running']);
    const row = sessionRow(record, context({ status: old, now: 1_001 + STALE_MS }));
    assert.deepEqual([row.description, row.icon?.id], ['unknown, was running 5 min ago', 'question']);
  });

  it('is a new session until it has a title, which never changes by itself', () => {
    const title = (fields: Parameters<typeof recordOf>[0]): string =>
      sessionRow(recordOf(fields), context()).label;
    assert.equal(title({ session: sessionOf({ messageCount: 0 }) }), 'New session');
    // How many messages it has is not known: unknown is not none.
    assert.equal(title({ session: { sessionId: 's1' } }), 'Session s1');
    assert.equal(title({ session: sessionOf() }), 'Session s1');
    const fresh = recordOf({ session: sessionOf({ messageCount: 0 }) });
    const asked = sent(fresh, { status: 'running', at: now, text: ' Fix the test\nplease' });
    assert.equal(title(asked), 'Fix the test');
    const named = observed(asked, sessionOf({ title: 'Repair of the failing test' }), now + 1);
    assert.equal(title(named), 'Fix the test');
    const known = recordOf({ session: sessionOf({ title: 'Theirs' }) });
    assert.equal(title(sent(known, { status: 'running', at: now, text: 'And now?' })), 'Theirs');
    assert.equal(title({ ...named, local: { name: 'Mine' } }), 'Mine');
  });

  it('is one clean line, whatever the service calls it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (title, name) => {
        const computer = (): ComputerFacts => ({ name: 'x', status: 'odd' });
        const session = sessionOf({ title, computerId: 'c' });
        const row = sessionRow(recordOf({ session, computerName: name }), context({ computer }));
        const said = [row.label, row.description, row.spoken].join(' ');
        assert.doesNotMatch(said, /[\n\u202a-\u202e\u2066-\u2069\u0000-\u0008]/);
      }),
    );
  });

  it('has a small card: title, state and age, what it waits for, where it runs, its tokens', () => {
    const signal = { kind: 'waiting', at: now - 72_000, message: 'May I?' } as const;
    const session = sessionOf({ title: 'Fix it', computerId: 'c-1', sessionSettings: settings });
    assert.deepEqual(cardOf(recordOf({ session, signal }), context()), [
      '**Fix it**',
      'waiting 1 min',
      'May I?',
      'atlas · atlas-large',
      '3K tokens (1K in, 2K out)',
    ]);
    const problem = { at: now, sentence: 'No answer.' };
    const unknown = { value: 'unknown', at: now - 5_000, last: 'idle', problem };
    for (const [status, ...lines] of [
      [unknown, 'unknown, was idle', 'No answer.'],
      // A card that is looked at is not drawn anew: seconds in it would stand still.
      [{ value: 'running', at: now - 5_000 }, 'running'],
    ] as const) {
      const record = recordOf({ session: sessionOf({ title: 'Fix it' }) });
      assert.deepEqual(cardOf(record, context({ status })), ['**Fix it**', ...lines]);
    }
  });
});

describe('the details of a session', () => {
  it('name every field of the interface and everything that is kept here', () => {
    const session = sessionOf({
      title: 'Theirs',
      completedAt: 5,
      computerId: 'c-1',
      sessionSettings: settings,
    });
    const local = { name: 'Mine', pinned: true, archivedAt: 5 };
    const workspace = { uri: 'file:///shop', name: 'shop' };
    const text = sessionDocument(recordOf({ session, local, workspace }), context()).replaceAll('\\', '');
    const [told = '', answer = ''] = text.split('```json');
    assert.deepEqual(JSON.parse(answer.split('```')[0] ?? ''), session);
    const words = [
      '# Mine|## Settings|## Tokens|## Only on this machine|Theirs|shop|c-1|s1|1 min 1 sec|build {"team":"web"}',
      'atlas-large|high|spec|low|auto-low|atlas-mini|max|one|two|shell|browser|1,001|2,002|3,003|4,004|5,005',
      ...['2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z'].map(at =>
        timeText(Date.parse(at), { format, now }),
      ),
      `**Completed**: ${timeText(5, { format, now }) ?? ''}`,
    ];
    for (const value of words.flatMap(each => each?.split('|') ?? []))
      assert.ok(told.includes(value), `${value} is missing in\n${told}`);
  });

  it('say what the service left out of its answer, and nothing of what was never asked', () => {
    const bare = sessionDocument(recordOf({ session: { sessionId: 's1' } }), context());
    for (const name of ['Messages', 'Created', 'Updated']) assert.ok(bare.includes(`**${name}**: not known`));
    assert.ok(!sessionDocument(recordOf({ session: undefined }), context()).includes('Created'));
  });

  it('show times of the service as its own, with their age, what is none as it came, and durations in two units', () => {
    const later = Date.parse('2026-11-21T10:00:00Z');
    const told = (sessionSettings: SessionSettings): string => {
      const record = recordOf({ session: sessionOf({ sessionSettings }) });
      return sessionDocument(record, context({ now: later })).replaceAll('\\', '');
    };
    const text = told({ ...settings, archivedAt: 'last week', assistantActiveTimeMs: 7_140_000 });
    assert.match(text, /\*\*Provider lock timestamp\*\*: Nov \d+, 2026, .*\(1 day ago\)/);
    assert.ok(text.includes('**Archived at**: last week'));
    assert.ok(text.includes('**Assistant active time**: 1 hr 59 min'));
    assert.ok(told({ archivedAt: '2026-99-99T00:00:00Z' }).includes('Archived at**: 2026-99-99T00:00:00Z'));
  });
});

interface Item {
  readonly command: string;
  readonly when?: string;
  readonly group?: string;
}

const manifest = JSON.parse(
  readFileSync(path.join(process.env['AGENT_CONSOLE_ROOT']!, 'package.json'), 'utf8'),
) as { readonly contributes: { readonly menus: Record<string, readonly Item[]> } };
const rows = manifest.contributes.menus['view/item/context'] ?? [];

/** Whether a row with this context, in the Sessions view, has the item. */
function offers({ when = '' }: Item, context: string): boolean {
  return when.split(' && ').every(term => {
    // A repository is open, and a comment is written.
    if (['gitOpenRepositoryCount != 0', 'agentConsole.draftComments'].includes(term)) return true;
    const [, key, operator, value = ''] = /^(\w+) (==|=~) (.+)$/.exec(term) ?? [];
    const actual =
      key === 'view' ? 'agentConsole.sessions' : key === 'viewItem' ? context : assert.fail(term);
    return operator === '=='
      ? actual === value.replace(/^'|'$/g, '')
      : new RegExp(value.slice(1, -1)).test(actual);
  });
}

describe('the menu of a session’s row', () => {
  const menuOf = (record: Parameters<typeof sessionRow>[0], fields: object = {}): Set<string> => {
    const row = sessionRow(record, context(fields));
    return new Set(rows.filter(item => offers(item, row.context ?? '')).map(({ command }) => command));
  };

  it('leads to its chat and its transcript, and offers what can be done, not what is so already', () => {
    const { sessions, chat } = commands;
    const running = { status: { value: 'running', at: 100 } };
    for (const [local, fields, ...offered] of [
      [{}, {}, sessions.archive],
      [{ archivedAt: 5, pinned: true }, {}, sessions.unarchive],
      [{}, { ...running, canStop: true }, sessions.archive, chat.stop],
      [{ readCount: 1 }, { ...running, canStop: false }, sessions.archive],
    ] as const) {
      const menu = menuOf(recordOf({ session: sessionOf(), local }), fields);
      const some = [sessions.archive, sessions.unarchive, chat.stop].filter(id => menu.has(id));
      assert.deepEqual(some, offered);
      for (const command of [chat.open, chat.export, sessions.remove]) assert.ok(menu.has(command), command);
    }
  });

  it('has one button on a row, to archive what rests or to stop what runs, and one that shows what has changed', () => {
    const { changes, sessions } = commands;
    const inline = rows.filter(({ group }) => group?.startsWith('inline'));
    const on = (context: string): readonly string[] =>
      inline.filter(item => offers(item, context)).map(({ command }) => command);
    assert.deepEqual(on('session unpinned listed'), [commands.sessions.archive]);
    assert.deepEqual(on('session pinned listed stoppable'), [commands.chat.stop]);
    assert.deepEqual(on('session pinned archived'), []);
    assert.deepEqual(on('session pinned listed changed'), [sessions.archive, changes.show]);
  });
});
