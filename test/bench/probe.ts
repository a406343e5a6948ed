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
  /** Of loading, and of the call of `activate`. */
  readonly took: number;
  readonly heap: number;
  readonly rss: number;
  /** During both. */
  readonly connections: number;
  readonly secretsRead: number;
  readonly filesRead: number;
}

interface Extension {
  activate(this: void, context: vscode.ExtensionContext): unknown;
}

/**
 * The entry of `extensionTestsPath` in a fresh extension host: activates the one extension under development, timed around
 * VS Code's own loader, and writes an `Activation` to AGENT_CONSOLE_BENCH_RESULT.
 */
export async function run(): Promise<void> {
  fs.writeFileSync(process.env['AGENT_CONSOLE_BENCH_RESULT'] ?? '', JSON.stringify(await measure()));
}

const counts = { connections: 0, secretsRead: 0, filesRead: 0 };

async function measure(): Promise<Activation> {
  const staged = process.env['AGENT_CONSOLE_BENCH_STAGE'] ?? '';
  const extension = vscode.extensions.all.find(({ extensionPath }) => extensionPath.startsWith(staged));
  if (extension?.isActive !== false) throw new Error(`No extension below ${staged} waits to be activated.`);
  const { main: entry } = extension.packageJSON as { main: string };
  const main = require.resolve(path.join(extension.extensionPath, entry));
  // The garbage collector as a function, which the host does not show by itself.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const memory = (): NodeJS.MemoryUsage => {
    collect();
    collect();
    return process.memoryUsage();
  };
  const before = memory();
  let took = 0;
  /** Nothing else runs in between. */
  const timed = <T>(work: () => T): T => {
    const stop = watch(main);
    const began = performance.now();
    const result = work();
    took += performance.now() - began;
    stop();
    return result;
  };
  const loader = Module as unknown as { _load: (request: string, ...rest: unknown[]) => unknown };
  const load = loader._load;
  loader._load = (request, ...rest) => {
    if (request !== main) return load.call(Module, request, ...rest);
    const { activate, ...exported } = timed(() => load.call(Module, request, ...rest) as Extension);
    return {
      ...exported,
      activate: (context: vscode.ExtensionContext) => timed(() => activate(counted(context))),
    };
  };
  await extension.activate();
  loader._load = load;
  const after = memory();
  const [heap, rss] = [after.heapUsed - before.heapUsed, after.rss - before.rss];
  return { pid: process.pid, took, heap, rss, ...counts };
}

/** Counts what is read (but for `main` itself) and connected until the returned function is called. */
function watch(main: string): () => void {
  const read = (file: unknown): unknown => file !== main && counts.filesRead++;
  const connected = (): unknown => counts.connections++;
  const reading = 'readFile readFileSync open openSync readdir readdirSync createReadStream'.split(' ');
  const restore = [
    ...[fs, fs.promises].flatMap(target => reading.map(name => count(target, name, read))),
    count(net.Socket.prototype, 'connect', connected),
    count(globalThis, 'fetch', connected),
  ];
  return () => restore.forEach(undo => undo());
}

function count(target: object, name: string, tick: (first: unknown) => unknown): () => void {
  const holder = target as Record<string, (...args: unknown[]) => unknown>;
  const original = holder[name];
  if (!original) return () => undefined;
  holder[name] = function (this: unknown, ...args: unknown[]) {
    tick(args[0]);
    return original.apply(this, args);
  };
  return () => (holder[name] = original);
}

function counted(context: vscode.ExtensionContext): vscode.ExtensionContext {
  const get = (key: string) => {
    counts.secretsRead++;
    return context.secrets.get(key);
  };
  const { onDidChange } = context.secrets;
  const own = { get: { value: get }, onDidChange: { value: onDidChange } };
  const secrets = Object.create(context.secrets, own) as vscode.SecretStorage;
  return Object.create(context, { secrets: { value: secrets } }) as vscode.ExtensionContext;
}
