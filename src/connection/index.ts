import type * as vscode from 'vscode';
import { setContext, type CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import { onDidChangeSettings, settings, storeAddresses } from '../settings';
import type { Storage } from '../storage';
import { openRepository } from '../util/git';
import { connectionCommands } from './commands';
import { ServiceConnection } from './connection';
import { VscodePrompts, type Prompts } from './signIn';

export type { Connection } from './connection';
export type { ConnectionState, Service } from './decide';
/** Kept here once, so that not every feature carries a copy of all sentences. */
export { errorSentence } from '../util/errorSentence';

export type ConnectionPart = ServiceConnection & { readonly commands: CommandHandlers<'connection'> };

/** The connection of this window. Reads nothing until it is asked. */
export function connect(
  context: Pick<vscode.ExtensionContext, 'secrets'>,
  storage: Storage,
  log: Logger,
): ConnectionPart {
  const { baseUrl, appUrl } = settings;
  const onDidChange = (listener: () => unknown): vscode.Disposable =>
    onDidChangeSettings(['baseUrl', 'appUrl'], listener);
  const surroundings = {
    secrets: context.secrets,
    settings: { baseUrl, appUrl, store: storeAddresses, onDidChange },
    environment: process.env,
    setContext,
  };
  const connection = new ServiceConnection(surroundings, storage, openRepository, log);
  return withCommands(connection, new VscodePrompts(log));
}

export function withCommands(connection: ServiceConnection, prompts: Prompts): ConnectionPart {
  return Object.assign(connection, { commands: connectionCommands(connection, prompts) });
}
