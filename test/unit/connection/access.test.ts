import assert from 'node:assert/strict';
import { SharedGate } from '../../../src/connection/gate';
import { ConnectionRecords } from '../../../src/connection/records';
import { commitsIn, remoteUrl } from '../../../src/connection/repository';
import type { SampleService } from '../../../src/sample';
import { openStorage, type Storage } from '../../../src/storage';
import { silentLog } from '../../fakes/log';
import {
  brokenSecrets,
  CANARY,
  cleanUp,
  hostOf,
  Machine,
  service,
  SharedSecrets,
  signIn,
  temporaryFolder,
  type Window,
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

  it('asks for each thing once and shows answers as they come', async () => {
    const running = await service();
    const { window, table } = await tableOf(running);
    assert.deepEqual(table, {
      'Computers and sessions': 'readable',
      'Users of the organization': 'readable',
      'Control history': 'readable',
      Analytics: 'readable',
      'Readiness reports': 'readable',
    });
    const [first] = window.person.tables;
    assert.deepEqual(new Set(first?.map(({ state }) => state)), new Set(['checking']));
    assert.equal(window.person.tables.length, 6);
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
      /needs an API key, and you are signed in .* with an access token/,
    );
    assert.equal(token.table['Computers and sessions'], 'readable');
  });

  it('does not take a failure for a refusal', async () => {
    const running = await service();
    const window = new Machine().window();
    await signIn(window, running);
    running.fail({ kind: 'html', match: { path: '/api/v0/organization/users' } });
    await window.connection.commands.showAccess();
    const row = window.person.tables.at(-1)?.find(({ what }) => what === 'Users of the organization');
    assert.deepEqual([row?.state, row?.detail.includes('web page')], ['unknown', true]);
  });

  it('says that nobody is signed in', async () => {
    const window = new Machine().window();
    await window.connection.commands.showAccess();
    assert.deepEqual(window.person.told, ['You are not signed in.']);
    assert.deepEqual(window.person.tables, []);
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
      const records = second.storage.collection({ path: 'connection', version: 1, decode: value => value });
      records.onDidChange(ids => {
        if (ids.some(id => id.startsWith('pause '))) resolve();
      });
    });
    running.fail({ kind: 'rateLimit', retryAfter: 3600, match: { path: '/api/v0/computers' } });
    await assert.rejects(Promise.resolve(first.connection.api?.computers.list()), /rateLimited/);
    await told;
    const before = running.requests.length;
    const third = machine.window();
    await third.connection.ready();
    for (const { connection } of [first, second, third]) {
      await assert.rejects(Promise.resolve(connection.api?.computers.list()), /rateLimited, paused/);
    }
    assert.equal(running.requests.length, before);
    const other = await second.connection.api?.readiness.reports({ limit: 1 }).next();
    assert.equal(other?.done, false);
  });

  it('that began when the clock was ahead are over, here and after a new start', async () => {
    const root = temporaryFolder();
    const clock = { now: Date.now() + 365 * 24 * 60 * 60 * 1000 };
    const open = async (): Promise<SharedGate> => {
      const storage = openStorage({ root, log: silentLog() });
      const records = new ConnectionRecords(storage, () => clock.now);
      await records.load();
      const gate = new SharedGate(records, silentLog(), () => clock.now);
      gates.push({ gate, storage });
      return gate;
    };
    const gates: { readonly gate: SharedGate; readonly storage: Storage }[] = [];
    const origin = 'https://console.example.com';
    const first = await open();
    const ahead = clock.now + 120_000;
    first.pause(origin, ahead);
    await gates[0]?.storage.settled();
    assert.equal((await open()).pausedUntil(origin), ahead);
    clock.now = Date.now();
    for (const gate of [first, await open()]) assert.equal(gate.pausedUntil(origin), 0);
    const right = clock.now + 60_000;
    first.pause(origin, right);
    await gates[0]?.storage.settled();
    for (const gate of [first, await open()]) assert.equal(gate.pausedUntil(origin), right);
    for (const { storage } of gates) storage.dispose();
  });
});

describe('diagnostics', function () {
  afterEach(cleanUp);

  it('tell hosts, state, source and recent problems, and hold no key', async () => {
    const running = await service();
    const window = new Machine(brokenSecrets('throws')).window();
    await signIn(window, running);
    const text = window.connection.diagnostics();
    assert.match(text, /^Connection: signedIn\nSource: settings\n/);
    assert.ok(
      text.includes(`Service: ${hostOf(running.baseUrl)}\nWeb application: ${hostOf(running.appUrl)}\n`),
    );
    assert.match(text, /Environment variables set: none\n/);
    assert.match(
      text,
      /Recent problems: 1\n- .*The secret storage did not keep the key: Error: no key ring$/,
    );
  });

  it('name the environment variables that are set, without their values', async () => {
    const running = await service();
    const environment = { AGENT_CONSOLE_BASE_URL: running.baseUrl, AGENT_CONSOLE_API_KEY: CANARY };
    const window = new Machine(new SharedSecrets()).window({ environment });
    await window.connection.ready();
    assert.match(
      window.connection.diagnostics(),
      /Environment variables set: AGENT_CONSOLE_BASE_URL, AGENT_CONSOLE_API_KEY\n/,
    );
  });
});

describe('the remote of the open repository', () => {
  it('is origin, or else the first', () => {
    const config = `[core]\n\tbare = false\n[remote "mirror"]\n\turl = git@example.com:a/b.git\n[remote "origin"]\n\turl = https://example.com/c/d\n\tfetch = x\n[branch "main"]\n\turl = nonsense\n`;
    assert.equal(remoteUrl(config), 'https://example.com/c/d');
    assert.equal(remoteUrl(config.replace('origin', 'second')), 'git@example.com:a/b.git');
    assert.equal(remoteUrl('[core]\nurl = x\n'), undefined);
    assert.equal(remoteUrl(''), undefined);
  });
});

describe('the commits of the open repository', () => {
  it('are what was checked out when, from the log of HEAD', () => {
    const [a, b] = ['a'.repeat(40), 'b'.repeat(64)];
    const log = [
      `${'0'.repeat(40)} ${a} Robin > Vale <robin@example.com> 1767000000 +0100\tcommit (initial): x`,
      'not a line of it',
      `${a} ${b} Robin Vale <robin@example.com> 1767000060 -0330\tcheckout: moving from main to 1 > 2`,
      `${b} short Robin Vale <robin@example.com> 1767000060 -0330\tx`,
      '',
    ].join('\n');
    assert.deepEqual(commitsIn(log), [
      { hash: a, at: 1767000000000 },
      { hash: b, at: 1767000060000 },
    ]);
    assert.deepEqual(commitsIn(''), []);
  });
});
