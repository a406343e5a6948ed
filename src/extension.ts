// What activation loads names what it uses: a namespace of VS Code would be copied member by member.
import type * as vscode from 'vscode';
import {
  commands as registry,
  Disposable,
  EventEmitter,
  FileSystemError,
  FileType,
  lm,
  McpStdioServerDefinition,
  window,
  workspace,
} from 'vscode';
import type { AgentConsole } from '../api';
import type { Parts } from './compose';
import { commands, documents, panels, views, type CommandLoaders, type Feature } from './contributions';
import { LazyTree } from './ui/lazyTree';
import type { TreeNode } from './ui/tree';
import { Emitter } from './util/lifecycle';
import { once } from './util/promises';

/** From activation to when what is wanted without any view begins, ms: VS Code has long started by then. */
const START_DELAY_MS = 2_000;

let end: (() => Promise<void>) | undefined;

/**
 * Registers the whole surface and loads nothing else: `compose` is loaded when a view is first shown, a command first runs, or a
 * moment after VS Code has started, and loads each feature when that is first needed. No network, no secret and no file is
 * touched before that.
 */
export function activate(context: vscode.ExtensionContext): AgentConsole {
  const own = <T extends { dispose(): unknown }>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };
  const changed = own(new EventEmitter<vscode.Uri>());
  const selected = own(new Emitter<readonly unknown[]>());
  const parts: () => Promise<Parts> = once(async () => {
    const { compose } = await import('./compose');
    const trees = { sessions, computers, organization, readiness };
    const made = compose({ context, changed, views: trees, onDidSelect: selected.event });
    end = () => made.end();
    return made;
  });
  const fail = async (command: string, error: unknown, args: readonly unknown[] = []): Promise<undefined> =>
    (await parts()).fail(command, error, args);

  for (const feature of Object.keys(commands) as Feature[])
    for (const [name, id] of Object.entries<string>(commands[feature]))
      own(
        registry.registerCommand(id, async (...args: unknown[]) => {
          try {
            const load: CommandLoaders[Feature] = (await parts()).commands[feature];
            const handlers: Readonly<Record<string, (...args: unknown[]) => unknown>> = (await load())
              .commands;
            return await handlers[name]?.(...args);
          } catch (error) {
            return fail(id, error, args);
          }
        }),
      );

  /** A tree whose provider is loaded when the view first asks for rows. What a chosen row does is a command of its own (`LazyTree`). */
  const tree = (
    id: string,
    load: (made: Parts) => Promise<{ readonly tree: vscode.TreeDataProvider<TreeNode> }>,
    options: Partial<vscode.TreeViewOptions<TreeNode>> = {},
  ): vscode.TreeView<TreeNode> => {
    const treeDataProvider = new LazyTree(async () => (await load(await parts())).tree, `${id}.openRow`);
    const view = own(window.createTreeView(id, { treeDataProvider, ...options }));
    const open = (): Promise<void> => treeDataProvider.openSelected(() => view.selection);
    own(registry.registerCommand(`${id}.openRow`, open));
    return view;
  };
  const several = { canSelectMany: true };
  const handleDrop = async (target: unknown, data: vscode.DataTransfer): Promise<void> => {
    const chat = await (await parts()).chat();
    await chat.dropOn(target, data).catch((error: unknown) => fail('drop', error));
  };
  const dropMimeTypes = ['text/uri-list', 'files'];
  const dragAndDropController = { dropMimeTypes, dragMimeTypes: [], handleDrop };
  const sessions = tree(views.sessions, made => made.sessions(), { ...several, dragAndDropController });
  own(sessions.onDidChangeSelection(({ selection }) => selected.fire(selection)));
  const computers = tree(views.computers, made => made.computers(), { dragAndDropController });
  const organization = tree(views.organization, made => made.organization(), several);
  const readiness = tree(views.readiness, made => made.readiness(), several);

  const restore = (
    id: string,
    fill: (made: Parts, panel: vscode.WebviewPanel, state: unknown) => Promise<void>,
  ): unknown =>
    own(
      window.registerWebviewPanelSerializer(id, {
        deserializeWebviewPanel: async (panel, state) => fill(await parts(), panel, state),
      }),
    );
  restore(panels.chat, async ({ chat }, panel, state) => (await chat()).restorePanel(panel, state));
  restore(panels.readinessReport, async (made, panel, state) =>
    (await made.readiness()).restorePanel(panel, state),
  );
  restore(panels.usage, async ({ usage }, panel) => (await usage()).restorePanel(panel));
  own(
    window.registerWebviewViewProvider(views.chat, {
      resolveWebviewView: async view => (await (await parts()).chat()).resolveView(view),
    }),
  );

  own(
    workspace.registerTextDocumentContentProvider(documents.details, {
      onDidChange: changed.event,
      provideTextDocumentContent: async uri => (await parts()).details.text(uri),
    }),
  );
  const files = filesRead(async uri => (await (await parts()).changes()).readFile(uri));
  const options = { isReadonly: true, isCaseSensitive: true };
  own(workspace.registerFileSystemProvider(documents.changes, files, options));

  const openLink = async (uri: vscode.Uri) => (await (await parts()).sessions()).openLink(uri);
  own(
    window.registerUriHandler({
      handleUri: uri => openLink(uri).catch((error: unknown) => fail('link', error)),
    }),
  );

  const tools = async () => (await parts()).tools();
  // What this editor's chats may use, where it knows such things: the tools that package.json names, and a server of the same.
  const { registerTool, registerMcpServerDefinitionProvider: registerServer } =
    (lm as Partial<typeof lm> | undefined) ?? {};
  const { version, contributes } = context.extension.packageJSON as Manifest;
  for (const { name } of contributes?.languageModelTools ?? []) {
    const tool: vscode.LanguageModelTool<unknown> = {
      invoke: async ({ input }, token) => (await tools()).invoke(name, input, token),
    };
    if (registerTool !== undefined) own(registerTool(name, tool));
  }
  const server: vscode.McpServerDefinitionProvider<McpStdioServerDefinition> = {
    provideMcpServerDefinitions: () => [
      new McpStdioServerDefinition('Agent Console', process.execPath, [], {}, version),
    ],
    resolveMcpServerDefinition: async definition => (await (await parts()).mcp()).prepare(definition),
  };
  const served = registerServer?.('agentConsole', server);
  if (served !== undefined) own(served);

  const start = setTimeout(() => void parts().then(made => made.start()), START_DELAY_MS);
  own({ dispose: () => clearTimeout(start) });
  return { getApi: async version => (await tools()).apiOf(version) };
}

/** Lets drafts and records reach the disk. */
export async function deactivate(): Promise<void> {
  await end?.();
}

/** As much of package.json as is read. */
interface Manifest {
  readonly version: string;
  readonly contributes?: { readonly languageModelTools?: readonly { readonly name: string }[] };
}

/** Read-only files, each read when it is opened. */
function filesRead(readFile: (uri: vscode.Uri) => Promise<Uint8Array>): vscode.FileSystemProvider {
  const refuse = (): never => {
    throw FileSystemError.NoPermissions();
  };
  const writing = { createDirectory: refuse, writeFile: refuse, delete: refuse, rename: refuse };
  return {
    ...writing,
    onDidChangeFile: new EventEmitter<vscode.FileChangeEvent[]>().event,
    watch: () => new Disposable(() => undefined),
    stat: async uri => ({
      ...{ type: FileType.File, ctime: 0, mtime: 0 },
      size: (await readFile(uri)).byteLength,
    }),
    readDirectory: refuse,
    readFile,
  };
}
