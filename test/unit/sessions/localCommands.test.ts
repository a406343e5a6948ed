import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commands, views } from '../../../src/contributions';
import { LocalCommands } from '../../../src/sessions/localCommands';
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
    const { remove, rename } = commands.sessions;
    assert.deepEqual(keys.map(({ command }) => command).sort(), [remove, rename].sort());
    assert.equal(new Set(keys.map(({ key }) => key)).size, keys.length);
    for (const { when } of keys) assert.equal(when, 'focusedView == agentConsole.sessions && !inputFocus');
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
    for (const command of [commands.sessions.rename, commands.sessions.remove]) {
      const [focus] = argsOf(command) as readonly [unknown];
      assert.deepEqual(focus, { $treeViewId: views.sessions, $focusedTreeItem: true });
    }
  });
});

describe('what is kept of a session on this machine', () => {
  let windows: Windows;
  beforeEach(async () => {
    windows = await Windows.make();
  });
  afterEach(() => windows.close());

  it('is pinned and archived, and the notice takes the archive back where nobody else has changed it since', async () => {
    const [a, b] = [await windows.open(), await windows.open()];
    const ids = ['s1', 's2'];
    for (const sessionId of ids)
      await a.index.learn('service', { session: sessionOf({ sessionId }), origin: 'created', at: 5 });
    await a.index.keep('service', 's2', local => ({ ...local, archivedAt: 7 }));
    await until(b.index.onDidChange, () => b.index.get('s2')?.local.archivedAt === 7);
    const access: Pick<SessionAccess, 'recordsOf'> = {
      recordsOf: () => Promise.resolve([...a.index.records.values()]),
    };
    let press: (button: string) => void = () => assert.fail('nothing was told');
    const told: string[] = [];
    const { handlers } = new LocalCommands({
      index: a.index,
      access: access as SessionAccess,
      format: new Formatter('en'),
      onFailure: error => assert.fail(String(error)),
      tell: (sentence, button) => {
        told.push(`${sentence} [${button}]`);
        return new Promise(resolve => (press = resolve));
      },
    });
    const kept = async (field: 'pinned' | 'archivedAt'): Promise<unknown[]> => {
      const { index } = await windows.open();
      return ids.map(id => index.get(id)?.local[field]);
    };
    await handlers.pin(undefined, undefined);
    assert.deepEqual(await kept('pinned'), [true, true]);
    await handlers.unpin(undefined, undefined);
    assert.deepEqual(await kept('pinned'), [undefined, undefined]);
    assert.deepEqual(told, [], 'what is plain to see is not told');

    await handlers.archive(undefined, undefined);
    assert.deepEqual(told, ['Archived “Session s1” on this machine. [Undo]']);
    press('Undo');
    await until(a.index.onDidChange, () => a.index.get('s1')?.local.archivedAt === undefined);
    assert.deepEqual(await kept('archivedAt'), [undefined, 7]);

    await handlers.archive(undefined, undefined);
    await b.index.keep('service', 's1', local => ({ ...local, archivedAt: 9 }));
    press('Undo');
    await new Promise(resolve => setImmediate(resolve));
    // Changes of one window are made one after the other.
    await a.index.keep('service', 's1', local => ({ ...local, name: 'Later' }));
    assert.deepEqual(await kept('archivedAt'), [9, 7]);
    await handlers.unarchive(undefined, undefined);
    assert.deepEqual(await kept('archivedAt'), [undefined, undefined]);
  });
});
