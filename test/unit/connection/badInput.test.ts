import assert from 'node:assert/strict';
import {
  anyServer,
  CANARY,
  cleanUp,
  deadAddress,
  Machine,
  OTHER_CANARY,
  service,
  SharedSecrets,
  signIn,
} from './support';

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
