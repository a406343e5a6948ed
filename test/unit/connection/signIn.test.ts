import assert from 'node:assert/strict';
import {
  CANARY,
  Machine,
  OTHER_CANARY,
  SharedSecrets,
  anyServer,
  brokenSecrets,
  cleanUp,
  deadAddress,
  hostOf,
  service,
  signIn,
  signedIn,
} from './support';

describe('signing in', function () {
  afterEach(cleanUp);

  it('asks for two addresses and a key, checks both with one call each, and stores them', async () => {
    const { running, secrets, machine, window } = await signedIn();

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

/** Each says at the step where it can be fixed what is wrong; what was typed stays, and nothing known is lost. */
describe('signing in with bad input', function () {
  afterEach(cleanUp);

  interface Pair {
    readonly baseUrl: string;
    readonly appUrl: string;
  }
  type Case = readonly [addresses: () => Promise<Pair>, step: number, sentence: RegExp, key?: string];

  const ok = async (): Promise<Pair> => {
    const { baseUrl, appUrl } = await service();
    return { baseUrl, appUrl };
  };
  const baseIs = (make: () => Promise<string>) => async () => ({ ...(await ok()), baseUrl: await make() });
  const appIs = (make: () => Promise<string>) => async () => ({ ...(await ok()), appUrl: await make() });
  const answering = (status: number, type: string, body: string) => () =>
    anyServer((_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
  const page = answering(200, 'text/html', '<!doctype html><title>Welcome</title>');
  const json = (status: number, body = '{}') => answering(status, 'application/json', body);
  const nowhere = /^127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\. Check the address, its port/;
  const door = /^Something other than the service refused the request to .* \(403\)\. Check the address/;

  const cases: Record<string, Case> = {
    'a host that does not exist': [
      baseIs(() => Promise.resolve('https://no-such-host.invalid')),
      1,
      /^no-such-host\.invalid cannot be reached \(ENOTFOUND\)\. Check the address/,
    ],
    'a port where nothing listens': [baseIs(deadAddress), 1, nowhere],
    'a web page': [
      baseIs(page),
      1,
      /did not answer the way this service should \(200, html\)\. Check the address/,
    ],
    'a service of another kind (404)': [
      baseIs(json(404)),
      1,
      /answered, but it is not an agent service: it has no computers \(404\)\. Check the address\.$/,
    ],
    'a door that refuses everybody': [baseIs(answering(403, 'text/plain', 'Forbidden.')), 1, door],
    'a firewall before the web application': [appIs(answering(403, 'text/html', '<p>Blocked')), 2, door],
    'a service that is down': [
      baseIs(json(503, '{"title":"Down","requestId":"req_9"}')),
      1,
      /\(503, request req_9\)\. Try again/,
    ],
    'a key nobody knows': [
      ok,
      3,
      /^The key was not accepted by 127\.0\.0\.1:\d+ \(401, request [^)]+\)\. Enter it again or check/,
      'wrong-key',
    ],
    'a web application where nothing listens': [appIs(deadAddress), 2, nowhere],
    'a web application that is only a page': [
      appIs(page),
      2,
      /did not answer the way this service should \(200, html\)/,
    ],
    'a web application of another kind': [
      appIs(json(404)),
      2,
      /it is not the web application of 127\.0\.0\.1:\d+: it has no readiness reports \(404\)/,
    ],
    'a web application of another organization': [
      appIs(async () => (await service({ keys: { owner: OTHER_CANARY } })).appUrl),
      3,
      /accepted the key, but the web application at 127\.0\.0\.1:\d+ did not \(401, request .*with another address/,
    ],
  };

  for (const [name, [addresses, step, sentence, key = CANARY]] of Object.entries(cases)) {
    it(name, async () => {
      const secrets = new SharedSecrets();
      const machine = new Machine(secrets);
      const window = machine.window();
      const known = await service();
      await signIn(window, known);
      const { current } = window.connection.state;
      const kept = [...secrets.values];
      const { baseUrl, appUrl } = await addresses();
      window.person.steps.length = 0;
      window.person.answers(baseUrl, appUrl, key, 'cancel');
      await window.connection.commands.signIn();

      const shown = window.person.steps.at(-1);
      assert.equal(shown?.title, `Sign in (${step}/3)`, shown?.problem);
      assert.match(shown.problem ?? '', sentence);
      assert.equal(shown.value, [baseUrl, appUrl, key][step - 1]);
      assert.equal(window.connection.state.current, current);
      assert.deepEqual([...secrets.values], kept);
      assert.equal(machine.settings.baseUrl, known.baseUrl);
      assert.equal((await window.connection.api?.list('computers'))?.problems.length, 0);
    });
  }

  it('lets the person fix it and continue', async () => {
    const running = await service();
    const window = new Machine().window();
    window.person.answers(await deadAddress(), running.appUrl, 'wrong');
    window.person.answers(running.baseUrl, running.appUrl, step => step.value);
    window.person.answers(CANARY);
    await window.connection.commands.signIn();
    assert.deepEqual(
      window.person.steps.map(({ title, problem }) => [Number(/\d/.exec(title)?.[0]), problem === undefined]),
      [
        [1, true],
        [2, true],
        [3, true],
        [1, false],
        [2, true],
        [3, true],
        [3, false],
      ],
    );
    assert.equal(window.connection.state.current.kind, 'signedIn');
  });
});
