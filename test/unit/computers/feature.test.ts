import assert from 'node:assert/strict';
import { Computers } from '../../../src/computers';
import type { SessionOfComputer } from '../../../src/computers/rows';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';
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
      format: new Formatter('en'),
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
