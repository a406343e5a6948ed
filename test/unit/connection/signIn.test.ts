import assert from 'node:assert/strict';
import {
  begin,
  CANARY,
  deadAddress,
  hostOf,
  Machine,
  OTHER_CANARY,
  SecretStore,
  serverOf,
  service,
  signedIn,
} from './support';

describe('signing in', function () {
  it('asks for two addresses and a key, checks both with one call each, and stores them for the next window, which reads nothing before it is asked', async () => {
    const { running, secrets, machine, window } = await begin();
    const { baseUrl, appUrl } = running;
    const { connection, context, person } = window;
    const contexts = (state: string, known: boolean) => ({
      'agentConsole.connection': state,
      'agentConsole.environment': false,
      'agentConsole.knownService': known,
    });
    assert.deepEqual(await connection.ready(), { kind: 'signedOut' });
    assert.deepEqual([connection.api, context], [undefined, contexts('signedOut', false)]);
    const kept = new Set<string>();
    Object.assign(window.log, { keepOut: (key: string) => kept.add(key) });
    await window.signIn(running, ` ${CANARY}\n`);
    assert.deepEqual(kept, new Set([CANARY]), 'the log never holds it');
    assert.deepEqual(person.asked, ['1/3 ', `2/3 ${baseUrl}`, '3/3 (secret, 0)']);
    assert.ok(person.steps[2]?.prompt.includes(`${appUrl}/settings`));
    const sent = running.requests.map(({ method, origin, path, query }) => [method, origin, path, query]);
    assert.deepEqual(sent, [
      ['GET', 'base', '/api/v0/computers', {}],
      ['GET', 'app', '/api/organization/maturity-level-reports', { limit: '1' }],
    ]);
    const { id, ...known } = connection.state.current.service ?? {};
    assert.deepEqual(known, { baseUrl, appUrl, host: hostOf(baseUrl), source: 'settings' });
    assert.match(id ?? '', /^[0-9a-f]{16}$/);
    assert.deepEqual(machine.settings.now, { baseUrl, appUrl });
    assert.deepEqual([...secrets.values], [[`agentConsole.key:${baseUrl} ${appUrl}`, CANARY]]);
    assert.deepEqual(person.told, [`Signed in to ${hostOf(baseUrl)}.`]);
    assert.ok(await window.isServed());
    assert.deepEqual(context, contexts('signedIn', true));
    const [host, appHost] = [hostOf(baseUrl), hostOf(appUrl)];
    const diagnostics = ['Connection: signedIn', 'Source: settings', `Service: ${host}`];
    diagnostics.push(`Web application: ${appHost}`, 'Environment variables set: none');
    assert.deepEqual(connection.diagnostics().split('\n').slice(0, 5), diagnostics);

    const before = [secrets.reads, running.requests.length];
    const next = machine.window();
    assert.deepEqual([secrets.reads, running.requests.length, next.context], [...before, {}]);
    assert.equal((await next.connection.ready()).kind, 'signedIn');
    assert.deepEqual([running.requests.length, next.person.steps], [before[1], []]);
  });

  it('proposes the address of the web application, which follows the service’s until it is changed', async () => {
    const dead = await deadAddress();
    const [two, mine] = ['api.two.example:8443/base/', 'https://mine.example'];
    for (const [answers, ...proposed] of [
      [['https://api.one.example'], 'https://app.one.example'],
      [[two], 'https://app.two.example:8443'],
      [['https://agents.example.com/api'], 'https://agents.example.com/api'],
      // Nothing listens there, so it is asked again from the beginning.
      [[dead, dead, 'key', two], dead, '', dead, 'https://app.two.example:8443'],
      [[dead, mine, 'key', two], dead, '', dead, mine],
    ] as const) {
      const window = new Machine().window();
      await window.enter(...answers, 'cancel');
      const values = window.person.steps.map(({ value }) => value);
      assert.deepEqual(values, ['', ...proposed]);
    }
  });

  it('says while typing what is wrong with an address or a key, and stores nothing when the person gives up, also during the check', async () => {
    const { running, secrets, machine, window } = await begin();
    const { baseUrl, appUrl, requests } = running;
    for (const answers of [[], [baseUrl], [baseUrl, appUrl]]) await window.enter(...answers, 'cancel');
    const [address, app, key] = window.person.steps.slice(-3);
    for (const [step, expected, ...texts] of [
      [address, /not an address/, '', 'not an address'],
      [address, /^$/, 'http://localhost:1234'],
      [app, /must begin with https/, 'http://app.example.com'],
      [key, /Enter the key/, '   '],
      [key, /not a key/, 'Bearer abc', 'abc\ndef', 'abc\u0007def', 'ключ', 'k\u200bey', 'x'.repeat(9000)],
      [key, /^$/, '  abc-DEF_123  \n'],
    ] as const)
      for (const text of texts) {
        const said = step?.validate(text) ?? '';
        assert.match(said, expected, text);
        assert.ok(!said.includes('abc'));
      }
    window.person.cancelsProgress = true;
    await window.enter(baseUrl, appUrl, CANARY, 'cancel');
    assert.equal(window.person.steps.at(-1)?.value, CANARY);
    assert.deepEqual([secrets.values.size, machine.settings.now.baseUrl, requests.length], [0, '', 0]);
    assert.equal(window.kind, 'signedOut');
  });

  for (const how of ['throws', 'forgets'] as const)
    it(`says when the secret storage ${how}, and keeps the key until the window closes, whatever older one is stored`, async () => {
      const { running, secrets, machine, window } = await begin(new SecretStore(how));
      const { baseUrl, appUrl } = running;
      await window.signIn(running);
      const said = /did not keep the key, so it works only until this window closes.*AGENT_CONSOLE_API_KEY/;
      assert.match(window.person.told[0] ?? '', said);
      assert.ok(await window.isServed());
      const state = await machine.window().connection.ready();
      assert.ok(state.kind === 'signedOut');
      assert.equal(state.reason, `There is no key for ${hostOf(baseUrl)}. Sign in to enter one.`);
      assert.equal(state.service?.baseUrl, baseUrl, 'what was stored of it can still be read');
      await window.signOut();
      assert.equal(window.kind, 'signedOut');
      secrets.values.set(`agentConsole.key:${baseUrl} ${appUrl}`, 'an old key nobody takes');
      await window.signIn(running);
      assert.ok(await window.isServed());
    });

  it('keeps the old connection and drops the new key when the settings cannot be written', async () => {
    const { running: known, secrets, machine, window } = await signedIn();
    const problem = new Error('settings.json is read-only');
    const { store } = machine.settings;
    machine.settings.store = () => Promise.reject(problem);
    await assert.rejects(window.signIn(await service()), error => error === problem);
    assert.deepEqual([window.address, secrets.values.size], [known.baseUrl, 1]);
    machine.settings.store = store;
    const other = await service();
    await window.signIn(other);
    assert.equal(window.address, other.baseUrl, 'with the same key');
  });

  it('never hands out or takes a key through a command, and asks one question at a time', async () => {
    const { running, window } = await begin();
    window.person.answers.push(running.baseUrl, running.appUrl, CANARY);
    const { signIn: command, showAccess, signOut, useSampleService } = window.connection.commands;
    const said = [...(await Promise.all([command(OTHER_CANARY), command()])), await showAccess()];
    assert.equal(window.person.steps.length, 3);
    window.person.sure.push(true, true);
    said.push(await signOut(), await useSampleService());
    assert.deepEqual(new Set(said), new Set([undefined]));
    assert.deepEqual(new Set(running.requests.map(({ credential }) => credential)), new Set(['owner']));
  });
});

