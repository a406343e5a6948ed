import { existsSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { ChangesFeature } from './changes';
import type { Chat } from './chat';
import type { Computers } from './computers';
import type { ConnectionPart } from './connection';
import type { CommandLoaders } from './contributions';
import type { Hooks } from './hooks';
import { logUnhandled, OutputLog } from './log';
import type { Organization } from './organization';
import type { Readiness } from './readiness';
import type { SearchDeps } from './search';
import type { Sessions } from './sessions';
import { composerSettings, hookSettings, onDidChangeSettings, settings } from './settings';
import { startup } from './startup';
import type { Restored, Storage } from './storage';
import type { Tools, ToolsDeps } from './tools';
import type { Mcp } from './tools/mcp';
import type { TreeNode } from './ui/tree';
import type { UsageFeature } from './usage';
import { DetailsDocuments } from './util/detailsDocuments';
import { Emitter, type Event } from './util/lifecycle';
import { once } from './util/promises';
import { windowFocus } from './util/windowFocus';

/** What activation has registered and the parts fill. */
export interface Surface {
  readonly context: vscode.ExtensionContext;
  /** Tells the editor which read-only document says something else. */
  readonly changed: vscode.EventEmitter<vscode.Uri>;
  readonly views: Readonly<
    Record<'sessions' | 'computers' | 'organization' | 'readiness', vscode.TreeView<TreeNode>>
  >;
  /** The rows selected in the view of the sessions. */
  readonly onDidSelect: Event<readonly unknown[]>;
}

/** Everything behind the surface. Each part is loaded and made when it is first asked for. */
export type Parts = ReturnType<typeof compose>;

/** The composition root: makes the parts, and says what each of them receives. */
export function compose({ context, changed, views, onDidSelect }: Surface) {
  const { extensionUri, globalStorageUri, workspaceState } = context;
  const { version, contributes } = context.extension.packageJSON as {
    readonly version: string;
    readonly contributes?: { readonly languageModelTools?: ToolsDeps['called'] };
  };
  const endings: (() => Promise<void>)[] = [];
  const own = <T extends { dispose(): void }>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };
  /** Made when it is first asked for, and let go at the end. */
  const owned = <T extends { dispose(): void }>(make: () => Promise<T>): (() => Promise<T>) =>
    once(async () => own(await make()));

  const log = own(new OutputLog());
  own(logUnhandled(log, __dirname));
  const details = own(new DetailsDocuments(changed));
  const focused = own(windowFocus());

  const storage: () => Promise<Storage> = once(async () => {
    const { openStorage, workerEngine } = await import('./storage');
    const opened = own(
      openStorage({
        root: globalStorageUri.fsPath,
        log,
        engine: workerEngine(path.join(__dirname, 'storageWorker.mjs')),
        onRestored: tellOfRestored,
      }),
    );
    endings.push(() => {
      opened.dispose();
      return opened.settled();
    });
    return opened;
  });

  const connection: () => Promise<ConnectionPart> = once(async () => {
    const { connect } = await import('./connection');
    const stored = await storage();
    const part = own(connect(context, stored, log));
    own(part.onDidBecomeReady(() => start.signedIn()));
    let signedInTo: string | undefined;
    own(
      part.state.onDidChange(async ({ kind, service }) => {
        const before = signedInTo;
        signedInTo = kind === 'signedOut' ? undefined : service.id;
        if (before === undefined || before === signedInTo) return;
        const { endPermissions } = await import('./tools');
        await endPermissions(stored, before);
      }),
    );
    return part;
  });

  /** What every feature receives. */
  const shared = async () => ({
    connection: await connection(),
    storage: await storage(),
    ...{ log, focused, details, extensionUri },
  });

  /** What agents changed as rows and chats show it: looked for from the first row on. */
  let work: Pick<ChangesFeature, 'of'> | undefined;
  const foundWork = own(new Emitter<readonly string[]>());
  const beginWork = once(async () => {
    if (vscode.workspace.workspaceFolders === undefined) return;
    const begun = changes().then(feature => feature.begin());
    await begun.catch((error: unknown) => log.error('What agents changed cannot be looked for', error));
  });
  const shownWork = {
    of: (sessionId: string) => {
      void beginWork();
      return work?.of(sessionId);
    },
    onDidChange: foundWork.event,
  };

  const computers: () => Promise<Computers> = owned(async () => {
    const { Computers: Feature } = await import('./computers');
    return new Feature({
      ...(await shared()),
      view: views.computers,
      shownIn: [views.sessions],
      refreshSeconds: settings.computersRefreshSeconds,
      sessions,
    });
  });

  const sessions: () => Promise<Sessions> = owned(async () => {
    const { Sessions: Feature } = await import('./sessions');
    return new Feature({
      ...(await shared()),
      computers: await computers(),
      view: views.sessions,
      changes: shownWork,
      fastestSeconds: settings.sessionsRefreshSeconds,
      extras: settings.extras,
      memory: workspaceState,
      linkBase: { scheme: vscode.env.uriScheme, authority: context.extension.id },
      policy: { warnings: async choice => (await organization()).policy.warnings(choice) },
      presets: settings.sessionsPresets,
      seeds: async ({ source }) => (source === 'sample' ? (await import('./sample')).demoFacts() : []),
    });
  });

  const changes: () => Promise<ChangesFeature> = owned(async () => {
    const { ChangesFeature: Feature } = await import('./changes');
    const { standings, transcriptRecords } = await import('./chat');
    const stored = await storage();
    const feature = new Feature({
      ...(await shared()),
      sessions: await sessions(),
      messages: serviceId => standings(stored, serviceId),
      storageUri: globalStorageUri,
      prefill: async message => {
        const feature = await chat();
        const isDone = await feature.prefill(message);
        await feature.flush();
        return isDone;
      },
      transcript: (serviceId, sessionId) => {
        const records = transcriptRecords(serviceId, sessionId);
        const { onDidChange } = stored.collection(records);
        return { onDidChange, texts: () => stored.texts(records.path, MOST_SAID) };
      },
    });
    own(feature.onDidChange(ids => foundWork.fire(ids)));
    work = feature;
    return feature;
  });

  let shownChats: Pick<Chat, 'isShown'> | undefined;
  const chat: () => Promise<Chat> = owned(async () => {
    const { Chat } = await import('./chat');
    const feature = new Chat({
      ...(await shared()),
      sessions: await sessions(),
      changes: shownWork,
      storageUri: globalStorageUri,
      memory: workspaceState,
      location: settings.chatLocation,
      extras: settings.extras,
      diffOf: async files => (await changes()).diffOf(files),
      composer: {
        sendKey: settings.sendKey,
        limits: settings.attachmentLimits,
        onDidChange: heard => onDidChangeSettings(composerSettings, () => heard(undefined)),
      },
      onDidSelect,
    });
    endings.push(() => feature.flush());
    shownChats = feature;
    return feature;
  });

  const organization: () => Promise<Organization> = owned(async () => {
    const { Organization: Feature } = await import('./organization');
    return new Feature({
      ...(await shared()),
      view: views.organization,
      usage: async () => (await usage()).activityOfPeople(),
    });
  });

  const readiness: () => Promise<Readiness> = owned(async () => {
    const { Readiness: Feature } = await import('./readiness');
    return new Feature({
      ...(await shared()),
      view: views.readiness,
      prefill: async message => (await chat()).prefill(message),
    });
  });

  const usage: () => Promise<UsageFeature> = owned(async () => {
    const { UsageFeature: Feature } = await import('./usage');
    return new Feature({ ...(await shared()), organization });
  });

  const hooks: () => Promise<Hooks> = owned(async () => {
    const { Hooks: Feature } = await import('./hooks');
    return new Feature({
      dataFolder: globalStorageUri.fsPath,
      extensionFolder: context.extensionPath,
      storage: await storage(),
      ...{ log, focused, details, settings },
      onDidChangeSettings: listener => onDidChangeSettings(hookSettings, listener),
      isShown: sessionId => shownChats?.isShown(sessionId) === true,
      sessions: async () => {
        const feature = await sessions();
        await feature.ready();
        return feature;
      },
    });
  });

  const search: CommandLoaders['search'] = async () => {
    const { openSearch } = await import('./search');
    const { sessionRecords } = await import('./sessions');
    const { transcriptRecords } = await import('./chat');
    const { searchedOrganization } = await import('./organization');
    const { searchedComputers } = await import('./computers');
    const { searchedReadiness } = await import('./readiness');
    const deps: SearchDeps = {
      ...(await shared()),
      titles: async () => (await sessions()).titles(),
      removed: async () => (await sessions()).removed(),
      records: serviceId => ({
        sessions: sessionRecords(serviceId),
        messages: sessionId => transcriptRecords(serviceId, sessionId),
        things: [
          ...searchedOrganization(serviceId, async () => (await organization()).commands),
          searchedComputers(serviceId, async () => (await computers()).commands),
          searchedReadiness(serviceId, async () => (await readiness()).commands),
        ],
      }),
      open: async place => (await chat()).openAt(place),
    };
    return { commands: { open: () => openSearch(deps) } };
  };

  const tools: () => Promise<Tools> = owned(async () => {
    const { Tools: Feature } = await import('./tools');
    const { sourcesOf } = await import('./sources');
    const { connection: part, storage: stored } = await shared();
    return new Feature({
      ...{ connection: part, storage: stored, log },
      sources: sourcesOf({
        storage: stored,
        connection: part,
        usage: async asked => (await usage()).summary(asked),
      }),
      called: contributes?.languageModelTools ?? [],
      mayWrite: settings.toolsWrite,
      create: async request => (await sessions()).commands.create(request) as Promise<string | undefined>,
      send: async message => (await chat()).send(message),
      open: async sessionId => (await chat()).commands.open(sessionId),
      prefill: async draft => (await chat()).prefill(draft),
    });
  });

  const mcpFolder = path.join(globalStorageUri.fsPath, 'mcp');
  const mcp: () => Promise<Mcp> = once(async () => {
    const { Mcp: Feature } = await import('./tools/mcp');
    const feature = new Feature({
      ...{ folder: mcpFolder, dist: __dirname, version, focused, log },
      tools: async () => (await tools()).all,
      mayWrite: settings.toolsWrite,
    });
    endings.push(() => feature.end());
    return feature;
  });

  const console: CommandLoaders['console'] = async () => {
    const { consoleCommands } = await import('./console');
    const lists = [
      {
        view: views.sessions,
        load: () => sessions().then(feature => ({ refresh: () => feature.refreshAll() })),
      },
      { view: views.computers, load: computers },
      { view: views.readiness, load: readiness },
      { view: views.organization, load: organization },
    ];
    return consoleCommands({ log, version, connection: await connection(), lists });
  };

  const programs = async (): Promise<unknown> => (existsSync(mcpFolder) ? (await mcp()).listen() : undefined);
  const start = startup({ log, focused, storage, connection, chat, readiness, usage, hooks, programs }, own);

  return {
    ...{ details, computers, sessions, chat, changes, organization, readiness, usage, tools, mcp },
    commands: {
      ...{ console, connection, computers, sessions, chat, changes, search },
      ...{ organization, readiness, usage, hooks, tools: mcp },
    } satisfies CommandLoaders,
    /** Tells the person that a command has failed. */
    fail: async (command: string, error: unknown, args: readonly unknown[]) =>
      (await import('./console')).reportFailure(log, command, error, args),
    /** Begins what is wanted without any view being open. */
    start: (): void => void start.begin(),
    /** Lets drafts and records reach the disk; the last part made ends first. */
    end: async () => {
      for (const end of endings.splice(0).reverse()) await end();
    },
  };
}

/** Of so many messages, the latest, a session's work is found. */
const MOST_SAID = 500;

function tellOfRestored({ day, keptAs }: Restored): void {
  const sentence =
    day === undefined
      ? vscode.l10n.t('The stored data was damaged, and there is no backup. The damaged file: {0}', keptAs)
      : vscode.l10n.t(
          'The stored data was damaged. The backup of {0} (UTC) is now in use, with all that this window had in memory. The damaged file: {1}',
          day,
          keptAs,
        );
  void vscode.window.showWarningMessage(sentence);
}
