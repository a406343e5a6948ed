import * as vscode from 'vscode';
import type { ChatFeature } from '../chat';
import type { ComputersFeature, ComputerTreeNode } from '../computers';
import type { ConnectionPart } from '../connection';
import type { CommandLoaders } from '../contributions';
import type { HooksFeature, SessionsForHooks } from '../hooks';
import { OutputLog } from '../log';
import type { OrganizationFeature, OrganizationTreeNode } from '../organization';
import type { ReadinessFeature, ReadinessTreeNode } from '../readiness';
import type { ChatForNewSessions, SessionPolicy, SessionsFeature, SessionTreeNode } from '../sessions';
import { composerKeys, onDidChangeSettings, settings, storeHookListening } from '../settings';
import type { Storage } from '../storage';
import type { DashboardPanels, UsageFeature } from '../usage';
import type { DetailsDocuments } from '../util/detailsDocuments';
import type { Event } from '../util/event';
import { Formatter } from '../util/format';
import { once } from '../util/once';
import { windowFocus } from '../util/windowFocus';
import { hasQueued } from './queued';
import { hasInstalledHooks } from './installedHooks';
import { isSampleChosen } from './sampleChosen';

/** What activation has registered and the parts fill. */
export interface Surface {
  readonly context: vscode.ExtensionContext;
  readonly details: DetailsDocuments;
  readonly views: {
    readonly sessions: vscode.TreeView<SessionTreeNode>;
    readonly computers: vscode.TreeView<ComputerTreeNode>;
    readonly organization: vscode.TreeView<OrganizationTreeNode>;
    readonly readiness: vscode.TreeView<ReadinessTreeNode>;
  };
  /** The rows selected in the view of the sessions. */
  readonly onDidSelect: Event<readonly unknown[]>;
}

/** Everything behind the surface. Each part is loaded and made when it is first asked for. */
export interface Parts {
  readonly computers: () => Promise<ComputersFeature>;
  readonly sessions: () => Promise<SessionsFeature>;
  readonly chat: () => Promise<ChatFeature>;
  readonly organization: () => Promise<OrganizationFeature>;
  readonly readiness: () => Promise<ReadinessFeature>;
  readonly dashboard: () => Promise<DashboardPanels>;
  readonly commands: CommandLoaders;
  /** Tells the person that a command has failed. */
  fail(command: string, error: unknown, args: readonly unknown[]): Promise<undefined>;
  /** Begins what is wanted without any view being open: hook events, where hooks are used, usage in the status bar, and what is queued. */
  start(): void;
  /** Lets drafts and records reach the disk; the last part made ends first. */
  end(): Promise<void>;
}

const barSettings = [
  'usage.statusBar',
  'usage.budget',
  'readiness.statusBar',
  'readiness.decorations',
] as const;
const hookSettings = ['hooks.listen', 'hooks.settingsFile', 'hooks.outgoing'] as const;

