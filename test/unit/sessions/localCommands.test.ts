import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commands, views } from '../../../src/contributions';
import { LocalCommands } from '../../../src/sessions/localCommands';
import { isUnread } from '../../../src/sessions/overlay';
import { SessionAccess } from '../../../src/sessions/access';
import { Formatter } from '../../../src/util/format';
import { sessionOf, until, Windows } from './support';

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

  it('are meant for the selected rows, or for the row with the focus where it is not among them', async () => {
    const { index } = await windows.open();
    const ids = ['s1', 's2', 's3'];
    for (const sessionId of ids)
      await index.learn('service', { session: sessionOf({ sessionId }), origin: 'created', at: 5 });
    let selection: readonly unknown[] = [];
    const access = new SessionAccess({
      index,
      selection: () => selection,
      ready: () => Promise.resolve(),
    } as unknown as ConstructorParameters<typeof SessionAccess>[0]);
    const row = (sessionId: string): object => ({ kind: 'session', sessionId });
    const meant = async (focused: unknown, ...selected: readonly object[]): Promise<readonly string[]> => {
      selection = selected;
      const [, key] = argsOf(commands.sessions.remove) as readonly [unknown, unknown];
      const records = await access.recordsOf([focused, key], undefined);
      return records.map(({ sessionId }) => sessionId);
    };
    assert.deepEqual(await meant(row('s2'), row('s1')), ['s2'], 'arrow keys move the focus alone');
    assert.deepEqual(await meant(row('s2'), row('s1'), row('s2')), ['s1', 's2']);
    assert.deepEqual(await meant(row('s3')), ['s3']);
    assert.deepEqual(
      await meant({ kind: 'group', key: 'today' }, row('s1')),
      [],
      'not what stands elsewhere',
    );
    assert.deepEqual(await meant(null, row('s1')), ['s1']);
    assert.deepEqual(await meant(null), []);
    selection = [row('s1'), row('s2')];
    const renamed = await access.recordOf([row('s2'), { kind: 'selection' }]);
    assert.equal(renamed?.sessionId, 's2');
    assert.equal(await access.recordOf([{ kind: 'group', key: 'today' }, { kind: 'selection' }]), undefined);
    for (const command of [commands.sessions.rename, commands.sessions.pin, commands.sessions.showDetails]) {
      const [focus] = argsOf(command) as readonly [unknown];
      assert.deepEqual(focus, { $treeViewId: views.sessions, $focusedTreeItem: true });
    }
  });

  it('take back each change, and leave alone what another window has changed since', async () => {
    const [a, b] = [await windows.open(), await windows.open()];
    await a.index.learn('service', { session: sessionOf(), origin: 'created', at: 5 });
    await a.index.learn('service', { session: sessionOf({ sessionId: 's2' }), origin: 'created', at: 5 });
    await until(b.index.onDidChange, () => b.index.records.size === 2);
    const access: Pick<SessionAccess, 'recordsOf'> = {
      recordsOf: () => Promise.resolve([...a.index.records.values()]),
    };
    const failures: unknown[] = [];
    const { handlers } = new LocalCommands({
      index: a.index,
      access: access as SessionAccess,
      format: new Formatter('en'),
      onFailure: error => failures.push(error),
      tell: () => Promise.resolve(undefined),
    });
    const pinned = async (): Promise<unknown[]> => {
      const { index } = await windows.open();
      return ['s1', 's2'].map(id => index.get(id)?.local.pinned);
    };
    await handlers.pin(undefined, undefined);
    assert.deepEqual(await pinned(), [true, true]);
    await b.index.keep('service', 's2', local => ({ ...local, name: 'Renamed there' }));
    await handlers.unpin(undefined, undefined);
    assert.deepEqual(await pinned(), [undefined, undefined]);
    await b.index.keep('service', 's1', local => ({ ...local, pinned: true }));
    await handlers.undo();
    assert.deepEqual(await pinned(), [true, true]);
    await b.index.keep('service', 's2', local => ({ ...local, pinned: undefined }));
    await handlers.undo();
    assert.deepEqual(await pinned(), [undefined, undefined], 'what is not as it was left stays as it is');
    assert.equal((await windows.open()).index.get('s2')?.local.name, 'Renamed there');
    assert.deepEqual(failures, []);
  });
});
