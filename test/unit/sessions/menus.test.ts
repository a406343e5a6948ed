import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commands } from '../../../src/contributions';
import { sessionRow } from '../../../src/sessions/view/row';
import { Formatter } from '../../../src/util/format';
import { idle, recordOf, sessionOf } from './support';

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
    const ids = [sessions.archive, sessions.unarchive, commands.chat.stop];
    const offered = (menu: ReadonlySet<string>): readonly boolean[] => ids.map(id => menu.has(id));
    const session = sessionOf();
    assert.deepEqual(offered(menuOf(recordOf({ session }))), [true, false, false]);
    assert.deepEqual(offered(menuOf(recordOf({ session, local: { archivedAt: 5 } }))), [false, true, false]);
    const running = { status: { value: 'running', at: 100 }, canStop: true };
    assert.deepEqual(offered(menuOf(recordOf({ session }), running)), [true, false, true]);
    assert.deepEqual(offered(menuOf(recordOf({ session }), { ...running, canStop: false })), [
      true,
      false,
      false,
    ]);
  });

  it('has one button on a row: to archive what rests, to stop what runs', () => {
    const inline = rows.filter(({ group }) => group?.startsWith('inline'));
    const on = (context: string): readonly string[] =>
      inline.filter(item => offers(item, context)).map(({ command }) => command);
    assert.deepEqual(on('session unpinned listed'), [commands.sessions.archive]);
    assert.deepEqual(on('session pinned listed stoppable'), [commands.chat.stop]);
    assert.deepEqual(on('session pinned archived'), []);
  });
});
