import assert from 'node:assert/strict';
import { SAMPLE } from '../../../src/connection/decide';
import { until } from '../../until';
import { cleanUp, Machine, service, signIn, type Window, signedIn } from './support';

describe('the sample', () => {
  const network = globalThis.fetch;
  afterEach(async () => {
    globalThis.fetch = network;
    await cleanUp();
  });

  async function useSample(window: Window): Promise<void> {
    window.person.confirms(true);
    await window.connection.commands.useSampleService();
    assert.equal(addressOf(window), SAMPLE.baseUrl);
  }

  function addressOf(window: Window): string | undefined {
    const { current } = window.connection.state;
    return current.kind === 'signedIn' ? current.service.baseUrl : undefined;
  }

  async function createSession(window: Window): Promise<string> {
    const { api } = window.connection;
    assert.ok(api);
    const { items } = await api.list('computers');
    const computer = items.find(({ status }) => status === 'active');
    assert.ok(computer);
    return (await api.createSession({ computerId: computer.id })).sessionId;
  }

  async function has(window: Window, sessionId: string): Promise<boolean> {
    return (await window.connection.api?.one('session', { ids: { sessionId } }))?.sessionId === sessionId;
  }

  it('is chosen by a command, labelled, and works without network, account or secret', async () => {
    const machine = new Machine();
    globalThis.fetch = () => assert.fail('The sample asked the network.');
    const window = machine.window();
    await useSample(window);
    const { current } = window.connection.state;
    assert.ok(current.kind === 'signedIn');
    const { id, host, source } = current.service;
    assert.deepEqual([id, host, source], ['sample', 'Sample service', 'sample']);
    await createSession(window);
    const reports = await window.connection.api?.pages('reports').next();
    assert.ok(JSON.stringify(reports?.value).includes('open/one'));
    assert.deepEqual(window.person.told, [
      'This is sample data, generated on this machine. Nothing leaves it.',
    ]);
    assert.deepEqual(await machine.secrets.window().keys(), []);
  });

  it('is chosen for all windows, which see the same sessions, now and at the next start', async () => {
    const machine = new Machine();
    const [first, second] = [machine.window(), machine.window()];
    await second.connection.ready();
    await useSample(first);
    await until(second.connection.state.onDidChange, () => addressOf(second) === SAMPLE.baseUrl);
    const sessions = [await createSession(first), await createSession(second)];
    for (const window of [first, second]) {
      for (const session of sessions) assert.ok(await has(window, session));
    }
    first.connection.dispose();
    second.connection.dispose();
    const next = machine.window();
    await next.connection.ready();
    assert.equal(addressOf(next), SAMPLE.baseUrl);
    for (const session of sessions) assert.ok(await has(next, session));
  });

  it('leads back to the service before it, whose key it leaves alone', async () => {
    const { running, window } = await signedIn();
    window.person.confirms(false);
    await window.connection.commands.useSampleService();
    assert.equal(addressOf(window), running.baseUrl);
    assert.match(window.person.confirmed[0] ?? '', /^Show sample data instead of 127\.0\.0\.1:\d+\?/);
    await useSample(window);
    window.person.confirms(true);
    await window.connection.commands.signOut();
    assert.equal(addressOf(window), running.baseUrl);
    assert.match(
      window.person.told.at(-1) ?? '',
      /^Signed out of Sample service\. Back to 127\.0\.0\.1:\d+\.$/,
    );
  });

  it('is left in all windows when one leaves it or signs in to a real service', async () => {
    const running = await service();
    const machine = new Machine();
    const [first, second] = [machine.window(), machine.window()];
    const follows = (address: string | undefined): Promise<void> =>
      until(first.connection.state.onDidChange, () => addressOf(first) === address);
    await useSample(first);
    await second.connection.ready();
    second.person.confirms(true);
    await second.connection.commands.signOut();
    assert.equal(second.connection.state.current.kind, 'signedOut');
    await follows(undefined);
    await useSample(first);
    await signIn(second, running);
    await follows(running.baseUrl);
    assert.notEqual(first.connection.state.current.service?.source, 'sample');
  });
});
