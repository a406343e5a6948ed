import * as vscode from 'vscode';
import { isApiError } from '../api';
import { errorSentence, type Connection, type Service } from '../connection';
import { setContext, type CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import { onDidChangeSettings, settings } from '../settings';
import { folderName, type Storage } from '../storage';
import { activeFile } from '../util/activeFile';
import { Disposable, Slot, type IDisposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { Poller } from '../util/poller';
import { oneLine, plain } from '../util/text';
import { setMessage, viewMessage } from '../util/viewMessage';
import type { WindowFocus } from '../util/windowFocus';
import { isPageState, type PageState } from './protocol';
import { ReadinessCommands, type Prefill } from './commands';
import { AppDecorations } from './decorations';
import { inWindowOrder, LocalGit, type LocalRepository } from './git';
import { createPanel, ReportPanel, withBase } from './panel';
import { matching } from './repositoryUrl';
import type { ShownReport } from './reportView';
import { ReadinessStatusBar } from './statusBar';
import { ReportStore } from './store';
import { dayText } from './text';
import { ReadinessTree, type Match, type ReadinessTreeNode } from './tree';
import { isWithin, unmatchedOf, type Unmatched } from './unmatched';

export type { ReadinessTreeNode } from './tree';

export interface ReadinessDeps {
  readonly connection: Connection;
  readonly storage: Storage;
  readonly log: Logger;
  readonly extensionUri: vscode.Uri;
  readonly view: vscode.TreeView<ReadinessTreeNode>;
  readonly focused: WindowFocus;
  readonly format: Formatter;
  readonly prefill: Prefill;
}

export interface ReadinessFeature extends IDisposable {
  readonly tree: vscode.TreeDataProvider<ReadinessTreeNode>;
  readonly commands: CommandHandlers<'readiness'>;
  /** Asks for new reports. Never rejects: a failure is told in the view. */
  refresh(): Promise<void>;
  /** Gives a panel found after a reload its report again; `state` is what its page kept, old or hostile. */
  restorePanel(panel: vscode.WebviewPanel, state: unknown): Promise<void>;
}

/** After a failure, reports are asked for again within this time, ms. */
const RETRY_MS = 5 * 60_000;

/** Readiness of the organization's repositories (sections 2.7, 4.2), those of this window first. */
export function registerReadiness(deps: ReadinessDeps): ReadinessFeature {
  return new Readiness(deps);
}

class Readiness extends Disposable implements ReadinessFeature {
  readonly #deps: ReadinessDeps;
  readonly #store: ReportStore;
  readonly #git = this.register(new LocalGit());
  readonly #poller: Poller;
  readonly #statusBar = this.register(new Slot<ReadinessStatusBar>());
  readonly #decorations = this.register(new Slot<AppDecorations>());
  readonly #panels = new Map<string, ReportPanel>();
  readonly #commands: ReadinessCommands;
  #failure: { readonly at: number; readonly sentence: string } | undefined;
  #pairs: readonly Match[] | undefined;
  /** What is kept has been read, or could not be. */
  #isOpen = false;
  readonly tree: ReadinessTree;

  constructor(deps: ReadinessDeps) {
    super();
    this.#deps = deps;
    const { connection, view, focused, format } = deps;
    this.#store = this.register(new ReportStore(deps.storage));
    const run = (signal: AbortSignal): Promise<number> => this.#round(signal);
    this.#poller = this.register(new Poller({ run, isShown: focused.isShown, retryMs: RETRY_MS }));
    this.tree = this.register(
      new ReadinessTree({
        ready: () => this.#firstRead(),
        repositories: () => this.#store.repositories,
        matches: () => this.#matches(),
        unmatched: () => this.#unmatched(),
        git: this.#git,
        format,
      }),
    );
    this.#commands = new ReadinessCommands({
      ready: async () => {
        await Promise.all([this.#open(), this.#git.ready()]);
        if (this.#store.repositories.size === 0) await this.#read(false);
        if (this.#store.repositories.size === 0 && this.#failure) throw new Error(this.#failure.sentence);
      },
      refresh: all => this.#read(all),
      repositories: () => this.#store.repositories,
      here: () => this.#matchHere()?.repository,
      shown: state => this.#shown(state),
      open: (state, focus) => this.#show(state, focus),
      staleness: ({ report, local }) => this.#git.staleness(report.commitHash, local),
      prefill: deps.prefill,
      format,
    });
    this.register(this.#store.onDidChange(() => this.#changed()));
    this.register(
      this.#git.onDidChange(() => {
        this.#changed();
        this.#watch();
      }),
    );
    this.register(connection.state.onDidChange(() => this.#reopen()));
    this.register(
      connection.onDidBecomeReady(() => {
        this.#failure = undefined;
        this.#changed();
        this.#poller.poke();
      }),
    );
    this.register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.tree.redraw()));
    this.register(view.onDidChangeVisibility(() => this.#watch()));
    this.register(focused.onDidChange(() => this.#watch()));
    this.register(
      onDidChangeSettings(
        ['readiness.statusBar', 'readiness.decorations', 'readiness.refreshMinutes'],
        () => {
          this.#showParts();
          this.#poller.poke();
        },
      ),
    );
    this.#showParts();
    void this.#git.ready();
    this.#reopen();
  }

  get commands(): CommandHandlers<'readiness'> {
    return this.#commands.handlers;
  }

  refresh(): Promise<void> {
    return this.#read(false);
  }

  async restorePanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    if (!isPageState(state)) {
      panel.dispose();
      return;
    }
    const { key, reportId, baseId } = state;
    this.#attach(panel, { key, reportId, baseId });
    await this.#open();
  }

  override dispose(): void {
    for (const panel of this.#panels.values()) panel.release();
    this.#panels.clear();
    super.dispose();
  }

  #reopen(): void {
    void this.#open().then(
      () => this.#changed(),
      () => undefined,
    );
  }

  /** Shows what is kept of the current service. Rejects when it cannot be read. */
  async #open(): Promise<void> {
    const { service } = await this.#deps.connection.ready();
    try {
      await this.#store.use(service && folderOf(service));
    } catch (error) {
      this.#failed(error);
      throw error;
    } finally {
      if (!this.#isOpen) {
        this.#isOpen = true;
        for (const panel of this.#panels.values()) panel.update();
      }
    }
  }

  async #firstRead(): Promise<'show' | 'hide' | 'failed'> {
    try {
      await this.#open();
    } catch {
      return 'failed';
    }
    const { kind } = this.#deps.connection.state.current;
    if (this.#store.reading === undefined && this.#failure === undefined) await this.#read(false);
    await this.#git.ready();
    if (this.#failure !== undefined && this.#store.repositories.size === 0 && kind === 'signedIn')
      return 'failed';
    return kind === 'signedOut' ? 'hide' : 'show';
  }

  async #round(signal: AbortSignal): Promise<number> {
    if (this.#deps.connection.api === undefined) return Infinity;
    await this.#open();
    const period = settings.readinessRefreshMinutes() * 60_000;
    const wait = this.#failure === undefined ? period : Math.min(period, RETRY_MS);
    const age = Date.now() - Math.max(this.#failure?.at ?? 0, this.#store.reading?.at ?? 0);
    if (age < wait * 0.95) return wait - age;
    await this.#read(false, signal);
    return this.#failure === undefined ? period : RETRY_MS;
  }

  async #read(all: boolean, signal?: AbortSignal): Promise<void> {
    const { connection } = this.#deps;
    try {
      await this.#open();
      if (connection.api === undefined) return;
      await this.#store.refresh(connection.api, all, signal);
      this.#failure = undefined;
    } catch (error) {
      if (signal?.aborted === true || (isApiError(error) && error.kind === 'cancelled')) return;
      this.#failed(error);
    }
    this.#changed();
  }

  #failed(error: unknown): void {
    const { service } = this.#deps.connection.state.current;
    const host = service === undefined ? undefined : hostOf(service.appUrl);
    this.#failure = { at: Date.now(), sentence: errorSentence(error, { host }) };
    this.#showState();
  }

  #changed(): void {
    this.#pairs = undefined;
    this.#showState();
    this.tree.redraw();
    this.#decorations.value?.update();
    void this.#statusBar.value?.update();
    for (const panel of this.#panels.values()) panel.update();
  }

  #showState(): void {
    const { view, connection, format } = this.#deps;
    const state = connection.state.current;
    const { reading, repositories, unreadable } = this.#store;
    const listed = repositories.size > 0;
    const latest = [...repositories.values()].flatMap(({ name, reports: [report] }) =>
      (report?.unread ?? []).map(reason => `${name}, ${dayText(report?.createdAt ?? 0)}: ${reason}`),
    );
    const unread = [...(reading?.problems ?? []), ...latest, ...unreadable.map(({ file }) => file)];
    // The message stands above the rows and takes their room: the report itself names all.
    const some = unread.slice(0, 3).map(name => oneLine(name, 100));
    const names = [...some, ...(unread.length > 3 ? ['…'] : [])].join('; ');
    // A message hides the welcome: without rows only what can be mended here is said.
    const failure =
      state.kind === 'signedIn'
        ? this.#failure
        : state.kind === 'keyRejected' && listed
          ? { sentence: plain(state.reason, 1_000) }
          : undefined;
    setMessage(
      view,
      viewMessage({ at: reading?.at, failure, unread: { count: unread.length, names } }, format, Date.now()),
    );
    setContext(
      'agentConsole.readiness',
      listed
        ? 'listed'
        : this.#failure !== undefined
          ? 'failed'
          : reading === undefined
            ? 'loading'
            : 'empty',
    );
  }

  #showParts(): void {
    this.#statusBar.set(
      settings.readinessStatusBar() ? new ReadinessStatusBar(this.#git, () => this.#matchHere()) : undefined,
    );
    this.#decorations.set(
      settings.readinessDecorations() ? new AppDecorations(() => this.#allPairs()) : undefined,
    );
    this.#watch();
  }

  /** Reports are asked for while somebody sees something of them. */
  #watch(): void {
    const { view, focused } = this.#deps;
    const { state } = this.#git;
    const matchable = state.kind === 'found' && state.repositories.length > 0;
    const marks = settings.readinessStatusBar() || settings.readinessDecorations();
    const seen = view.visible || (marks && matchable) || this.#panels.size > 0;
    this.#poller[seen && focused.current ? 'start' : 'stop']();
  }

  /** Every repository of this window that has reports; two clones of one are two, and so are a fork and its parent. */
  #allPairs(): readonly Match[] {
    const { repositories } = this.#store;
    const { state } = this.#git;
    const signedIn = this.#deps.connection.state.current.kind !== 'signedOut';
    const locals: readonly LocalRepository[] = signedIn && state.kind === 'found' ? state.repositories : [];
    return (this.#pairs ??= [...locals].sort(inWindowOrder).flatMap(local =>
      matching(repositories.keys(), local.urls).flatMap(key => {
        const repository = repositories.get(key);
        return repository === undefined ? [] : [{ repository, local }];
      }),
    ));
  }

  #matches(): readonly Match[] {
    return [
      ...new Map(
        this.#allPairs()
          .toReversed()
          .map(pair => [pair.repository.key, pair]),
      ).values(),
    ].reverse();
  }

  #unmatched(): readonly Unmatched[] {
    const { state } = this.#git;
    if (state.kind !== 'found') return [];
    // Git's description of a repository is made anew whenever it looks.
    const matched = new Set(this.#allPairs().map(({ local }) => local.root.path));
    const folders = vscode.workspace.workspaceFolders?.map(({ uri }) => uri) ?? [];
    return unmatchedOf(folders, state.repositories, local => matched.has(local.root.path));
  }

  /** Of the file in front, the innermost repository; without a file in one, the first of this window. */
  #matchHere(): Match | undefined {
    const { state } = this.#git;
    const [file, locals] = [activeFile(), state.kind === 'found' ? state.repositories : []];
    const around = locals
      .filter(({ root }) => file !== undefined && isWithin(file, root))
      .sort((a, b) => b.root.path.length - a.root.path.length);
    const pairs = this.#allPairs();
    return around[0] === undefined
      ? pairs[0]
      : pairs.find(({ local }) => local.root.path === around[0]?.root.path);
  }

  #shown({ key, reportId, baseId }: PageState): ShownReport | undefined {
    const { repositories } = this.#store;
    const of = (id: string) => {
      const candidates = [repositories.get(key), ...repositories.values()];
      for (const repository of candidates) {
        const report = repository?.reports.find(each => each.reportId === id);
        if (repository !== undefined && report !== undefined) return { repository, report };
      }
      return undefined;
    };
    const found = of(reportId);
    const local = this.#allPairs().find(({ repository }) => repository.key === found?.repository.key)?.local;
    return found && withBase({ ...found, local }, baseId === undefined ? undefined : of(baseId)?.report);
  }

  #show(state: PageState, focus?: string): void {
    const existing = this.#panels.get(state.key);
    const title = this.#store.repositories.get(state.key)?.name ?? '';
    const panel =
      existing ??
      this.#attach(
        createPanel(vscode.l10n.t('Readiness: {0}', oneLine(title, 50)), this.#deps.extensionUri),
        state,
      );
    panel.show(state, focus);
    panel.reveal();
  }

  #attach(webviewPanel: vscode.WebviewPanel, state: PageState): ReportPanel {
    const { extensionUri, format, log } = this.#deps;
    this.#panels.get(state.key)?.dispose();
    const panel = new ReportPanel(webviewPanel, state, {
      extensionUri,
      format,
      log,
      git: this.#git,
      find: asked => this.#shown(asked),
      missing: () =>
        this.#failure?.sentence ??
        (this.#isOpen ? vscode.l10n.t('This readiness report is not known here.') : undefined),
      fix: (shown, criteria) => this.#commands.fix(shown, criteria),
      export: (shown, kind) => this.#commands.export(shown, kind),
      reveal: (shown, app) => this.#commands.reveal(shown, app),
    });
    this.#panels.set(state.key, panel);
    panel.onDidDispose(() => {
      if (this.#panels.get(state.key) === panel) this.#panels.delete(state.key);
      this.#watch();
    });
    return panel;
  }
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

/** Where the reports of a service's web application are kept. The sample's ports change, its reports do not. */
function folderOf({ id, source, appUrl }: Service): string {
  return `services/${id}/readiness/${folderName(source === 'sample' ? 'sample' : (hostOf(appUrl) ?? 'none'))}`;
}
