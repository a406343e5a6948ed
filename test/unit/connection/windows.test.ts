import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { SAMPLE } from '../../../src/connection/decide';
import { ConnectionRecords } from '../../../src/connection/records';
import { Database } from '../../../src/storage/database';
import { temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import type { SampleService } from '../../fakes/sampleService';
import { until } from '../../until';
import { timers } from '../api/support';
import { openWindow } from '../storage/support';
import { begin, hostOf, Machine, OTHER_CANARY } from './support';
import { SecretStore, service, signedIn, type Window } from './support';

describe('what a key can read', function () {
  async function access({ connection, person }: Window) {
    await connection.commands.showAccess();
    return Object.fromEntries(person.table.map(({ what, state, detail }) => [what, `${state}: ${detail}`]));
  }

  it('is asked for once each, and no failure is taken for a refusal', async () => {
    const { running, window } = await signedIn();
    const before = running.requests.length;
    const can = 'readable: This key can read it.';
    assert.deepEqual(await access(window), {
      ...{ Computers: can, 'Users of the organization': can, 'Control history': can },
      ...{ Analytics: can, 'Readiness reports': can },
    });
    const asked = running.requests.slice(before).map(({ path, query }) => `${path} ${JSON.stringify(query)}`);
    assert.equal(asked.length, 5);
    assert.ok(asked.includes('/api/v0/organization/users {"limit":"1"}'));
    assert.ok(asked.includes('/api/v0/organization/enterprise-controls/history {"limit":"1"}'));
    assert.equal(window.person.told.at(-1), `What this key can read at ${hostOf(running.baseUrl)}`);
    running.fail({ kind: 'html', match: { path: '/api/v0/organization/users' } });
    assert.match((await access(window))['Users of the organization']!, /^unknown: .*html/);
  });

  it('is said with the role or kind of key that is missing; who may not read computers can sign in, and with an access token who goes on without the rest', async () => {
    const { running, window } = await begin();
    const closed = running.fail({ kind: 'status', status: 403, match: { path: '/api/v0/computers' } });
    await window.signIn(running, running.keys.member);
    const { Computers: computers, Analytics: analytics } = await access(window);
    assert.match(computers!, /^refused: /);
    const role =
      /^refused: Analytics needs the Manager or Owner role \(403, request .*Everything else works\.$/;
    assert.match(analytics!, role);
    closed.dispose();
    const { jwt } = running.keys;
    await window.enter(running.baseUrl, running.appUrl, jwt);
    assert.match(window.person.told.at(-1) ?? '', / Analytics and readiness reports need an API key, /);
    const table = await access(window);
    assert.match(table['Analytics']!, /^refused: /);
    assert.match(table['Computers']!, /^readable: /);
    const kind = /^refused: .* needs an API key, but you are signed in .* with an access token/;
    assert.match(table['Readiness reports']!, kind);
  });
});

describe('a key that is refused', function () {
  /** From now on the service refuses everything, as after a key was revoked. */
  const revoke = (running: SampleService, times?: number) =>
    running.fail({ kind: 'status', status: 401, ...(times !== undefined && { times }) });
  const asked = (...windows: readonly Window[]): readonly string[] =>
    windows.flatMap(({ person }) => person.told).filter(text => text.includes('not accepted'));
  /** How many requests a service gets meanwhile. */
  const sentBy = async (running: SampleService, work: () => Promise<unknown>): Promise<number> => {
    const before = running.requests.length;
    await work();
    return running.requests.length - before;
  };

  async function twoWindows(secrets?: SecretStore) {
    const stage = await signedIn(secrets);
    const second = await stage.machine.ready();
    assert.equal(second.kind, 'signedIn');
    return { ...stage, first: stage.window, second };
  }

  it('is tried again once, then all requests of all windows rest, later ones too, and one window asks once', async () => {
    const { running, machine, first, second } = await twoWindows();
    for (const { person } of [first, second]) person.presses = 'Open web application';
    revoke(running);
    const { api } = first.connection;
    const sent = await sentBy(running, async () => {
      await Promise.all([first, first, first, second].map(each => each.isServed()));
      await second.turnsTo('keyRejected');
    });
    assert.equal(first.kind, 'keyRejected');
    assert.ok(sent <= 4 * 2, `${sent} requests`);

    assert.deepEqual([first.connection.api, second.connection.api], [undefined, undefined]);
    const third = await machine.ready();
    const rest = await sentBy(running, () =>
      assert.rejects(Promise.resolve(api?.list('computers')), /noKey/),
    );
    assert.deepEqual([rest, third.kind], [0, 'keyRejected']);

    const [said = '', ...more] = asked(first, second, third);
    assert.deepEqual(more, []);
    const sentence = /^The key was not accepted by 127\.0\.0\.1:\d+ \(401, request [^)]+\)\. Enter it again/;
    assert.match(said, sentence);
    const { current } = second.connection.state;
    assert.equal(current.kind === 'keyRejected' && current.reason, said);
    assert.equal(first.context['agentConsole.connection'], 'keyRejected');
    assert.deepEqual([...first.person.opened, ...second.person.opened], [`${running.appUrl}/settings`]);
  });

  it('whose place another took in the storage, of which VS Code tells nobody, is replaced by it, which is refused once where it is no better', async () => {
    const { running, secrets, window } = await signedIn();
    const put = (key: string): void =>
      [...secrets.values.keys()].forEach(name => secrets.values.set(name, key));
    put(running.keys.member);
    revoke(running, 1);
    assert.ok(await window.isServed());
    assert.deepEqual([running.requests.at(-1)?.credential, asked(window)], ['member', []]);
    put('another-key-that-is-refused');
    revoke(running);
    const used = await sentBy(running, () => window.isServed());
    assert.equal(window.kind, 'keyRejected');
    assert.ok(used <= 3, `${used} requests: each key once, and a look whether the service takes the second`);
    assert.equal(await sentBy(running, () => window.isServed()), 0, 'nothing more is sent');
  });

  it('stays refused when another window’s own is refused, too', async () => {
    const { running, machine, window } = await signedIn();
    const { baseUrl: AGENT_CONSOLE_BASE_URL, appUrl: AGENT_CONSOLE_APP_URL } = running;
    const address = { AGENT_CONSOLE_BASE_URL, AGENT_CONSOLE_APP_URL };
    const other = await machine.ready({ ...address, AGENT_CONSOLE_API_KEY: OTHER_CANARY });
    revoke(running);
    for (const each of [window, other]) {
      await each.isServed();
      await each.turnsTo('keyRejected');
    }
    assert.equal((await machine.ready()).kind, 'keyRejected');
  });

  it('is replaced in every window when one enters another key, at the step for the key', async () => {
    const { running, first, second } = await twoWindows();
    const fault = revoke(running);
    first.person.presses = 'Enter key';
    first.person.answers.push(() => {
      fault.dispose();
      return running.keys.member;
    });
    first.person.steps.length = 0;
    const mark = (window: Window): string | undefined => window.connection.keyMark('salt');
    const before = mark(first);
    await first.isServed();
    await first.turnsTo('signedIn');
    assert.ok(before !== undefined && mark(first) !== before);
    await until(second.connection.onDidBecomeReady, () => second.kind === 'signedIn');
    assert.deepEqual(first.person.asked, ['3/3 (secret, 0)']);
    assert.equal(mark(first), mark(second));
    await second.isServed();
    assert.equal(running.requests.at(-1)?.credential, 'member');
  });

  it('is not given up for a single 401, nor for one endpoint that refuses it', async () => {
    const { running, window } = await signedIn();
    revoke(running, 1);
    assert.ok(await window.isServed());
    const api = window.connection.api!;
    for (const [match, ask] of [
      [{ origin: 'app' }, () => api.pages('reports', { limit: 1 }).next()],
      [{ path: /\/organization\/users$/ }, () => api.pages('users', { limit: 1 }).next()],
      [{ path: /\/sessions\/s$/ }, () => api.one('session', { ids: { sessionId: 's' } })],
    ] as const) {
      const fault = running.fail({ kind: 'status', status: 401, match });
      const sent = await sentBy(running, async () => {
        for (let n = 0; n < 5; n++) await assert.rejects(Promise.resolve(ask()), /unauthorized/);
      });
      fault.dispose();
      assert.equal(window.kind, 'signedIn');
      assert.ok(sent <= 5 + 2, `${sent} requests: one look whether the key is taken, and one more try`);
    }
    for (const [status, tries] of [
      // Who lacks a right has been let in.
      [403, 2],
      [503, 1],
    ] as const) {
      const { running, window } = await signedIn();
      running.fail({ kind: 'status', status: 401, match: { path: '/api/v0/organization/users' } });
      running.fail({ kind: 'status', status, match: { path: '/api/v0/computers' } });
      await assert.rejects(Promise.resolve(window.connection.api?.pages('users').next()), /unauthorized/);
      assert.equal(window.kind, 'signedIn', `the look whether the key is taken gives ${status}`);
      assert.equal(running.requests.filter(({ path }) => path.endsWith('/users')).length, tries);
    }
  });

  it('in code-server is asked about in the page that still has the old one, never in a loop of 401s', async () => {
    const { running, first, second } = await twoWindows(new SecretStore('copied'));
    await running.close();
    // The same addresses, but the old key is no longer good.
    const [port = 0, appPort = 0] = [running.baseUrl, running.appUrl].map(each => Number(new URL(each).port));
    const after = await service({ port, appPort, keys: { owner: OTHER_CANARY } });
    await first.signIn(running, OTHER_CANARY);
    await second.isServed();
    assert.deepEqual([second.kind, asked(second).length], ['keyRejected', 1]);
    const sent = sentBy(after, async () => {
      for (let n = 0; n < 20; n++) await second.isServed();
    });
    assert.deepEqual([await sent, first.kind], [0, 'signedIn']);
    await second.enter(OTHER_CANARY);
    assert.deepEqual([second.kind, await second.isServed()], ['signedIn', true]);
  });
});

describe('a window', function () {
  it('keeps to a pause that a service asked any of them for, now and later, at that origin', async () => {
    const { running, machine, window: first } = await signedIn();
    mock.method(Database.prototype, 'page', () => assert.fail('busy'), { times: 1 });
    const second = await machine.ready();
    assert.match(second.log.lines.join(), /cannot be read/, 'until it is looked at again');
    await second.connection.recheck();
    const { stored } = second.connection.records;
    const told = until(stored.onDidChange, () => second.connection.records.pausedUntil(running.baseUrl) > 0);
    running.fail({ kind: 'rateLimit', retryAfter: 3600, match: { path: '/api/v0/computers' } });
    assert.equal(await first.isServed(), false);
    await told;
    const before = running.requests.length;
    for (const { connection } of [first, second, await machine.ready()])
      await assert.rejects(Promise.resolve(connection.api?.list('computers')), /rateLimited, paused/);
    assert.equal(running.requests.length, before);
    const other = await second.connection.api?.pages('reports', { limit: 1 }).next();
    assert.equal(other?.done, false);
  });

  it('knows that a pause is over that began when the clock was ahead, here and after a new start', async () => {
    const root = temporaryFolder();
    const storage = openWindow(root);
    let now = Date.now() + 365 * 24 * 60 * 60 * 1000;
    const open = async (of = openWindow(root)) => {
      const records = new ConnectionRecords(of, silentLog(), () => now);
      await records.stored.load();
      return records;
    };
    const origin = 'https://console.example.com';
    const first = await open(storage);
    /** Until when the one that knew it and a new one pause. */
    const paused = async (): Promise<readonly number[]> => {
      await storage.settled();
      return [first, await open()].map(records => records.pausedUntil(origin));
    };
    const ahead = now + 120_000;
    first.pause(origin, ahead);
    assert.deepEqual(await paused(), [ahead, ahead]);
    now = Date.now();
    assert.deepEqual(await paused(), [0, 0]);
    // No shorter one ends it.
    for (const time of [60_000, 30_000]) first.pause(origin, now + time);
    assert.deepEqual(await paused(), [now + 60_000, now + 60_000]);
  });

  it('that ends leaves no timer, also where its settings have just changed', async () => {
    const machine = new Machine();
    const { connection } = await machine.ready();
    const before = await timers();
    machine.settings.set(machine.settings.now);
    assert.equal(await timers(), before + 1);
    connection.dispose();
    assert.equal(await timers(), before);
  });

  it('that ends gives up requests under way at once, and changes nothing later, whatever happens elsewhere', async () => {
    const { running, machine, window: gone } = await signedIn();
    running.fail({ kind: 'delay', ms: 60_000, times: 1 });
    const arrived = running.next('GET', /computers/);
    const outcome = assert.rejects(Promise.resolve(gone.connection.api?.list('computers')), /cancelled/);
    await arrived;
    gone.connection.dispose();
    await outcome;
    const { current } = gone.connection.state;
    const context = { ...gone.context };
    await (await machine.ready()).signOut();
    machine.settings.set({ baseUrl: 'https://api.example.com', appUrl: '' });
    await gone.connection.ready();
    assert.deepEqual([gone.connection.state.current, gone.context], [current, context]);
  });
});

describe('the sample', () => {
  const network = globalThis.fetch;
  afterEach(() => (globalThis.fetch = network));

  async function createSession({ connection: { api } }: Window): Promise<string> {
    const { items = [] } = (await api?.list('computers')) ?? {};
    const computer = items.find(({ status }) => status === 'active');
    assert.ok(api && computer);
    return (await api.createSession({ computerId: computer.id })).sessionId;
  }

  it('is chosen for all windows, labelled, without network, account or secret; they see the same sessions, now and at the next start', async () => {
    const machine = new Machine();
    globalThis.fetch = () => assert.fail('The sample asked the network.');
    const [first, second] = [machine.window(), await machine.ready()];
    await first.connection.commands.useSampleService();
    const { id, host, source } = first.connection.state.current.service ?? {};
    assert.deepEqual([id, host, source], ['sample', 'Sample service', 'sample']);
    const said = 'This is sample data, generated on this machine. Sign out to leave it.';
    assert.deepEqual([first.person.told, machine.secrets.values.size], [[said], 0]);
    const reports = await first.connection.api?.pages('reports').next();
    assert.ok(JSON.stringify(reports?.value).includes('open/one'));
    await second.turnsTo(SAMPLE.baseUrl);
    const sessions = [await createSession(first), await createSession(second)];
    for (const { connection } of [first, second, await machine.ready()])
      for (const sessionId of sessions)
        assert.equal((await connection.api?.one('session', { ids: { sessionId } }))?.sessionId, sessionId);
  });

  it('is left in all windows when one signs in to a real service, or leaves it and is back there', async () => {
    const { running, machine, window: first } = await begin();
    const second = await machine.ready();
    await first.connection.commands.useSampleService();
    await second.turnsTo(SAMPLE.baseUrl);
    await second.connection.commands.signOut();
    assert.equal(second.kind, 'signedOut');
    await first.turnsTo('signedOut');
    await first.connection.commands.useSampleService();
    await second.signIn(running);
    await first.turnsTo(running.baseUrl);
    // The key of the service before it is left alone.
    await second.connection.commands.useSampleService();
    assert.equal(second.address, SAMPLE.baseUrl);
    await second.connection.commands.signOut();
    assert.equal(second.address, running.baseUrl);
    const back = `Signed out of Sample service. Back to ${hostOf(running.baseUrl)}.`;
    assert.equal(second.person.told.at(-1), back);
  });
});
