import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Computer, ProvisioningStep } from '../../../src/api';
import { Computers } from '../../../src/computers';
import { computerDocument, computerNode, paceOf } from '../../../src/computers/rows';
import { sortComputers, stepState, type SessionOfComputer } from '../../../src/computers/rows';
import { Emitter, ObservableValue } from '../../../src/util/lifecycle';
import { startSampleService, type SampleService } from '../../fakes/sampleService';
import { drawnRows, textOf } from '../../fakes/view';
import { choices, told, window } from '../../fakes/vscode';
import { later, temporaryFolder, until, windowAt } from '../sessions/support';

const computer = (fields: Partial<Computer> = {}): Computer => ({
  ...{ id: 'c1', name: 'boreal', providerType: 'cloud', createdAt: 1 },
  ...fields,
});

describe('the view of computers', () => {
  const path = '/api/v0/computers';
  let service: SampleService;
  beforeEach(async () => {
    service = await startSampleService({ pace: 0 });
    later(() => service.close());
  });

  function open(visible = false, root = temporaryFolder()) {
    const window = windowAt(service, root, visible);
    const documents = new Map<string, string>();
    const sessions = { list: [] as readonly SessionOfComputer[] };
    const feature = new Computers({
      ...window,
      focused: new ObservableValue(true),
      refreshSeconds: () => 30,
      details: {
        show: (_id, title, content) => Promise.resolve(void documents.set(title, content())),
      },
      sessions: () =>
        Promise.resolve({ ofComputer: () => sessions.list, onDidChange: new Emitter<never>().event }),
    });
    later(() => feature.dispose());
    return { ...window, feature, documents, sessions };
  }
  const fails = () => service.fail({ kind: 'status', status: 503, match: { path } });
  const answers = (change: (computers: Record<string, unknown>[]) => readonly object[]) =>
    service.fail({
      ...{ kind: 'alter', match: { path } },
      alter: body => ({ computers: change((body as { computers: Record<string, unknown>[] }).computers) }),
    });
  const listings = (): number => service.requests.filter(request => request.path === path).length;

  it('lists every computer by name with its state, steps and sessions, how many there are, and as a document all there is to know', async () => {
    const { feature, sessions, view, documents } = open();
    await drawnRows(feature.tree);
    const context = 'session unpinned listed';
    const row = () => ({ label: 'Fix the test', description: '2 min', context });
    sessions.list = [{ sessionId: 's1', row }];
    const drawn = await drawnRows(feature.tree);
    const rows = await textOf(feature.tree);
    assert.ok(rows[0]?.startsWith('atlas | active · cloud'), rows[0]);
    assert.match(rows.join('\n'), /^cinder \| error · [^]*^ {2}Start machine \| error · /m);
    assert.ok(rows.includes('  Fix the test | 2 min'));
    assert.equal(view.description, String(drawn.filter(({ depth }) => depth === 0).length));
    const [atlas, below] = drawn;
    const { accessibilityInformation, description } = atlas!.item;
    assert.equal(accessibilityInformation?.label, `Computer atlas, ${String(description)}`);
    const { sessionId } = (below?.node ?? {}) as { sessionId?: string };
    assert.deepEqual([sessionId, below?.item.contextValue], ['s1', context]);
    assert.equal(listings(), 1, 'once, however often it is drawn');
    const cinder = drawn.find(({ text }) => text.startsWith('cinder'))?.node;
    await feature.commands.showDetails(cinder);
    const parts = '# cinder\n|**Status**: error|## Steps\n|Fix the test|"providerType": "cloud"';
    for (const part of parts.split('|')) assert.ok(documents.get('cinder')?.includes(part), part);
    const another = open();
    await another.feature.commands.showDetails(cinder);
    assert.match(another.documents.get('cinder') ?? '', /^# cinder$/m, 'also before anything is listed');
  });

  it('offers to try again where nothing could be listed, reads while it is seen, keeps what was known, with its age, where that fails, and shows nothing when signed out', async () => {
    const fault = fails();
    const { feature, view, connection } = open(true);
    assert.deepEqual(await textOf(feature.tree), ['Try again']);
    assert.match(String(view.message), /503/);
    fault.dispose();
    connection.anotherKey();
    await until(() => view.description !== '');
    assert.equal(view.message, undefined);
    fails();
    await feature.refresh();
    assert.match((await textOf(feature.tree))[0] ?? '', /^atlas \| unknown, was active \d+ sec ago · cloud/);
    assert.match(String(view.message), /503.*Shown as of .* ago\./);
    connection.reject('The key was not accepted.');
    await until(() => view.message === 'The key was not accepted.');
    assert.ok((await textOf(feature.tree)).length > 3, 'what was known stays');
    connection.signOut();
    await until(async () => (await textOf(feature.tree)).length === 0);
    assert.equal(view.message, undefined);
  });

  it('lists what the service has where what is kept cannot be read, keeps it as soon as it can, and names what cannot be read of the answer', async () => {
    const root = temporaryFolder();
    const { feature, view, storage } = open(false, root);
    const collection = storage.collection.bind(storage);
    const load = () => Promise.reject(new Error('the disk is gone'));
    const gone = mock.method(storage, 'collection', (options: never) => ({ ...collection(options), load }));
    answers(([first, ...others]) => [{ ...first, id: undefined }, ...others]);
    for (let time = 0; time < 2; time++) assert.ok((await textOf(feature.tree)).length > 3);
    assert.match(String(view.message), /^the disk is gone/);
    gone.mock.restore();
    await feature.refresh();
    const unread = /^1 entry could not be read: .*id is missing/;
    await until(() => unread.test(String(view.message)));
    const another = open(false, root);
    await drawnRows(another.feature.tree);
    assert.match(String(another.view.message), unread);
    assert.equal(listings(), 2, 'the next window asks nobody');
  });

  it('can be chosen from, the one of last time first and then those that are active, or says why not', async () => {
    const { feature } = open();
    const first = async (last?: string) => {
      choices.push('');
      return await feature.pick('Which?', last);
    };
    assert.equal((await first())?.status, 'active');
    choices.push('cinder');
    const cinder = await feature.pick('Which?');
    assert.deepEqual([cinder?.status, await first(cinder?.id)], ['error', cinder]);
    fails();
    await assert.rejects(open().feature.pick('Which?'), /503/);
  });

  it('is not read on for a person who thinks better of choosing', async () => {
    later(() => mock.restoreAll());
    const asked = mock.method(globalThis, 'fetch');
    service.fail({ kind: 'delay', ms: 60_000, match: { path } });
    mock.method(window, 'showQuickPick', () => until(() => asked.mock.callCount() > 0));
    assert.equal(await open().feature.pick('Which?'), undefined);
    await until(() => asked.mock.calls.at(-1)?.arguments[1]?.signal?.aborted === true);
  });

  it('tells once how a set-up ended that somebody saw here, as a warning unless the computer is ready', async () => {
    const { feature, view } = open(true);
    const turn = async (status: string | undefined, isSeen = true): Promise<string> => {
      view.show(isSeen);
      told.length = 0;
      const altered = answers(() => [computer({ status })]);
      await feature.refresh();
      altered.dispose();
      return told.join();
    };
    for (const [status, sentence] of [
      ['active', 'boreal is ready.'],
      ['error', 'boreal could not be set up: no reason was given'],
      ['paused', 'boreal is no longer being set up: paused.'],
    ] as const) {
      for (const quiet of ['provisioning', undefined]) assert.equal(await turn(quiet), '');
      assert.equal(await turn(status), sentence);
      assert.equal(await turn(status), '');
      await turn('provisioning');
      // The window that is looked at tells.
      assert.equal((await turn(status, false)) + (await turn(status)), '');
    }
  });
});

describe('a computer in words', () => {
  const steps: ProvisioningStep[] = [
    { id: 'create-computer', name: 'Create computer', status: 'completed', startedAt: 0, completedAt: 8_000 },
    { id: 'start', name: 'Start', status: 'error', startedAt: 8_000, completedAt: 9_000, error: 'No\nroom' },
    { id: 'connect', name: 'Connect', status: 'pending' },
  ];

  it('tells its state, and how far a set-up is', () => {
    const withSteps = (status: string): Computer => computer({ status, provisioningSteps: steps });
    const ahead = [{ id: 'a', startedAt: Date.now() + 60_000 }];
    const ended = ['cancelled', 'failed'].map(status => ({ id: status, status, startedAt: 0 }));
    Object.assign(ended[1]!, { error: 'quota' });
    const both = 'completed · 8 sec, error · 1 sec · No room';
    for (const [of, said, ofSteps = ''] of [
      [computer(), /^boreal: status unknown · cloud/],
      [computer({ status: 'hibernating' }), /^boreal: hibernating/],
      [{ id: 'c9' }, /^c9: status unknown$/],
      [{ id: 'c9', hostname: 'h' }, /^h: status unknown$/],
      [withSteps('error'), /^boreal: error · No room/, `${both}, pending`],
      [withSteps('provisioning'), /^boreal: provisioning 1\/3/, `${both}, pending`],
      [computer({ provisioningSteps: ahead }), /^boreal/, 'running · 0 sec'],
      [computer({ provisioningSteps: ended }), /^boreal/, 'cancelled, failed · quota'],
    ] as const) {
      const node = computerNode(of, {});
      const { label, description } = node.row();
      assert.match(`${label}: ${description}`, said);
      const below = node.children!().map(step => step.row().description);
      assert.equal(below.join(', '), ofSteps);
    }
  });

  it('gives the whole error in its document', () => {
    const of = computer({ status: 'error', provisioningSteps: steps, remoteUser: 'agent' });
    const text = computerDocument(of, {});
    for (const part of ['**Error**: No room', '**Remote user**: agent']) assert.ok(text.includes(part), part);
    assert.match(computerDocument({ id: 'c9' }, {}), /\*\*Created\*\*: not known/);
  });

  it('calls a step done only when it was completed and neither an error nor a word says otherwise', () => {
    const step = { id: 'a', startedAt: 1, completedAt: 2 };
    for (const [state, all] of Object.entries({
      failed: 'failed FAILURE error STEP_FAILED createFailed timed_out timeout rejected',
      stopped: 'cancelled canceled Aborted skipped interrupted not_started',
      done: 'completed succeeded novel',
    }))
      for (const status of all.split(' ')) {
        assert.equal(stepState({ ...step, status }), state, status);
      }
    const unnamed = [step, { ...step, error: 'quota' }, { id: 'a', startedAt: 1 }, { id: 'a' }];
    assert.deepEqual(unnamed.map(stepState), ['done', 'failed', 'running', 'waiting']);
  });

  it('stands by its name in the language of the person, numbers by value, and is asked about often while its set-up goes on', () => {
    const all = Object.entries({ 1: 'node 10', 3: 'node 9', 2: 'Äpfel', 0: 'node 9' });
    const sorted = sortComputers(all.map(([id, name]) => computer({ id, name })).reverse(), 'de');
    assert.equal(sorted.map(({ id }) => id).join(), '2,0,3,1');
    const paces = ['provisioning', 'active'].map(status =>
      paceOf([computer(), computer({ status })], 30_000),
    );
    assert.deepEqual(paces, [5_000, 30_000]);
  });
});
