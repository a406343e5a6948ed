import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { makeCertificate } from '../../fakes/certificate';
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

/** Each says at the step where it can be mended what is wrong; what was typed stays, and nothing known is lost. */
describe('signing in with bad input', function () {
  afterEach(cleanUp);

  interface Case {
    readonly addresses: () => Promise<{ baseUrl: string; appUrl: string }>;
    readonly key?: string;
    readonly step: number;
    readonly sentence: RegExp;
  }

  const ok = async (): Promise<{ baseUrl: string; appUrl: string }> => {
    const { baseUrl, appUrl } = await service();
    return { baseUrl, appUrl };
  };
  const baseIs = (make: () => Promise<string>) => async () => ({ ...(await ok()), baseUrl: await make() });
  const appIs = (make: () => Promise<string>) => async () => ({ ...(await ok()), appUrl: await make() });
  const answering =
    (status: number, type: string, body: string, headers = {}) =>
    () =>
      anyServer((_request, response) => {
        response.writeHead(status, { 'content-type': type, ...headers }).end(body);
      });
  const page = answering(200, 'text/html', '<!doctype html><title>Welcome</title>');
  const selfSigned = async (): Promise<string> => {
    const { key, cert } = makeCertificate({ name: 'self', ip: [127, 0, 0, 1] });
    const server = createSecureServer({ key, cert }) as unknown as Server;
    return (await anyServer((_request, response) => response.end(), server)).replace('http:', 'https:');
  };

  const cases: Record<string, Case> = {
    'a host that does not exist': {
      addresses: baseIs(() => Promise.resolve('https://no-such-host.invalid')),
      step: 1,
      sentence: /^There is no host no-such-host\.invalid\. Check the address and the network\.$/,
    },
    'a port where nothing listens': {
      addresses: baseIs(deadAddress),
      step: 1,
      sentence: /^Nothing answers at 127\.0\.0\.1:\d+\. Check the address and its port\.$/,
    },
    'a web page': {
      addresses: baseIs(page),
      step: 1,
      sentence: /answered with a web page \(200\).*Check the address/,
    },
    'a service of another kind (404)': {
      addresses: baseIs(answering(404, 'application/json', '{}')),
      step: 1,
      sentence:
        /answers, but is not this service: it knows nothing of computers \(404\)\. Check the address\.$/,
    },
    'a door that refuses everybody (403 in plain text)': {
      addresses: baseIs(answering(403, 'text/plain', 'Forbidden.')),
      step: 1,
      sentence: /refuses entry \(403\), and not in the words of this service\. Check the address/,
    },
    'a firewall before the web application (403 page)': {
      addresses: appIs(answering(403, 'text/html', '<!doctype html><title>Blocked</title>')),
      step: 2,
      sentence: /refuses entry \(403\), and not in the words of this service\. Check the address/,
    },
    'another JSON service': {
      addresses: baseIs(answering(200, 'application/json', '{"hello":"world"}')),
      step: 1,
      sentence: /answered, but not as this service does.*Check the address/,
    },
    'a redirect': {
      addresses: baseIs(answering(302, 'text/plain', '', { location: 'https://elsewhere.example/' })),
      step: 1,
      sentence: /points to another address.*Nothing was sent there/,
    },
    'a self-signed certificate': {
      addresses: baseIs(selfSigned),
      step: 1,
      sentence: /certificate of 127\.0\.0\.1:\d+ is signed by nobody this machine trusts\. Add/,
    },
    'https where there is only http': {
      addresses: async () => {
        const { baseUrl, appUrl } = await ok();
        return { baseUrl: baseUrl.replace('http:', 'https:'), appUrl };
      },
      step: 1,
      sentence: /No secure connection to/,
    },
    'a service that is down': {
      addresses: baseIs(answering(503, 'application/json', '{"title":"Down","requestId":"req_9"}')),
      step: 1,
      sentence: /has a problem of its own \(503, request req_9\)\. Try again/,
    },
    'a service that is busy': {
      addresses: baseIs(answering(429, 'application/json', '{}', { 'retry-after': '3600' })),
      step: 1,
      sentence: /wants no further requests before .* \(429\)\. Try again then\.$/,
    },
    'a key nobody knows': {
      addresses: ok,
      key: 'wrong-key',
      step: 3,
      sentence:
        /^The key was not accepted by 127\.0\.0\.1:\d+ \(401, request [^)]+\)\. Enter it again or check it in the web application\.$/,
    },
    'a web application where nothing listens': {
      addresses: appIs(deadAddress),
      step: 2,
      sentence: /^Nothing answers at 127\.0\.0\.1:\d+\. Check the address and its port\.$/,
    },
    'a web application that is only a page': {
      addresses: appIs(page),
      step: 2,
      sentence: /answered with a web page/,
    },
    'a web application of another kind': {
      addresses: appIs(answering(404, 'application/json', '{}')),
      step: 2,
      sentence:
        /answers, but is not the web application of 127\.0\.0\.1:\d+: it knows nothing of readiness reports \(404\)/,
    },
    'a web application with a self-signed certificate': {
      addresses: appIs(selfSigned),
      step: 2,
      sentence: /is signed by nobody this machine trusts/,
    },
    'a web application of another organization': {
      addresses: async () => ({
        ...(await ok()),
        appUrl: (await service({ keys: { owner: OTHER_CANARY } })).appUrl,
      }),
      step: 3,
      sentence:
        /accepted the key, and the web application at 127\.0\.0\.1:\d+ did not \(401, request .*go back and check the address/,
    },
  };

  for (const [name, { addresses, key = CANARY, step, sentence }] of Object.entries(cases)) {
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
      assert.equal(shown?.step, step, shown?.problem);
      assert.match(shown.problem ?? '', sentence);
      assert.equal(shown.value, [baseUrl, appUrl, key][step - 1]);
      assert.equal(window.connection.state.current, current);
      assert.deepEqual([...secrets.values], kept);
      assert.equal(machine.settings.baseUrl, known.baseUrl);
      assert.equal((await window.connection.api?.computers.list())?.problems.length, 0);
    });
  }

  it('lets the person mend it and go on', async () => {
    const running = await service();
    const window = new Machine().window();
    window.person.answers(await deadAddress(), running.appUrl, 'wrong');
    window.person.answers(running.baseUrl, running.appUrl, step => step.value);
    window.person.answers(CANARY);
    await window.connection.commands.signIn();
    assert.deepEqual(
      window.person.steps.map(({ step, problem }) => [step, problem === undefined]),
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
