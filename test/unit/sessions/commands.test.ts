import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commands, views } from '../../../src/contributions';
import { linkedSession, linkTo, typedSession } from '../../../src/sessions/access';
import { readPresets, settingsSummary } from '../../../src/sessions/create';
import type { Overlay } from '../../../src/sessions/record';
import { cleanUp, later } from '../../fakes/cleanUp';
import { acts, answers, choices, executed, told } from '../../fakes/vscode';
import {
  answer,
  contributes,
  sessionsScene,
  until,
  type SessionsScene,
  type SessionsWindow,
} from './support';

const row = (sessionId: string): object => ({ kind: 'session', sessionId });
const IDS = ['s1', 's2', 's3'];

let scene: SessionsScene;
/** A scene for each test of a `describe`, where nothing has been done yet. */
function withScene(): void {
  beforeEach(async () => {
    scene = await sessionsScene();
    acts.length = executed.length = choices.length = told.length = 0;
    later(() => answers.clear());
  });
  afterEach(cleanUp);
}

describe('what is done with sessions', () => {
  let window: SessionsWindow;
  withScene();
  beforeEach(async () => {
    window = await scene.open();
    await window.known(5, ...IDS.map(sessionId => ({ sessionId })));
  });

  const kept = (): readonly Overlay[] => IDS.map(id => window.index.get(id)?.local ?? {});
  const settled = (isSo: () => boolean): Promise<void> => until(window.index.onDidChange, isSo);

  it('by a key, only while the list has the focus, is done with the selected rows, or with the one with the focus where that is none of them', async () => {
    const keys = contributes.keybindings.filter(({ command }) => command.includes('.sessions.'));
    const { remove, rename } = commands.sessions;
    assert.deepEqual(keys.map(({ command }) => command).sort(), [remove, rename].sort());
    for (const { when, args } of keys) {
      assert.equal(when, 'focusedView == agentConsole.sessions && !inputFocus');
      assert.deepEqual(args[0], { $treeViewId: views.sessions, $focusedTreeItem: true });
    }
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
    await pin(row('s1'), undefined);
    await pin(row('s1'), two);
    assert.deepEqual(kept(), [{ pinned: true }, { pinned: true }, {}]);
    await pin(row('s1'), two);
    assert.ok(kept().every(local => local.pinned === undefined));
    assert.deepEqual(told, [], 'what is plain to see is not told');
    await archive(row('s1'), undefined);
    assert.deepEqual(told, ['Archived “Session s1” on this machine.']);
    assert.notEqual(kept()[0]?.archivedAt, undefined);
    await unarchive(row('s1'), undefined);
    assert.equal(kept()[0]?.archivedAt, undefined);
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
    await settled(() => index.removed.length === 1);
    assert.equal(index.removed[0]?.sessionId, 'many7');
    assert.deepEqual(told, [
      'No session was removed from this list.',
      'Removed 50 sessions from this list. Nothing was removed from the service.',
    ]);
  });
});

