import * as vscode from 'vscode';
import type { AgentConsoleApi } from '../../api';
import type { Connection } from '../connection';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { confirmed } from '../ui/notify';
import { Disposable } from '../util/disposable';
import { once, withSignal } from '../util/promises';
import { forNotification } from '../util/text';
import { Permissions } from './permissions';
import { PublicApi, type PublicApiDeps } from './publicApi';
import { readTools } from './read';
import type { Sources } from './sources';
import { callTool, type Tool } from './tools';
import { Words } from './words';
import { writeTools, type WriteDeps } from './write';

export type { Tool, ToolAnswer } from './tools';
export { callTool } from './tools';

export interface ToolsDeps
  extends Pick<PublicApiDeps, 'open' | 'prefill'>, Pick<WriteDeps, 'create' | 'send'> {
  readonly connection: Pick<Connection, 'state' | 'ready'>;
  readonly storage: Pick<Storage, 'collection'>;
  readonly sources: Sources;
  readonly log: Pick<Logger, 'error'> & { clean(text: string): string };
  /** What package.json calls the tools. */
  readonly called: readonly {
    readonly name: string;
    readonly displayName: string;
    readonly modelDescription: string;
  }[];
  readonly mayWrite: () => boolean;
}

/** In package.json the names of tools, which all extensions share, begin with this. */
export const PREFIX = 'agentConsole_';

/** What assistants and other extensions may ask of this product, all of it defined once. */
export class Tools extends Disposable {
  readonly all: readonly Tool[];
  readonly #publicApi: () => Promise<PublicApi>;

  constructor(deps: ToolsDeps) {
    super();
    const { connection, storage, sources, log, called, mayWrite, create, send } = deps;
    const words = new Words(text => log.clean(text));
    const permissions = new Permissions({
      storage,
      serviceId: async () => (await connection.ready()).service?.id ?? '',
      confirm: (question, detail) => confirmed(question, detail, vscode.l10n.t('Allow')),
    });
    const mayName = (): Promise<boolean> =>
      permissions.isAllowed(
        'names',
        vscode.l10n.t('Let assistants see the names of people in your organization?'),
        vscode.l10n.t('With names and e-mail addresses, usage and changed controls tell who it was.'),
      );
    const isRestricted = (): boolean => !vscode.workspace.isTrusted;
    const reading = readTools({ sources, words, mayName });
    const writing = writeTools({
      ...{ sources, words, isRestricted, create, send },
      isOn: mayWrite,
      confirm: confirmed,
    });
    const doings = new Map([...Object.entries(reading), ...Object.entries(writing)] as [
      string,
      Pick<Tool, 'input' | 'run'>,
    ][]);
    this.all = [...doings].map(([name, { input, run }]) => {
      const { displayName: title = name, modelDescription: description = '' } =
        called.find(each => each.name === PREFIX + name) ?? {};
      return { name, title, description, input, writes: name in writing, run };
    });
    this.#publicApi = once(async () => {
      const made = this.register(new PublicApi({ ...deps, words, permissions }));
      await made.follow();
      return made;
    });
  }

  /** A tool as a chat of this window uses it; `name` as package.json has it. */
  languageModelTool(name: string): vscode.LanguageModelTool<unknown> {
    const own = name.slice(PREFIX.length);
    const title = this.all.find(each => each.name === own)?.title ?? own;
    return {
      prepareInvocation: () => ({
        invocationMessage: forNotification(vscode.l10n.t('Agent Console: {0}', title)),
      }),
      invoke: async ({ input }, token) => {
        const { text } = await withSignal(token, signal => callTool(this.all, own, input, signal));
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
      },
    };
  }

  /** For other extensions; rejects for a version that is not there. */
  async apiOf(version: unknown): Promise<AgentConsoleApi> {
    if (version !== 1)
      throw new Error(vscode.l10n.t('This build of Agent Console has version 1 of its API.'));
    return (await this.#publicApi()).api;
  }
}
