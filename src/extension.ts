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
  registerWebviewView,
  views,
  type CommandLoaders,
  type Feature,
} from './contributions';
import type { HooksFeature, SessionsForHooks } from './hooks';
import { OutputLog } from './log';
import type { OrganizationFeature, OrganizationTreeNode } from './organization';
import type { SessionPolicy, SessionsFeature, SessionTreeNode } from './sessions';
import type { ReadinessFeature, ReadinessTreeNode } from './readiness';
import { composerKeys, onDidChangeSettings, settings, storeHookListening } from './settings';
import type { Storage } from './storage';
import { DetailsDocuments } from './util/detailsDocuments';
import { Emitter } from './util/event';
import { Formatter } from './util/format';
import { once } from './util/once';
import { windowFocus } from './util/windowFocus';
import type { DashboardPanels, UsageFeature } from './usage';

const hookSettings = ['hooks.listen', 'hooks.outgoing'] as const;

/** From activation to when hook events are listened to, ms. */
const HOOKS_DELAY_MS = 2_000;

/** What must end in order when the window closes; filled as parts are made. */
const endings: (() => Promise<void>)[] = [];

/** The status bar is filled when VS Code has long been usable, ms after activation. */
const USAGE_AFTER_MS = 3_000;

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
  const selected = own(new Emitter<readonly unknown[]>());

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
    // Its marks in status bar and Explorer stand for whoever never opens the view.
    own(
      part.state.onDidChange(({ kind }) => {
        const marks = settings.readinessStatusBar() || settings.readinessDecorations();
        if (kind === 'signedIn' && marks && vscode.workspace.workspaceFolders !== undefined)
          readiness().catch(log.error.bind(log, 'Readiness'));
      }),
    );
    // Whoever signs in later gets the status bar then.
    own(part.onDidBecomeReady(() => void fillUsage()));
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
    const places = {
      location: settings.chatLocation,
      extras: settings.extras,
      memory: context.workspaceState,
      details,
      onDidSelect: selected.event,
    };
    const { sendKey, largePaste, attachmentLimits: limits } = settings;
    const onDidChange = (heard: (value: unknown) => unknown) =>
      onDidChangeSettings(composerKeys, () => heard(undefined));
    const composer = { sendKey, largePaste, limits, onDidChange };
    const storageUri = context.globalStorageUri;
    const feature = own(registerChat({ ...parts, ...places, sessions: forChat, storageUri, composer }));
    endings.push(() => feature.flush());
    return feature;
  });
  const organization: () => Promise<OrganizationFeature> = once(async () => {
    const { registerOrganization } = await import('./organization');
    const inactiveDays = settings.inactiveDays;
    const parts = { connection: await connection(), storage: await storage(), log, focused, format, details };
    const ofPeople = async () => (await usage()).activityOfPeople();
    return own(registerOrganization({ ...parts, view: organizationView, inactiveDays, usage: ofPeople }));
  });
  const readiness: () => Promise<ReadinessFeature> = once(async () => {
    const { registerReadiness } = await import('./readiness');
    const parts = { connection: await connection(), storage: await storage(), log, focused, format };
    const { extensionUri } = context;
    const prefill = async (message: { text: string }): Promise<boolean> => (await chat()).prefill(message);
    return own(registerReadiness({ ...parts, extensionUri, view: readinessView, prefill }));
  });
  const usage: () => Promise<UsageFeature> = once(async () => {
    const { registerUsage } = await import('./usage');
    const parts = { connection: await connection(), storage: await storage(), log, format };
    const directory = {
      people: async (signal?: AbortSignal) => (await organization()).people(signal),
    };
    const controlRevisions = { revisions: async () => (await organization()).revisions() };
    const openDashboard = async (): Promise<void> => (await dashboard()).openDashboard();
    const feature = own(registerUsage({ ...parts, directory, controlRevisions, openDashboard }));
    await feature.ready();
    return feature;
  });
  const dashboard: () => Promise<DashboardPanels> = once(async () => {
    const { DashboardPanels: Panels } = await import('./usage');
    return own(new Panels({ source: (await usage()).source, extensionUri: context.extensionUri, log }));
  });
  const fillUsage = async (): Promise<void> => {
    if (settings.usageStatusBar() === 'off') return;
    try {
      if ((await (await connection()).ready()).kind === 'signedIn') (await usage()).startStatusBar();
    } catch (error) {
      log.error('The status bar could not be filled', error);
    }
  };
  const later = setTimeout(() => {
    const isConfigured = settings.baseUrl() !== '' || (process.env['AGENT_CONSOLE_BASE_URL'] ?? '') !== '';
    if (isConfigured) void fillUsage();
  }, USAGE_AFTER_MS);
  own({ dispose: () => clearTimeout(later) });
  own(onDidChangeSettings(['usage.statusBar'], () => void fillUsage()));

  const hooks: () => Promise<HooksFeature> = once(async () => {
    const { registerHooks } = await import('./hooks');
    const folders = { dataFolder: context.globalStorageUri.fsPath, extensionFolder: context.extensionPath };
    const sessionsForHooks = async (): Promise<SessionsForHooks> => {
      const feature = await sessions();
      return {
        titleOf: sessionId => feature.forChat.get(sessionId)?.title,
        signal: event => feature.signal(event),
        onDidChangeState: feature.onDidChangeState,
      };
    };
    return own(
      registerHooks({
        ...folders,
        storage: await storage(),
        log,
        focused,
        format,
        sessions: sessionsForHooks,
        settings,
        onDidChangeSettings: listener => onDidChangeSettings(hookSettings, listener),
        storeListening: storeHookListening,
      }),
    );
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
  const readinessView = own(
    registerTree<ReadinessTreeNode>(views.readiness, async () => (await readiness()).tree, {
      canSelectMany: true,
    }),
  );
  own(
    registerDocuments(documents.controls, {
      provideTextDocumentContent: async uri => (await organization()).documentText(uri),
    }),
  );
  own(
    registerPanel(panels.readinessReport, async (panel, state) =>
      (await readiness()).restorePanel(panel, state),
    ),
  );
  own(
    registerPanel(panels.usage, async (panel, state) => (await dashboard()).restoreDashboard(panel, state)),
  );
  own(sessionsView.onDidChangeSelection(({ selection }) => selected.fire(selection)));
  own(registerWebviewView(views.chat, async (view, state) => (await chat()).resolveView(view, state)));
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
        readiness,
      });
    },
    connection,
    computers,
    sessions,
    chat,
    organization,
    readiness,
    usage,
    hooks,
  };
  const onFailure = async (command: string, error: unknown, args: readonly unknown[]): Promise<undefined> =>
    (await import('./console')).reportFailure({ command, error, args, log });
  const openLink = async (uri: vscode.Uri) => (await sessions()).openLink(uri);
  own(registerLinks(uri => openLink(uri).catch((error: unknown) => onFailure('link', error, []))));
  for (const feature of Object.keys(commands) as Feature[])
    own(registerCommands(feature, loaders, onFailure));

  // Hook events are heard without any view, but only where hooks were installed or defined, and not while VS Code starts.
  const hear = (): void => {
    if (!settings.hooksListen() && settings.hooksOutgoing() === undefined) return;
    hooks().catch((error: unknown) => log.error('Hooks cannot be heard', error));
  };
  const start = setTimeout(hear, HOOKS_DELAY_MS);
  own({ dispose: () => clearTimeout(start) });
  own(onDidChangeSettings(hookSettings, hear));
}

/** Lets drafts and records reach the disk; the last part made ends first. */
export async function deactivate(): Promise<void> {
  for (const end of endings.splice(0).reverse()) await end();
}
