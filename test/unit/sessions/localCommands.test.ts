import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commands } from '../../../src/contributions';
import { LocalCommands } from '../../../src/sessions/localCommands';
import { isUnread } from '../../../src/sessions/overlay';
import type { SessionAccess } from '../../../src/sessions/access';
import { Formatter } from '../../../src/util/format';
import { sessionOf, Windows } from './support';

interface Key {
  readonly command: string;
  readonly key: string;
  readonly args?: unknown;
  readonly when: string;
}

const manifest = JSON.parse(
  readFileSync(path.join(process.env['AGENT_CONSOLE_ROOT']!, 'package.json'), 'utf8'),
) as { readonly contributes: { readonly keybindings: readonly Key[] } };
const keys = manifest.contributes.keybindings.filter(({ command }) => command.includes('.sessions.'));
const argsOf = (command: string): unknown => keys.find(key => key.command === command)?.args;

describe('keys of the list of sessions', () => {
  let windows: Windows;
  beforeEach(async () => {
    windows = await Windows.make();
  });
  afterEach(() => windows.close());

  it('stand for what a hand does there often, only while the list has the focus', () => {
    const { remove, rename, undo, pin, archive, markRead, showDetails } = commands.sessions;
    assert.deepEqual(
      keys.map(({ command }) => command).sort(),
      [remove, rename, undo, pin, archive, markRead, showDetails].sort(),
    );
    assert.equal(new Set(keys.map(({ key }) => key)).size, keys.length);
    for (const { when } of keys) assert.equal(when, 'focusedView == agentConsole.sessions && !inputFocus');
  });

  it('pin and mark read the selected session, and the same key takes that back', async () => {
    const { index } = await windows.open();
    await index.learn('service', { session: sessionOf(), origin: 'created', at: 5 });
    const record = () => index.get('s1') ?? assert.fail('the session is gone');
    const access: Pick<SessionAccess, 'recordsOf'> = { recordsOf: () => Promise.resolve([record()]) };
    const { handlers } = new LocalCommands({
      index,
      access: access as SessionAccess,
      format: new Formatter('en'),
      onFailure: error => assert.fail(String(error)),
    });
    const pinKey = argsOf(commands.sessions.pin);
    await handlers.pin(pinKey, undefined);
    assert.equal(record().local.pinned, true);
    await handlers.pin(pinKey, undefined);
    assert.equal(record().local.pinned, undefined);
    await handlers.pin({ kind: 'session', sessionId: 's1' }, undefined);
    await handlers.pin({ kind: 'session', sessionId: 's1' }, undefined);
    assert.equal(record().local.pinned, true, 'a menu does what it says');
    const unread = (): boolean => isUnread(record().local, record().session?.messageCount);
    const readKey = argsOf(commands.sessions.markRead);
    await handlers.markUnread(undefined, undefined);
    assert.equal(unread(), true);
    await handlers.markRead(readKey, undefined);
    assert.equal(unread(), false);
    await handlers.markRead(readKey, undefined);
    assert.equal(unread(), true);
  });
});
