import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { headerOf } from '../../../src/chat/panel/panelState';
import type { ChatSession } from '../../../src/chat/sessions';
import { Formatter } from '../../../src/util/format';

const format = new Formatter('en');
const tokens = (settings: ChatSession['settings']) =>
  headerOf({ sessionId: 's', title: 't', status: 'idle', settings }, 't', false, 0, format).tokens;

describe('the tokens in the header of a chat', () => {
  it('are told kind by kind, as the service counts them', () => {
    const tokenUsage = {
      inputTokens: 12_000,
      outputTokens: 3_456,
      cacheCreationTokens: 789,
      cacheReadTokens: 1_234_567,
      thinkingTokens: 42,
    };
    assert.deepEqual(tokens({ tokenUsage, assistantActiveTimeMs: 125_000 }), {
      short: `${format.compact(15_456)} tokens`,
      detail: [
        'Input: 12,000',
        'Output: 3,456',
        'Cache creation: 789',
        'Cache read: 1,234,567',
        'Thinking: 42',
        `Agent active: ${format.span(125_000)}`,
      ].join('\n'),
    });
  });

  it('may be of kinds nobody knew, and of some only', () => {
    const tokenUsage = { cacheReadTokens: 0, audioTokens: 7, note: 'text', 'bad\u202ename': 1 };
    assert.deepEqual(tokens({ tokenUsage })?.detail.split('\n'), [
      'Cache read: 0',
      'audioTokens: 7',
      'bad\ufffdname: 1',
    ]);
    for (const nothing of [undefined, {}, { tokenUsage: {} }]) assert.equal(tokens(nothing), undefined);
  });
});

interface Item {
  readonly command: string;
  readonly when: string;
}

const manifest = path.join(process.env['AGENT_CONSOLE_ROOT']!, 'package.json');
const { contributes } = JSON.parse(readFileSync(manifest, 'utf8')) as {
  readonly contributes: { readonly menus: Readonly<Record<string, readonly Item[]>> };
};

/** Entries of the menu of the header, as the editor decides on them. */
function menuOf(known: Partial<ChatSession> | undefined): string[] {
  const session = known && { sessionId: 's', title: 't', status: 'idle', ...known };
  const { about } = headerOf(session, 't', false, 0, format);
  const keys = { ...(JSON.parse(about) as Record<string, unknown>), webviewId: 'agentConsole.chatView' };
  const holds = (term: string): boolean => {
    // A repository is open, and comments wait.
    if (['gitOpenRepositoryCount != 0', 'agentConsole.draftComments'].includes(term)) return true;
    const [, key = '', , pattern = ''] = /^(\w+)( =~ \/(.+)\/)?$/.exec(term) ?? assert.fail(term);
    const value = (keys as Record<string, unknown>)[key];
    return typeof value === 'string' && new RegExp(pattern).test(value);
  };
  return (contributes.menus['webview/context'] ?? []).flatMap(({ command, when }) =>
    when.split(' && ').every(holds) ? [command.replace(/^agentConsole\.\w+\./, '')] : [],
  );
}

describe('the menu of the header of a chat', () => {
  const always = ['find', 'export'];
  const changes = ['show', 'chooseBranch', 'bringHome', 'sendComments'];
  const copies = ['takeAlong', 'copyId', 'copyLink', 'showDetails', 'rename', 'pin'];
  for (const [what, session, expected] of [
    ['offers what is not so already', {}, [...copies, 'archive', ...changes]],
    ['and takes it back', { isArchived: true }, [...copies, 'unarchive', ...changes]],
    ['changes nothing of a session that is not in the list', undefined, []],
  ] as const)
    it(what, () => assert.deepEqual(menuOf(session), [...always, ...expected]));
});
