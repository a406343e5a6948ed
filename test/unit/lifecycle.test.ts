import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import Module, { createRequire } from 'node:module';
import * as os from 'node:os';
import * as path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { startSampleService, type SampleService } from '../../src/sample';
import { CountingEditor } from '../fakes/countingEditor';

const root = process.env.AGENT_CONSOLE_ROOT ?? process.cwd();
const ROUNDS = 50;

interface Extension {
  activate(context: object): void;
  deactivate(): Promise<void>;
}

/** The built extension as the editor starts and ends it. */
describe('the extension from its start to its end', function () {
  this.timeout(120_000);

  let folder: string;
  let service: SampleService;
  const environment = { ...process.env };

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ac-life-'));
    execFileSync(process.execPath, ['esbuild.js', '--production', '--dist', path.join(folder, 'dist')], {
      cwd: root,
    });
    service = await startSampleService({ pace: 0 });
    process.env['AGENT_CONSOLE_BASE_URL'] = service.baseUrl;
    process.env['AGENT_CONSOLE_APP_URL'] = service.appUrl;
    process.env['AGENT_CONSOLE_API_KEY'] = service.apiKey;
  });
  after(async () => {
    process.env = environment;
    await service.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it(`leaves nothing behind after ${ROUNDS} times, and each end takes less than a second`, async () => {
    const editor = new CountingEditor();
    const extension = load(path.join(folder, 'dist', 'extension.js'), editor.vscode);
    const held = new Map<number, string>();
    let made = 0;
    const hook = createHook({
      init: (id, type) => {
        const maker =
          /FSEVENT|STATWATCHER|Timeout|PROCESSWRAP|TCPSERVER|WORKER/.test(type) && makerOf(folder);
        if (maker) made++;
        if (maker) held.set(id, `${type} ${maker}`);
      },
      destroy: id => void held.delete(id),
    });
    const [{ id: computerId }] = (await listed('/api/v0/computers'))['computers'] as [{ id: string }];
    const round = async (): Promise<number> => {
      const subscriptions: { dispose(): unknown }[] = [];
      extension.activate(context(subscriptions));
      assert.ok(editor.alive.size > 50, 'the surface is there');
      const rows = await Promise.all([...editor.trees.values()].map(tree => tree.getChildren()));
      assert.ok(rows.every(Array.isArray));
      const run = (command: string, ...args: unknown[]): unknown =>
        editor.commands.get(`agentConsole.${command}`)?.(...args);
      await run('usage.open');
      await run('sessions.open', await run('sessions.create', { computerId }));
      await run('readiness.openReport');
      await run('refresh');
      const began = performance.now();
      await extension.deactivate();
      const took = performance.now() - began;
      for (const subscription of subscriptions.reverse()) subscription.dispose();
      return took;
    };
    await round();
    hook.enable();
    const times: number[] = [];
    for (let count = 0; count < ROUNDS; count++) times.push(await round());
    for (let turn = 0; turn < 1_000 && held.size > 0; turn++) await setImmediate();
    hook.disable();
    assert.ok(Math.max(...times) < 1_000, `the longest end took ${Math.max(...times)} ms`);
    assert.deepEqual(editor.errors, []);
    assert.equal(summary(editor.alive.values()), '');
    assert.ok(made > ROUNDS, `only ${made} were seen`);
    // The last round may still be ending; what is left behind by each one is there many times.
    assert.equal(summary(held.values()), '');
  });

  it('ends in less than a second while the service answers nothing', async () => {
    const editor = new CountingEditor();
    const extension = load(path.join(folder, 'dist', 'extension.js'), editor.vscode);
    const fault = service.fail({ kind: 'delay', ms: 60_000 });
    const arrived = new Promise<void>(resolve => void service.onDidReceive(() => resolve()));
    const subscriptions: { dispose(): unknown }[] = [];
    extension.activate(context(subscriptions));
    const asked = [...editor.trees.values()].map(tree => tree.getChildren());
    await arrived;
    const began = performance.now();
    await extension.deactivate();
    assert.ok(performance.now() - began < 1_000, `it took ${performance.now() - began} ms`);
    for (const subscription of subscriptions.reverse()) subscription.dispose();
    await Promise.allSettled(asked);
    fault.dispose();
    assert.deepEqual([...editor.alive.values()], []);
  });

  async function listed(call: string): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const answer = await fetch(`${service.baseUrl}${call}`, { headers });
    return (await answer.json()) as Record<string, unknown>;
  }

  function context(subscriptions: { dispose(): unknown }[]): object {
    const uri = (fsPath: string): object => ({ fsPath, path: fsPath, scheme: 'file' });
    const memory = { get: (_: string, otherwise: unknown) => otherwise, update: () => Promise.resolve() };
    return {
      subscriptions,
      globalStorageUri: uri(path.join(folder, 'storage')),
      extensionUri: uri(root),
      extensionPath: root,
      extension: { id: 'agent-console.agent-console', packageJSON: { version: '0.0.0' } },
      workspaceState: memory,
      globalState: memory,
      secrets: {
        get: () => Promise.resolve(undefined),
        store: () => Promise.resolve(),
        delete: () => Promise.resolve(),
        onDidChange: () => ({ dispose: () => undefined }),
      },
    };
  }
});

/** A built file, anew, with `vscode` in place of the editor's. */
function load(file: string, vscode: object): Extension {
  const loader = Module as unknown as { _load: (request: string, ...rest: unknown[]) => unknown };
  const real = loader._load;
  // Rooms are loaded later, so this stays; nobody else asks for it by that name.
  loader._load = (request, ...rest) => (request === 'vscode' ? vscode : real.call(loader, request, ...rest));
  const require = createRequire(file);
  for (const known of Object.keys(require.cache)) {
    if (path.dirname(known) === path.dirname(file)) Reflect.deleteProperty(require.cache, known);
  }
  return require(file) as Extension;
}

/** The line below `folder` that is making something now; none for what Node keeps for its connections. */
function makerOf(folder: string): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 40;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return stack.includes('deps/undici')
    ? undefined
    : stack
        .split('\n')
        .find(line => line.includes(folder))
        ?.trim();
}

function summary(names: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
}
