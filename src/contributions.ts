// What activation loads names what it uses: a namespace of VS Code would be copied member by member.
import type * as vscode from 'vscode';
import {
  CodeAction,
  CodeActionKind,
  commands as registry,
  Disposable,
  EventEmitter,
  FileSystemError,
  FileType,
  l10n,
  languages,
  lm,
  McpStdioServerDefinition,
  window,
  workspace,
} from 'vscode';
import type { IDisposable } from './util/disposable';
import { LazyTree } from './ui/lazyTree';

/**
 * Every command, view, panel, context key and setting id of the extension. Only this file and `activate` register them
 * (lint keeps it so), and a test compares this file with package.json.
 */
export const commands = {
  console: ids('agentConsole', 'refresh', 'showLog', 'copyDiagnostics'),
  connection: ids('agentConsole', 'signIn', 'signOut', 'useSampleService', 'showAccess'),
  computers: ids('agentConsole.computers', 'showDetails'),
  sessions: {
    ...ids(
      'agentConsole.sessions',
      'create',
      'add',
      'remove',
      'restore',
      'copyId',
      'copyLink',
      'showDetails',
    ),
    ...ids(
      'agentConsole.sessions',
      'rename',
      'pin',
      'archive',
      'unarchive',
      'viewOptions',
      'export',
      'import',
    ),
  },
  chat: {
    ...ids('agentConsole.sessions', 'open'),
    ...ids('agentConsole.chat', 'send', 'attachFiles', 'stop', 'find', 'export', 'attachSelection'),
  },
  search: { open: 'agentConsole.search' },
  changes: {
    ...ids('agentConsole.changes', 'show', 'chooseBranch', 'bringHome', 'takeAlong'),
    ...ids('agentConsole.changes', 'comment', 'removeComment', 'sendComments'),
  },
  organization: {
    ...ids('agentConsole.organization', 'showUser', 'export', 'openChanges'),
    ...ids('agentConsole.organization', 'compareRevisions', 'showRevision'),
  },
  readiness: ids('agentConsole.readiness', 'openReport', 'compare', 'fix', 'exportReport'),
  usage: ids('agentConsole.usage', 'open'),
  hooks: ids('agentConsole.hooks', 'install', 'uninstall', 'test', 'doctor', 'attention'),
  tools: ids('agentConsole.tools', 'copyMcpConfiguration'),
} as const;

function ids<P extends string, N extends string>(
  prefix: P,
  ...names: N[]
): { readonly [K in N]: `${P}.${K}` } {
  return Object.fromEntries(names.map(name => [name, `${prefix}.${name}`])) as never;
}

export const views = {
  sessions: 'agentConsole.sessions',
  computers: 'agentConsole.computers',
  organization: 'agentConsole.organization',
  readiness: 'agentConsole.readiness',
  chat: 'agentConsole.chatView',
} as const;

export const panels = {
  chat: 'agentConsole.chat',
  readinessReport: 'agentConsole.readinessReport',
  usage: 'agentConsole.usage',
} as const;

/** Schemes of read-only documents: made here, and files of a commit. */
export const documents = { details: 'agentconsole-details', changes: 'agentconsole-changes' } as const;

/** Of the comments on what agents changed. */
export const commentController = 'agentConsole.comments';

/** Context keys and the values they take; `undefined` until the part they speak of has been loaded. */
export interface ContextKeys {
  'agentConsole.connection': 'signedOut' | 'signedIn' | 'keyRejected';
  /** The service's addresses are known, even where its key is not. */
  'agentConsole.knownService': boolean;
  'agentConsole.environment': boolean;
  'agentConsole.computers': 'loading' | 'empty' | 'failed' | 'listed';
  'agentConsole.sessions': 'loading' | 'empty' | 'failed' | 'listed';
  'agentConsole.readiness': 'loading' | 'empty' | 'failed' | 'listed';
  /** A comment on what an agent changed waits to be sent. */
  'agentConsole.draftComments': boolean;
}

export type Feature = keyof typeof commands;

type Handler = (...args: unknown[]) => unknown;

/** One handler for each command of a feature; a missing one does not compile. */
export type CommandHandlers<F extends Feature> = {
  readonly [C in keyof (typeof commands)[F]]: Handler;
};

/** How the code of each feature is loaded. */
export type CommandLoaders = {
  readonly [F in Feature]: () => Promise<{ readonly commands: CommandHandlers<F> }>;
};

/** Registers a feature's commands now and loads its code when the first of them runs. */
export function registerCommands(
  feature: Feature,
  load: () => Promise<{ readonly commands: Readonly<Record<string, Handler>> }>,
  onFailure: (command: string, error: unknown, args: readonly unknown[]) => unknown,
): IDisposable {
  const subscriptions = Object.entries<string>(commands[feature]).map(([name, id]) =>
    registry.registerCommand(id, async (...args: unknown[]) => {
      try {
        const handlers = (await load()).commands;
        return await handlers[name]?.(...args);
      } catch (error) {
        return onFailure(id, error, args);
      }
    }),
  );
  return Disposable.from(...subscriptions);
}

