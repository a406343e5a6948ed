import fs from 'node:fs';
import Module from 'node:module';
import * as net from 'node:net';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { collectGarbage } from '../growth';

/** What one cold activation cost; times in ms, memory in bytes. */
export interface Activation {
  readonly pid: number;
  /** Of loading, and of the call of `activate`. */
  readonly took: number;
  readonly heap: number;
  /** Connections, secrets and files, during both. */
  readonly reached: number;
}

interface Extension {
  activate(this: void, context: vscode.ExtensionContext): unknown;
}

/** Activates the one extension under development in a fresh host, timed around VS Code's own loader, and writes an `Activation`. */
export async function run(): Promise<void> {
  fs.writeFileSync(process.env['AGENT_CONSOLE_BENCH_RESULT'] ?? '', JSON.stringify(await measure()));
}

let reached = 0;

async function measure(): Promise<Activation> {
  const staged = process.env['AGENT_CONSOLE_BENCH_STAGE'] ?? '';
  const extension = vscode.extensions.all.find(({ extensionPath }) => extensionPath.startsWith(staged));
  if (extension?.isActive !== false) throw new Error(`No extension below ${staged} waits to be activated.`);
  const { main: entry } = extension.packageJSON as { main: string };
  const main = require.resolve(path.join(extension.extensionPath, entry));
  const memory = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
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
  return { pid: process.pid, took, heap: memory() - before, reached };
}

/** Counts what is read (but for `main` itself) and connected until the returned function is called. */
function watch(main: string): () => void {
  const reading = 'readFile readFileSync open openSync readdir readdirSync createReadStream'.split(' ');
  const restore = [
    ...[fs, fs.promises].flatMap(target => reading.map(name => count(target, name, main))),
    ...[count(net.Socket.prototype, 'connect', main), count(globalThis, 'fetch', main)],
  ];
  return () => restore.forEach(undo => undo());
}

function count(target: object, name: string, main: string): () => void {
  const holder = target as Record<string, (...args: unknown[]) => unknown>;
  const original = holder[name];
  if (!original) return () => undefined;
  holder[name] = function (this: unknown, ...args: unknown[]) {
    if (args[0] !== main) reached++;
    return original.apply(this, args);
  };
  return () => (holder[name] = original);
}

function counted(context: vscode.ExtensionContext): vscode.ExtensionContext {
  const get = (key: string) => {
    reached++;
    return context.secrets.get(key);
  };
  const { onDidChange } = context.secrets;
  const own = { get: { value: get }, onDidChange: { value: onDidChange } };
  const secrets = Object.create(context.secrets, own) as vscode.SecretStorage;
  return Object.create(context, { secrets: { value: secrets } }) as vscode.ExtensionContext;
}
