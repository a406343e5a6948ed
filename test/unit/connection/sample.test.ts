import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cleanUp, later, Machine, service, signIn, until, type Window } from './support';

describe('the sample service', function () {
  afterEach(cleanUp);

  async function useSample(window: Window): Promise<void> {
    window.person.confirms(true);
    await window.connection.commands.useSampleService();
    assert.equal(window.connection.state.current.kind, 'signedIn');
  }

  function addressOf(window: Window): string {
    const { current } = window.connection.state;
    assert.ok(current.kind === 'signedIn');
    return current.service.baseUrl;
  }

  async function computers(window: Window): Promise<number> {
    return (await window.connection.api?.computers.list())?.items.length ?? 0;
  }

  const serves = (window: Window): boolean =>
    window.connection.diagnostics().includes('served by this window');

  it('is started by a command, labelled, on loopback, and works', async () => {
    const window = new Machine().window();
    await useSample(window);
    const { current } = window.connection.state;
    assert.ok(current.kind === 'signedIn');
    assert.deepEqual(
      [current.service.id, current.service.host, current.service.source],
      ['sample', 'Sample service', 'sample'],
    );
    assert.match(current.service.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.ok((await computers(window)) > 0);
    const reports = await window.connection.api?.readiness.reports().next();
    assert.ok(JSON.stringify(reports?.value).includes('open/one'));
    assert.deepEqual(window.person.told, [
      'This is sample data, generated on this machine. Nothing leaves it.',
    ]);
  });

  it('is one service for all windows, which follow the choice', async () => {
    const machine = new Machine();
    const [first, second] = [machine.window(), machine.window()];
    await second.connection.ready();
    await useSample(first);
    await until(
      second.connection.state.onDidChange,
      () => second.connection.state.current.kind === 'signedIn',
    );
    assert.equal(addressOf(second), addressOf(first));
    assert.deepEqual([serves(first), serves(second)], [true, false]);
    const session = await createSession(first);
    assert.equal((await second.connection.api?.sessions.get(session))?.sessionId, session);
  });

  it('is taken over on the same ports, with its sessions, when the window that serves it goes away', async () => {
    const machine = new Machine();
    const windows = [machine.window(), machine.window(), machine.window()];
    const [first, second, third] = windows as [Window, Window, Window];
    await useSample(first);
    await second.connection.ready();
    await third.connection.ready();
    const session = await createSession(first);
    const address = addressOf(first);
    await first.connection.close();
    const found = await Promise.all(
      [second, third].map(async window => (await window.connection.api?.sessions.get(session))?.sessionId),
    );
    assert.deepEqual(found, [session, session]);
    assert.deepEqual([addressOf(second), addressOf(third)], [address, address]);
    assert.equal([second, third].filter(serves).length, 1);
  });

  it('has the same ports and sessions at the next start', async () => {
    const machine = new Machine();
    const first = machine.window();
    await useSample(first);
    const address = addressOf(first);
    const session = await createSession(first);
    await first.connection.close();
    const next = machine.window();
    await next.connection.ready();
    assert.equal(addressOf(next), address);
    assert.equal((await next.connection.api?.sessions.get(session))?.sessionId, session);
  });

  it('moves to other ports when another program has taken its own', async () => {
    const machine = new Machine();
    const first = machine.window();
    await useSample(first);
    const address = addressOf(first);
    await first.connection.close();
    const stranger = createServer((_request, response) => response.end('{"computers":"mine"}'));
    await new Promise<void>(resolve => stranger.listen(Number(new URL(address).port), '127.0.0.1', resolve));
    later(() => {
      stranger.closeAllConnections();
      stranger.close();
    });
    const next = machine.window();
    await next.connection.ready();
    assert.notEqual(addressOf(next), address);
    assert.ok((await computers(next)) > 0);
    const third = machine.window();
    await third.connection.ready();
    assert.equal(addressOf(third), addressOf(next));
    assert.ok((stranger.address() as AddressInfo | null) !== null);
  });

  it('is started once when many windows ask at the same moment', async () => {
    const machine = new Machine();
    const windows = Array.from({ length: 4 }, () => machine.window());
    await Promise.all(windows.map(useSample));
    assert.equal(new Set(windows.map(addressOf)).size, 1);
    assert.equal(windows.filter(serves).length, 1);
    for (const window of windows) assert.ok((await computers(window)) > 0);
  });

  it('leads back to the service before it, whose key it leaves alone', async () => {
    const running = await service();
    const machine = new Machine();
    const window = machine.window();
    await signIn(window, running);
    window.person.confirms(false);
    await window.connection.commands.useSampleService();
    assert.equal(addressOf(window), running.baseUrl);
    assert.match(window.person.confirmed[0] ?? '', /^Show sample data instead of 127\.0\.0\.1:\d+\?/);
    await useSample(window);
    const sample = addressOf(window);
    assert.notEqual(sample, running.baseUrl);
    window.person.confirms(true);
    await window.connection.commands.signOut();
    assert.equal(addressOf(window), running.baseUrl);
    assert.match(
      window.person.told.at(-1) ?? '',
      /^Signed out of Sample service; back at 127\.0\.0\.1:\d+\.$/,
    );
    await assert.rejects(fetch(`${sample}/api/v0/computers`));
  });

  it('is left in all windows, and stops being served, when one leaves it', async () => {
    const machine = new Machine();
    const [first, second] = [machine.window(), machine.window()];
    await useSample(first);
    await second.connection.ready();
    const address = addressOf(first);
    second.person.confirms(true);
    await second.connection.commands.signOut();
    assert.equal(second.connection.state.current.kind, 'signedOut');
    await until(
      first.connection.state.onDidChange,
      () => first.connection.state.current.kind === 'signedOut',
    );
    assert.equal(serves(first), false);
    await assert.rejects(fetch(`${address}/api/v0/computers`));
  });

  it('gives way to a real service one signs in to', async () => {
    const running = await service();
    const machine = new Machine();
    const [first, second] = [machine.window(), machine.window()];
    await useSample(first);
    await second.connection.ready();
    await signIn(second, running);
    assert.equal(addressOf(second), running.baseUrl);
    await until(
      first.connection.state.onDidChange,
      () => first.connection.state.current.kind === 'signedIn' && addressOf(first) === running.baseUrl,
    );
    assert.notEqual(first.connection.state.current.service?.source, 'sample');
  });

  it('ends within a second with its window', async () => {
    const window = new Machine().window();
    await useSample(window);
    const address = addressOf(window);
    const began = performance.now();
    await window.connection.close();
    assert.ok(performance.now() - began < 1000);
    await assert.rejects(fetch(`${address}/api/v0/computers`));
    assert.equal(
      window.connection.api === undefined || window.connection.state.current.kind === 'signedIn',
      true,
    );
  });

  async function createSession(window: Window): Promise<string> {
    const api = window.connection.api;
    assert.ok(api);
    const { items } = await api.computers.list();
    const computer = items.find(({ status }) => status === 'active');
    assert.ok(computer);
    return (await api.sessions.create({ computerId: computer.id })).sessionId;
  }
});
