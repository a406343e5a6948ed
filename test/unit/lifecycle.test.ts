import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import type { AgentConsole } from '../../api';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import type * as fake from '../fakes/vscode';
import { until } from '../until';
import { root, temporaryFolder } from '../vscode/paths';

const manifest: unknown = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
const ROUNDS = 10;
/** Longer than any test may take. */
const NEVER = 3_600_000;

interface Extension {
  activate(context: object): AgentConsole;
  deactivate(): Promise<void>;
}

/** The built extension as the editor starts and ends it. */
describe('the extension from its start to its end', function () {
  const [environment, { stackTraceLimit }] = [{ ...process.env }, Error];
  let folder: string;
  let service: SampleService;
  let editor: typeof fake;
  let extension: Extension;

  before(async () => {
    folder = temporaryFolder('lifecycle');
    const dist = path.join(folder, 'dist');
    fs.cpSync(path.join(root, 'dist'), dist, { recursive: true });
    const outfile = path.join(folder, 'node_modules', 'vscode', 'index.js');
    const entry = path.join(root, 'test/fakes/vscode.ts');
    buildSync({ entryPoints: [entry], outfile, bundle: true, format: 'cjs', platform: 'node' });
    const load = createRequire(path.join(dist, 'extension.js'));
    editor = load('vscode') as typeof fake;
    Object.assign(editor.window, { state: { focused: true, active: true } });
    extension = load('./extension.js') as Extension;
    service = await startSampleService({ pace: 0 });
    Error.stackTraceLimit = 40;
    Object.assign(process.env, {
      AGENT_CONSOLE_BASE_URL: service.baseUrl,
      AGENT_CONSOLE_APP_URL: service.appUrl,
      AGENT_CONSOLE_API_KEY: service.apiKey,
    });
  });
  after(async () => {
    [process.env, Error.stackTraceLimit] = [environment, stackTraceLimit];
    await service.close();
  });

  const left = (): string => summary([...editor.alive.values()].map(({ name }) => name));

  /** The extension with what it has registered, until it is ended. */
  function activated() {
    const subscriptions: { dispose(): unknown }[] = [];
    const exported = extension.activate(context(subscriptions));
    const given = (call: string) =>
      [...editor.alive.values()].flatMap(each => (each.name === call ? [each.given] : []));
    const trees = given('window.createTreeView').map(
      ([, options]) =>
        (options as { treeDataProvider: { getChildren(): Promise<unknown> } }).treeDataProvider,
    );
    const run = (command: string, ...args: unknown[]): unknown => {
      const [, act] =
        given('commands.registerCommand').find(([id]) => id === `agentConsole.${command}`) ?? [];
      return (act as (...args: unknown[]) => unknown)(...args);
    };
    const end = async (): Promise<void> => {
      await extension.deactivate();
      for (const subscription of subscriptions.reverse()) subscription.dispose();
    };
    return { exported, trees, run, end };
  }

  it(`leaves nothing behind after ${ROUNDS} times`, async () => {
    const held = new Map<number, string>();
    let made = 0;
    const hook = createHook({
      init: (id, type) => {
        const maker = /FSEVENT|STATWATCHER|Timeout|PROCESSWRAP|SERVER|WORKER/.test(type) && makerOf(folder);
        if (maker) made++;
        if (maker) held.set(id, `${type} ${maker}`);
      },
      destroy: id => void held.delete(id),
    });
    const { computers } = await service.ask<{ computers: { id: string }[] }>('/api/v0/computers');
    const round = async (): Promise<void> => {
      const { exported, trees, run, end } = activated();
      assert.ok(editor.alive.size > 50, 'the surface is there');
      const rows = await Promise.all(trees.map(tree => tree.getChildren()));
      assert.ok(rows.length > 3 && rows.every(Array.isArray));
      await run('usage.open');
      await run('sessions.open', await run('sessions.create', { computerId: computers[0]?.id }));
      await run('readiness.openReport');
      await run('refresh');
      assert.equal((await (await exported.getApi(1)).sessions()).length > 0, true);
      await run('tools.copyMcpConfiguration');
      const script = path.join(folder, 'storage', 'mcp', 'agent-console-mcp.js');
      assert.match(await namesOfTools(script), /"description":"Maximum number/);
      await end();
    };
    await round();
    hook.enable();
    for (let count = 0; count < ROUNDS; count++) await round();
    // A thread takes a while to end. A timer does not, and one that is left behind must not run out meanwhile.
    await until(() => [...held.values()].every(each => each.startsWith('Timeout'))).catch(() => undefined);
    for (let turn = 0; turn < 1_000 && held.size > 0; turn++) await setImmediate();
    hook.disable();
    assert.equal(editor.acts.includes('window.showErrorMessage'), false, editor.told.join());
    assert.equal(left(), '');
    assert.ok(made > ROUNDS, `only ${made} were seen`);
    assert.equal(summary(held.values()), '');
  });

  it('ends while the service answers nothing', async () => {
    const fault = service.fail({ kind: 'delay', ms: NEVER });
    const arrived = new Promise<void>(resolve => void service.onDidReceive(() => resolve()));
    const { trees, end } = activated();
    const asked = trees.map(tree => tree.getChildren());
    await arrived;
    await end();
    await Promise.allSettled(asked);
    fault.dispose();
    assert.equal(left(), '');
  });

  function context(subscriptions: { dispose(): unknown }[]): object {
    const uri = (fsPath: string): object => ({ fsPath, path: fsPath, scheme: 'file' });
    const memory = { get: (_: string, otherwise: unknown) => otherwise, update: () => Promise.resolve() };
    const nothing = () => Promise.resolve(undefined);
    const onDidChange = () => ({ dispose: () => undefined });
    return {
      subscriptions,
      globalStorageUri: uri(path.join(folder, 'storage')),
      extensionUri: uri(root),
      extensionPath: root,
      extension: { id: 'agent-console.agent-console', packageJSON: manifest },
      workspaceState: memory,
      globalState: memory,
      secrets: { get: nothing, store: nothing, delete: nothing, onDidChange },
    };
  }
});

/** What a program is told that asks for the tools over MCP. */
async function namesOfTools(script: string): Promise<string> {
  const program = spawn(process.execPath, [script]);
  program.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`);
  let told = '';
  program.stdout.on('data', (bytes: Buffer) => (told += bytes.toString()));
  await once(program, 'close');
  return told;
}

/** The line below `folder` that is making something now; none for what Node keeps for its connections. */
function makerOf(folder: string): string | undefined {
  const { stack = '' } = new Error();
  const lines = stack.includes('deps/undici') ? [] : stack.split('\n');
  return lines.find(line => line.includes(folder))?.trim();
}

function summary(names: Iterable<string>): string {
  const groups = Map.groupBy(names, name => name);
  return [...groups].map(([name, all]) => `${all.length} ${name}`).join(', ');
}