/** Sets one context key for `when` clauses. */
export function setContext<K extends keyof ContextKeys>(key: K, value: ContextKeys[K]): void {
  void registry.executeCommand('setContext', key, value);
}

/** Registers a read-only document scheme; its content is asked for when a document is opened. */
export function registerDocuments(
  scheme: string,
  provider: vscode.TextDocumentContentProvider,
): vscode.Disposable {
  return workspace.registerTextDocumentContentProvider(scheme, provider);
}

/** Registers a read-only scheme of files whose content is loaded when one is opened. */
export function registerFiles(
  scheme: string,
  readFile: (uri: vscode.Uri) => Promise<Uint8Array>,
): vscode.Disposable {
  const refuse = (): never => {
    throw FileSystemError.NoPermissions();
  };
  const { event: onDidChangeFile } = new EventEmitter<vscode.FileChangeEvent[]>();
  const watch = () => new Disposable(() => undefined);
  const stat = async (uri: vscode.Uri) => ({
    ...{ type: FileType.File, ctime: 0, mtime: 0 },
    size: (await readFile(uri)).byteLength,
  });
  const reading = { onDidChangeFile, watch, stat, readFile };
  const writing = {
    readDirectory: refuse,
    createDirectory: refuse,
    writeFile: refuse,
    delete: refuse,
    rename: refuse,
  };
  return workspace.registerFileSystemProvider(
    scheme,
    { ...reading, ...writing },
    { isReadonly: true, isCaseSensitive: true },
  );
}

/** Offers, among the fixes of problems in a file, to attach them to a session wherever `canAttach`. */
export function registerProblemAction(canAttach: () => boolean): vscode.Disposable {
  const provideCodeActions: vscode.CodeActionProvider['provideCodeActions'] = ({ uri }, _, context) => {
    const problems = context.diagnostics;
    if (problems.length === 0 || !canAttach()) return [];
    const action = new CodeAction(l10n.t('Send to agent session…'), CodeActionKind.QuickFix);
    action.command = {
      ...{ command: commands.chat.attachFiles, title: action.title },
      arguments: [{ uri, problems }],
    };
    action.diagnostics = [...problems];
    return [action];
  };
  const providedCodeActionKinds = [CodeActionKind.QuickFix];
  return languages.registerCodeActionsProvider('*', { provideCodeActions }, { providedCodeActionKinds });
}

/**
 * What this editor's chats may use, where it knows such things: the tools that package.json names, each loaded when it is first used,
 * and a server of the same tools, made ready when one is first wanted.
 */
export function registerTools(
  { version, contributes }: Manifest,
  load: (name: string) => Promise<vscode.LanguageModelTool<unknown>>,
  resolveMcpServerDefinition: (server: vscode.McpStdioServerDefinition) => Promise<typeof server>,
): IDisposable {
  const { registerTool, registerMcpServerDefinitionProvider: registerServer } =
    (lm as Partial<typeof lm> | undefined) ?? {};
  const parts = (contributes?.languageModelTools ?? []).map(({ name }) =>
    registerTool?.(name, {
      prepareInvocation: async (...asked) => (await load(name)).prepareInvocation?.(...asked),
      invoke: async (...asked) => (await load(name)).invoke(...asked),
    }),
  );
  const server = registerServer?.('agentConsole', {
    provideMcpServerDefinitions: () => [
      new McpStdioServerDefinition('Agent Console', process.execPath, [], {}, version),
    ],
    resolveMcpServerDefinition,
  });
  return Disposable.from(...[...parts, server].filter(part => part !== undefined));
}

/** As much of package.json as is read. */
interface Manifest {
  readonly version: string;
  readonly contributes?: { readonly languageModelTools?: readonly { readonly name: string }[] };
}

/** A tree whose provider is loaded when the view first asks for rows. What a chosen row does is a command of the view's own (`LazyTree`). */
export function registerTree<T>(
  viewId: string,
  load: () => Promise<vscode.TreeDataProvider<T>>,
  options: {
    readonly own: (part: IDisposable) => unknown;
    readonly canSelectMany?: boolean;
    readonly drop?: Drop<T>;
  },
): vscode.TreeView<T> {
  const openRow = `${viewId}.openRow`;
  const tree = new LazyTree(load, openRow);
  const view = window.createTreeView<T>(viewId, {
    treeDataProvider: tree,
    showCollapseAll: false,
    canSelectMany: options.canSelectMany ?? false,
    ...(options.drop === undefined ? {} : { dragAndDropController: dropTarget(options.drop) }),
  });
  options.own(registry.registerCommand(openRow, () => tree.openSelected(() => view.selection)));
  return view;
}

/** Takes what was dropped on a row, or on no row. */
type Drop<T> = (target: T | undefined, data: vscode.DataTransfer) => Promise<void>;

function dropTarget<T>(drop: Drop<T>): vscode.TreeDragAndDropController<T> {
  return { dropMimeTypes: ['text/uri-list', 'files'], dragMimeTypes: [], handleDrop: drop };
}