/** Puts the parts together: the one place that knows all of them. */
export function makeParts({ context, details, views, onDidSelect }: Surface): Parts {
  const endings: (() => Promise<void>)[] = [];
  const own = <T extends { dispose(): void }>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };
  const log = own(new OutputLog());
  const focused = own(windowFocus());
  const format = new Formatter(vscode.env.language);

  const storage: () => Promise<Storage> = once(async () => {
    const { openStorage } = await import('../storage');
    const opened = own(openStorage({ root: context.globalStorageUri.fsPath, log }));
    endings.push(() => opened.settled());
    return opened;
  });
  const connection: () => Promise<ConnectionPart> = once(async () => {
    const { connect } = await import('../connection');
    const part = own(connect({ context, storage: await storage(), log }));
    endings.push(() => part.close());
    // Whoever signs in later gets them then.
    own(
      part.onDidBecomeReady(() => {
        void fillBars();
        void sendQueued();
      }),
    );
    return part;
  });
  const computers: () => Promise<ComputersFeature> = once(async () => {
    const { registerComputers } = await import('../computers');
    const refreshSeconds = settings.computersRefreshSeconds;
    const parts = { connection: await connection(), storage: await storage(), focused, format, details };
    const ofComputers = async () => (await sessions()).forComputers;
    const shown = { view: views.computers, shownIn: [views.sessions] };
    return own(registerComputers({ ...parts, ...shown, refreshSeconds, sessions: ofComputers }));
  });
  const sessions: () => Promise<SessionsFeature> = once(async () => {
    const { registerSessions } = await import('../sessions');
    const fastestSeconds = settings.sessionsRefreshSeconds;
    const linkBase = { scheme: vscode.env.uriScheme, authority: context.extension.id };
    const parts = { connection: await connection(), storage: await storage(), computers: await computers() };
    const surface = { log, view: views.sessions, focused, fastestSeconds, format, details, linkBase };
    const policy: SessionPolicy = {
      warnings: async choice => (await organization()).policy.warnings(choice),
    };
    const ofChat: ChatForNewSessions = {
      send: async message => (await chat()).commands.send(message),
      draft: async ({ sessionId, text, files }) => {
        const feature = await chat();
        await feature.prefill({ sessionId, text });
        if (files.length > 0) await feature.commands.attachFiles(files[0], files);
      },
    };
    const { extras } = settings;
    return own(registerSessions({ ...parts, ...surface, policy, chat: ofChat, extras }));
  });
  const chat: () => Promise<ChatFeature> = once(async () => {
    const { registerChat } = await import('../chat');
    const { extensionUri } = context;
    const parts = { connection: await connection(), storage: await storage(), log, extensionUri };
    const { forChat } = await sessions();
    const places = {
      location: settings.chatLocation,
      extras: settings.extras,
      memory: context.workspaceState,
      details,
      onDidSelect,
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
  /** What an earlier window has queued goes out without any chat being opened. */
  const sendQueued = async (): Promise<void> => {
    try {
      if (!(await hasQueued(context.globalStorageUri.fsPath))) return;
      if ((await (await connection()).ready()).kind === 'signedIn') (await chat()).goOn();
    } catch (error) {
      log.error('What was queued cannot go out', error);
    }
  };
  const organization: () => Promise<OrganizationFeature> = once(async () => {
    const { registerOrganization } = await import('../organization');
    const inactiveDays = settings.inactiveDays;
    const parts = { connection: await connection(), storage: await storage(), log, focused, format, details };
    const ofPeople = async () => (await usage()).activityOfPeople();
    return own(registerOrganization({ ...parts, view: views.organization, inactiveDays, usage: ofPeople }));
  });
  const readiness: () => Promise<ReadinessFeature> = once(async () => {
    const { registerReadiness } = await import('../readiness');
    const parts = { connection: await connection(), storage: await storage(), log, focused, format };
    const { extensionUri } = context;
    const prefill = async (message: { text: string }): Promise<boolean> => (await chat()).prefill(message);
    return own(registerReadiness({ ...parts, extensionUri, view: views.readiness, prefill }));
  });
  const usage: () => Promise<UsageFeature> = once(async () => {
    const { registerUsage } = await import('../usage');
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
    const { DashboardPanels: Panels } = await import('../usage');
    return own(new Panels({ source: (await usage()).source, extensionUri: context.extensionUri, log }));
  });
  const wantsMarks = (): boolean =>
    (settings.readinessStatusBar() || settings.readinessDecorations()) &&
    vscode.workspace.workspaceFolders !== undefined;
  /** The status bar and the marks in the Explorer stand for whoever never opens a view. */
  const fillBars = async (): Promise<void> => {
    const wantsUsage = settings.usageStatusBar() !== 'off' || settings.usageBudget().tokens > 0;
    if (!wantsUsage && !wantsMarks()) return;
    try {
      if ((await (await connection()).ready()).kind !== 'signedIn') return;
      if (wantsMarks()) await readiness();
      if (wantsUsage) (await usage()).startStatusBar();
    } catch (error) {
      log.error('The status bar could not be filled', error);
    }
  };

  const hooks: () => Promise<HooksFeature> = once(async () => {
    const { registerHooks } = await import('../hooks');
    const folders = { dataFolder: context.globalStorageUri.fsPath, extensionFolder: context.extensionPath };
    const sessionsForHooks = async (): Promise<SessionsForHooks> => {
      const feature = await sessions();
      return {
        ...feature.forHooks,
        titleOf: sessionId => feature.forChat.get(sessionId)?.title,
        signal: async event => {
          if ((await (await connection()).ready()).service === undefined) return false;
          await feature.signal(event);
          return true;
        },
        onDidChangeService: (await connection()).state.onDidChange,
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
        listenAgain: storeHookListening,
      }),
    );
  });

  const commands: CommandLoaders = {
    console: async () => {
      const { consoleCommands } = await import('../console');
      const { version } = context.extension.packageJSON as { readonly version: string };
      const views = { computers, sessions, organization, readiness };
      return consoleCommands({ log, version, connection: await connection(), ...views });
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
  // Hook events are heard without any view, but only where hooks were installed or defined; from then on the room follows both.
  let areHooksHeard = false;
  const hear = async (): Promise<void> => {
    if (areHooksHeard) return;
    try {
      const wanted = settings.hooksListen();
      const isInstalled = (): Promise<boolean> => hasInstalledHooks(context.globalStorageUri.fsPath);
      const hears = wanted === 'on' || (wanted === 'auto' && (await isInstalled()));
      if (!hears && settings.hooksOutgoing() === undefined) return;
      await hooks();
      areHooksHeard = true;
    } catch (error) {
      log.error('Hooks cannot be heard', error);
    }
  };
  own(onDidChangeSettings(barSettings, () => void fillBars()));
  own(onDidChangeSettings(hookSettings, () => void hear()));

  return {
    computers,
    sessions,
    chat,
    organization,
    readiness,
    dashboard,
    commands,
    fail: async (command, error, args) =>
      (await import('../console')).reportFailure({ command, error, args, log }),
    start: () => {
      void hear();
      // Another window may have installed hooks meanwhile.
      own(focused.onDidChange(isFocused => isFocused && void hear()));
      const begin = (): void => {
        void fillBars();
        void sendQueued();
      };
      if (settings.baseUrl() !== '' || (process.env['AGENT_CONSOLE_BASE_URL'] ?? '') !== '') begin();
      else void isSampleChosen(context.globalStorageUri.fsPath).then(isChosen => isChosen && begin());
    },
    end: async () => {
      for (const end of endings.splice(0).reverse()) await end();
    },
  };
}
