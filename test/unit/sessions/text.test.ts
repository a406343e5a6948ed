import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SessionSettings } from '../../../src/api';
import { sectionsOf, timeText, tooltipOf } from '../../../src/sessions/facts';
import { linkIn, linkTo, readLink } from '../../../src/sessions/links';
import { statusOf, STALE_MS } from '../../../src/sessions/model';
import { rowOf, type ComputerFacts } from '../../../src/sessions/row';
import { importedText } from '../../../src/sessions/text';
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

describe('a session as a row', () => {
  it('says state and age before quieter facts, all of them in the words for screen readers', () => {
    const title = 'A title that is far too long for a narrow side bar';
    const session = sessionOf({
      title,
      computerId: 'c',
      sessionSettings: settings,
      updatedAt: now - 120_000,
    });
    const row = rowOf(recordOf({ session, local: { pinned: true, name: title } }), context());
    assert.ok(row.label.length <= 24 && row.label.endsWith('…'), row.label);
    assert.equal(row.title, title);
    assert.equal(row.description, 'idle 2 min · atlas · 2 messages · 3K tokens');
    assert.equal(
      row.spoken,
      `Session ${title}, idle 2 min, atlas, 2 messages, 3K tokens, pinned, name kept on this machine`,
    );
  });

  it('tells what waits, what is unread and what is stranded', () => {
    const waiting = rowOf(
      recordOf({ session: sessionOf(), signal: { kind: 'waiting', at: now - 60_000 } }),
      context(),
    );
    assert.match(waiting.description, /^waiting 1 min/);
    assert.equal(waiting.icon.id, 'bell-dot');
    const unread = rowOf(
      recordOf({ session: sessionOf({ messageCount: 3 }), local: { readCount: 2 } }),
      context(),
    );
    assert.match(unread.description, /· unread/);
    const computer = (): ComputerFacts => ({ name: 'cinder', status: 'error', error: 'quota exceeded' });
    const stranded = rowOf(recordOf({ session: sessionOf({ computerId: 'c' }) }), context({ computer }));
    assert.match(stranded.description, /· cinder is in error/);
    assert.equal(stranded.icon.id, 'warning');
  });

  it('does not show a state nobody has asked about for long as if it were true', () => {
    const record = recordOf({ session: sessionOf({ status: 'running' }), checkedAt: 1_000 });
    assert.equal(statusOf(record, undefined, 1_000 + STALE_MS).value, 'running');
    const old = statusOf(record, undefined, 1_001 + STALE_MS);
    assert.deepEqual([old.value, old.last], ['unknown', 'running']);
    const row = rowOf(record, context({ status: old, now: 1_001 + STALE_MS }));
    assert.match(row.description, /^unknown, running 5 min ago/);
    assert.equal(row.icon.id, 'question');
  });

  it('is one clean line, whatever the service calls it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (title, name) => {
        const computer = (): ComputerFacts => ({ name: 'x', status: 'odd' });
        const session = sessionOf({ title, computerId: 'c' });
        const record = recordOf({ session, computerName: name });
        const row = rowOf(record, context({ computer }));
        assert.doesNotMatch(
          row.label + row.description + row.spoken,
          /[\n\u202a-\u202e\u2066-\u2069\u0000-\u0008]/,
        );
      }),
    );
  });
});

