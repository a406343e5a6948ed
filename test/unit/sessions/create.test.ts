import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commands } from '../../../src/contributions';
import type { SessionsDeps } from '../../../src/sessions';
import { readPresets, settingsSummary } from '../../../src/sessions/create';
import { acts, answers, choices, executed, told } from '../../fakes/vscode';
import { cleanUp } from '../../fakes/cleanUp';
import { sessionOf, sessionsScene, until, type SessionsScene, type SessionsWindow } from './support';

type PolicyChoice = Parameters<NonNullable<SessionsDeps['policy']>['warnings']>[0];

describe('a new session', () => {
  let scene: SessionsScene;
  beforeEach(async () => {
    scene = await sessionsScene();
    acts.length = executed.length = choices.length = told.length = 0;
  });
  afterEach(() => {
    answers.clear();
    return cleanUp();
  });

  const computerIds = async ({ connection }: SessionsWindow): Promise<ReadonlyMap<string, string>> => {
    const { items } = await connection.api!.list('computers');
    return new Map(items.map(({ id, name }) => [name ?? '', id]));
  };
  const posted = (): unknown[] =>
    scene.service.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
  const opened = (): boolean => executed.some(each => each.startsWith(commands.chat.open));

  it('is a computer and one more choice, the default or a preset', async () => {
    const preset = { model: 'atlas-large', autonomyLevel: 'low' };
    const window = await scene.open({ presets: () => ({ Careful: preset }) });
    const computerId = (await computerIds(window)).get('atlas');
    for (const choice of ['Default', 'Careful']) {
      choices.push('atlas', choice);
      assert.ok(await window.feature.commands.create());
      assert.ok(opened());
    }
    assert.deepEqual(posted(), [{ computerId }, { computerId, sessionSettings: preset }]);
  });

  it('takes a model, an effort and a level of autonomy, of those that were seen or any other', async () => {
    const window = await scene.open();
    const seen = sessionOf({ sessionId: 'old', sessionSettings: { model: 'onyx' } });
    await window.index.learn('service', { session: seen, origin: 'listed', at: 1 });
    await until(window.feature.onDidChange, () => window.feature.get('old') !== undefined);
    const made = async (...chosen: readonly string[]): Promise<unknown> => {
      choices.push('atlas', ...chosen, 'Create session');
      await window.feature.commands.create();
      return (posted().at(-1) as { sessionSettings: unknown }).sessionSettings;
    };
    answers.set('showInputBox', Promise.resolve(' atlas-next ' as unknown as undefined));
    const other = ['Model', 'Other', 'Reasoning effort', 'none'];
    for (const [settings, ...chosen] of [
      [{ model: 'onyx', autonomyLevel: 'high' }, 'Model', 'onyx', 'Autonomy level', 'high'],
      [{ model: 'atlas-next', reasoningEffort: 'none' }, ...other, 'Autonomy level', 'nothing'],
      [{ reasoningEffort: 'none' }, ...other, 'Model', 'Default'],
    ] as const)
      assert.deepEqual(await made(...chosen), settings);
  });

  it('is not sent by a person to a computer that cannot run it without a word', async () => {
    const window = await scene.open();
    const ids = await computerIds(window);
    for (const chosen of [[], ['atlas']]) {
      choices.push(...chosen);
      assert.equal(await window.feature.commands.create(), undefined, 'left at either step');
    }
    assert.deepEqual([posted(), told], [[], []]);
    choices.push('cinder', 'Default');
    assert.equal(await window.feature.commands.create(), undefined);
    assert.match(told.join('\n'), /^cinder .*may never start/);
    const onRow = (name: string, status?: string): Promise<unknown> => {
      told.length = 0;
      window.computers.facts = { name, status };
      choices.push('Default');
      return Promise.resolve(window.feature.commands.create({ kind: 'computer', computerId: ids.get(name) }));
    };
    for (const status of ['error', 'paused', 'provisioning']) {
      assert.equal(await onRow('cinder', status), undefined);
      assert.match(told.join('\n'), new RegExp(`^cinder .*“${status}”.*may never start`));
    }
    assert.deepEqual([posted(), opened()], [[], false], 'nobody agreed');
    answers.set('showWarningMessage', Promise.resolve('Create anyway' as unknown as undefined));
    await assert.rejects(onRow('cinder', 'error'), { status: 409 });
    assert.deepEqual(posted(), [{ computerId: ids.get('cinder') }]);
    answers.clear();
    for (const status of ['active', undefined])
      assert.deepEqual([typeof (await onRow('atlas', status)), told], ['string', []]);
  });

  it('is made for another program without a question, which hears its id or from the service how the computer stands', async () => {
    const window = await scene.open();
    const ids = await computerIds(window);
    const [computerId, broken] = [ids.get('atlas'), { computerId: ids.get('cinder') }];
    const sessionSettings = { model: 'onyx', tags: [{ name: 'ci' }] };
    const sessionId = await window.feature.commands.create({ computerId, sessionSettings });
    assert.equal(typeof sessionId, 'string');
    assert.deepEqual(posted(), [{ computerId, sessionSettings }]);
    assert.deepEqual([opened(), acts.includes('window.showQuickPick')], [false, false]);
    assert.notEqual(window.feature.get(String(sessionId)), undefined);
    await window.feature.commands.create({ computerId, sessionSettings: null });
    assert.deepEqual(posted()[1], { computerId });
    await assert.rejects(Promise.resolve(window.feature.commands.create(broken)), { status: 409 });
    assert.deepEqual([told, posted()[2]], [[], broken]);
    for (const argument of ['c1', { computerId: '' }, { computerId: 7 }, { computerId, sessionSettings: [] }])
      await assert.rejects(Promise.resolve(window.feature.commands.create(argument)), /takes/);
  });

  it('is held against the controls with the kind of its computer, which is asked for where it is not known', async () => {
    const asked: PolicyChoice[] = [];
    const warnings = (choice: PolicyChoice): Promise<string[]> => {
      asked.push(choice);
      return Promise.resolve(['The controls do not allow it.']);
    };
    const window = await scene.open({ policy: { warnings } });
    window.computers.facts = { name: 'atlas', providerType: 'cloud' };
    assert.equal(await window.feature.commands.create({ computerId: 'known' }), undefined);
    window.computers.facts = undefined;
    const { items } = await window.connection.api!.list('computers');
    const own = items.find(({ providerType }) => providerType !== undefined);
    assert.equal(await window.feature.commands.create({ computerId: own?.id }), undefined);
    assert.equal(await window.feature.commands.create({ computerId: 'nobody' }), undefined);
    assert.deepEqual(
      asked.map(({ computerProvider }) => computerProvider),
      ['cloud', own?.providerType, undefined],
    );
    assert.deepEqual(posted(), [], 'nobody agreed');
  });
});

describe('settings of a new session', () => {
  it('come from presets, whose unknown fields are named and left out', () => {
    const [preset, ...others] = readPresets({
      Careful: { model: 'm', tokenUsage: {}, autonomyLevel: 3, tags: [{ name: 'a' }] },
      Broken: 'no',
    });
    assert.deepEqual(preset, {
      name: 'Careful',
      settings: { model: 'm', tags: [{ name: 'a' }] },
      wrong: ['tokenUsage', 'autonomyLevel'],
    });
    assert.deepEqual(others[0]?.settings, {});
    fc.assert(fc.property(fc.jsonValue(), value => assert.ok(Array.isArray(readPresets(value)))));
  });

  it('are one line that names what it says', () => {
    const settings = { model: 'm', reasoningEffort: 'none', interactionMode: 'spec', autonomyLevel: 'off' };
    assert.equal(settingsSummary(settings), 'm · reasoning none · Interaction mode: spec · autonomy off');
    assert.equal(settingsSummary({}), '');
  });
});
