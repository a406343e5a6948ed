import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commands } from '../../../src/contributions';
import { rowOf } from '../../../src/sessions/row';
import { Formatter } from '../../../src/util/format';
import { idle, recordOf, sessionOf } from './support';

interface Item {
  readonly command: string;
  readonly when?: string;
}

const manifest = JSON.parse(
  readFileSync(path.join(process.env['AGENT_CONSOLE_ROOT']!, 'package.json'), 'utf8'),
) as { readonly contributes: { readonly menus: Record<string, readonly Item[]> } };
const rows = manifest.contributes.menus['view/item/context'] ?? [];

/** Whether a row with this context, in the Sessions view, has the item. */
function offers({ when = '' }: Item, context: string): boolean {
  return when.split(' && ').every(term => {
    const [, key, operator, value = ''] = /^(\w+) (==|=~) (.+)$/.exec(term) ?? [];
    const actual =
      key === 'view' ? 'agentConsole.sessions' : key === 'viewItem' ? context : assert.fail(term);
    return operator === '=='
      ? actual === value.replace(/^'|'$/g, '')
      : new RegExp(value.slice(1, -1)).test(actual);
  });
}

describe('the menu of a session’s row', () => {
  const menuOf = (record: Parameters<typeof rowOf>[0]): Set<string> => {
    const { context } = rowOf(record, {
      status: idle,
      computer: () => undefined,
      format: new Formatter('en'),
      now: 200,
    });
    return new Set(rows.filter(item => offers(item, context)).map(({ command }) => command));
  };

  it('leads to its chat and its transcript, whatever is kept about it', () => {
    const session = sessionOf({ messageCount: 3 });
    for (const local of [{}, { pinned: true }, { archivedAt: 5 }, { readCount: 1 }]) {
      const menu = menuOf(recordOf({ session, local }));
      for (const command of [commands.chat.open, commands.chat.export, commands.sessions.remove])
        assert.ok(menu.has(command), `${command} for ${JSON.stringify(local)}`);
    }
  });

  it('offers what can be done, not what is so already', () => {
    const { sessions } = commands;
    const plain = menuOf(recordOf({ session: sessionOf() }));
    assert.deepEqual(
      [sessions.pin, sessions.unpin, sessions.archive, sessions.unarchive].map(id => plain.has(id)),
      [true, false, true, false],
    );
    const kept = menuOf(recordOf({ session: sessionOf(), local: { pinned: true, archivedAt: 5 } }));
    assert.deepEqual(
      [sessions.pin, sessions.unpin, sessions.archive, sessions.unarchive].map(id => kept.has(id)),
      [false, true, false, true],
    );
  });
});