describe('all that is known of a session', () => {
  it('names every field of the interface and everything that is kept here', () => {
    const session = sessionOf({
      title: 'Theirs',
      completedAt: 5,
      computerId: 'c-1',
      sessionSettings: settings,
    });
    const local = { name: 'Mine', pinned: true, archivedAt: 5 };
    const workspace = { uri: 'file:///shop', name: 'shop' };
    const record = recordOf({ session, local, workspace });
    const text = sectionsOf(record, context())
      .flatMap(({ facts }) => facts.map(([name, value]) => `${name}: ${value ?? ''}`))
      .join('\n');
    const tooltip = tooltipOf(record, context());
    assert.ok(tooltip.length <= 8, tooltip.join('\n'));
    assert.deepEqual(tooltip.slice(0, 2), ['Mine', rowOf(record, context()).description]);
    for (const value of [
      'atlas-large',
      'high',
      'spec',
      'low',
      'auto-low',
      'atlas-mini',
      'max',
      'one',
      timeText(Date.parse('2026-11-20T10:00:00Z'), format, now) ?? '',
      'two',
      '1 min 1 sec',
      timeText(Date.parse('2026-11-20T11:00:00Z'), format, now) ?? '',
      'build {"team":"web"}',
      'shell',
      'browser',
      '1,001',
      '2,002',
      '3,003',
      '4,004',
      '5,005',
      'Theirs',
      'Mine',
      'shop',
      'c-1',
      's1',
      `Completed: ${timeText(5, format, now) ?? ''}`,
    ])
      for (const shown of [text, tooltip.join('\n')])
        assert.ok(shown.includes(value), `${value} is missing in\n${shown}`);
  });

  it('says what the service left out of its answer, and nothing of what was never asked', () => {
    const factsOf = (fields: Parameters<typeof recordOf>[0]): Record<string, string | undefined> =>
      Object.fromEntries(sectionsOf(recordOf(fields), context()).flatMap(({ facts }) => facts));
    const bare = factsOf({ session: { sessionId: 's1' } });
    assert.deepEqual(
      ['Messages', 'Created', 'Updated'].map(name => bare[name]),
      ['not known', 'not known', 'not known'],
    );
    assert.equal(factsOf({ session: undefined })['Created'], undefined);
  });

  it('shows times of the service as its own, with their age, what is none as it came, and durations in two units', () => {
    const later = Date.parse('2026-11-21T10:00:00Z');
    const told = (sessionSettings: SessionSettings): Record<string, string | undefined> => {
      const record = recordOf({ session: sessionOf({ sessionSettings }) });
      return Object.fromEntries(sectionsOf(record, context({ now: later }))[1]?.facts ?? []);
    };
    const facts = told({ ...settings, archivedAt: 'last week', assistantActiveTimeMs: 7_140_000 });
    assert.match(facts['Locked since'] ?? '', /^Nov \d+, 2026, .*\(1 day ago\)$/);
    assert.equal(facts['Archived at the service'], 'last week');
    assert.equal(facts['Agent active'], '1 hr 59 min');
    assert.equal(
      told({ archivedAt: '2026-99-99T00:00:00Z' })['Archived at the service'],
      '2026-99-99T00:00:00Z',
    );
  });

  it('begins in the tooltip with what the agent asks and why a state is not known', () => {
    const signal = { kind: 'waiting', at: now - 60_000, message: 'May I?' } as const;
    const status = { value: 'unknown', at: now, last: 'idle', problem: { at: now, sentence: 'No answer.' } };
    const lines = tooltipOf(recordOf({ signal, firstText: 'Fix it' }), context({ status }));
    assert.deepEqual(lines.slice(0, 4), ['Fix it', 'waiting 1 min', 'May I?', 'No answer.']);
  });
});

describe('links to sessions', () => {
  const base = { scheme: 'vscode', authority: 'agent-console.agent-console' };
  const opened = (link: string): ReturnType<typeof readLink> => {
    const url = new URL(link);
    return readLink({
      path: decodeURIComponent(url.pathname),
      query: decodeURIComponent(url.search.slice(1)),
    });
  };

  it('lead back to the session, whatever its id is made of', () => {
    assert.equal(
      linkTo(base, { sessionId: 'a b%/?#'.replace(' ', ''), host: 'api.example.com' }),
      'vscode://agent-console.agent-console/session/ab%25%2F%3F%23?service=api.example.com',
    );
    const id = fc.stringMatching(/^[!-~]{1,40}$/).filter(text => text !== '.' && text !== '..');
    fc.assert(
      fc.property(id, sessionId => {
        assert.deepEqual(opened(linkTo(base, { sessionId, host: '127.0.0.1:80' })), {
          sessionId,
          host: '127.0.0.1:80',
        });
      }),
    );
  });

  it('are read where people type them, of whichever editor', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[!-~]{1,40}$/).filter(text => text !== '.' && text !== '..'),
        sessionId => {
          for (const scheme of ['vscode', 'code-oss', 'vscode-insiders'])
            assert.deepEqual(linkIn(linkTo({ ...base, scheme }, { sessionId, host: 'api.example.com' })), {
              sessionId,
              host: 'api.example.com',
            });
        },
      ),
    );
    assert.deepEqual(linkIn('vscode://agent-console.agent-console/session/s1'), { sessionId: 's1' });
    for (const text of [
      'https://app.example.com/x',
      'vscode://a/session/',
      'vscode://a/session/%E0%A4',
      'x://',
    ])
      assert.equal(linkIn(text), 'other', text);
    for (const text of ['s1', '726c46b4-dd2a', 'a:b', '//x', '']) assert.equal(linkIn(text), undefined, text);
  });

  it('name nothing when somebody else wrote them', () => {
    for (const [path, query] of [
      ['/session/', ''],
      ['/session/.', ''],
      ['/session/..', ''],
      ['/other/s1', ''],
      ['/session/a b', ''],
      [`/session/${'x'.repeat(300)}`, ''],
      ['/session/s\u202e1', ''],
      ['/session/s1', 'service=api.example.com/[x](command:y)'],
      ['/session/s1', 'command=x'],
    ] as const)
      assert.equal(readLink({ path, query }), undefined, path);
  });
});

describe('the sentence after an import', () => {
  it('counts one session as one', () => {
    const of = (added: number, updated: number, kept: number) => importedText({ added, updated, kept });
    assert.equal(of(1, 1, 1), '1 session added, 1 brought up to date, 1 left unchanged.');
    assert.equal(of(0, 2, 1), '0 sessions added, 2 brought up to date, 1 left unchanged.');
  });
});
