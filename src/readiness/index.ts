import * as vscode from 'vscode';
import type { ReadinessReport } from '../api';
import type { Connection } from '../connection';
import { commands, panels, type CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import { onDidChangeSettings, settings } from '../settings';
import type { Storage } from '../storage';
import { ConnectedList } from '../ui/connectedList';
import { createPanel, PagePanels } from '../ui/pagePanel';
import { card } from '../ui/text';
import { Tree, type TreeNode } from '../ui/tree';
import { Disposable, Slot } from '../util/disposable';
import { Emitter } from '../util/event';
import type { Formatter } from '../util/format';
import { oneLine } from '../util/text';
import type { WindowFocus } from '../util/windowFocus';
import { ReadinessCommands, type Prefill } from './commands';
import { LocalGit, Matches } from './git';
import { groupReports, previousOf, type Repository, type ShownReport } from './model';
import { ReportPanel } from './panel';
import { isPageState, type PageState } from './protocol';
import { isPartlyRead, pathOf, reportKind } from './reports';
import { readinessRows } from './rows';
import { latestLines, latestOf } from './text';

export { readinessRecords, searchedReadiness } from './reports';
export { toldReadiness } from './told';
export type { TreeNode as ReadinessTreeNode } from '../ui/tree';

export interface ReadinessDeps {
  readonly connection: Pick<Connection, 'state' | 'api' | 'ready' | 'onDidBecomeReady'>;
  readonly storage: Storage;
  readonly log: Logger;
  readonly extensionUri: vscode.Uri;
  readonly view: vscode.TreeView<TreeNode>;
  readonly focused: WindowFocus;
  readonly format: Formatter;
  readonly prefill: Prefill;
}

/** Time between readings of the reports, ms. */
const PERIOD_MS = 60 * 60_000;

/** Readiness of the organization's repositories (sections 2.7, 4.2), those of this window first. */
export class Readiness extends Disposable {
  readonly #deps: ReadinessDeps;
  readonly #list: ConnectedList<ReadinessReport>;
  readonly #git = this.register(new LocalGit());
  readonly #seen = this.register(new Emitter<void>());
  readonly #statusBar = this.register(new Slot<vscode.StatusBarItem>());
  readonly #panels = this.register(new PagePanels<ReportPanel>());
  readonly #commands: ReadinessCommands;
  /** What is kept has been read, or could not be. */
  #isOpen = false;
  #repositories: ReadonlyMap<string, Repository> | undefined;
  #matches: Matches | undefined;
  readonly tree: Tree;

  constructor(deps: ReadinessDeps) {
    super();
    this.#deps = deps;
    const { connection, storage, log, view, focused, format, prefill } = deps;
    this.#list = this.register(
      new ConnectedList<ReadinessReport>({
        connection,
        storage,
        log,
        ...reportKind,
        pathOf: ({ service }) => service && pathOf(service),
        pages: (api, signal) => api.pages('reports', { signal }),
      }),
    );
    this.tree = this.register(
      new Tree({
        view,
        ready: () => this.#firstRead(),
        roots: () => this.#roots(),
        onMinute: () => this.#showStatus(),
      }),
    );
    this.#commands = new ReadinessCommands({
      ready: () => this.#readyForCommands(),
      repositories: () => this.#known,
      here: () => this.#window.here?.repository,
      shown: state => this.#shown(state),
      open: (state, focus) => this.#show(state, focus),
      git: this.#git,
      prefill,
      format,
    });
    this.register(this.#list.state.onDidChange(() => this.#onList()));
    this.register(
      this.#git.onDidChange(() => {
        this.#draw();
        this.#seen.fire();
      }),
    );
    this.register(connection.state.onDidChange(() => void this.#list.open().then(() => this.#draw())));
    this.register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#draw()));
    const { tabGroups, onDidChangeActiveTextEditor } = vscode.window;
    for (const event of [
      onDidChangeActiveTextEditor,
      tabGroups.onDidChangeTabs,
      tabGroups.onDidChangeTabGroups,
    ])
      this.register((event as vscode.Event<unknown>)(() => this.#drawStatusBar()));
    this.register(onDidChangeSettings(['readiness.statusBar'], () => this.#showStatusBar()));
    this.#list.follow({
      pace: () => ({ usualMs: PERIOD_MS }),
      isSeen: () => this.#isSeen(),
      onDidChangeSeen: [view.onDidChangeVisibility, this.#panels.onDidChange, this.#seen.event],
      focused,
    });
    this.#showStatusBar();
    void this.#git.ready();
    void this.#list.open().then(() => {
      this.#isOpen = true;
      this.#draw();
    });
  }

  get commands(): CommandHandlers<'readiness'> {
    return this.#commands.handlers;
  }

  /** Reads every report anew. Never rejects: a failure is told in the view. */
  refresh(): Promise<void> {
    return this.#list.refresh();
  }

  /** Gives a panel found after a reload its report again; `state` is what its page kept, old or hostile. */
  async restorePanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    if (!isPageState(state)) {
      panel.dispose();
      return;
    }
    this.#panels.keep(state.key, this.#panelOf(panel, state));
    await this.#list.open();
  }

  get #known(): ReadonlyMap<string, Repository> {
    const unnamed = vscode.l10n.t('Unnamed repository');
    return (this.#repositories ??= groupReports(this.#list.state.current.items, unnamed));
  }

  get #window(): Matches {
    const isSignedOut = this.#deps.connection.state.current.kind === 'signedOut';
    return (this.#matches ??= new Matches(isSignedOut ? new Map() : this.#known, this.#git.repositories));
  }

  async #firstRead(): Promise<void> {
    await this.#list.listed();
    await this.#git.ready();
    this.#showStatus();
  }

  async #readyForCommands(): Promise<void> {
    await Promise.all([this.#list.open(), this.#git.ready()]);
    if (this.#known.size === 0) await this.#list.read();
    if (this.#known.size === 0 && this.#failure !== undefined) throw new Error(this.#failure.sentence);
  }

  get #failure(): { readonly sentence: string } | undefined {
    return this.#list.shown.failure;
  }

  #onList(): void {
    // Pages come faster than anybody reads.
    if (this.#list.state.current.reading === undefined) this.#draw();
  }

  #draw(): void {
    [this.#repositories, this.#matches] = [undefined, undefined];
    this.#showStatus();
    this.tree.update();
    this.#drawStatusBar();
    for (const panel of this.#panels.all) panel.update();
  }

  #roots(): readonly TreeNode[] {
    if (this.#deps.connection.state.current.kind === 'signedOut') return [];
    const { retryRows } = this.#list;
    if (retryRows.length > 0) return retryRows;
    return readinessRows({
      repositories: this.#known,
      matches: this.#window,
      git: this.#git,
      format: this.#deps.format,
    });
  }

  #showStatus(): void {
    this.#list.showStatus('agentConsole.readiness', this.#deps.view, this.#deps.format);
  }

  #showStatusBar(): void {
    const { Right } = vscode.StatusBarAlignment;
    const isWanted = settings.readinessStatusBar();
    this.#statusBar.set(
      isWanted ? vscode.window.createStatusBarItem('agentConsole.readiness', Right, 50) : undefined,
    );
    this.#drawStatusBar();
    this.#seen.fire();
  }

  /** The readiness of the active editor's repository; hidden where there is no report. */
  #drawStatusBar(): void {
    const item = this.#statusBar.value;
    const match = this.#window.here;
    if (item === undefined) return;
    if (match === undefined) {
      item.hide();
      return;
    }
    const { repository, local } = match;
    const latest = latestOf(repository);
    const isWorse = latest.criteria().some(({ change }) => change === 'worse');
    const name = oneLine(repository.name, 100);
    const staleness = this.#git.staleness(latest.report.commitHash, local);
    item.name = vscode.l10n.t('Agent Console: readiness');
    item.command = {
      command: commands.readiness.openReport,
      title: vscode.l10n.t('Open readiness report'),
      arguments: [{ kind: 'repository', key: repository.key }],
    };
    item.text = `$(${isWorse ? 'arrow-down' : 'pass'}) ${latest.percent}`;
    item.tooltip = card(vscode.l10n.t('Readiness of {0}', name), latestLines(latest, staleness));
    item.accessibilityInformation = { label: vscode.l10n.t('Readiness of {0}: {1}', name, latest.percent) };
    item.show();
  }

  /** Reports are asked for while somebody sees something of them. */
  #isSeen(): boolean {
    const isBarSeen = settings.readinessStatusBar() && this.#git.repositories.length > 0;
    return this.#deps.view.visible || isBarSeen || this.#panels.all.length > 0;
  }

  #shown({ key, reportId, baseId }: PageState): ShownReport | undefined {
    const of = (id: string) => {
      for (const repository of [this.#known.get(key), ...this.#known.values()]) {
        const report = repository?.reports.find(each => each.reportId === id);
        if (repository !== undefined && report !== undefined) return { repository, report };
      }
      return undefined;
    };
    const found = of(reportId);
    if (found === undefined) return undefined;
    const { repository, report } = found;
    const asked = baseId === undefined ? undefined : of(baseId)?.report;
    const base = asked ?? previousOf(repository.reports, report);
    const isPartial = isPartlyRead(this.#list.state.current, [report, base]);
    return { repository, report, base, local: this.#window.local(repository.key), isPartial };
  }

  #show(state: PageState, focus?: string): void {
    const title = this.#known.get(state.key)?.name ?? '';
    const words = vscode.l10n.t('Readiness: {0}', oneLine(title, 50));
    const made = () => createPanel(panels.readinessReport, 'readiness', words, this.#deps.extensionUri);
    this.#panels.show(state.key, () => this.#panelOf(made(), state)).show(state, focus);
  }

  #panelOf(panel: vscode.WebviewPanel, state: PageState): ReportPanel {
    const { extensionUri, format, log } = this.#deps;
    return new ReportPanel(panel, state, {
      extensionUri,
      format,
      log,
      git: this.#git,
      find: asked => this.#shown(asked),
      missing: () =>
        this.#failure?.sentence ??
        (this.#isOpen ? vscode.l10n.t('This readiness report is not available here.') : undefined),
      commands: this.#commands,
    });
  }
}
