import type * as vscode from 'vscode';
import type { AgentConsole } from '../api';
import { EventEmitter, window } from 'vscode';
import type { Parts } from './compose';
import type { ComputerTreeNode } from './computers';
import {
  commands,
  documents,
  panels,
  registerCommands,
  registerDocuments,
  registerFiles,
  registerTools,
  registerTree,
  views,
  type Feature,
} from './contributions';
import type { OrganizationTreeNode } from './organization';
import type { ReadinessTreeNode } from './readiness';
import type { SessionTreeNode } from './sessions';
import { Emitter } from './util/event';
import { once } from './util/promises';

/** From activation to when what is wanted without any view begins, ms: VS Code has long started by then. */
const START_DELAY_MS = 2_000;

let end: (() => Promise<void>) | undefined;

type TreeOptions<T> = Omit<Parameters<typeof registerTree<T>>[2], 'own'>;
type TreeLoader<T> = (made: Parts) => Promise<{ readonly tree: vscode.TreeDataProvider<T> }>;

/**
 * Registers the whole surface and loads nothing else: `compose` is loaded when a view is first shown, a command first runs, or a
 * moment after VS Code has started, and loads each feature when that is first needed. No network, no secret and no file is
 * touched before that.
 */
export function activate(context: vscode.ExtensionContext): AgentConsole {
  const own = <T extends { dispose(): void }>(part: T): T => {
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

  own(
    registerDocuments(documents.details, {
      onDidChange: changed.event,
      provideTextDocumentContent: async uri => (await parts()).details.text(uri),
    }),
  );

  const drop = async (target: unknown, data: vscode.DataTransfer): Promise<void> => {
    const made = await parts();
    const chat = await made.chat();
    await chat.dropOn(target, data).catch((error: unknown) => made.fail('drop', error, []));
  };

  const tree = <T>(id: string, load: TreeLoader<T>, options: TreeOptions<T> = {}): vscode.TreeView<T> =>
    own(registerTree<T>(id, async () => (await load(await parts())).tree, { own, ...options }));
  const several = { canSelectMany: true };
  const sessions = tree<SessionTreeNode>(views.sessions, made => made.sessions(), { ...several, drop });
  own(sessions.onDidChangeSelection(({ selection }) => selected.fire(selection)));
  const computers = tree<ComputerTreeNode>(views.computers, made => made.computers(), { drop });
  const organization = tree<OrganizationTreeNode>(views.organization, made => made.organization(), several);
  const readiness = tree<ReadinessTreeNode>(views.readiness, made => made.readiness(), several);
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

  own(registerFiles(documents.changes, async uri => (await (await parts()).changes()).readFile(uri)));

  const fail = async (command: string, error: unknown, args: readonly unknown[]): Promise<undefined> =>
    (await parts()).fail(command, error, args);
  for (const feature of Object.keys(commands) as Feature[])
    own(registerCommands(feature, async () => (await parts()).commands[feature](), fail));
  const openLink = async (uri: vscode.Uri) => (await (await parts()).sessions()).openLink(uri);
  const handleUri = (uri: vscode.Uri) => openLink(uri).catch((error: unknown) => fail('link', error, []));
  own(window.registerUriHandler({ handleUri }));

  const start = setTimeout(() => void parts().then(made => made.start()), START_DELAY_MS);
  own({ dispose: () => clearTimeout(start) });

  const tools = async () => (await parts()).tools();
  own(
    registerTools(
      context.extension.packageJSON as Parameters<typeof registerTools>[0],
      async name => (await tools()).languageModelTool(name),
      async server => (await (await parts()).mcp()).prepare(server),
    ),
  );
  return { getApi: async version => (await tools()).apiOf(version) };
}

/** Lets drafts and records reach the disk. */
export async function deactivate(): Promise<void> {
  await end?.();
}
