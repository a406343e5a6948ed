import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import Module, { createRequire, registerHooks } from 'node:module';
import * as os from 'node:os';
import * as path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { AgentConsole } from '../../api';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { EventEmitter } from '../fakes/vscode';

const root = process.env.AGENT_CONSOLE_ROOT ?? process.cwd();
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
  let folder: string;
  let service: SampleService;
  const environment = { ...process.env };

  before(async () => {
    standInForVscode();
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

  it(`leaves nothing behind after ${ROUNDS} times`, async () => {
    const editor = new CountingEditor();
    const extension = load(path.join(folder, 'dist'), editor.vscode);
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
    const [{ id: computerId }] = (await service.ask<Record<string, unknown>>('/api/v0/computers'))[
      'computers'
    ] as [{ id: string }];
    const round = async (): Promise<void> => {
      const subscriptions: { dispose(): unknown }[] = [];
      const exported = extension.activate(context(subscriptions));
      assert.ok(editor.alive.size > 50, 'the surface is there');
      const rows = await Promise.all([...editor.trees.values()].map(tree => tree.getChildren()));
      assert.ok(rows.every(Array.isArray));
      const run = (command: string, ...args: unknown[]): unknown => {
        const found = editor.commands.get(`agentConsole.${command}`);
        assert.ok(found, `there is no command ${command}`);
        return found(...args);
      };
      await run('usage.open');
      await run('sessions.open', await run('sessions.create', { computerId }));
      await run('readiness.openReport');
      await run('refresh');
      assert.equal((await (await exported.getApi(1)).sessions()).length > 0, true);
      await run('tools.copyMcpConfiguration');
      assert.match(
        await namesOfTools(path.join(folder, 'storage', 'mcp', 'agent-console-mcp.js')),
        /"description":"At most so many/,
      );
      await extension.deactivate();
      for (const subscription of subscriptions.reverse()) subscription.dispose();
    };
    await round();
    hook.enable();
    for (let count = 0; count < ROUNDS; count++) await round();
    for (let turn = 0; turn < 1_000 && held.size > 0; turn++) await setImmediate();
    hook.disable();
    assert.deepEqual(editor.errors, []);
    assert.equal(summary(editor.alive.values()), '');
    assert.ok(made > ROUNDS, `only ${made} were seen`);
    // The last round may still be ending; what is left behind by each one is there many times.
    assert.equal(summary(held.values()), '');
  });

  it('ends while the service answers nothing', async () => {
    const editor = new CountingEditor();
    const extension = load(path.join(folder, 'dist'), editor.vscode);
    const fault = service.fail({ kind: 'delay', ms: NEVER });
    const arrived = new Promise<void>(resolve => void service.onDidReceive(() => resolve()));
    const subscriptions: { dispose(): unknown }[] = [];
    extension.activate(context(subscriptions));
    const asked = [...editor.trees.values()].map(tree => tree.getChildren());
    await arrived;
    await extension.deactivate();
    for (const subscription of subscriptions.reverse()) subscription.dispose();
    await Promise.allSettled(asked);
    fault.dispose();
    assert.deepEqual([...editor.alive.values()], []);
  });

  function context(subscriptions: { dispose(): unknown }[]): object {
    const uri = (fsPath: string): object => ({ fsPath, path: fsPath, scheme: 'file' });
    const memory = { get: (_: string, otherwise: unknown) => otherwise, update: () => Promise.resolve() };
    return {
      subscriptions,
      globalStorageUri: uri(path.join(folder, 'storage')),
      extensionUri: uri(root),
      extensionPath: root,
      extension: { id: 'agent-console.agent-console', packageJSON: manifest },
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

/** What a program is told that asks for the tools over MCP. */
async function namesOfTools(script: string): Promise<string> {
  const program = spawn(process.execPath, [script]);
  program.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`);
  let told = '';
  program.stdout.on('data', (bytes: Buffer) => (told += bytes.toString()));
  await once(program, 'close');
  return told;
}

/** The built extension below `dist`, loaded anew from a copy of its own, with `vscode` in place of the editor's. */
function load(dist: string, vscode: object): Extension {
  const copy = fs.mkdtempSync(`${dist}-`);
  fs.cpSync(dist, copy, { recursive: true });
  editors.set(copy, vscode);
  return createRequire(copy)(path.join(copy, 'extension.js')) as Extension;
}

/** Editors by the folder of the extension that sees them. */
const editors = new Map<string, object>();
const editorOf = (importer = ''): string | undefined =>
  [...editors.keys()].find(folder => importer.includes(folder));

/** Once for all: what is loaded later asks for `vscode` later. Modules name what they import of it, so its names must be known. */
function standInForVscode(): void {
  const types = fs.readFileSync(path.join(root, 'node_modules/@types/vscode/index.d.ts'), 'utf8');
  const names = [...types.matchAll(/^\texport (?:abstract )?(?:namespace|class|enum|const) (\w+)/gm)].map(
    ([, name]) => name ?? '',
  );
  Object.assign(globalThis, { editors });
  const resolved = (folder: string): string =>
    `data:text/javascript,const editor = editors.get(${JSON.stringify(folder)});${[...new Set(names)]
      .map(name => `export const ${name} = editor.${name};`)
      .join('')}`;
  registerHooks({
    resolve: (specifier, context, next) => {
      const folder = specifier === 'vscode' ? editorOf(context.parentURL) : undefined;
      return folder === undefined
        ? next(specifier, context)
        : { url: resolved(folder), format: 'module', shortCircuit: true };
    },
  });
  const loader = Module as unknown as { _load: (request: string, parent?: { filename: string }) => unknown };
  const real = loader._load;
  loader._load = (...args) =>
    args[0] === 'vscode' ? editors.get(editorOf(args[1]?.filename) ?? '') : real.apply(loader, args);
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

/**
 * A stand-in for the whole of `vscode` that lets the built extension run in plain Node: what it creates, registers and listens to
 * is counted until it is disposed of, everything else does nothing.
 */
class CountingEditor {
  /** Made and not disposed of, by the name of the call. Panels are the editor's own. */
  readonly alive = new Map<object, string>();
  /** Told to the person. */
  readonly errors: string[] = [];
  readonly commands = new Map<string, (...args: unknown[]) => unknown>();
  /** Row providers by view. */
  readonly trees = new Map<string, { getChildren(): Promise<unknown> }>();
  readonly vscode: object;

  constructor() {
    const values: Readonly<Record<string, unknown>> = {
      EventEmitter,
      Disposable: Object.assign(
        class {
          constructor(readonly dispose: () => unknown) {}
        },
        {
          from: (...parts: { dispose(): unknown }[]) => ({
            dispose: () => parts.forEach(part => part.dispose()),
          }),
        },
      ),
      'l10n.t': (message: string) => message,
      'env.language': 'en',
      'env.uriScheme': 'editor',
      'env.remoteName': undefined,
      'window.state': { focused: true, active: true },
      'window.activeTextEditor': undefined,
      'window.visibleTextEditors': [],
      'window.terminals': [],
      'window.tabGroups.all': [],
      'workspace.isTrusted': true,
      'workspace.workspaceFolders': undefined,
      'workspace.workspaceFile': undefined,
      'workspace.getConfiguration': () => ({
        get: (_: string, otherwise: unknown) => otherwise,
        inspect: () => undefined,
        has: () => false,
        update: () => Promise.resolve(),
      }),
      'extensions.getExtension': () => undefined,
      'commands.registerCommand': (id: string, run: (...args: unknown[]) => unknown) => {
        this.commands.set(id, run);
        return this.#counted(`command ${id}`);
      },
      'window.createTreeView': (id: string, { treeDataProvider }: { treeDataProvider: never }) => {
        this.trees.set(id, treeDataProvider);
        return this.#counted(`view ${id}`, { visible: true });
      },
      'window.showErrorMessage': (message: string) => {
        this.errors.push(message);
        return Promise.resolve();
      },
      'window.createWebviewPanel': () =>
        this.#any('panel', {
          'panel.visible': true,
          'panel.title': 'A page',
          'panel.webview.cspSource': 'self',
        }),
      'window.withProgress': (_: unknown, task: (...args: unknown[]) => unknown) =>
        task(
          { report: () => undefined },
          { isCancellationRequested: false, onCancellationRequested: () => this.#counted('token') },
        ),
    };
    this.vscode = this.#any('', values);
  }

  /** Whatever is asked of it: a function that returns another such thing, or for `create…`, `register…` and `on…` a counted one. */
  #any(path: string, values: Readonly<Record<string, unknown>> = {}): object {
    const parts = new Map<string | symbol, unknown>();
    return new Proxy(function () {}, {
      get: (_, name) => {
        if (parts.has(name)) return parts.get(name);
        if (typeof name === 'symbol' || name === 'then') return undefined;
        const inner = path === '' ? name : `${path}.${name}`;
        if (inner in values) return values[inner];
        const part = /^(?:create|register|on)[A-Z]/.test(name)
          ? () => this.#counted(inner)
          : this.#any(inner, values);
        parts.set(name, part);
        return part;
      },
      set: (_, name, value) => {
        parts.set(name, value);
        return true;
      },
      apply: () => Promise.resolve(undefined),
      construct: (_, args: unknown[]) => Object.assign(this.#any(path) as Record<string, unknown>, { args }),
    });
  }

  /** What listens to a thing goes with it. */
  #counted(name: string, values: Readonly<Record<string, unknown>> = {}): object {
    const dispose = (): void => {
      this.alive.delete(made);
      for (const [other, of] of this.alive) if (of.startsWith(`${name}.`)) this.alive.delete(other);
    };
    const made = this.#any(name, { [`${name}.dispose`]: dispose });
    for (const [key, value] of Object.entries(values)) Object.assign(made, { [key]: value });
    this.alive.set(made, name);
    return made;
  }
}
