import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commands } from '../../../src/contributions';
import { Formatter } from '../../../src/util/format';
import { idle, recordOf, sessionOf } from './support';
import { sessionRow } from '../../../src/sessions/view/words';

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
    const { context } = sessionRow(record, {
      status: idle,
      computer: () => undefined,
      format: new Formatter('en'),
      now: 200,
      ...fields,
    });
    return new Set(rows.filter(item => offers(item, context ?? '')).map(({ command }) => command));
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
