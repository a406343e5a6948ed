import * as path from 'node:path';
import type * as vscode from 'vscode';
import { setContext, type CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import { onDidChangeSettings, settings, storeAddresses } from '../settings';
import type { Storage } from '../storage';
import { Disposable, type IDisposable } from '../util/disposable';
import { ConnectionCommands } from './commands';
import { ServiceConnection, type ConnectionDeps } from './connection';
import { diagnosticsText, ProblemLog } from './diagnostics';
import type { Connection } from './types';
import type { Prompts } from './prompts';
import { openRepository } from './repository';
import { VscodePrompts } from './ui';

/** The connection with what people do with it. */
export interface ConnectionPart extends Connection, IDisposable {
  readonly commands: CommandHandlers<'connection'>;
  /** Asks once more whether a refused key is taken now, and looks at settings, secrets and environment anew. */
  recheck(): Promise<void>;
  /** For somebody who is asked for help; holds no key. */
  diagnostics(): string;
  /** Ends what needs time to end, such as a sample service of this window. */
  close(): Promise<void>;
}

/** The connection of this window. Reads nothing until it is asked. */
export function connect(options: {
  readonly context: Pick<vscode.ExtensionContext, 'secrets' | 'globalStorageUri'>;
  readonly storage: Storage;
  readonly log: Logger;
}): ConnectionPart {
  const { context, storage, log } = options;
  const deps: ConnectionDeps = {
    secrets: context.secrets,
    storage,
    settings: {
      baseUrl: settings.baseUrl,
      appUrl: settings.appUrl,
      store: storeAddresses,
      onDidChange: listener => onDidChangeSettings(['baseUrl', 'appUrl'], listener),
    },
    environment: process.env,
    sample: {
      stateFile: path.join(context.globalStorageUri.fsPath, 'sample', 'state.json'),
      openRepository,
    },
    log,
    setContext,
  };
  return new Part(deps, new VscodePrompts());
}

/** As `connect`, with everything of VS Code handed in. */
export function connectWith(deps: ConnectionDeps, prompts: Prompts): ConnectionPart {
  return new Part(deps, prompts);
}

class Part extends Disposable implements ConnectionPart {
  readonly #connection: ServiceConnection;
  readonly #commands: ConnectionCommands;
  readonly #deps: ConnectionDeps;
  readonly #log: ProblemLog;

  constructor(deps: ConnectionDeps, prompts: Prompts) {
    super();
    this.#deps = deps;
    this.#log = new ProblemLog(deps.log, deps.now);
    this.#connection = this.register(new ServiceConnection({ ...deps, log: this.#log }));
    this.#commands = this.register(new ConnectionCommands(this.#connection, prompts, this.#log));
  }

  get state(): Connection['state'] {
    return this.#connection.state;
  }

  get api(): Connection['api'] {
    return this.#connection.api;
  }

  get onDidBecomeReady(): Connection['onDidBecomeReady'] {
    return this.#connection.onDidBecomeReady;
  }

  get commands(): CommandHandlers<'connection'> {
    return this.#commands.handlers;
  }

  ready(): ReturnType<Connection['ready']> {
    return this.#connection.ready();
  }

  recheck(): Promise<void> {
    return this.#commands.recheck();
  }

  diagnostics(): string {
    return diagnosticsText({
      state: this.state.current,
      environment: this.#deps.environment,
      servesSample: this.#connection.sample.serves,
      unreadable: this.#connection.records.unreadable,
      problems: this.#log.problems,
    });
  }

  async close(): Promise<void> {
    this.dispose();
    await this.#connection.sample.stop();
  }
}
