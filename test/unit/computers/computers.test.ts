import assert from 'node:assert/strict';
import type { Computer, ProvisioningStep } from '../../../src/api';
import { Computers } from '../../../src/computers';
import {
  computerDocument,
  computerNode,
  paceOf,
  sortComputers,
  stepState,
} from '../../../src/computers/rows';
import type { SessionOfComputer } from '../../../src/computers/rows';
import { joined } from '../../../src/ui/text';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { cleanUp, later, temporaryFolder } from '../../fakes/cleanUp';
import { FakeConnection } from '../../fakes/connection';
import { silentLog } from '../../fakes/log';
import { startSampleService, type SampleService } from '../../fakes/sampleService';
import { openStorage } from '../../fakes/storage';
import { drawnRows, fakeView, textOf, type DrawnRow } from '../../fakes/view';
import { told } from '../../fakes/vscode';
import { until } from '../../until';
import { clientOf } from '../api/support';

const session: SessionOfComputer = {
  sessionId: 's1',
  row: () => ({ label: 'Fix the test', description: '2 min', context: 'session unpinned listed' }),
};

const computer = (fields: Partial<Computer> = {}): Computer => ({
  id: 'c1',
  name: 'boreal',
  providerType: 'cloud',
  createdAt: 1,
  ...fields,
});

/** Label and description of a computer's row, and the descriptions of its steps. */
const rowOf = (of: Computer): string =>
  joined([computerNode(of, {}).row().label, computerNode(of, {}).row().description], ': ');
const stepsOf = (of: Computer): unknown[] =>
  (computerNode(of, {}).children?.() ?? []).map(node => node.row().description);

