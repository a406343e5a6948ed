/**
 * What another program starts to speak MCP with Agent Console, in plain Node: it lies in the folder where each window of the editor
 * that listens has written its address and token, and carries lines between its own standard input and output and one of them, first
 * that which had the focus last. What listens at an address of a window that was killed hears nothing but the token, unless it says
 * the proof. When a window closes, what was asked of it is answered with an error, and the next line goes to the next window.
 */
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { lines } from './lines';

const folder = __dirname;
/** For a window to prove that it is one, ms: a stopped one never does. */
const PATIENCE_MS = 10_000;
/** What says for certain that the window is gone: elsewhere an address may only be hidden from this program. */
const GONE = process.platform === 'win32' ? 'ENOENT' : 'ECONNREFUSED';

/** What was asked and has no answer yet. */
const asked = new Set<unknown>();
let socket: net.Socket | undefined;
let isOver = false;

/** What windows that listen have written, the one to try first at the beginning. */
function records(): readonly string[] {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const found = names.filter(name => /^[\da-f]+\.json$/.test(name));
  const focusedAt = (name: string): number =>
    fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return found.sort((one, other) => focusedAt(other) - focusedAt(one)).map(name => path.join(folder, name));
}

/** A connection to the first window that takes one; what others left that were killed is taken away. */
async function connect(): Promise<net.Socket | undefined> {
  for (const record of records()) {
    let address = '';
    try {
      const stored = JSON.parse(fs.readFileSync(record, 'utf8')) as Readonly<Record<string, string>>;
      // A home may be on several machines.
      if (stored['host'] !== os.hostname()) continue;
      address = stored['address'] ?? '';
      const made = net.connect(address);
      made.write(`${stored['token'] ?? ''}\n`);
      await hear(made, stored['proof']);
      return made;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== GONE || address === '') continue;
      // A program that may not write here leaves them.
      for (const file of [record, address]) fs.rm(file, { force: true }, () => undefined);
    }
  }
  return undefined;
}

async function forward(line: string): Promise<void> {
  const { id, method, params } = read(line);
  if (id !== undefined && method !== undefined) asked.add(id);
  if (method === 'notifications/cancelled') asked.delete(params?.requestId);
  socket ??= await connect();
  if (socket !== undefined) socket.write(`${line}\n`);
  else refuse('No window of the editor with Agent Console is open on this machine. Open one and ask again.');
}

/** Carries back what a window says; resolves when it has said the proof, and rejects where it does not. */
function hear(from: net.Socket, proof: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let isKnown = false;
    from.setTimeout(PATIENCE_MS, () => from.destroy());
    lines(from, line => {
      if (!isKnown && line === proof) {
        isKnown = true;
        from.setTimeout(0);
        resolve();
        return;
      }
      if (!isKnown) return void from.destroy();
      const { id, method } = read(line);
      process.stdout.write(`${line}\n`);
      if (method === undefined) asked.delete(id);
      endWhenDone();
    });
    from.on('error', reject);
    from.on('close', () => {
      reject(new Error('It is no window.'));
      if (!isKnown) return;
      socket = undefined;
      refuse(
        'The window of the editor has closed, so what it did is not known. Ask again: another one answers.',
      );
    });
  });
}

/** Answers all that is still asked with a sentence. */
function refuse(message: string): void {
  for (const id of asked)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message } })}\n`);
  asked.clear();
  endWhenDone();
}

function endWhenDone(): void {
  if (isOver && asked.size === 0) socket?.end();
}

interface Line {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown } | null;
}

/** What a line is about; what is no message is nobody's question. */
function read(line: string): Line {
  try {
    return (JSON.parse(line) ?? {}) as Line;
  } catch {
    return {};
  }
}

let work: Promise<unknown> = Promise.resolve();
const next = (act: () => unknown): unknown => (work = work.then(act));
lines(process.stdin, line => void next(() => forward(line)));
process.stdin.on('end', () => {
  void next(() => {
    isOver = true;
    endWhenDone();
  });
});
// Nobody is there to be answered.
process.stdout.on('error', () => process.exit());
