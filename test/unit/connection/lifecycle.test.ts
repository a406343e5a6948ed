import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { cleanUp, Machine, service, SharedSecrets, signIn } from './support';

describe('the end of a window', function () {
  afterEach(cleanUp);

  it('gives up requests under way at once', async () => {
    const running = await service();
    const window = new Machine().window();
    await signIn(window, running);
    running.fail({ kind: 'delay', ms: 60_000 });
    const arrived = new Promise<void>(resolve => void running.onDidReceive(() => resolve()));
    const request = window.connection.api?.list('computers');
    const outcome = assert.rejects(Promise.resolve(request), /cancelled/);
    await arrived;
    window.connection.dispose();
    await outcome;
  });

  it('changes nothing afterwards, whatever happens elsewhere', async () => {
    const running = await service();
    const secrets = new SharedSecrets();
    const machine = new Machine(secrets);
    const [gone, other] = [machine.window(), machine.window()];
    await signIn(gone, running);
    gone.connection.dispose();
    const { current } = gone.connection.state;
    const context = { ...gone.context };
    await other.connection.ready();
    other.person.confirms(true);
    await other.connection.commands.signOut();
    machine.settings.set({ baseUrl: 'https://api.example.com', appUrl: '' });
    await gone.connection.ready();
    assert.deepEqual([gone.connection.state.current, gone.context], [current, context]);
  });

  it('leaves no timer, watcher or socket of the connection behind', async () => {
    const running = await service();
    const machine = new Machine();
    const first = machine.window();
    await signIn(first, running);
    first.connection.dispose();
    first.storage.dispose();
    await setImmediate();
    const alive = new Map<number, string>();
    const hook = createHook({
      init: (id, type) => {
        if (/FSEVENT|Timeout|TCPSERVER/.test(type)) alive.set(id, type);
      },
      destroy: id => void alive.delete(id),
    }).enable();
    for (let round = 0; round < 10; round++) {
      const window = machine.window();
      await window.connection.ready();
      machine.settings.set({ baseUrl: running.baseUrl, appUrl: running.appUrl });
      window.connection.dispose();
      window.storage.dispose();
    }
    for (let turn = 0; turn < 1000 && alive.size > 0; turn++) await setImmediate();
    hook.disable();
    assert.deepEqual([...alive.values()], []);
  });
});
