import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { moreActs } from '../../../src/chat/panel/more';
import { headerOf } from '../../../src/chat/panel/panelState';
import type { ChatSession } from '../../../src/chat/sessions';
import { Formatter } from '../../../src/util/format';

const root = process.env['AGENT_CONSOLE_ROOT']!;
const read = (name: string): unknown => JSON.parse(readFileSync(path.join(root, name), 'utf8'));
const titles = read('package.nls.json') as Readonly<Record<string, string>>;
interface Item {
  readonly command: string;
  readonly when: string;
}
const items = (read('package.json') as { contributes: { menus: Record<string, readonly Item[]> } })
  .contributes.menus['webview/context']!;

const session = (facts: Partial<ChatSession> = {}): ChatSession => ({
  sessionId: 's',
  title: 't',
  status: 'idle',
  ...facts,
});
const wordsOf = (known: ChatSession | undefined): string[] =>
  moreActs({ conversation: { sessionId: 's', session: known }, find: () => undefined }).map(({ label }) =>
    label.replace(/^\$\([a-z-]+\) /, ''),
  );
/** The words of the tree for these commands of the sessions. */
const titlesOf = (...names: readonly string[]): string[] =>
  names.map(name => titles[`command.sessions.${name}`] ?? assert.fail(name));

/** Entries of the menu of the header, as the editor decides on them. */
function contextMenu(known: ChatSession | undefined): string[] {
  const header = headerOf(known, 't', false, 0, new Formatter('en'));
  const about = JSON.parse(header.about) as { readonly sessionId?: string; readonly chatSession?: string };
  const keys: Readonly<Record<string, string | undefined>> = { ...about, webviewId: 'agentConsole.chatView' };
  const holds = (term: string): boolean => {
    const [, key = '', , pattern = ''] = /^(\w+)( =~ \/(.+)\/)?$/.exec(term) ?? assert.fail(term);
    return keys[key] !== undefined && new RegExp(pattern).test(keys[key]);
  };
  return items.flatMap(({ command, when }) =>
    when.split(' && ').every(holds) ? [command.replace('agentConsole.sessions.', '')] : [],
  );
}

describe('what else can be done with the session of a chat', () => {
  it('is said in the words of its row in the tree, and is what is not so already', () => {
    const plain = titlesOf('copyId', 'copyLink', 'showDetails', 'rename', 'pin', 'archive');
    assert.deepEqual(wordsOf(session()).slice(2), plain);
    assert.deepEqual(
      wordsOf(session({ isPinned: true, isArchived: true })).slice(-3),
      titlesOf('rename', 'unpin', 'unarchive'),
    );
  });

  it('is offered by the menu of the header, too', () => {
    const copies = ['copyId', 'copyLink', 'showDetails'];
    assert.deepEqual(contextMenu(session()), [...copies, 'rename', 'pin', 'archive']);
    const facts = { isPinned: true, isArchived: true };
    assert.deepEqual(contextMenu(session(facts)), [...copies, 'rename', 'unpin', 'unarchive']);
  });

  it('changes nothing of a session that is not in the list', () => {
    assert.deepEqual(wordsOf(undefined).slice(2), titlesOf('copyId', 'copyLink', 'showDetails'));
    assert.deepEqual(contextMenu(undefined), []);
  });
});
