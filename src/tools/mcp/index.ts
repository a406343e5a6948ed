import * as path from 'node:path';
import type { Socket } from 'node:net';
import * as vscode from 'vscode';
import type { CommandHandlers } from '../../contributions';
import type { Logger } from '../../log';
import { notify } from '../../ui/notify';
import { errorSentence } from '../../util/errorSentence';
import { once } from '../../util/promises';
import type { WindowFocus } from '../../util/windowFocus';
import { callTool, type Tool } from '../tools';
import { listen, SCRIPT } from './listener';

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
 * The tools for programs that speak MCP: their own end is a small script, this window's a private socket. The SDK is loaded when the
 * first program has said the token. Every window listens from the moment on that the configuration was copied, or VS Code itself has
 * started the server; the one that had the focus last answers.
 */
export class Mcp {
  readonly #deps: McpDeps;
  readonly #endings: (() => unknown)[] = [];
  #isOver = false;
  readonly commands: CommandHandlers<'tools'>;

  constructor(deps: McpDeps) {
    this.#deps = deps;
    this.commands = { copyMcpConfiguration: () => this.#copyConfiguration() };
  }

  /** Resolves, when programs are heard, to what tells the script to come to this window. Rejects with a sentence. */
  readonly listen: () => Promise<string> = once(async () => {
    const { folder, dist, focused, log } = this.#deps;
    const shipped = path.join(dist, 'mcpStdio.js');
    const listener = await listen({ folder, shipped, log, admit: program => this.#serve(program) });
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
    return listener.id;
  });

  /** Listens, and says how the script comes to this window. */
  async prepare(server: vscode.McpStdioServerDefinition): Promise<vscode.McpStdioServerDefinition> {
    server.args = [this.#script, await this.listen()];
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

  async #serve(program: Socket): Promise<void> {
    const { version, tools, mayWrite, log } = this.#deps;
    const failed = (error: unknown): void => log.error('A program could not be answered', error);
    try {
      const { serve } = await import('./mcpServer');
      await serve(program, {
        ...{ version, failed },
        tools: async () => (await tools()).filter(({ writes }) => !writes || mayWrite()),
        call: async (name, input, signal) => {
          try {
            return await callTool(await tools(), name, input, signal);
          } catch (error) {
            throw new Error(errorSentence(error), { cause: error });
          }
        },
      });
    } catch (error) {
      failed(error);
      program.destroy();
    }
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