describe('a new session', () => {
  withScene();
  const computerIds = async ({ connection }: SessionsWindow): Promise<ReadonlyMap<string, string>> => {
    const { items } = await connection.api!.list('computers');
    return new Map(items.map(({ id, name }) => [name ?? '', id]));
  };
  const posted = (): unknown[] =>
    scene.service.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
  const opened = (): boolean => executed.some(each => each.startsWith(commands.chat.open));

  it('is a computer and the default, a preset, or a model, an effort and an autonomy that were seen or any other', async () => {
    const preset = { model: 'atlas-large', autonomyLevel: 'low' };
    const window = await scene.open({ presets: () => ({ Careful: preset }) });
    const computerId = (await computerIds(window)).get('atlas');
    await window.known(5, { sessionId: 'old', sessionSettings: { model: 'onyx' } });
    answer('showInputBox', ' atlas-next ');
    const other = ['Model', 'Other', 'Reasoning effort', 'none'];
    for (const [sessionSettings, ...chosen] of [
      [undefined, 'Default'],
      [preset, 'Careful'],
      [{ model: 'onyx', autonomyLevel: 'high' }, 'Model', 'onyx', 'Autonomy level', 'high', 'Create session'],
      [{ model: 'atlas-next', reasoningEffort: 'none' }, ...other, 'Autonomy level', '-', 'Create session'],
      [{ reasoningEffort: 'none' }, ...other, 'Model', 'Default', 'Create session'],
    ] as const) {
      executed.length = 0;
      choices.push('atlas', ...chosen);
      assert.ok(await window.feature.commands.create());
      assert.ok(opened());
      assert.deepEqual(posted().at(-1), { computerId, ...(sessionSettings && { sessionSettings }) });
    }
  });

  it('is not sent by a person to a computer that cannot run it without a word', async () => {
    const window = await scene.open();
    const { create } = window.feature.commands;
    const ids = await computerIds(window);
    for (const chosen of [[], ['atlas']]) {
      choices.push(...chosen);
      assert.equal(await create(), undefined, 'left at either step');
    }
    assert.deepEqual([posted(), told], [[], []]);
    const onRow = async (name: string, status?: string): Promise<unknown> => {
      told.length = 0;
      window.computers.facts = { name, status };
      choices.push('Default');
      return await create({ kind: 'computer', computerId: ids.get(name) });
    };
    choices.push('cinder', 'Default');
    for (const status of ['error', 'paused', 'provisioning']) {
      assert.equal(await (status === 'error' ? create() : onRow('cinder', status)), undefined);
      assert.match(told.join('\n'), new RegExp(`^cinder .*“${status}”.*may never start`));
    }
    assert.deepEqual([posted(), opened()], [[], false], 'nobody agreed');
    answer('showWarningMessage', 'Create anyway');
    await assert.rejects(onRow('cinder', 'error'), { status: 409 });
    assert.deepEqual(posted(), [{ computerId: ids.get('cinder') }]);
    answers.clear();
    for (const status of ['active', undefined])
      assert.deepEqual([typeof (await onRow('atlas', status)), told], ['string', []]);
  });

  it('is made for another program without a question, which hears its id or from the service how the computer stands', async () => {
    const window = await scene.open();
    const create = (argument: unknown) => Promise.resolve(window.feature.commands.create(argument));
    const ids = await computerIds(window);
    const [computerId, broken] = [ids.get('atlas'), { computerId: ids.get('cinder') }];
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
    const asked: (string | undefined)[] = [];
    const warnings = ({ computerProvider }: { readonly computerProvider?: string | undefined }) => {
      asked.push(computerProvider);
      return Promise.resolve(['The controls do not allow it.']);
    };
    const window = await scene.open({ policy: { warnings } });
    const { items } = await window.connection.api!.list('computers');
    const own = items.find(({ providerType }) => providerType !== undefined);
    for (const [computerId, facts] of [
      ['known', { name: 'atlas', providerType: 'cloud' }],
      [own?.id, undefined],
      ['nobody', undefined],
    ] as const) {
      window.computers.facts = facts;
      assert.equal(await window.feature.commands.create({ computerId }), undefined);
    }
    assert.deepEqual(asked, ['cloud', own?.providerType, undefined]);
    assert.deepEqual(posted(), [], 'nobody agreed');
  });

  it('has settings of presets, whose unknown fields are named and left out, and one line that names what they say', () => {
    const [preset, broken] = readPresets({
      Careful: { model: 'm', tokenUsage: {}, autonomyLevel: 3, tags: [{ name: 'a' }] },
      Broken: 'no',
    });
    const read = { model: 'm', tags: [{ name: 'a' }] };
    assert.deepEqual(preset, { name: 'Careful', settings: read, wrong: ['tokenUsage', 'autonomyLevel'] });
    assert.deepEqual(broken?.settings, {});
    fc.assert(fc.property(fc.jsonValue(), value => assert.ok(Array.isArray(readPresets(value)))));
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
      fc.property(id, fc.constantFrom('vscode', 'code-oss', 'vscode-insiders'), (sessionId, scheme) =>
        assert.equal(typedSession(linkTo({ ...base, scheme }, sessionId, host), host), sessionId),
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
    for (const typed of [
      'https://app.example.com/x',
      'vscode://a/session/',
      'vscode://a/session/%E0%A4',
      'x://',
    ])
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
