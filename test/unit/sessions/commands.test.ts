import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commands, views } from '../../../src/contributions';
import type { Overlay } from '../../../src/sessions/store/record';
import { acts, answers, choices, told } from '../../fakes/vscode';
import { cleanUp } from '../../fakes/cleanUp';
import { sessionsScene, type SessionsScene, type SessionsWindow } from './scene';
import { sessionOf, until } from './support';

interface Key {
  readonly command: string;
  readonly key: string;
  readonly args: readonly [focused: unknown, marker: unknown];
  readonly when: string;
}

const manifest = JSON.parse(
  readFileSync(path.join(process.env['AGENT_CONSOLE_ROOT']!, 'package.json'), 'utf8'),
) as { readonly contributes: { readonly keybindings: readonly Key[] } };
const keys = manifest.contributes.keybindings.filter(({ command }) => command.includes('.sessions.'));
const row = (sessionId: string): object => ({ kind: 'session', sessionId });
const IDS = ['s1', 's2', 's3'];

describe('what is done with sessions', () => {
  let scene: SessionsScene;
  let window: SessionsWindow;
  beforeEach(async () => {
    scene = await sessionsScene();
    window = await scene.open();
    for (const sessionId of IDS)
      await window.index.learn('service', { session: sessionOf({ sessionId }), origin: 'created', at: 5 });
    await until(window.feature.forChat.onDidChange, () => window.feature.forChat.get('s3') !== undefined);
    acts.length = told.length = choices.length = 0;
  });
  afterEach(() => {
    answers.clear();
    return cleanUp();
  });

  const kept = (): readonly Overlay[] => IDS.map(id => window.index.get(id)?.local ?? {});
  const settled = (isSo: () => boolean): Promise<void> => until(window.index.onDidChange, isSo);
  const press = (notice: string, button: string): void =>
    void answers.set(notice, Promise.resolve(button as unknown as undefined));

  it('by keys: what a hand does there often, only while the list has the focus', () => {
    const { remove, rename } = commands.sessions;
    assert.deepEqual(keys.map(({ command }) => command).sort(), [remove, rename].sort());
    for (const { when, args } of keys) {
      assert.equal(when, 'focusedView == agentConsole.sessions && !inputFocus');
      assert.deepEqual(args[0], { $treeViewId: views.sessions, $focusedTreeItem: true });
    }
  });

  it('by a key is done with the selected rows, or with the row with the focus where it is not among them', async () => {
    const meant = async (focused: unknown, ...selected: readonly object[]): Promise<unknown> => {
      acts.length = 0;
      Object.assign(window.view, { selection: selected });
      await window.feature.commands.copyId([focused, { kind: 'selection' }]);
      return acts.join();
    };
    const copied = (...ids: readonly string[]): string => `clipboard.writeText=${ids.join('\n')}`;
    assert.equal(await meant(row('s2'), row('s1')), copied('s2'), 'arrow keys move the focus alone');
    assert.equal(await meant(row('s2'), row('s1'), row('s2')), copied('s1', 's2'));
    assert.equal(await meant(row('s3')), copied('s3'));
    assert.equal(await meant({ kind: 'group' }, row('s1')), '', 'not what stands elsewhere');
    assert.equal(await meant(null, row('s1')), copied('s1'));
    assert.equal(await meant(null), '');
  });

  it('stays on this machine: pinned and let go, archived and taken back', async () => {
    const { pin, archive, unarchive } = window.feature.commands;
    const two = [row('s1'), row('s2')];
    await pin(row('s1'), undefined);
    await pin(row('s1'), two);
    await settled(() => kept()[1]?.pinned === true);
    assert.deepEqual(
      kept().map(({ pinned }) => pinned),
      [true, true, undefined],
    );
    await pin(row('s1'), two);
    await settled(() => kept().every(({ pinned }) => pinned === undefined));
    assert.deepEqual(told, [], 'what is plain to see is not told');
    press('showInformationMessage', 'Undo');
    await archive(row('s1'), undefined);
    assert.deepEqual(told, ['Archived “Session s1” on this machine.']);
    await settled(() => kept()[0]?.archivedAt === undefined);
    answers.clear();
    await archive(row('s1'), undefined);
    await settled(() => kept()[0]?.archivedAt !== undefined);
    await unarchive(row('s1'), undefined);
    await settled(() => kept()[0]?.archivedAt === undefined);
  });

  it('takes fifty out of the list at once without a question, and all of them back', async () => {
    const { index, feature } = window;
    const ids = Array.from({ length: 50 }, (_, n) => `many${n}`);
    for (const sessionId of ids)
      await index.learn('service', { session: sessionOf({ sessionId }), origin: 'created', at: 5 });
    await feature.commands.restore();
    const undo = Promise.withResolvers<undefined>();
    answers.set('showInformationMessage', undo.promise);
    await feature.commands.remove(row('many0'), ids.map(row));
    assert.deepEqual([index.removed.length, index.records.size], [50, IDS.length]);
    undo.resolve('Undo' as unknown as undefined);
    await settled(() => index.removed.length === 0);
    assert.ok(ids.every(id => index.get(id) !== undefined));
    assert.deepEqual(told, [
      'No session was removed from this list.',
      'Removed 50 sessions from this list. Nothing was removed from the service.',
    ]);
  });

  it('takes back what nobody has touched since, and no more', async () => {
    const undo = Promise.withResolvers<undefined>();
    answers.set('showInformationMessage', undo.promise);
    await window.feature.commands.archive(row('s1'), [row('s1'), row('s2')]);
    await settled(() => kept()[1]?.archivedAt !== undefined);
    await window.index.keep('s1', local => ({ ...local, archivedAt: 9 }));
    await until(window.feature.forChat.onDidChange, () => window.feature.forChat.get('s1') !== undefined);
    undo.resolve('Undo' as unknown as undefined);
    await settled(() => kept()[1]?.archivedAt === undefined);
    assert.equal(kept()[0]?.archivedAt, 9);
  });

  it('is taken back where it was done, though the person has gone to another service since', async () => {
    const undo = Promise.withResolvers<undefined>();
    answers.set('showInformationMessage', undo.promise);
    const { feature, connection } = window;
    await feature.commands.archive(row('s1'), [row('s1'), row('s2')]);
    await settled(() => kept()[1]?.archivedAt !== undefined);
    connection.go(connection.api!, scene.service, 'another');
    await feature.ready();
    undo.resolve('Undo' as unknown as undefined);
    await settled(() => kept()[1]?.archivedAt === undefined);
  });
});
