import assert from 'node:assert/strict';
import { cleanUp } from '../../fakes/cleanUp';
import type { SampleService } from '../../fakes/sampleService';
import { until } from '../../until';
import { begin, CANARY, OTHER_CANARY, SecretStore, service, signedIn, type Window } from './support';

describe('a key that is refused', function () {
  afterEach(cleanUp);

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
    assert.match(
      said,
      /^The key was not accepted by 127\.0\.0\.1:\d+ \(401, request [^)]+\)\. Enter it again/,
    );
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
    assert.deepEqual(first.person.asked, ['3/3 (secret)']);
    assert.equal(mark(first), mark(second));
    await second.isServed();
    assert.equal(running.requests.at(-1)?.credential, 'member');
  });

  it('of the environment is named as such, and used again in all windows after a look when the service takes it once more', async () => {
    const { running, machine } = await begin();
    const environment = {
      AGENT_CONSOLE_BASE_URL: running.baseUrl,
      AGENT_CONSOLE_APP_URL: running.appUrl,
      AGENT_CONSOLE_API_KEY: CANARY,
    };
    const [first, second] = [await machine.ready(environment), await machine.ready(environment)];
    const fault = revoke(running);
    await first.isServed();
    await first.connection.recheck();
    const { current } = first.connection.state;
    const said = /^The key in AGENT_CONSOLE_API_KEY was not accepted by .* Run Refresh to try/;
    assert.match(current.kind === 'keyRejected' ? current.reason : '', said);
    fault.dispose();
    await first.connection.commands.signIn();
    assert.equal(first.kind, 'signedIn');
    await second.turnsTo('signedIn');
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

  it('turns to signed out when another window has signed out', async () => {
    const { first, second, running } = await twoWindows();
    const { api } = second.connection;
    await first.surely('signOut');
    await second.turnsTo('signedOut');
    const sent = sentBy(running, () => assert.rejects(Promise.resolve(api?.list('computers')), /noKey/));
    assert.equal(await sent, 0);
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
