import * as vscode from 'vscode';
import type { ChatFeature } from './chat';
import type { ComputersFeature, ComputerTreeNode } from './computers';
import type { ConnectionPart } from './connection';
import {
  commands,
  documents,
  panels,
  registerCommands,
  registerDocuments,
  registerLinks,
  registerPanel,
  registerTree,
  views,
  type CommandLoaders,
  type Feature,
} from './contributions';
import { OutputLog } from './log';
import type { OrganizationFeature, OrganizationTreeNode } from './organization';
import type { SessionPolicy, SessionsFeature, SessionTreeNode } from './sessions';
import { composerKeys, onDidChangeSettings, settings } from './settings';
import type { Storage } from './storage';
import { DetailsDocuments } from './util/detailsDocuments';
import { Formatter } from './util/format';
import { once } from './util/once';
import { windowFocus } from './util/windowFocus';

/** What must end in order when the window closes; filled as parts are made. */
const endings: (() => Promise<void>)[] = [];

/**
 * Registers the whole surface and loads nothing else: each part below is made when a view is first shown or a command first
 * runs. No network, no secret and no file is touched before that.
 */
export function activate(context: vscode.ExtensionContext): void {
  const own = <T extends { dispose(): void }>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };
  const log = own(new OutputLog());
  const details = own(new DetailsDocuments());
  const focused = own(windowFocus());
  const format = new Formatter(vscode.env.language);

  const storage: () => Promise<Storage> = once(async () => {
    const { openStorage } = await import('./storage');
    const opened = own(openStorage({ root: context.globalStorageUri.fsPath, log }));
    endings.push(() => opened.settled());
    return opened;
  });
  const connection: () => Promise<ConnectionPart> = once(async () => {
    const { connect } = await import('./connection');
    const part = own(connect({ context, storage: await storage(), log }));
    endings.push(() => part.close());
    return part;
  });
  const computers: () => Promise<ComputersFeature> = once(async () => {
    const { registerComputers } = await import('./computers');
    const refreshSeconds = settings.computersRefreshSeconds;
    const parts = { connection: await connection(), focused, format, details };
    const ofComputers = async () => (await sessions()).forComputers;
    return own(registerComputers({ ...parts, view: computersView, refreshSeconds, sessions: ofComputers }));
  });
  const sessions: () => Promise<SessionsFeature> = once(async () => {
    const { registerSessions } = await import('./sessions');
    const fastestSeconds = settings.sessionsRefreshSeconds;
    const linkBase = { scheme: vscode.env.uriScheme, authority: context.extension.id };
    const parts = { connection: await connection(), storage: await storage(), computers: await computers() };
    const surface = { log, view: sessionsView, focused, fastestSeconds, format, details, linkBase };
    const policy: SessionPolicy = {
      warnings: async choice => (await organization()).policy.warnings(choice),
    };
    return own(registerSessions({ ...parts, ...surface, policy }));
  });
  const chat: () => Promise<ChatFeature> = once(async () => {
    const { registerChat } = await import('./chat');
    const { extensionUri } = context;
    const parts = { connection: await connection(), storage: await storage(), log, extensionUri };
    const { forChat } = await sessions();
    const { sendKey, largePaste, attachmentLimits: limits } = settings;
    const onDidChange = (heard: (value: unknown) => unknown) =>
      onDidChangeSettings(composerKeys, () => heard(undefined));
    const composer = { sendKey, largePaste, limits, onDidChange };
    const storageUri = context.globalStorageUri;
    const feature = own(registerChat({ ...parts, sessions: forChat, storageUri, composer }));
    endings.push(() => feature.flush());
    return feature;
  });
  const organization: () => Promise<OrganizationFeature> = once(async () => {
    const { registerOrganization } = await import('./organization');
    const inactiveDays = settings.inactiveDays;
    const parts = { connection: await connection(), storage: await storage(), log, focused, format, details };
    return own(registerOrganization({ ...parts, view: organizationView, inactiveDays }));
  });

  const sessionsView = own(
    registerTree<SessionTreeNode>(views.sessions, async () => (await sessions()).tree, {
      canSelectMany: true,
      drop: async (target, data) => (await chat()).dropOn(target, data),
    }),
  );
  const computersView = own(
    registerTree<ComputerTreeNode>(views.computers, async () => (await computers()).tree),
  );
  const organizationView = own(
    registerTree<OrganizationTreeNode>(views.organization, async () => (await organization()).tree, {
      canSelectMany: true,
    }),
  );
  own(
    registerDocuments(documents.controls, {
      provideTextDocumentContent: async uri => (await organization()).documentText(uri),
    }),
  );
  own(registerPanel(panels.chat, async (panel, state) => (await chat()).restorePanel(panel, state)));

  const loaders: CommandLoaders = {
    console: async () => {
      const { consoleCommands } = await import('./console');
      const { version } = context.extension.packageJSON as { readonly version: string };
      return consoleCommands({
        log,
        version,
        connection: await connection(),
        computers,
        sessions,
        organization,
      });
    },
    connection,
    computers,
    sessions,
    chat,
    organization,
  };
  const onFailure = async (command: string, error: unknown, args: readonly unknown[]): Promise<undefined> =>
    (await import('./console')).reportFailure({ command, error, args, log });
  const openLink = async (uri: vscode.Uri) => (await sessions()).openLink(uri);
  own(registerLinks(uri => openLink(uri).catch((error: unknown) => onFailure('link', error, []))));
  for (const feature of Object.keys(commands) as Feature[])
    own(registerCommands(feature, loaders, onFailure));
}

/** Lets drafts and records reach the disk; the last part made ends first. */
export async function deactivate(): Promise<void> {
  for (const end of endings.splice(0).reverse()) await end();
}