describe('signing in with bad input says at the step where it can be fixed what is wrong; what was typed stays, and nothing known is lost:', function () {
  const ofOthers = async () => (await service({ keys: { owner: OTHER_CANARY } })).appUrl;
  /** Something else answers, which has no ids of requests. */
  const answering = (status: number, body: object | string = {}) => {
    const type = { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json' };
    const fault = { kind: 'answer', status, body, headers: { ...type, 'x-request-id': '' } } as const;
    return async () => (await serverOf(fault)).origin;
  };
  const down = answering(503, { requestId: 'req_9' });
  const nowhere = /^127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\. Check the address, its port/;
  const door = /^A proxy or firewall refused access to .* \(403\)\. Check the address/;
  const refused = /^The key was not accepted by .*\(401, request [^)]+\)\. Enter it/;
  const notAgents =
    /does not look like an agent service: it lists no computers \(404\)\. Check the address\.$/;
  const notOurs = /did not answer the way this service should \(200, html\)\. Check the address/;
  const notApp =
    /does not look like its web application: it lists no readiness reports \(404\)\. Check the address\.$/;
  const notApps =
    /accepted the key, but the web application at .* did not \(401, request .*with another address/;

  for (const [name, at, make, step, sentence] of [
    ['a port where nothing listens', 'base', deadAddress, 1, nowhere],
    ['a service of another kind', 'base', answering(404), 1, notAgents],
    ['a door that refuses everybody', 'base', answering(403, '<p>Blocked'), 1, door],
    ['a service that is down', 'base', down, 1, /\(503, request req_9\)\. Try again/],
    ['a key nobody knows', 'base', ofOthers, 3, refused],
    ['a web application where nothing listens', 'app', deadAddress, 2, nowhere],
    ['a firewall before it', 'app', answering(403, '<p>Blocked'), 2, door],
    ['only a page', 'app', answering(200, '<title>Hi</title>'), 2, notOurs],
    ['another web application', 'app', answering(404), 2, notApp],
    ['that of another organization', 'app', ofOthers, 3, notApps],
  ] as const)
    it(name, async () => {
      const { secrets, machine, window, running: known } = await signedIn();
      const { current } = window.connection.state;
      const kept = [...secrets.values];
      const good = await service();
      const bad = await make();
      const typed = at === 'base' ? [bad, good.appUrl, CANARY] : [good.baseUrl, bad, CANARY];
      await window.enter(...typed, 'cancel');

      const shown = window.person.steps.at(-1);
      assert.equal(shown?.title, `Sign in (${step}/3)`, shown?.problem);
      assert.match(shown.problem ?? '', sentence);
      assert.equal(shown.value, typed[step - 1]);
      if (at === 'base') assert.deepEqual(good.requests, [], 'the web application is asked second');
      assert.equal(window.connection.state.current, current);
      assert.deepEqual([[...secrets.values], machine.settings.now.baseUrl], [kept, known.baseUrl]);
      assert.ok(await window.isServed());
    });
});
