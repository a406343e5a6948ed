import * as vscode from 'vscode';
import type { IDisposable } from './util/disposable';
import type { FindInTrees } from './util/findInTrees';
import { LazyTree } from './util/lazyTree';

/**
 * Every command, view, panel, context key and setting id of the extension. Nothing else registers them
 * (lint keeps it so), and a test compares this file with package.json.
 */
export const commands = {
  console: {
    refresh: 'agentConsole.refresh',
    showLog: 'agentConsole.showLog',
    copyDiagnostics: 'agentConsole.copyDiagnostics',
  },
  connection: {
    signIn: 'agentConsole.signIn',
    signOut: 'agentConsole.signOut',
    useSampleService: 'agentConsole.useSampleService',
    showAccess: 'agentConsole.showAccess',
  },
  computers: {
    refresh: 'agentConsole.computers.refresh',
    copyId: 'agentConsole.computers.copyId',
    showDetails: 'agentConsole.computers.showDetails',
    follow: 'agentConsole.computers.follow',
  },
  sessions: {
    refresh: 'agentConsole.sessions.refresh',
    create: 'agentConsole.sessions.create',
    createWith: 'agentConsole.sessions.createWith',
    add: 'agentConsole.sessions.add',
    remove: 'agentConsole.sessions.remove',
    undo: 'agentConsole.sessions.undo',
    restore: 'agentConsole.sessions.restore',
    copyId: 'agentConsole.sessions.copyId',
    copyLink: 'agentConsole.sessions.copyLink',
    showDetails: 'agentConsole.sessions.showDetails',
    rename: 'agentConsole.sessions.rename',
    pin: 'agentConsole.sessions.pin',
    unpin: 'agentConsole.sessions.unpin',
    archive: 'agentConsole.sessions.archive',
    unarchive: 'agentConsole.sessions.unarchive',
    markRead: 'agentConsole.sessions.markRead',
    markUnread: 'agentConsole.sessions.markUnread',
    editNotes: 'agentConsole.sessions.editNotes',
    editTags: 'agentConsole.sessions.editTags',
    find: 'agentConsole.sessions.find',
    groupBy: 'agentConsole.sessions.groupBy',
    sortBy: 'agentConsole.sessions.sortBy',
    filter: 'agentConsole.sessions.filter',
    clearFilter: 'agentConsole.sessions.clearFilter',
    showAll: 'agentConsole.sessions.showAll',
    showWorkspace: 'agentConsole.sessions.showWorkspace',
    export: 'agentConsole.sessions.export',
    import: 'agentConsole.sessions.import',
  },
  chat: {
    open: 'agentConsole.sessions.open',
    send: 'agentConsole.chat.send',
    attachFiles: 'agentConsole.chat.attachFiles',
    attachTabs: 'agentConsole.chat.attachTabs',
    openPanel: 'agentConsole.chat.openPanel',
    find: 'agentConsole.chat.find',
    export: 'agentConsole.chat.export',
    openDocument: 'agentConsole.chat.openDocument',
    attachSelection: 'agentConsole.chat.attachSelection',
  },
  organization: {
    refresh: 'agentConsole.organization.refresh',
    stop: 'agentConsole.organization.stop',
    findUser: 'agentConsole.organization.findUser',
    findRevision: 'agentConsole.organization.findRevision',
    filterUsers: 'agentConsole.organization.filterUsers',
    filter: 'agentConsole.organization.filter',
    clearFilter: 'agentConsole.organization.clearFilter',
    showMore: 'agentConsole.organization.showMore',
    showUser: 'agentConsole.organization.showUser',
    copyEmail: 'agentConsole.organization.copyEmail',
    copyUserId: 'agentConsole.organization.copyUserId',
    exportUsers: 'agentConsole.organization.exportUsers',
    exportHistory: 'agentConsole.organization.exportHistory',
    openChanges: 'agentConsole.organization.openChanges',
    compareRevisions: 'agentConsole.organization.compareRevisions',
    showCurrent: 'agentConsole.organization.showCurrent',
    showRevision: 'agentConsole.organization.showRevision',
    copyPermalink: 'agentConsole.organization.copyPermalink',
  },
  readiness: {
    refresh: 'agentConsole.readiness.refresh',
    readAll: 'agentConsole.readiness.readAll',
    openReport: 'agentConsole.readiness.openReport',
    compare: 'agentConsole.readiness.compare',
    find: 'agentConsole.readiness.find',
    fix: 'agentConsole.readiness.fix',
    exportReport: 'agentConsole.readiness.exportReport',
    revealApplication: 'agentConsole.readiness.revealApplication',
  },
  usage: {
    open: 'agentConsole.usage.open',
    refresh: 'agentConsole.usage.refresh',
    chooseSpan: 'agentConsole.usage.chooseSpan',
  },
  hooks: {
    install: 'agentConsole.hooks.install',
    uninstall: 'agentConsole.hooks.uninstall',
    repair: 'agentConsole.hooks.repair',
    test: 'agentConsole.hooks.test',
    doctor: 'agentConsole.hooks.doctor',
    attention: 'agentConsole.hooks.attention',
    unmute: 'agentConsole.hooks.unmute',
  },
} as const;

