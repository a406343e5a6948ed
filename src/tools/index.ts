import * as vscode from 'vscode';
import type { AgentConsoleApi } from '../../api';
import { Disposable } from '../util/lifecycle';
import { withSignal } from '../util/promises';
import type { ToolsDeps } from './deps';
import { Permissions, PublicApi } from './publicApi';
import { readTools } from './read';
import { callTool, Words, type Tool } from './tools';
import { writeTools } from './write';

export type { ToolsDeps } from './deps';
export type { Tool, ToolAnswer } from './tools';
export { endPermissions } from './publicApi';
export { callTool } from './tools';

/** In package.json the names of tools, which all extensions share, begin with this. */
const PREFIX = 'agentConsole_';

/** What assistants and other extensions may ask of this product, all of it defined once. */
export class Tools extends Disposable {
  readonly all: readonly Tool[];
  readonly #publicApi: () => PublicApi;

  constructor(deps: ToolsDeps) {
    super();
    const words = new Words(text => deps.log.clean(text));
    const permissions = new Permissions(deps);
    const [reading, writing] = [readTools(deps, words, permissions), writeTools(deps, words)];
    const does: Readonly<Record<string, Pick<Tool, 'input' | 'run'> | undefined>> = {
      ...reading,
      ...writing,
    };
    this.all = deps.called.flatMap(called => {
      const { displayName: title, modelDescription: description, inputSchema } = called;
      const name = called.name.slice(PREFIX.length);
      const tool = does[name];
      return tool ? [{ ...tool, name, title, description, inputSchema, writes: name in writing }] : [];
    });
    let made: PublicApi | undefined;
    this.#publicApi = () => (made ??= this.register(new PublicApi(deps, words, permissions)));
  }

  /** Uses a tool for a chat of this window; `name` as package.json has it. */
  async invoke(
    name: string,
    input: unknown,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const own = name.slice(PREFIX.length);
    const { text } = await withSignal(token, signal => callTool(this.all, own, input, signal));
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
  }

  /** For other extensions; rejects for a version that is not there. */
  async apiOf(version: unknown): Promise<AgentConsoleApi> {
    if (version !== 1)
      throw new Error(vscode.l10n.t('This build of Agent Console has version 1 of its API.'));
    await this.#publicApi().follow();
    return this.#publicApi().api;
  }
}
