import fs from 'node:fs';
import Module from 'node:module';
import * as net from 'node:net';
import * as path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as vscode from 'vscode';

/** What one cold activation cost; times in ms, memory in bytes. */
export interface Activation {
  readonly pid: number;
  readonly loadMs: number;
  readonly callMs: number;
  readonly resolvedMs: number;
  readonly heap: number;
  readonly rss: number;
  /** During loading and the call of `activate`. */
  readonly connections: number;
  readonly secretsRead: number;
  readonly filesRead: number;
}

export interface Failure {
  readonly error: string;
}

type Load = (request: string, parent: unknown, isMain: boolean) => unknown;
interface Extension {
  activate(this: void, context: vscode.ExtensionContext): unknown;
}

/**
 * The entry of `extensionTestsPath` in a fresh extension host: activates the one extension under development, timed around
 * VS Code's own loader, and writes an `Activation` or a `Failure` to AGENT_CONSOLE_BENCH_RESULT.
 */
export async function run(): Promise<void> {
  const result = await measure().catch((error: unknown): Failure => ({ error: String(error) }));
  fs.writeFileSync(process.env['AGENT_CONSOLE_BENCH_RESULT'] ?? '', JSON.stringify(result));
}

async function measure(): Promise<Activation> {
  const staged = process.env['AGENT_CONSOLE_BENCH_STAGE'] ?? '';
  const extension = vscode.extensions.all.find(({ extensionPath }) => extensionPath.startsWith(staged));
  if (!extension) throw new Error(`No extension below ${staged} is there.`);
  if (extension.isActive) throw new Error('The extension is active already.');
  const main = require.resolve(
    path.join(extension.extensionPath, (extension.packageJSON as { main: string }).main),
  );

  const collect = collector();
  const counts = { connections: 0, secretsRead: 0, filesRead: 0 };
  const times = { loadMs: 0, callMs: 0, resolvedMs: 0 };
  const before = memory(collect);
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = (request, parent, isMain) => {
    if (request !== main) return load.call(Module, request, parent, isMain);
    const stop = watch(counts, main);
    const began = performance.now();
    const exported = load.call(Module, request, parent, isMain) as Extension;
    times.loadMs = performance.now() - began;
    stop();
    const { activate } = exported;
    return {
      ...exported,
      activate(context: vscode.ExtensionContext) {
        const counted = countSecrets(context, counts);
        const stopCall = watch(counts, main);
        const called = performance.now();
        const result = activate(counted);
        times.callMs = performance.now() - called;
        stopCall();
        void Promise.resolve(result).finally(() => (times.resolvedMs = performance.now() - called));
        return result;
      },
    };
  };
  await extension.activate();
  loader._load = load;
  const after = memory(collect);
  return {
    pid: process.pid,
    ...times,
    heap: after.heapUsed - before.heapUsed,
    rss: after.rss - before.rss,
    ...counts,
  };
}

function memory(collect: () => void): NodeJS.MemoryUsage {
  collect();
  collect();
  return process.memoryUsage();
}

/** The garbage collector as a function, which the host does not show by itself. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

interface Counts {
  connections: number;
  filesRead: number;
}

/** Counts what is read (but for `main` itself) and connected until the returned function is called; nothing else runs in between. */
function watch(counts: Counts, main: string): () => void {
  const fileRead = (file: unknown) => {
    if (file !== main) counts.filesRead++;
  };
  const restore = [
    ...(
      ['readFile', 'readFileSync', 'open', 'openSync', 'readdir', 'readdirSync', 'createReadStream'] as const
    ).map(name => count(fs, name, fileRead)),
    ...(['readFile', 'open', 'readdir'] as const).map(name => count(fs.promises, name, fileRead)),
    count(net.Socket.prototype, 'connect', () => counts.connections++),
    count(globalThis, 'fetch', () => counts.connections++),
  ];
  return () => {
    for (const undo of restore) undo();
  };
}

function count(target: object, name: string, tick: (first: unknown) => void): () => void {
  const holder = target as Record<string, (...args: unknown[]) => unknown>;
  const original = holder[name];
  if (!original) return () => undefined;
  holder[name] = function (this: unknown, ...args: unknown[]) {
    tick(args[0]);
    return original.apply(this, args);
  };
  return () => {
    holder[name] = original;
  };
}

function countSecrets(
  context: vscode.ExtensionContext,
  counts: { secretsRead: number },
): vscode.ExtensionContext {
  const { secrets } = context;
  const counted = Object.create(secrets, {
    get: {
      value: (key: string) => {
        counts.secretsRead++;
        return secrets.get(key);
      },
    },
    onDidChange: { value: secrets.onDidChange },
  }) as vscode.SecretStorage;
  return Object.create(context, { secrets: { value: counted } }) as vscode.ExtensionContext;
}