describe('the view of computers', () => {
  let service: SampleService;

  type Window = ReturnType<typeof open>;

  beforeEach(async () => {
    service = await startSampleService({ pace: 0 });
    later(() => service.close());
  });
  afterEach(cleanUp);

  function open(visible = false, isBroken = false) {
    const { api } = clientOf({ origin: service.baseUrl }, { key: () => Promise.resolve(service.apiKey) });
    const storage = openStorage({ root: temporaryFolder(), log: silentLog() });
    const collection = storage.collection.bind(storage);
    if (isBroken)
      storage.collection = options => ({
        ...collection(options),
        load: () => Promise.reject(new Error('the disk is gone')),
      });
    const connection = new FakeConnection(api, service);
    const view = fakeView(visible);
    const documents = new Map<string, string>();
    const sessions = { list: [] as readonly SessionOfComputer[], changed: new Emitter<void>() };
    const feature = new Computers({
      log: silentLog(),
      connection,
      storage,
      view,
      focused: new ObservableValue(true),
      refreshSeconds: () => 30,
      details: {
        show: (_id, title, content) => {
          documents.set(title, content());
          return Promise.resolve();
        },
      },
      sessions: () =>
        Promise.resolve({ ofComputer: () => sessions.list, onDidChange: sessions.changed.event }),
    });
    later(async () => {
      feature.dispose();
      await storage.settled();
      storage.dispose();
    });
    return { feature, connection, view, documents, sessions };
  }
  const listings = (): number =>
    service.requests.filter(({ path: asked }) => asked === '/api/v0/computers').length;
  const rowOf = async ({ feature }: Window, name: string): Promise<DrawnRow> => {
    const row = (await drawnRows(feature.tree)).find(({ text }) => text.startsWith(name));
    assert.ok(row, name);
    return row;
  };

  it('lists every computer by name with its state, steps and sessions, and how many there are', async () => {
    const window = open();
    await drawnRows(window.feature.tree);
    window.sessions.list = [session];
    const rows = await textOf(window.feature.tree);
    assert.ok(rows[0]?.startsWith('atlas | active · cloud'), rows[0]);
    assert.ok(rows.some(row => /^cinder \| error · /.test(row)));
    assert.ok(rows.some(row => /^ {2}Start machine \| error · /.test(row)));
    assert.ok(rows.includes('  Fix the test | 2 min'));
    const drawn = await drawnRows(window.feature.tree);
    assert.equal(window.view.description, String(drawn.filter(({ depth }) => depth === 0).length));
    const [atlas, below] = drawn;
    assert.equal(
      atlas?.item.accessibilityInformation?.label,
      `Computer atlas, ${String(atlas?.item.description)}`,
    );
    const { sessionId } = (below?.node ?? {}) as { sessionId?: string };
    assert.deepEqual([sessionId, below?.item.contextValue], ['s1', 'session unpinned listed']);
    assert.equal(listings(), 1, 'once, however often it is drawn');
  });

  it('offers to try again where nothing could be listed, and keeps rows with their age where something was', async () => {
    const fault = service.fail({ kind: 'status', status: 503, match: { path: '/api/v0/computers' } });
    const window = open();
    assert.deepEqual(await textOf(window.feature.tree), ['Try again']);
    assert.match(String(window.view.message), /503/);
    fault.dispose();
    await window.feature.refresh();
    assert.equal(window.view.message, undefined);
    const later = service.fail({ kind: 'status', status: 503, match: { path: '/api/v0/computers' } });
    await window.feature.refresh();
    assert.match(String(window.view.message), /503.*Shown as of .* ago\./);
    assert.match((await rowOf(window, 'atlas')).text, /^atlas \| unknown, was active 0 sec ago · cloud/);
    later.dispose();
  });

  it('lists what the service has where what is kept cannot be read, and names what cannot be read of the answer', async () => {
    const window = open(false, true);
    assert.ok((await textOf(window.feature.tree)).length > 3);
    assert.match(String(window.view.message), /^the disk is gone/);
    service.fail({
      kind: 'alter',
      match: { path: '/api/v0/computers' },
      alter: body => {
        const { computers } = body as { computers: Record<string, unknown>[] };
        delete computers[0]?.['id'];
        return { computers };
      },
    });
    const another = open();
    await drawnRows(another.feature.tree);
    assert.match(String(another.view.message), /^1 entry could not be read: .*id is missing/);
  });

  it('shows all there is to know of a computer as a document', async () => {
    const window = open();
    const cinder = await rowOf(window, 'cinder');
    window.sessions.list = [session];
    await drawnRows(window.feature.tree);
    await window.feature.commands.showDetails(cinder.node);
    const text = window.documents.get('cinder') ?? '';
    const parts = [
      /^# cinder$/m,
      /\*\*Status\*\*: error/,
      /^## Steps$/m,
      /Fix the test/,
      /"providerType": "cloud"/,
    ];
    for (const part of parts) assert.match(text, part);
    const another = open();
    await another.feature.commands.showDetails(cinder.node);
    assert.match(another.documents.get('cinder') ?? '', /^# cinder$/m, 'also before anything is listed');
  });

  it('reads while it is seen, keeps what was known where a key is refused, shows nothing when signed out', async () => {
    const window = open(true);
    await until(() => listings() === 1 && window.view.description !== '');
    window.connection.anotherKey();
    await until(() => listings() === 2);
    window.connection.reject('The key was not accepted.');
    await until(() => window.view.message === 'The key was not accepted.');
    assert.ok((await textOf(window.feature.tree)).length > 3, 'what was known stays');
    window.connection.signOut();
    await until(async () => (await textOf(window.feature.tree)).length === 0);
    assert.equal(window.view.message, undefined);
  });

  it('tells once how a set-up ended that somebody saw here, as a warning unless the computer is ready', async () => {
    const window = open(true);
    const turn = async (status: string | undefined, isSeen = true): Promise<readonly string[]> => {
      window.view.show(isSeen);
      told.splice(0);
      const altered = service.fail({
        kind: 'alter',
        match: { path: '/api/v0/computers' },
        alter: () => ({
          computers: [{ id: 'c1', name: 'boreal', providerType: 'cloud', createdAt: 1, status }],
        }),
      });
      await window.feature.refresh();
      altered.dispose();
      return [...told];
    };
    for (const [status, sentence] of [
      ['active', 'boreal is ready.'],
      ['error', 'boreal could not be set up: no reason was given'],
      ['paused', 'boreal is no longer being set up: paused.'],
    ] as const) {
      assert.deepEqual(await turn('provisioning'), []);
      assert.deepEqual(await turn(undefined), []);
      assert.deepEqual(await turn(status), [sentence]);
      assert.deepEqual(await turn(status), []);
      await turn('provisioning');
      const whileAway = [...(await turn(status, false)), ...(await turn(status))];
      assert.deepEqual(whileAway, [], 'the window that is looked at tells');
    }
  });
});

describe('a computer in words', () => {
  const steps: readonly ProvisioningStep[] = [
    { id: 'create-computer', name: 'Create computer', status: 'completed', startedAt: 0, completedAt: 8_000 },
    { id: 'start', name: 'Start', status: 'error', startedAt: 8_000, completedAt: 9_000, error: 'No\nroom' },
    { id: 'connect', name: 'Connect', status: 'pending' },
  ];

  it('tells its state, how far a set-up is, and steps that a failed one never began', () => {
    assert.match(rowOf(computer()), /^boreal: status unknown · cloud/);
    assert.match(rowOf(computer({ status: 'hibernating' })), /^boreal: hibernating/);
    assert.equal(rowOf({ id: 'c9' }), 'c9: status unknown');
    assert.match(rowOf({ id: 'c9', hostname: 'h' }), /^h: /);
    const [failed, running] = ['error', 'provisioning'].map(status =>
      computer({ status, provisioningSteps: [...steps] }),
    ) as [Computer, Computer];
    assert.match(rowOf(failed), /^boreal: error · No room/);
    assert.deepEqual(stepsOf(failed), ['completed · 8 sec', 'error · 1 sec · No room', 'not started']);
    assert.match(rowOf(running), /^boreal: provisioning 1\/3/);
    assert.equal(stepsOf(running)[2], 'pending');
    const ahead = { id: 'a', startedAt: Date.now() + 60_000 };
    assert.deepEqual(stepsOf(computer({ provisioningSteps: [ahead] })), ['running · 0 sec']);
  });

  it('gives the whole error, and no relay address in full, in its document', () => {
    const told = computer({
      status: 'error',
      provisioningSteps: [...steps],
      remoteUser: 'agent',
      relayClientUrl: 'wss://relay.example/abc/client?token=secret',
      relayAgentUrl: 'no address at all',
    });
    const text = computerDocument(told, {});
    for (const part of [
      /\*\*Error\*\*: No room/,
      /\*\*Remote user\*\*: agent/,
      /relay\.example/,
      /not started/,
    ])
      assert.match(text, part);
    for (const secret of ['secret', '/abc', 'no address at all']) assert.ok(!text.includes(secret), text);
    assert.match(computerDocument({ id: 'c9' }, {}), /\*\*Created\*\*: not known/);
  });

  it('calls a step done only when it was completed and neither an error nor a word says otherwise', () => {
    const states = {
      failed: 'failed FAILURE error STEP_FAILED createFailed timed_out timeout rejected',
      stopped: 'cancelled canceled Aborted skipped interrupted not_started',
      waiting: 'pending running in_progress',
      done: 'completed succeeded novel',
    };
    for (const [state, all] of Object.entries(states))
      for (const status of all.split(' ')) {
        const step = { id: 'a', startedAt: 1, completedAt: 2, status };
        assert.equal(stepState(step), state, status);
        const text = computerDocument(computer({ provisioningSteps: [step] }), {});
        assert.equal(text.includes('Completed'), state === 'done', 'another one has only ended');
      }
    assert.equal(stepState({ id: 'a', startedAt: 1, completedAt: 2 }), 'done');
    assert.equal(stepState({ id: 'a', startedAt: 1, completedAt: 2, error: 'quota' }), 'failed');
    assert.deepEqual([stepState({ id: 'a', startedAt: 1 }), stepState({ id: 'a' })], ['running', 'waiting']);
  });

  it('is sorted by name in the language of the person, numbers by value, ties by id', () => {
    const all = Object.entries({ 1: 'node 10', 3: 'node 9', 2: 'Äpfel', 0: 'node 9' });
    const sorted = sortComputers(
      all.map(([id, name]) => computer({ id, name })),
      'de',
    );
    assert.deepEqual(
      sorted.map(({ id }) => id),
      ['2', '0', '3', '1'],
    );
  });

  it('is asked about often while its set-up goes on, and the less the longer nothing happens', () => {
    const paces = [10_000, 200_000, 400_000, 3_600_000].map(now => {
      const setUp = computer({ status: 'provisioning', provisioningSteps: [{ id: 'a', startedAt: 2 }] });
      return Math.round(paceOf([computer(), setUp], now, 30_000));
    });
    assert.deepEqual(paces, [5_000, 10_000, 20_000, 30_000]);
    assert.equal(paceOf([computer({ status: 'active' })], 10_000, 30_000), 30_000);
  });
});
