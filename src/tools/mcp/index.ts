import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once as onceOn } from 'node:events';
import * as fs from 'node:fs/promises';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { CommandHandlers } from '../../contributions';
import type { Logger } from '../../log';
import { notify, restriction } from '../../ui/window';
import { errorSentence } from '../../util/errorSentence';
import { privateFolder, replaceFile } from '../../util/files';
import { once } from '../../util/promises';
import type { WindowFocus } from '../../util/windowFocus';
import { callTool, type Tool } from '../tools';
import { lines } from './lines';
import { serve } from './mcpServer';

/** Until a program has said its token, ms. */
const PATIENCE_MS = 5_000;
/** A longer one ends the connection, UTF-16 units. */
const LONGEST_MESSAGE = 4 * 1024 * 1024;
/** Programs at a time. */
const MOST_PROGRAMS = 16;
/** Sockets have no longer names on some systems, bytes. */
const LONGEST_NAME = 103;
/** The script is called this in the folder. */
const SCRIPT = 'agent-console-mcp.js';
/** With this the editor's own program is Node. */
const AS_NODE = { ELECTRON_RUN_AS_NODE: '1' };

export interface McpDeps {
  /** Of all windows; that it is there says that programs are to be heard. */
  readonly folder: string;
  /** The files of this version. */
  readonly dist: string;
  readonly version: string;
  readonly tools: () => Promise<readonly Tool[]>;
  /** Tools that write are named to programs only then. */
  readonly mayWrite: () => boolean;
  readonly focused: WindowFocus;
  readonly log: Logger;
}

/**
 * The tools for programs that speak MCP: their own end is a small script, this window's a private socket. Every window listens from the
 * moment on that the configuration was copied, or VS Code itself has started the server; the one that had the focus last answers.
 */
