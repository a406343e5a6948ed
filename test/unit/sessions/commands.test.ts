import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { InputBoxOptions } from 'vscode';
import { contributes } from '../../../package.json';
import { commands, views } from '../../../src/contributions';
import { linkedSession, linkTo, typedSession } from '../../../src/sessions/access';
import { settingsSummary } from '../../../src/sessions/create';
import type { Overlay } from '../../../src/sessions/record';
import { drawnRows } from '../../fakes/view';
import { acts, answers, choices, executed, told, window as editor } from '../../fakes/vscode';
import { answer, later, sessionsScene, until } from './support';
import type { SessionsScene, SessionsWindow } from './support';

const row = (sessionId: string): object => ({ kind: 'session', sessionId });

const CAREFUL = { model: 'atlas-large', autonomyLevel: 'low' };

let scene: SessionsScene;
let window: SessionsWindow;
/** What the controls say against a new session, and the kinds of computers they were asked about. */
let [warnings, asked]: [string[], (string | undefined)[]] = [[], []];
/** A window for each test of a `describe`, in which nothing has been done yet. */
function withWindow(): void {
  beforeEach(async () => {
    acts.length = executed.length = choices.length = told.length = 0;
    later(() => answers.clear());
    [scene, warnings, asked] = [await sessionsScene(), [], []];
    window = await scene.open({
      presets: () => ({ Careful: CAREFUL }),
      policy: {
        warnings: ({ computerProvider }) => {
          asked.push(computerProvider);
          return Promise.resolve(warnings);
        },
      },
    });
  });
}

describe('what is done with sessions', () => {
  const IDS = ['s1', 's2', 's3'];
  withWindow();
  beforeEach(() => window.known(5, ...IDS.map(sessionId => ({ sessionId }))));

  const kept = (): readonly Overlay[] => IDS.map(id => window.index.get(id)?.local ?? {});

  it('by a key, only while the list has the focus, is done with the selected rows, or with the one with the focus where that is none of them', async () => {
    const keys = contributes.keybindings.filter(({ command }) => command.includes('.sessions.'));
    const { remove, rename } = commands.sessions;
    assert.deepEqual(keys.map(({ command }) => command).sort(), [remove, rename].sort());
    for (const { when, args } of keys) {
      assert.equal(when, 'focusedView == agentConsole.sessions && !inputFocus');
      assert.deepEqual(args, { $treeViewId: views.sessions, $focusedTreeItem: true });
    }
    const [s1, s2, group] = [row('s1'), row('s2'), { kind: 'group' }];
    for (const [focused, selection, ...copied] of [
      [s2, [s1], 's2'],
      [s2, [s1, s2], 's1', 's2'],
      [row('s2'), [s1, s2], 's2'],
      [row('s3'), [], 's3'],
      [group, [s1]],
    ] as const) {
      acts.length = 0;
      Object.assign(window.view, { selection });
      await window.feature.commands.copyId(focused);
      assert.equal(acts.join(), copied.length === 0 ? '' : `clipboard.writeText=${copied.join('\n')}`);
    }
  });

  it('pins all selected rows where one is not pinned, lets all of them go where each is, and is told where it is not plain to see', async () => {
    const { pin, archive } = window.feature.commands;
    const two = [row('s1'), row('s2')];
    await pin(row('s1'), undefined);
    await pin(row('s1'), two);
    assert.deepEqual(kept(), [{ pinned: true }, { pinned: true }, {}]);
    await pin(row('s1'), two);
    assert.ok(kept().every(local => local.pinned === undefined));
    await archive(row('s1'), undefined);
    assert.deepEqual(told, ['Archived “Session s1” on this machine.']);
  });

  it('leave and enter the list by a file also where the key is refused, but not where nobody knows whose list it is', async () => {
    const { export: save, import: load } = window.feature.commands;
    window.connection.reject('It was revoked.');
    for (const [command, dialog] of [
      [save, 'window.showSaveDialog'],
      [load, 'window.showOpenDialog'],
    ] as const) {
      await command();
      assert.equal(acts.at(-1), dialog);
    }
    assert.ok(!executed.includes(commands.connection.signIn));
    window.connection.signOut();
    await assert.rejects(Promise.resolve(save()), /Sign in first/);
  });

  it('gives the keyboard to the next row of the group when one goes, at its end to the one before', async () => {
    const drawn = (await drawnRows(window.feature.tree))
      .map(({ node }) => node)
      .filter(({ id }) => /s\d$/.test(id));
    for (const [gone, kept] of [
      [0, 1],
      [2, 1],
    ] as const) {
      await window.feature.commands.archive(drawn[gone]);
      assert.equal(window.view.revealed.at(-1)?.id, drawn[kept]!.id);
    }
  });

  it('are renamed from a title of any length, which stays theirs where no other is typed', async () => {
    await window.known(6, { sessionId: 's1', title: 'x'.repeat(300) });
    const showInputBox = (box: InputBoxOptions): string | undefined => {
      assert.equal(box.validateInput?.(box.value ?? ''), undefined);
      return box.value;
    };
    later(() => Reflect.deleteProperty(editor, 'showInputBox'));
    Object.assign(editor, { showInputBox });
    await window.feature.commands.rename(row('s1'));
    assert.deepEqual(kept()[0], {});
  });

  it('takes fifty out of the list at once without a question, and back what nobody has touched since, though the person has gone to another service', async () => {
    const { index, feature, connection } = window;
    const ids = Array.from({ length: 50 }, (_, n) => `many${n}`);
    await window.known(5, ...ids.map(sessionId => ({ sessionId })));
    await feature.commands.restore();
    // The notice stays until its button is pressed.
    const undo = Promise.withResolvers<unknown>();
    answer('showInformationMessage', undo.promise);
    await feature.commands.remove(row('many0'), ids.map(row));
    assert.deepEqual([index.removed.length, index.records.size], [50, IDS.length]);
    await index.keep('many7', local => ({ ...local, removedAt: 9 }));
    connection.go(connection.api!, scene.service, 'another');
    await feature.ready();
    undo.resolve('Undo');
    await until(index.onDidChange, () => index.removed.length === 1);
    assert.equal(index.removed[0]?.sessionId, 'many7');
    assert.deepEqual(told, [
      'No session was removed from this list.',
      'Removed 50 sessions from this list. Nothing was removed from the service.',
    ]);
  });
});