/** VS Code's find in the trees, by keys of ours. */
export const findCommands = {
  open: 'agentConsole.trees.find',
  close: 'agentConsole.trees.closeFind',
} as const;

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

export const documents = {
  details: 'agentconsole-details',
  controls: 'agentconsole-controls',
  hooks: 'agentconsole-hooks',
  notes: 'agentconsole-notes',
} as const;

/** Context keys and the values they take; `undefined` until the part they speak of has been loaded. */
export interface ContextKeys {
  'agentConsole.connection': 'signedOut' | 'signedIn' | 'keyRejected';
  /** The service's addresses are known, even where its key is not. */
  'agentConsole.knownService': boolean;
  'agentConsole.environment': boolean;
  'agentConsole.computers': 'loading' | 'empty' | 'failed' | 'listed';
  'agentConsole.sessions': 'loading' | 'empty' | 'failed' | 'listed';
  'agentConsole.organizationReading': boolean;
  'agentConsole.organizationFiltered': boolean;
  'agentConsole.readiness': 'loading' | 'empty' | 'failed' | 'listed';
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

/** Registers a feature's commands now and loads its code when the first of them runs; `onRun` is told of each run. */
export function registerCommands(
  feature: Feature,
  load: () => Promise<{ readonly commands: Readonly<Record<string, Handler>> }>,
  onFailure: (command: string, error: unknown, args: readonly unknown[]) => unknown,
  onRun?: () => void,
): IDisposable {
  const subscriptions = Object.entries<string>(commands[feature]).map(([name, id]) =>
    vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      onRun?.();
      try {
        const handlers = (await load()).commands;
        return await handlers[name]?.(...args);
      } catch (error) {
        return onFailure(id, error, args);
      }
    }),
  );
  return vscode.Disposable.from(...subscriptions);
}

/** Sets one context key for `when` clauses. */
export function setContext<K extends keyof ContextKeys>(key: K, value: ContextKeys[K]): void {
  void vscode.commands.executeCommand('setContext', key, value);
}

/** Registers a read-only document scheme; its content is asked for when a document is opened. */
export function registerDocuments(
  scheme: string,
  provider: vscode.TextDocumentContentProvider,
): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(scheme, provider);
}

/** Texts that a part keeps as records and the editor shows as files. */
export interface TextFiles {
  /** The text and when it last changed, Unix ms; `undefined` for a file that is not there. */
  read(uri: vscode.Uri): Promise<{ readonly text: string; readonly at: number } | undefined>;
  write(uri: vscode.Uri, text: string): Promise<void>;
  readonly onDidChange: vscode.Event<readonly vscode.Uri[]>;
}

/** Registers a scheme of files that can be edited and saved; their code is loaded when the first of them is opened. */
export function registerFiles(scheme: string, load: () => Promise<TextFiles>): vscode.Disposable {
  return vscode.workspace.registerFileSystemProvider(scheme, new LazyFiles(load), { isCaseSensitive: true });
}

