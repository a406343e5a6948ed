import assert from 'node:assert/strict';
import type { SampleService } from '../../fakes/sampleService';
import { until } from '../../until';
import {
  CANARY,
  cleanUp,
  hostOf,
  kindOf,
  Machine,
  OTHER_CANARY,
  service,
  SharedSecrets,
  signIn,
  SnapshotSecrets,
  turnsTo,
  type Window,
  signedIn,
} from './support';

describe('a key that is refused', function () {
  afterEach(cleanUp);

  /** From now on the service refuses everything, as after a key was revoked. */
  const revoke = (running: SampleService): { dispose(): void } =>
    running.fail({ kind: 'status', status: 401 });

  async function request(window: Window): Promise<void> {
    await window.connection.api?.list('computers').catch(() => undefined);
  }

  async function twoWindows(
    secrets: { window(): never } | SharedSecrets | SnapshotSecrets = new SharedSecrets(),
  ) {
    const running = await service();
    const machine = new Machine(secrets);
    const first = machine.window();
    await signIn(first, running);
    const second = machine.window();
    await second.connection.ready();
    assert.equal(kindOf(second), 'signedIn');
    return { running, machine, first, second };
  }

  it('is tried again once, then all requests of all windows rest, later ones too, and one window asks once', async () => {
    const { running, machine, first, second } = await twoWindows();
    for (const { person } of [first, second]) person.presses(/not accepted/, 'Open web application');
    revoke(running);
    const before = running.requests.length;
    const api = first.connection.api;
    await Promise.all([request(first), request(first), request(first), request(second)]);
    await turnsTo(second, 'keyRejected');
    assert.equal(kindOf(first), 'keyRejected');
    const asked = running.requests.length - before;
    assert.ok(asked <= 4 * 2, `${asked} requests`);

    assert.deepEqual([first.connection.api, second.connection.api], [undefined, undefined]);
    await assert.rejects(Promise.resolve(api?.list('computers')), /noKey/);
    assert.equal(running.requests.length - before, asked);

    const prompts = [...first.person.told, ...second.person.told].filter(text =>
      text.includes('not accepted'),
    );
    assert.equal(prompts.length, 1);
    assert.match(
      prompts[0] ?? '',
      /^The key was not accepted by 127\.0\.0\.1:\d+ \(401, request [^)]+\)\. Enter it again or check it in the web application\.$/,
    );
    const { current } = second.connection.state;
    assert.equal(current.kind === 'keyRejected' && current.reason, prompts[0]);
    assert.equal(first.context['agentConsole.connection'], 'keyRejected');
    assert.deepEqual([...first.person.opened, ...second.person.opened], [`${running.appUrl}/settings`]);

    const third = machine.window();
    assert.equal((await third.connection.ready()).kind, 'keyRejected');
    assert.deepEqual([running.requests.length - before, third.person.told], [asked, []]);
  });

  it('that took the place of another in the storage is known as refused after its first request', async () => {
    const { running, secrets, window } = await signedIn();
    // As where VS Code tells nobody of what another window stored.
    for (const name of [...secrets.values.keys()]) secrets.values.set(name, 'another-key-that-is-refused');
    revoke(running);
    const before = running.requests.length;
    await request(window);
    assert.equal(kindOf(window), 'keyRejected');
    const used = running.requests.slice(before).length;
    await request(window);
    assert.equal(running.requests.length - before, used, 'nothing more is sent');
    assert.ok(used <= 3, `${used} requests: each key once, and a look whether the service takes the second`);
  });

  it('is replaced in every window when one enters another key, at the step for the key', async () => {
    const { running, first, second } = await twoWindows();
    const fault = revoke(running);
    first.person.presses(/not accepted/, 'Enter key').answers(() => {
      fault.dispose();
      return running.keys.member;
    });
    first.person.steps.length = 0;
    const mark = (): string | undefined => first.connection.keyMark('salt');
    const before = mark();
    await request(first);
    await turnsTo(first, 'signedIn');
    assert.ok(before !== undefined && mark() !== before);
    await until(second.connection.onDidBecomeReady, () => kindOf(second) === 'signedIn');
    assert.deepEqual(
      first.person.steps.map(({ title, secret }) => [title, secret]),
      [['Sign in (3/3)', true]],
    );
    assert.equal(mark(), second.connection.keyMark('salt'));
    await request(second);
    assert.equal(running.requests.at(-1)?.credential, 'member');
  });

  it('is used again after a look when the service takes it once more', async () => {
    const { running, first, second } = await twoWindows();
    const fault = revoke(running);
    await request(first);
    await first.connection.recheck();
    assert.equal(kindOf(first), 'keyRejected');
    fault.dispose();
    await first.connection.recheck();
    assert.equal(kindOf(first), 'signedIn');
    await turnsTo(second, 'signedIn');
  });

  it('is not given up for a single 401, nor for one endpoint that refuses it', async () => {
    const { running, first } = await twoWindows();
    running.fail({ kind: 'status', status: 401, times: 1 });
    assert.ok(((await first.connection.api?.list('computers'))?.items.length ?? 0) > 0);
    const api = first.connection.api!;
    for (const [match, ask] of [
      [{ origin: 'app' }, () => api.pages('reports', { limit: 1 }).next()],
      [{ path: /\/organization\/users$/ }, () => api.pages('users', { limit: 1 }).next()],
      [{ path: /\/sessions\/s$/ }, () => api.one('session', { ids: { sessionId: 's' } })],
    ] as const) {
      const fault = running.fail({ kind: 'status', status: 401, match });
      const before = running.requests.length;
      for (let n = 0; n < 5; n++) await assert.rejects(Promise.resolve(ask()), /unauthorized/);
      fault.dispose();
      assert.equal(kindOf(first), 'signedIn');
      const asked = running.requests.length - before;
      assert.ok(asked <= 5 + 2, `${asked} requests: one look whether the key is taken, and one more try`);
    }
  });

  it('is replaced without asking when another window has stored a new one (desktop)', async () => {
    const running = await service({ keys: { owner: OTHER_CANARY, member: CANARY } });
    const secrets = new SharedSecrets();
    const machine = new Machine(secrets);
    const window = machine.window();
    await signIn(window, running, CANARY);
    const name = [...secrets.values.keys()][0] ?? '';
    // As if the event had not come: only the value changes.
    secrets.values.set(name, OTHER_CANARY);
    running.fail({ kind: 'status', status: 401, times: 1 });
    assert.ok(((await window.connection.api?.list('computers'))?.items.length ?? 0) > 0);
    assert.equal(running.requests.at(-1)?.credential, 'owner');
    assert.deepEqual(
      window.person.told.filter(text => text.includes('not accepted')),
      [],
    );
  });

  it('turns to signed out when another window has signed out', async () => {
    const { first, second, running } = await twoWindows();
    first.person.confirms(true);
    const api = second.connection.api;
    await first.connection.commands.signOut();
    await turnsTo(second, 'signedOut');
    const before = running.requests.length;
    await assert.rejects(Promise.resolve(api?.list('computers')), /noKey/);
    assert.equal(running.requests.length, before);
  });

  it('in code-server is asked about in the page that still has the old one, never in a loop of 401s', async () => {
    const running = await service({ keys: { owner: CANARY } });
    const secrets = new SnapshotSecrets();
    const machine = new Machine(secrets);
    const first = machine.window();
    await signIn(first, running);
    const second = machine.window();
    await second.connection.ready();
    const { baseUrl, appUrl } = running;
    await running.close();
    // The same addresses, but the old key is no longer good.
    const [port, appPort] = [baseUrl, appUrl].map(address => Number(new URL(address).port)) as [
      number,
      number,
    ];
    const after = await service({ port, appPort, keys: { owner: OTHER_CANARY } });
    first.person.answers(baseUrl, appUrl, OTHER_CANARY);
    await first.connection.commands.signIn();
    await request(second);
    assert.equal(kindOf(second), 'keyRejected');
    assert.equal(second.person.told.filter(text => text.includes('Enter it again')).length, 1);
    const before = after.requests.length;
    for (let n = 0; n < 20; n++) await request(second);
    assert.equal(after.requests.length, before);
    assert.equal(kindOf(first), 'signedIn');
    second.person.answers(OTHER_CANARY);
    await second.connection.commands.signIn();
    await request(second);
    assert.deepEqual([kindOf(second), after.requests.at(-1)?.status], ['signedIn', 200]);
  });

  it('from the environment is named as such, and taken again when the service does', async () => {
    const running = await service();
    const machine = new Machine();
    const environment = {
      AGENT_CONSOLE_BASE_URL: running.baseUrl,
      AGENT_CONSOLE_APP_URL: running.appUrl,
      AGENT_CONSOLE_API_KEY: CANARY,
    };
    const window = machine.window(environment);
    await window.connection.ready();
    const fault = revoke(running);
    await request(window);
    const state = window.connection.state.current;
    assert.match(
      state.kind === 'keyRejected' ? state.reason : '',
      /^The key in AGENT_CONSOLE_API_KEY was not accepted by .* Run Refresh to try it again; .* reload the window\.$/,
    );
    assert.equal(hostOf(running.baseUrl), state.kind === 'keyRejected' ? state.service.host : '');
    fault.dispose();
    await window.connection.commands.signIn();
    assert.equal(kindOf(window), 'signedIn');
  });
});