describe('a new session', () => {
  withWindow();
  /** Computers of the service by their names. */
  let ids: Record<string, string>;
  let create: (argument?: unknown) => Promise<unknown>;
  beforeEach(async () => {
    create = argument => Promise.resolve(window.feature.commands.create(argument));
    const { items } = await window.connection.api!.list('computers');
    ids = Object.fromEntries(items.map(({ id, name = '' }) => [name, id]));
  });
  const posted = (): unknown[] =>
    scene.service.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
  const opened = (): boolean => executed.some(each => each.startsWith(commands.chat.open));

  it('is a computer and the default, a preset, or a model, an effort and an autonomy that were seen or any other', async () => {
    await window.known(5, { sessionId: 'old', sessionSettings: { model: 'onyx' } });
    answer('showInputBox', ' atlas-next ');
    const other = ['Model', 'Other', 'Reasoning effort', 'none'];
    for (const [sessionSettings, ...chosen] of [
      [undefined, 'Default'],
      [CAREFUL, 'Careful'],
      [{ model: 'onyx', autonomyLevel: 'high' }, 'Model', 'onyx', 'Autonomy level', 'high', 'Create session'],
      [{ model: 'atlas-next', reasoningEffort: 'none' }, ...other, 'Autonomy level', '-', 'Create session'],
      [{ reasoningEffort: 'none' }, ...other, 'Model', 'Default', 'Create session'],
    ] as const) {
      executed.length = 0;
      choices.push('atlas', ...chosen);
      assert.ok(await create());
      assert.ok(opened());
      const body = { computerId: ids['atlas'], ...(sessionSettings && { sessionSettings }) };
      assert.deepEqual(posted().at(-1), body);
    }
  });

  it('is not sent by a person to a computer that cannot run it without a word', async () => {
    for (const chosen of [[], ['atlas']]) {
      choices.push(...chosen);
      assert.equal(await create(), undefined, 'left at either step');
    }
    assert.deepEqual([posted(), told], [[], []]);
    const onRow = async (name: string, status?: string): Promise<unknown> => {
      told.length = 0;
      window.computers.facts = { name, status };
      choices.push('Default');
      return await create({ kind: 'computer', computerId: ids[name] });
    };
    choices.push('cinder', 'Default');
    for (const status of ['error', 'paused', 'provisioning']) {
      assert.equal(await (status === 'error' ? create() : onRow('cinder', status)), undefined);
      assert.match(told.join('\n'), new RegExp(`^cinder .*“${status}”.*may never start`));
    }
    assert.deepEqual([posted(), opened()], [[], false], 'nobody agreed');
    answer('showWarningMessage', 'Create anyway');
    await assert.rejects(onRow('cinder', 'error'), { status: 409 });
    assert.deepEqual(posted(), [{ computerId: ids['cinder'] }]);
    answers.clear();
    for (const status of ['active', undefined])
      assert.deepEqual([typeof (await onRow('atlas', status)), told], ['string', []]);
  });

  it('is made for another program without a question, which hears its id or from the service how the computer stands', async () => {
    const [computerId, broken] = [ids['atlas'], { computerId: ids['cinder'] }];
    const sessionSettings = { model: 'onyx', tags: [{ name: 'ci' }] };
    const sessionId = await create({ computerId, sessionSettings });
    assert.ok(window.feature.get(sessionId as string));
    assert.deepEqual([opened(), acts.includes('window.showQuickPick')], [false, false]);
    await create({ computerId, sessionSettings: null });
    await assert.rejects(create(broken), { status: 409 });
    assert.deepEqual([told, posted()], [[], [{ computerId, sessionSettings }, { computerId }, broken]]);
    for (const argument of ['c1', { computerId: '' }, { computerId: 7 }, { computerId, sessionSettings: [] }])
      await assert.rejects(create(argument), /takes/);
  });

  it('is held against the controls with the kind of its computer, which is asked for where it is not known', async () => {
    warnings = ['The controls do not allow it.'];
    window.computers.facts = { name: 'atlas', providerType: 'cloud' };
    assert.equal(await create({ computerId: 'known' }), undefined);
    window.computers.facts = undefined;
    for (const computerId of [ids['atlas'], 'nobody']) assert.equal(await create({ computerId }), undefined);
    const { providerType } = await window.connection.api!.one('computer', {
      ids: { computerId: ids['atlas']! },
    });
    assert.ok(providerType);
    assert.deepEqual([asked, posted()], [['cloud', providerType, undefined], []], 'nobody agreed');
  });

  it('has settings that one line names', () => {
    const settings = { model: 'm', reasoningEffort: 'none', interactionMode: 'spec', autonomyLevel: 'off' };
    assert.equal(settingsSummary(settings), 'm · reasoning none · Interaction mode: spec · autonomy off');
    assert.equal(settingsSummary({}), '');
  });
});