export class Mcp {
  readonly #deps: McpDeps;
  readonly #endings: (() => unknown)[] = [];
  #isOver = false;
  readonly commands: CommandHandlers<'tools'> = { copyMcpConfiguration: () => this.#copyConfiguration() };

  constructor(deps: McpDeps) {
    this.#deps = deps;
  }

  /** Resolves when programs are heard. Rejects with a sentence. */
  readonly listen: () => Promise<void> = once(async () => {
    const { focused, log } = this.#deps;
    const listener = await listen(this.#deps, program => this.#serve(program));
    const touch = (): unknown =>
      focused.current &&
      listener.touch().catch((error: unknown) => log.error('Programs go elsewhere', error));
    const following = focused.onDidChange(touch);
    this.#endings.push(
      () => following.dispose(),
      () => listener.end(),
    );
    if (this.#isOver) await this.end();
    else touch();
  });

  /** Listens, and says where the script is. */
  async prepare(server: vscode.McpStdioServerDefinition): Promise<vscode.McpStdioServerDefinition> {
    await this.listen();
    server.args = [this.#script];
    server.env = AS_NODE;
    return server;
  }

  /** Ends every conversation; the programs go on with another window. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const end of this.#endings.splice(0)) await end();
  }

  get #script(): string {
    return path.join(this.#deps.folder, SCRIPT);
  }

  #serve(program: net.Socket): (line: string) => void {
    const { version, tools, mayWrite, log } = this.#deps;
    return serve(program, {
      version,
      failed: error => log.error('A program could not be answered', error),
      tools: async () => (await tools()).filter(({ writes }) => !writes || mayWrite()),
      call: async (name, input, signal) => {
        try {
          return await callTool(await tools(), name, input, signal);
        } catch (error) {
          throw new Error(errorSentence(error), { cause: error });
        }
      },
    });
  }

  async #copyConfiguration(): Promise<void> {
    await this.listen();
    // That of a server changes its place with every version.
    const isDesktop = 'electron' in process.versions;
    const server = {
      command: isDesktop ? process.execPath : 'node',
      args: [this.#script],
      ...(isDesktop ? { env: AS_NODE } : {}),
    };
    await vscode.env.clipboard.writeText(
      JSON.stringify({ mcpServers: { 'agent-console': server } }, null, 2),
    );
    notify(
      this.#deps.log,
      'info',
      vscode.l10n.t(
        'Copied. Paste it into the MCP settings of a program on this machine; it holds no key. A window of the editor must be open.',
      ),
    );
  }
}

/**
 * Listens on a socket that only this user can reach, never on a port of a network (trust.md 47), and writes its address, a random
 * token and a random proof into a file that only this user can read. Who does not begin with the token is turned away unheard; the
 * others are told the proof first, since whoever listens there once this window was killed does not know it. Rejects with a sentence
 * where that is not possible.
 */
async function listen(
  { folder, dist, log }: McpDeps,
  admit: (program: net.Socket) => (line: string) => void,
) {
  await tidy(folder, path.join(dist, 'mcpStdio.js'));
  const [id, token, proof] = [random(4), random(32), random(32)];
  const { address, made } = await placeFor(folder, id);
  const record = path.join(folder, `${id}.json`);
  const programs = new Set<net.Socket>();
  const server = net.createServer(connection => {
    programs.add(connection);
    connection.on('error', error => log.debug(`A program has gone: ${error.message}`));
    connection.on('close', () => programs.delete(connection));
    connection.setTimeout(PATIENCE_MS, () => connection.destroy());
    let hear = (line: string): void => {
      if (!isSame(line, token)) {
        log.warn('A program without the token was turned away.');
        connection.destroy();
        return;
      }
      connection.setTimeout(0);
      connection.write(`${proof}\n`);
      hear = admit(connection);
    };
    lines(connection, line => hear(line), LONGEST_MESSAGE);
  });
  server.maxConnections = MOST_PROGRAMS;
  const end = async (): Promise<void> => {
    await fs.rm(record, { force: true });
    for (const program of programs) program.destroy();
    if (server.listening) await onceOn(server.close(), 'close');
    if (made !== undefined) await fs.rm(made, { recursive: true, force: true });
  };
  try {
    await onceOn(server.listen(address), 'listening');
    server.on('error', error => log.error('Programs can no longer be heard', error));
    if (process.platform !== 'win32') await fs.chmod(address, 0o600);
    await replaceFile(record, JSON.stringify({ address, token, proof, host: os.hostname() }));
  } catch (error) {
    await end();
    throw error;
  }
  /** Programs that begin come to this window: it had the focus last. */
  const touch = (): Promise<void> => fs.utimes(record, new Date(), new Date());
  return { touch, end };
}

/** Takes as long wherever they differ. */
function isSame(said: string, token: string): boolean {
  const [one, other] = [Buffer.from(said), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const random = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Where to listen, and the folder that was made for it, if any. */
async function placeFor(folder: string, id: string): Promise<{ readonly address: string; made?: string }> {
  if (process.platform === 'win32') return { address: `\\\\.\\pipe\\agent-console-${id}` };
  const inStorage = path.join(folder, `${id}.sock`);
  if (Buffer.byteLength(inStorage) <= LONGEST_NAME) return { address: inStorage };
  if (restriction() !== undefined)
    throw new Error(
      vscode.l10n.t(
        'Other programs cannot connect here: the path of the storage is too long for a socket, and in Restricted Mode and virtual workspaces nothing is written elsewhere.',
      ),
    );
  // It is this user's alone, as `mkdtemp` makes it.
  const made = await fs.mkdtemp(path.join(os.tmpdir(), 'agent-console-'));
  return { address: path.join(made, 'mcp.sock'), made };
}

/** Makes the folder as every window wants it: private, with this version's script. */
async function tidy(folder: string, shipped: string): Promise<void> {
  await privateFolder(folder);
  const [wanted, names] = await Promise.all([fs.readFile(shipped), fs.readdir(folder)]);
  const script = path.join(folder, SCRIPT);
  if (!names.includes(SCRIPT) || !(await fs.readFile(script)).equals(wanted))
    await replaceFile(script, wanted);
}
