import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { ConnectionRecords } from '../../../src/connection/records';
import type { Storage } from '../../../src/storage';
import { openStorage } from '../../fakes/storage';
import type { SampleService } from '../../fakes/sampleService';
import { silentLog } from '../../fakes/log';
import {
  CANARY,
  Machine,
  SharedSecrets,
  type Window,
  brokenSecrets,
  cleanUp,
  hostOf,
  service,
  signIn,
  temporaryFolder,
  signedIn,
} from './support';

describe('what a key can read', function () {
  afterEach(cleanUp);

  async function tableOf(
    running: SampleService,
    key?: string,
  ): Promise<{ window: Window; table: Record<string, string> }> {
    const window = new Machine().window();
    window.person.confirms(true);
    await signIn(window, running, key);
    await window.connection.commands.showAccess();
    const last = window.person.tables.at(-1) ?? [];
    return { window, table: Object.fromEntries(last.map(({ what, state }) => [what, state])) };
  }

  it('asks for each thing once', async () => {
    const running = await service();
    const { window, table } = await tableOf(running);
    assert.deepEqual(table, {
      'Computers and sessions': 'readable',
      'Users of the organization': 'readable',
      'Control history': 'readable',
      Analytics: 'readable',
      'Readiness reports': 'readable',
    });
    const asked = running.requests.slice(2).map(({ path, query }) => `${path} ${JSON.stringify(query)}`);
    assert.equal(asked.length, 5);
    assert.ok(asked.includes('/api/v0/organization/users {"limit":"1"}'));
    assert.ok(asked.includes('/api/v0/organization/enterprise-controls/history {"limit":"1"}'));
    assert.equal(window.person.told.at(-1), `What this key can read at ${hostOf(running.baseUrl)}`);
  });

  it('says which role or kind of key is missing', async () => {
    const running = await service();
    const member = await tableOf(running, running.keys.member);
    assert.equal(member.table['Analytics'], 'refused');
    assert.match(
      detailOf(member.window, 'Analytics'),
      /^Analytics needs the Manager or Owner role \(403, request .*Everything else works\.$/,
    );
    const token = await tableOf(running, running.keys.jwt);
    assert.deepEqual([token.table['Analytics'], token.table['Readiness reports']], ['refused', 'refused']);
    assert.match(
      detailOf(token.window, 'Readiness reports'),
      /needs an API key, but you are signed in .* with an access token/,
    );
    assert.equal(token.table['Computers and sessions'], 'readable');
  });

  it('does not take a failure for a refusal', async () => {
    const { running, window } = await signedIn();
    running.fail({ kind: 'html', match: { path: '/api/v0/organization/users' } });
    await window.connection.commands.showAccess();
    const row = window.person.tables.at(-1)?.find(({ what }) => what === 'Users of the organization');
    assert.deepEqual([row?.state, row?.detail.includes('html')], ['unknown', true]);
  });

  function detailOf(window: Window, what: string): string {
    return window.person.tables.at(-1)?.find(row => row.what === what)?.detail ?? '';
  }
});

describe('pauses a service asks for', function () {
  afterEach(cleanUp);

  it('hold in every window, now and later, and for the origin they were asked for', async () => {
    const running = await service();
    const machine = new Machine();
    const [first, second] = [machine.window(), machine.window()];
    await signIn(first, running);
    await second.connection.ready();
    const told = new Promise<void>(resolve => {
      const records = second.storage.collection({
        path: 'connection',
        version: 1,
        schema: { parse: value => value },
      });
      records.onDidChange(ids => {
        if (ids.some(id => id.startsWith('pause '))) resolve();
      });
    });
    running.fail({ kind: 'rateLimit', retryAfter: 3600, match: { path: '/api/v0/computers' } });
    await assert.rejects(Promise.resolve(first.connection.api?.list('computers')), /rateLimited/);
    await told;
    const before = running.requests.length;
    const third = machine.window();
    await third.connection.ready();
    for (const { connection } of [first, second, third]) {
      await assert.rejects(Promise.resolve(connection.api?.list('computers')), /rateLimited, paused/);
    }
    assert.equal(running.requests.length, before);
    const other = await second.connection.api?.pages('reports', { limit: 1 }).next();
    assert.equal(other?.done, false);
  });

  it('that began when the clock was ahead are over, here and after a new start', async () => {
    const root = temporaryFolder();
    let now = Date.now() + 365 * 24 * 60 * 60 * 1000;
    const storages: Storage[] = [];
    const open = async (): Promise<ConnectionRecords> => {
      const storage = openStorage({ root, log: silentLog() });
      storages.push(storage);
      const gate = new ConnectionRecords(storage, silentLog(), () => now);
      await gate.stored.load();
      return gate;
    };
    const origin = 'https://console.example.com';
    const first = await open();
    const ahead = now + 120_000;
    first.pause(origin, ahead);
    await storages[0]?.settled();
    assert.equal((await open()).pausedUntil(origin), ahead);
    now = Date.now();
    for (const gate of [first, await open()]) assert.equal(gate.pausedUntil(origin), 0);
    first.pause(origin, now + 60_000);
    await storages[0]?.settled();
    for (const gate of [first, await open()]) assert.equal(gate.pausedUntil(origin), now + 60_000);
    for (const storage of storages) storage.dispose();
  });
});

describe('diagnostics', function () {
  afterEach(cleanUp);

  it('tell hosts, state, source and the variables that are set, and hold no key', async () => {
    const running = await service();
    const window = new Machine(brokenSecrets('throws')).window();
    await signIn(window, running);
    const text = window.connection.diagnostics();
    assert.match(text, /^Connection: signedIn\nSource: settings\n/);
    assert.ok(
      text.includes(`Service: ${hostOf(running.baseUrl)}\nWeb application: ${hostOf(running.appUrl)}\n`),
    );
    assert.match(text, /Environment variables set: none\n/);
    const environment = { AGENT_CONSOLE_BASE_URL: running.baseUrl, AGENT_CONSOLE_API_KEY: CANARY };
    const { connection } = new Machine().window(environment);
    await connection.ready();
    assert.match(connection.diagnostics(), /variables set: AGENT_CONSOLE_BASE_URL, AGENT_CONSOLE_API_KEY\n/);
  });
});

describe('the end of a window', function () {
  afterEach(cleanUp);

  it('gives up requests under way at once', async () => {
    const { running, window } = await signedIn();
    running.fail({ kind: 'delay', ms: 60_000 });
    const arrived = new Promise<void>(resolve => void running.onDidReceive(() => resolve()));
    const request = window.connection.api?.list('computers');
    const outcome = assert.rejects(Promise.resolve(request), /cancelled/);
    await arrived;
    window.connection.dispose();
    await outcome;
  });

  it('changes nothing afterwards, whatever happens elsewhere', async () => {
    const running = await service();
    const secrets = new SharedSecrets();
    const machine = new Machine(secrets);
    const [gone, other] = [machine.window(), machine.window()];
    await signIn(gone, running);
    gone.connection.dispose();
    const { current } = gone.connection.state;
    const context = { ...gone.context };
    await other.connection.ready();
    other.person.confirms(true);
    await other.connection.commands.signOut();
    machine.settings.set({ baseUrl: 'https://api.example.com', appUrl: '' });
    await gone.connection.ready();
    assert.deepEqual([gone.connection.state.current, gone.context], [current, context]);
  });

  it('leaves no timer, watcher or socket of the connection behind', async () => {
    const running = await service();
    const machine = new Machine();
    const first = machine.window();
    await signIn(first, running);
    first.connection.dispose();
    first.storage.dispose();
    await setImmediate();
    const alive = new Map<number, string>();
    const hook = createHook({
      init: (id, type) => {
        if (/FSEVENT|Timeout|TCPSERVER/.test(type)) alive.set(id, type);
      },
      destroy: id => void alive.delete(id),
    }).enable();
    for (let round = 0; round < 10; round++) {
      const window = machine.window();
      await window.connection.ready();
      machine.settings.set({ baseUrl: running.baseUrl, appUrl: running.appUrl });
      window.connection.dispose();
      window.storage.dispose();
    }
    for (let turn = 0; turn < 1000 && alive.size > 0; turn++) await setImmediate();
    hook.disable();
    assert.deepEqual([...alive.values()], []);
  });
});