describe('links to sessions', () => {
  const host = 'api.example.com';
  const base = { scheme: 'vscode', authority: 'agent-console.agent-console' };
  it('lead back to the session, whatever its id is made of, of whichever editor', () => {
    const id = fc.stringMatching(/^[!-~]{1,40}$/).filter(text => text !== '.' && text !== '..');
    fc.assert(
      fc.property(
        ...[id, fc.constantFrom('vscode', 'code-oss', 'vscode-insiders')],
        fc.constantFrom(host, '[::1]:8080', 'Sample service', '示例服务'),
        (sessionId, scheme, own) =>
          assert.equal(typedSession(linkTo({ ...base, scheme }, sessionId, own), own), sessionId),
      ),
    );
    const address = 'vscode://agent-console.agent-console/session/';
    assert.equal(linkTo(base, 'ab%/?#', host), `${address}ab%25%2F%3F%23?service=api.example.com`);
    for (const typed of [`${address}s1`, ' s1 ']) assert.equal(typedSession(typed, host), 's1');
    for (const typed of ['726c46b4-dd2a', 'a:b', '//x']) assert.equal(typedSession(typed, host), typed);
  });

  it('say why they name no session, or one of another service, whoever wrote them', () => {
    for (const typed of ['', 'a b', '..']) assert.throws(() => typedSession(typed, host), /no spaces/, typed);
    const elsewhere = linkTo(base, 's1', 'other.example.com');
    assert.throws(() => typedSession(elsewhere, host), /at other.example.com, but you are signed in to api/);
    const other = 'https://app.example.com/x vscode://a/session/ x:// https://% https://a/%zz';
    for (const typed of other.split(' '))
      assert.throws(() => typedSession(typed, host), /does not lead to a session/, typed);
    const ids = ['', '.', '..', 'a b', 'x'.repeat(300), 's\u202e1'].map(id => [`/session/${id}`]);
    const queries = ['service=api.example.com/[x](command:y)', 'command=x'].map(each => [
      '/session/s1',
      each,
    ]);
    for (const [path = '', query = ''] of [['/other/s1'], ...ids, ...queries])
      assert.throws(() => linkedSession({ path, query }, host), /does not lead to a session/, path);
  });
});