/** Receives the links that lead to this extension; `open` runs for each. */
export function registerLinks(open: (uri: vscode.Uri) => Promise<unknown>): vscode.Disposable {
  return vscode.window.registerUriHandler({ handleUri: uri => void open(uri) });
}

/** Restores panels of one kind after a reload; their code is loaded then. */
export function registerPanel(
  viewType: string,
  restore: (panel: vscode.WebviewPanel, state: unknown) => Promise<void>,
): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(viewType, { deserializeWebviewPanel: restore });
}

/** A view that is a page; its code is loaded when the view is first shown. */
export function registerWebviewView(
  viewId: string,
  resolve: (view: vscode.WebviewView, state: unknown) => Promise<void>,
): vscode.Disposable {
  return vscode.window.registerWebviewViewProvider(viewId, {
    resolveWebviewView: (view, { state }) => resolve(view, state),
  });
}

/** Registers the keys of find, of which VS Code tells nobody. */
export function registerFind(find: FindInTrees): IDisposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(findCommands.open, () => find.open()),
    vscode.commands.registerCommand(findCommands.close, () => find.close()),
  );
}

/**
 * A tree whose provider is loaded when the view first asks for rows, and whose rows rest while `find` is in use. What a chosen row
 * does is a command of the view's own (`LazyTree`).
 */
export function registerTree<T>(
  viewId: string,
  load: () => Promise<vscode.TreeDataProvider<T>>,
  find: FindInTrees,
  options: {
    readonly own: (part: IDisposable) => unknown;
    readonly canSelectMany?: boolean;
    readonly drop?: Drop<T>;
  },
): vscode.TreeView<T> {
  const openRow = `${viewId}.openRow`;
  const tree = new LazyTree(load, find, openRow);
  const view = vscode.window.createTreeView<T>(viewId, {
    treeDataProvider: tree,
    showCollapseAll: false,
    canSelectMany: options.canSelectMany ?? false,
    ...(options.drop === undefined ? {} : { dragAndDropController: dropTarget(options.drop) }),
  });
  options.own(vscode.commands.registerCommand(openRow, () => tree.openSelected(() => view.selection)));
  view.onDidChangeSelection(() => find.end());
  view.onDidChangeVisibility(() => find.end());
  return view;
}

/** Takes what was dropped on a row, or on no row. */
type Drop<T> = (target: T | undefined, data: vscode.DataTransfer) => Promise<void>;

function dropTarget<T>(drop: Drop<T>): vscode.TreeDragAndDropController<T> {
  return { dropMimeTypes: ['text/uri-list', 'files'], dragMimeTypes: [], handleDrop: drop };
}

class LazyFiles implements vscode.FileSystemProvider {
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #load: () => Promise<TextFiles>;
  #files: Promise<TextFiles> | undefined;

  constructor(load: () => Promise<TextFiles>) {
    this.#load = load;
  }

  readonly onDidChangeFile = this.#changed.event;

  /** Changes of what has been read are told anyway. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, at } = await this.#read(uri);
    // Before it saves, VS Code looks whether the size is another one: a later text of the same length must not look the same.
    return { type: vscode.FileType.File, ctime: 0, mtime: at, size: bytes.length + (at % 1_000_003) };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#read(uri)).bytes;
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    await (await this.#open()).write(uri, new TextDecoder().decode(content));
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(from: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(from);
  }

  async #read(uri: vscode.Uri): Promise<{ readonly bytes: Uint8Array; readonly at: number }> {
    const file = await (await this.#open()).read(uri);
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return { bytes: new TextEncoder().encode(file.text), at: file.at };
  }

  #open(): Promise<TextFiles> {
    this.#files ??= this.#load().then(
      files => {
        const type = vscode.FileChangeType.Changed;
        files.onDidChange(uris => this.#changed.fire(uris.map(uri => ({ type, uri }))));
        return files;
      },
      (error: unknown) => {
        this.#files = undefined;
        throw error;
      },
    );
    return this.#files;
  }
}
