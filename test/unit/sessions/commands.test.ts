import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { commands, views } from '../../../src/contributions';
import { linkedSession, linkTo, typedSession } from '../../../src/sessions/access';
import type { Overlay } from '../../../src/sessions/record';
import { acts, answers, choices, told } from '../../fakes/vscode';
import { cleanUp } from '../../fakes/cleanUp';
import { sessionOf, sessionsScene, until, type SessionsScene, type SessionsWindow } from './support';

interface Key {
  readonly command: string;
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
  const learn = async (ids: readonly string[]): Promise<void> => {
    for (const sessionId of ids)
      await window.index.learn('service', { session: sessionOf({ sessionId }), origin: 'created', at: 5 });
  };
  beforeEach(async () => {
    scene = await sessionsScene();
    window = await scene.open();
    await learn(IDS);
    await until(window.feature.onDidChange, () => window.feature.get('s3') !== undefined);
    acts.length = told.length = choices.length = 0;
  });
  afterEach(() => {
    answers.clear();
    return cleanUp();
  });

  const kept = (): readonly Overlay[] => IDS.map(id => window.index.get(id)?.local ?? {});
  const settled = (isSo: () => boolean): Promise<void> => until(window.index.onDidChange, isSo);
  /** The notice stays until its button is pressed. */
  const notice = (): { press(): void } => {
    const pressed = Promise.withResolvers<undefined>();
    answers.set('showInformationMessage', pressed.promise);
    return { press: () => pressed.resolve('Undo' as unknown as undefined) };
  };

  it('by keys: what a hand does there often, only while the list has the focus', () => {
    const { remove, rename } = commands.sessions;
    assert.deepEqual(keys.map(({ command }) => command).sort(), [remove, rename].sort());
    for (const { when, args } of keys) {
      assert.equal(when, 'focusedView == agentConsole.sessions && !inputFocus');
      assert.deepEqual(args[0], { $treeViewId: views.sessions, $focusedTreeItem: true });
    }
  });

  it('by a key is done with the selected rows, or with the row with the focus where it is not among them', async () => {
    for (const [focused, selected, ...copied] of [
      [row('s2'), ['s1'], 's2'],
      [row('s2'), ['s1', 's2'], 's1', 's2'],
      [row('s3'), [], 's3'],
      [{ kind: 'group' }, ['s1']],
      [null, ['s1'], 's1'],
      [null, []],
    ] as const) {
      acts.length = 0;
      Object.assign(window.view, { selection: selected.map(row) });
      await window.feature.commands.copyId([focused, { kind: 'selection' }]);
      assert.equal(acts.join(), copied.length === 0 ? '' : `clipboard.writeText=${copied.join('\n')}`);
    }
  });

  it('stays on this machine: pinned and let go, archived and taken back', async () => {
    const { pin, archive, unarchive } = window.feature.commands;
    const two = [row('s1'), row('s2')];
    const pinned = () => kept().map(local => local.pinned);
    await pin(row('s1'), undefined);
    await pin(row('s1'), two);
    await settled(() => kept()[1]?.pinned === true);
    assert.deepEqual(pinned(), [true, true, undefined]);
    await pin(row('s1'), two);
    await settled(() => kept().every(local => local.pinned === undefined));
    assert.deepEqual(told, [], 'what is plain to see is not told');
    await archive(row('s1'), undefined);
    assert.deepEqual(told, ['Archived “Session s1” on this machine.']);
    await settled(() => kept()[0]?.archivedAt !== undefined);
    await unarchive(row('s1'), undefined);
    await settled(() => kept()[0]?.archivedAt === undefined);
  });

  it('takes fifty out of the list at once without a question, and all of them back', async () => {
    const { index, feature } = window;
    const ids = Array.from({ length: 50 }, (_, n) => `many${n}`);
    await learn(ids);
    await feature.commands.restore();
    const undo = notice();
    await feature.commands.remove(row('many0'), ids.map(row));
    assert.deepEqual([index.removed.length, index.records.size], [50, IDS.length]);
    undo.press();
    await settled(() => index.removed.length === 0);
    assert.ok(ids.every(id => index.get(id) !== undefined));
    assert.deepEqual(told, [
      'No session was removed from this list.',
      'Removed 50 sessions from this list. Nothing was removed from the service.',
    ]);
  });

  it('takes back what nobody has touched since, where it was done, though the person has gone to another service', async () => {
    const { feature, connection, index } = window;
    const undo = notice();
    await feature.commands.archive(row('s1'), [row('s1'), row('s2')]);
    await settled(() => kept()[1]?.archivedAt !== undefined);
    await index.keep('s1', local => ({ ...local, archivedAt: 9 }));
    connection.go(connection.api!, scene.service, 'another');
    await feature.ready();
    undo.press();
    await settled(() => kept()[1]?.archivedAt === undefined);
    assert.equal(kept()[0]?.archivedAt, 9);
  });
});

describe('links to sessions', () => {
  const host = 'api.example.com';
  const base = { scheme: 'vscode', authority: 'agent-console.agent-console' };
  it('lead back to the session, whatever its id is made of, of whichever editor', () => {
    const id = fc.stringMatching(/^[!-~]{1,40}$/).filter(text => text !== '.' && text !== '..');
    fc.assert(
      fc.property(id, sessionId => {
        for (const scheme of ['vscode', 'code-oss', 'vscode-insiders'])
          assert.equal(typedSession(linkTo({ ...base, scheme }, sessionId, host), host), sessionId);
      }),
    );
    assert.equal(
      linkTo(base, 'ab%/?#', host),
      'vscode://agent-console.agent-console/session/ab%25%2F%3F%23?service=api.example.com',
    );
    for (const typed of ['vscode://agent-console.agent-console/session/s1', ' s1 '])
      assert.equal(typedSession(typed, host), 's1');
    for (const typed of ['726c46b4-dd2a', 'a:b', '//x']) assert.equal(typedSession(typed, host), typed);
  });

  it('say why they name no session, or one of another service', () => {
    for (const [typed, why] of [
      ['https://app.example.com/x', /does not lead to a session/],
      ['vscode://a/session/', /does not lead to a session/],
      ['vscode://a/session/%E0%A4', /does not lead to a session/],
      ['x://', /does not lead to a session/],
      ['', /no spaces/],
      ['a b', /no spaces/],
      ['..', /no spaces/],
      [linkTo(base, 's1', 'other.example.com'), /at other.example.com, but you are signed in to api/],
    ] as const)
      assert.throws(() => typedSession(typed, host), why, typed);
  });

  it('name nothing when somebody else wrote them', () => {
    for (const [path, query = ''] of [
      ['/session/'],
      ['/session/.'],
      ['/session/..'],
      ['/other/s1'],
      ['/session/a b'],
      [`/session/${'x'.repeat(300)}`],
      ['/session/s\u202e1'],
      ['/session/s1', 'service=api.example.com/[x](command:y)'],
      ['/session/s1', 'command=x'],
    ])
      assert.throws(() => linkedSession({ path: path!, query }, host), /does not lead to a session/, path);
  });
});
