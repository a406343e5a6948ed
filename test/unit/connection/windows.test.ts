import assert from 'node:assert/strict';
import { SAMPLE } from '../../../src/connection/decide';
import { ConnectionRecords } from '../../../src/connection/records';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { until } from '../../until';
import {
  CANARY,
  Machine,
  brokenSecrets,
  cleanUp,
  hostOf,
  later,
  service,
  signedIn,
  temporaryFolder,
  type Window,
} from './support';

describe('what a key can read', function () {
  afterEach(cleanUp);

  async function access(window: Window): Promise<Record<string, string>> {
    await window.connection.commands.showAccess();
    return Object.fromEntries((window.person.tables.at(-1) ?? []).map(({ what, state }) => [what, state]));
  }
  const detailOf = ({ person }: Window, what: string): string =>
    person.tables.at(-1)?.find(row => row.what === what)?.detail ?? '';

  it('is asked for once each, and no failure is taken for a refusal', async () => {
    const { running, window } = await signedIn();
    const before = running.requests.length;
    assert.deepEqual(await access(window), {
      'Computers and sessions': 'readable',
      'Users of the organization': 'readable',
      'Control history': 'readable',
      Analytics: 'readable',
      'Readiness reports': 'readable',
    });
    const asked = running.requests.slice(before).map(({ path, query }) => `${path} ${JSON.stringify(query)}`);
    assert.equal(asked.length, 5);
    assert.ok(asked.includes('/api/v0/organization/users {"limit":"1"}'));
    assert.ok(asked.includes('/api/v0/organization/enterprise-controls/history {"limit":"1"}'));
    assert.equal(window.person.told.at(-1), `What this key can read at ${hostOf(running.baseUrl)}`);
    running.fail({ kind: 'html', match: { path: '/api/v0/organization/users' } });
    assert.equal((await access(window))['Users of the organization'], 'unknown');
    assert.match(detailOf(window, 'Users of the organization'), /html/);
  });

  it('says which role or kind of key is missing', async () => {
    const running = await service();
    const window = new Machine().window();
    await window.signIn(running, running.keys.member);
    assert.equal((await access(window))['Analytics'], 'refused');
    assert.match(
      detailOf(window, 'Analytics'),
      /^Analytics needs the Manager or Owner role \(403, request .*Everything else works\.$/,
    );
    window.person.confirms(true);
    await window.signIn(running, running.keys.jwt);
    const table = await access(window);
    assert.deepEqual([table['Analytics'], table['Readiness reports']], ['refused', 'refused']);
    assert.equal(table['Computers and sessions'], 'readable');
    assert.match(
      detailOf(window, 'Readiness reports'),
      /needs an API key, but you are signed in .* with an access token/,
    );
  });
});

describe('pauses a service asks for', function () {
  afterEach(cleanUp);

  it('hold in every window, now and later, and for the origin they were asked for', async () => {
    const { running, machine, window: first } = await signedIn();
    const second = machine.window();
    await second.connection.ready();
    const { stored } = second.connection.records;
    const told = until(stored.onDidChange, () => second.connection.records.pausedUntil(running.baseUrl) > 0);
    running.fail({ kind: 'rateLimit', retryAfter: 3600, match: { path: '/api/v0/computers' } });
    assert.equal(await first.isServed(), false);
    await told;
    const before = running.requests.length;
    const third = machine.window();
    await third.connection.ready();
    for (const { connection } of [first, second, third])
      await assert.rejects(Promise.resolve(connection.api?.list('computers')), /rateLimited, paused/);
    assert.equal(running.requests.length, before);
    const other = await second.connection.api?.pages('reports', { limit: 1 }).next();
    assert.equal(other?.done, false);
  });

  it('that began when the clock was ahead are over, here and after a new start', async () => {
    const root = temporaryFolder();
    let now = Date.now() + 365 * 24 * 60 * 60 * 1000;
    const open = async () => {
      const storage = openStorage({ root, log: silentLog() });
      later(() => storage.dispose());
      const gate = new ConnectionRecords(storage, silentLog(), () => now);
      await gate.stored.load();
      return { gate, storage };
    };
    const origin = 'https://console.example.com';
    const first = await open();
    /** Until when the one that knew it and a new one pause. */
    const paused = async (until = 0): Promise<readonly number[]> => {
      if (until > 0) first.gate.pause(origin, until);
      await first.storage.settled();
      return [first, await open()].map(({ gate }) => gate.pausedUntil(origin));
    };
    const ahead = now + 120_000;
    assert.deepEqual(await paused(ahead), [ahead, ahead]);
    now = Date.now();
    assert.deepEqual(await paused(), [0, 0]);
    assert.deepEqual(await paused(now + 60_000), [now + 60_000, now + 60_000]);
    assert.deepEqual(await paused(now + 30_000), [now + 60_000, now + 60_000], 'no shorter one ends it');
  });
});

describe('a window', function () {
  afterEach(cleanUp);

  it('tells hosts, state, source and the variables that are set for diagnostics, and no key', async () => {
    const { baseUrl, appUrl } = await service();
    const window = new Machine(brokenSecrets('throws')).window();
    await window.signIn({ baseUrl, appUrl });
    const text = window.connection.diagnostics();
    assert.match(text, /^Connection: signedIn\nSource: settings\n/);
    assert.ok(text.includes(`Service: ${hostOf(baseUrl)}\nWeb application: ${hostOf(appUrl)}\n`));
    assert.match(text, /Environment variables set: none\n/);
    const environment = { AGENT_CONSOLE_BASE_URL: baseUrl, AGENT_CONSOLE_API_KEY: CANARY };
    const { connection } = new Machine().window(environment);
    await connection.ready();
    assert.match(connection.diagnostics(), /variables set: AGENT_CONSOLE_BASE_URL, AGENT_CONSOLE_API_KEY\n/);
  });

  it('that ends leaves no timer, also where its settings have just changed', async () => {
    const machine = new Machine();
    const { connection } = machine.window();
    await connection.ready();
    const timers = (): readonly string[] =>
      process.getActiveResourcesInfo().filter(name => name === 'Timeout');
    const before = timers();
    machine.settings.set(machine.settings.now);
    assert.deepEqual(timers(), [...before, 'Timeout']);
    connection.dispose();
    assert.deepEqual(timers(), before);
  });

  it('that ends gives up requests under way at once, and changes nothing later, whatever happens elsewhere', async () => {
    const { running, machine, window: gone } = await signedIn();
    const other = machine.window();
    const fault = running.fail({ kind: 'delay', ms: 60_000 });
    const arrived = running.next('GET', /computers/);
    const request = Promise.resolve(gone.connection.api?.list('computers'));
    const outcome = assert.rejects(request, /cancelled/);
    await arrived;
    gone.connection.dispose();
    await outcome;
    fault.dispose();
    const { current } = gone.connection.state;
    const context = { ...gone.context };
    await other.connection.ready();
    await other.surely('signOut');
    machine.settings.set({ baseUrl: 'https://api.example.com', appUrl: '' });
    await gone.connection.ready();
    assert.deepEqual([gone.connection.state.current, gone.context], [current, context]);
  });
});

describe('the sample', () => {
  const network = globalThis.fetch;
  afterEach(async () => {
    globalThis.fetch = network;
    await cleanUp();
  });

  async function createSession({ connection: { api } }: Window): Promise<string> {
    assert.ok(api);
    const { items } = await api.list('computers');
    const computer = items.find(({ status }) => status === 'active');
    assert.ok(computer);
    return (await api.createSession({ computerId: computer.id })).sessionId;
  }

  it('is chosen by a command, labelled, and works without network, account or secret', async () => {
    const machine = new Machine();
    globalThis.fetch = () => assert.fail('The sample asked the network.');
    const window = machine.window();
    await window.surely('useSampleService');
    const { id, host, source } = window.connection.state.current.service ?? {};
    assert.deepEqual([id, host, source], ['sample', 'Sample service', 'sample']);
    await createSession(window);
    const reports = await window.connection.api?.pages('reports').next();
    assert.ok(JSON.stringify(reports?.value).includes('open/one'));
    assert.deepEqual(window.person.told, [
      'This is sample data, generated on this machine. Nothing leaves it.',
    ]);
    assert.deepEqual(await machine.secrets.window().keys(), []);
  });

  it('leads back to the service before it, whose key it leaves alone', async () => {
    const { running, window } = await signedIn();
    await window.connection.commands.useSampleService();
    assert.equal(window.address, running.baseUrl, 'the person is not sure');
    assert.match(window.person.confirmed[0] ?? '', /^Show sample data instead of 127\.0\.0\.1:\d+\?/);
    await window.surely('useSampleService');
    assert.equal(window.address, SAMPLE.baseUrl);
    await window.surely('signOut');
    assert.equal(window.address, running.baseUrl);
    const [host, back] = ['Sample service', hostOf(running.baseUrl)];
    assert.equal(window.person.told.at(-1), `Signed out of ${host}. Back to ${back}.`);
  });

  it('is chosen for all windows, which see the same sessions, now and at the next start, and left in all when one leaves it or signs in to a real service', async () => {
    const running = await service();
    const machine = new Machine();
    const [first, second] = [machine.window(), machine.window()];
    await second.connection.ready();
    const follows = (window: Window, address: string | undefined): Promise<void> =>
      until(window.connection.state.onDidChange, () => window.address === address);
    await first.surely('useSampleService');
    await follows(second, SAMPLE.baseUrl);
    const sessions = [await createSession(first), await createSession(second)];
    const next = machine.window();
    await next.connection.ready();
    for (const { connection } of [first, second, next])
      for (const sessionId of sessions)
        assert.equal((await connection.api?.one('session', { ids: { sessionId } }))?.sessionId, sessionId);
    await second.surely('signOut');
    assert.equal(second.kind, 'signedOut');
    await follows(first, undefined);
    await first.surely('useSampleService');
    await second.signIn(running);
    await follows(first, running.baseUrl);
    assert.notEqual(first.connection.state.current.service?.source, 'sample');
  });
});
