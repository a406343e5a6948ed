import assert from 'node:assert/strict';
import {
  brokenSecrets,
  CANARY,
  cleanUp,
  deadAddress,
  hostOf,
  Machine,
  OTHER_CANARY,
  service,
  SharedSecrets,
  signIn,
} from './support';

describe('signing in', function () {
  afterEach(cleanUp);

  it('asks for two addresses and a key, checks both with one call each, and stores them', async () => {
    const running = await service();
    const secrets = new SharedSecrets();
    const machine = new Machine(secrets);
    const window = machine.window();
    await signIn(window, running);

    assert.deepEqual(
      window.person.steps.map(({ title, value, secret }) => [title, value, secret]),
      [
        ['Sign in (1/3)', '', false],
        ['Sign in (2/3)', running.baseUrl, false],
        ['Sign in (3/3)', '', true],
      ],
    );
    assert.ok(window.person.steps[2]?.prompt.includes(`${running.appUrl}/settings`));
    assert.deepEqual(
      running.requests.map(({ method, origin, path: at, query }) => [method, origin, at, query]),
      [
        ['GET', 'base', '/api/v0/computers', {}],
        ['GET', 'app', '/api/organization/maturity-level-reports', { limit: '1' }],
      ],
    );
    const { baseUrl, appUrl } = running;
    const { id, ...known } = window.connection.state.current.service ?? {};
    assert.deepEqual(known, { baseUrl, appUrl, host: hostOf(baseUrl), source: 'settings' });
    assert.match(id ?? '', /^[0-9a-f]{16}$/);
    assert.deepEqual([machine.settings.baseUrl, machine.settings.appUrl], [running.baseUrl, running.appUrl]);
    assert.deepEqual(
      [...secrets.values],
      [[`agentConsole.key:${running.baseUrl} ${running.appUrl}`, CANARY]],
    );
    assert.deepEqual(window.person.told, [`Signed in to ${hostOf(running.baseUrl)}.`]);
    assert.ok(((await window.connection.api?.list('computers'))?.items.length ?? 0) > 0);
    assert.deepEqual(window.context, {
      'agentConsole.connection': 'signedIn',
      'agentConsole.environment': false,
      'agentConsole.knownService': true,
    });
  });

  it('is signed in again in the next window without asking, and reads nothing before it is asked', async () => {
    const running = await service();
    const secrets = new SharedSecrets();
    const machine = new Machine(secrets);
    await signIn(machine.window(), running);
    const before = [secrets.reads, running.requests.length];
    const next = machine.window();
    assert.deepEqual([secrets.reads, running.requests.length], before);
    assert.deepEqual(next.context, {});
    assert.equal((await next.connection.ready()).kind, 'signedIn');
    assert.equal(running.requests.length, before[1]);
    assert.ok(next.connection.api !== undefined);
  });

  it('proposes the address of the web application, which follows the service’s until it is changed', async () => {
    const dead = await deadAddress();
    const values = async (...answers: readonly string[]): Promise<readonly string[]> => {
      const window = new Machine().window();
      window.person.answers(...answers, 'cancel');
      await window.connection.commands.signIn();
      return window.person.steps.map(({ value }) => value);
    };
    const two = 'api.two.example:8443/base/';
    assert.deepEqual(
      [await values('https://api.one.example'), await values(two)],
      [
        ['', 'https://app.one.example'],
        ['', 'https://app.two.example:8443'],
      ],
    );
    // Nothing listens there, so it is asked again from the beginning.
    assert.deepEqual(await values(dead, dead, 'key', two), [
      '',
      dead,
      '',
      dead,
      'https://app.two.example:8443',
    ]);
    const mine = 'https://mine.example';
    assert.deepEqual(await values(dead, mine, 'key', two), ['', dead, '', dead, mine]);
  });

  it('says while typing what is wrong with an address or a key', async () => {
    const window = new Machine().window();
    window.person.answers('https://api.example.com', 'https://app.example.com', 'cancel');
    await window.connection.commands.signIn();
    const [address, app, key] = window.person.steps;
    const expectations: readonly (readonly [typeof address, RegExp | undefined, ...string[]])[] = [
      [address, /not an address/, '', 'not an address'],
      [address, /must begin with https/, 'http://api.example.com', 'ftp://api.example.com'],
      [address, /^Leave out/, 'https://me:secret@api.example.com', 'https://api.example.com/?a=1'],
      [address, undefined, 'http://localhost:1234', 'http://127.0.0.1'],
      [app, /must begin with https/, 'http://app.example.com'],
      [key, /Enter the key/, '   '],
      [key, /not a key/, 'Bearer abc', 'abc\ndef', 'abc\u0007def', 'ключ', 'k\u200bey', 'x'.repeat(9000)],
      [key, undefined, '  abc-DEF_123  \n'],
    ];
    for (const [step, expected, ...texts] of expectations)
      for (const text of texts) {
        const said = step?.validate(text);
        if (expected === undefined) assert.equal(said, undefined, text);
        else assert.match(said ?? '', expected, text);
        assert.ok(said?.includes('abc') !== true);
      }
  });

  it('stores nothing when the person gives up, at any step or during the check', async () => {
    const running = await service();
    const secrets = new SharedSecrets();
    const machine = new Machine(secrets);
    const window = machine.window();
    for (const answers of [
      ['cancel'],
      [running.baseUrl, 'cancel'],
      [running.baseUrl, running.appUrl, 'cancel'],
    ]) {
      window.person.answers(...answers);
      await window.connection.commands.signIn();
    }
    window.person.cancelsProgress = true;
    window.person.answers(running.baseUrl, running.appUrl, CANARY, 'cancel');
    await window.connection.commands.signIn();
    assert.deepEqual(window.person.steps.at(-1)?.value, CANARY);
    assert.deepEqual([secrets.values.size, machine.settings.baseUrl, running.requests.length], [0, '', 0]);
    assert.equal(window.connection.state.current.kind, 'signedOut');
  });

  it('sends the key to the web application only after the service has taken it', async () => {
    const { appUrl, requests } = await service();
    const window = new Machine().window();
    window.person.answers((await service({ keys: { owner: 'x' } })).baseUrl, appUrl, CANARY, 'cancel');
    await window.connection.commands.signIn();
    assert.deepEqual(requests, []);
  });

  it('explains an access token and lets the person go on without analytics and readiness, or not', async () => {
    const running = await service();
    const { jwt } = running.keys;
    const window = new Machine().window();
    window.person.confirms(false, true).answers(running.baseUrl, running.appUrl, jwt, jwt);
    await window.connection.commands.signIn();
    assert.deepEqual(
      window.person.steps.map(({ secret }) => secret),
      [false, false, true, true],
    );
    assert.match(
      window.person.confirmed[0] ?? '',
      /access token, not an API key.*Analytics and readiness reports need an API key/,
    );
    assert.equal(window.connection.state.current.kind, 'signedIn');
    const api = window.connection.api;
    assert.ok(api);
    await assert.rejects(api.pages('reports', { limit: 1 }).next(), /unauthorized, jwt/);
    assert.equal(window.connection.state.current.kind, 'signedIn');
    assert.equal((await api.list('computers')).problems.length, 0);
  });

  it('signs in with a key that may not read computers', async () => {
    const running = await service();
    running.fail({ kind: 'status', status: 403, match: { path: '/api/v0/computers' } });
    const window = new Machine().window();
    await signIn(window, running);
    assert.equal(window.connection.state.current.kind, 'signedIn');
  });

  for (const how of ['throws', 'forgets'] as const) {
    it(`says when the secret storage ${how}, and keeps the key until the window closes`, async () => {
      const running = await service();
      const machine = new Machine(brokenSecrets(how));
      const window = machine.window();
      await signIn(window, running);
      assert.match(
        window.person.told[0] ?? '',
        /did not keep the key, so it works only until this window closes.*AGENT_CONSOLE_API_KEY/,
      );
      assert.equal((await window.connection.api?.list('computers'))?.problems.length, 0);
      const next = machine.window();
      const state = await next.connection.ready();
      assert.ok(state.kind === 'signedOut');
      assert.equal(state.reason, `There is no key for ${hostOf(running.baseUrl)}. Sign in to enter one.`);
      assert.equal(state.service?.baseUrl, running.baseUrl, 'what was stored of it can still be read');
      window.person.confirms(true);
      await window.connection.commands.signOut();
      assert.equal(window.connection.state.current.kind, 'signedOut');
    });
  }

  it('holds a key that is not kept, whatever older one the storage still has', async () => {
    const running = await service();
    const secrets = new SharedSecrets();
    const readOnly = { ...secrets.window(), store: () => Promise.reject(new Error('locked')) };
    const window = new Machine({ window: () => readOnly }).window();
    secrets.values.set(`agentConsole.key:${running.baseUrl} ${running.appUrl}`, 'an old key nobody takes');
    await signIn(window, running);
    await window.connection.api?.list('computers');
    assert.equal(running.requests.at(-1)?.credential, 'owner');
  });

  it('keeps the old connection and drops the new key when the settings cannot be written', async () => {
    const [known, running] = [await service(), await service()];
    const secrets = new SharedSecrets();
    const machine = new Machine(secrets);
    const window = machine.window();
    await signIn(window, known);
    const problem = new Error('settings.json is read-only');
    machine.settings.storing = () => Promise.reject(problem);
    window.person.answers(running.baseUrl, running.appUrl, CANARY);
    await assert.rejects(Promise.resolve(window.connection.commands.signIn()), error => error === problem);
    const state = window.connection.state.current;
    assert.equal(state.kind === 'signedIn' && state.service.baseUrl, known.baseUrl);
    assert.equal(secrets.values.size, 1);
  });

  it('never hands out or takes a key through a command', async () => {
    const running = await service();
    const window = new Machine().window();
    window.person.answers(running.baseUrl, running.appUrl, CANARY);
    const { signIn: command, showAccess, signOut, useSampleService } = window.connection.commands;
    assert.deepEqual(await Promise.all([command(OTHER_CANARY), command()]), [undefined, undefined]);
    assert.equal(window.person.steps.length, 3, 'one sign-in at a time');
    assert.equal(await showAccess(), undefined);
    window.person.confirms(true);
    assert.equal(await signOut(), undefined);
    window.person.confirms(true);
    assert.equal(await useSampleService(), undefined);
    assert.deepEqual(new Set(running.requests.map(({ credential }) => credential)), new Set(['owner']));
  });
});
