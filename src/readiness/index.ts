import * as vscode from 'vscode';
import { commands, panels, type CommandHandlers } from '../contributions';
import { onDidChangeSettings, settings } from '../settings';
import type { ListViewDeps } from '../ui/connectedList';
import { createPanel, PagePanels } from '../ui/pagePanel';
import { card, joined } from '../ui/text';
import { Tree, type TreeNode } from '../ui/tree';
import { Disposable, type Event } from '../util/lifecycle';
import { oneLine } from '../util/text';
import { ReadinessCommands, type Prefill } from './commands';
import { ReportPanel } from './panel';
import { isPageState, type PageState } from './protocol';
import { Reports } from './reports';
import { latestOf, readinessRows } from './rows';

export { readinessRecords, searchedReadiness, publicReadiness } from './reports';

export interface ReadinessDeps extends ListViewDeps {
  readonly extensionUri: vscode.Uri;
  readonly prefill: Prefill;
}

/** Time between readings of the reports, ms. */
const PERIOD_MS = 60 * 60_000;

/** Readiness of the organization's repositories (sections 2.7, 4.2), those of this window first. */
export class Readiness extends Disposable {
  readonly #deps: ReadinessDeps;
  readonly #reports: Reports;
  readonly #statusBar = this.register(
    vscode.window.createStatusBarItem('agentConsole.readiness', vscode.StatusBarAlignment.Right, 50),
  );
  readonly #panels = this.register(new PagePanels<ReportPanel>());
  readonly #commands: ReadinessCommands;
  readonly commands: CommandHandlers<'readiness'>;
  readonly tree: Tree;

  constructor(deps: ReadinessDeps) {
    super();
    this.#deps = deps;
    const { connection, view, focused, prefill } = deps;
    const reports = (this.#reports = this.register(new Reports(deps)));
    const { list, git } = reports;
    this.tree = this.register(
      new Tree({
        view,
        ready: async () => {
          await list.listed();
          await git.ready();
        },
        roots: () => this.#roots(),
        onDraw: () => list.showStatus('agentConsole.readiness', view),
      }),
    );
    const open = (state: PageState, criterion?: string): void => this.#show(state, criterion);
    this.#commands = new ReadinessCommands({ reports, open, prefill });
    this.commands = this.#commands.handlers;
    this.#statusBar.name = vscode.l10n.t('Agent Console: readiness');
    const draw = (): void => this.#draw();
    this.register(
      list.state.onDidChange(({ reading }) => {
        // Pages come faster than anybody reads.
        if (reading === undefined) draw();
      }),
    );
    for (const event of [git.onDidChange, git.onDidAnswer]) this.register(event(draw));
    this.register(connection.state.onDidChange(() => void list.open().then(draw)));
    this.register(vscode.workspace.onDidChangeWorkspaceFolders(draw));
    this.register(vscode.window.onDidChangeActiveTextEditor(() => this.#drawStatusBar()));
    const onDidChangeBar: Event<unknown> = listener =>
      onDidChangeSettings(['readiness.statusBar'], () => listener(undefined));
    this.register(onDidChangeBar(() => this.#drawStatusBar()));
    list.follow({
      usualMs: () => PERIOD_MS,
      isSeen: () => this.#isSeen(),
      onDidChangeSeen: [
        view.onDidChangeVisibility,
        this.#panels.onDidChange,
        git.onDidChange,
        onDidChangeBar,
      ],
      focused,
    });
    void git.ready();
    void list.open().then(draw);
  }

  /** Reads every report anew. Never rejects: a failure is told in the view. */
  refresh(): Promise<void> {
    return this.#reports.list.refresh();
  }

  /** Gives a panel found after a reload its report again; `state` is what its page kept, old or hostile. */
  async restorePanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    // Before, no report is known.
    await this.#reports.list.open();
    if (isPageState(state)) this.#panels.keep(state.key, this.#panelOf(panel, state));
    else panel.dispose();
  }

  #draw(): void {
    this.#reports.changed();
    this.tree.update();
    this.#drawStatusBar();
    for (const panel of this.#panels.all) panel.update();
  }

  #roots(): readonly TreeNode[] {
    if (this.#deps.connection.state.current.kind === 'signedOut') return [];
    const { retryRows } = this.#reports.list;
    return retryRows.length > 0 ? retryRows : readinessRows(this.#reports);
  }

  /** The readiness of the active editor's repository; hidden where there is no report. */
  #drawStatusBar(): void {
    const item = this.#statusBar;
    const { here } = this.#reports.window;
    if (here === undefined || !settings.readinessStatusBar()) {
      item.hide();
      return;
    }
    const { repository, local } = here;
    const { report, percent, criteria, lines } = latestOf(repository);
    const isWorse = criteria().some(({ change }) => change === 'worse');
    const name = oneLine(repository.name, 100);
    item.command = {
      command: commands.readiness.openReport,
      title: vscode.l10n.t('Open readiness report'),
      arguments: [{ kind: 'repository', key: repository.key }],
    };
    item.text = `$(${isWorse ? 'arrow-down' : 'pass'}) ${percent}`;
    const staleness = this.#reports.git.staleness(report.commitHash, local);
    item.tooltip = card(vscode.l10n.t('Readiness of {0}', name), lines(staleness));
    const label = vscode.l10n.t('Readiness of {0}: {1}', name, percent);
    item.accessibilityInformation = { label: joined([label, isWorse && vscode.l10n.t('got worse')], ', ') };
    item.show();
  }

  /** Reports are asked for while somebody sees something of them. */
  #isSeen(): boolean {
    const isBarSeen = settings.readinessStatusBar() && this.#reports.git.all.length > 0;
    return this.#deps.view.visible || isBarSeen || this.#panels.all.length > 0;
  }

  #show(state: PageState, criterion?: string): void {
    const name = this.#reports.known.get(state.key)?.name ?? '';
    const title = vscode.l10n.t('Readiness: {0}', oneLine(name, 50));
    const made = () => createPanel(panels.readinessReport, 'readiness', title, this.#deps.extensionUri);
    this.#panels.show(state.key, () => this.#panelOf(made(), state)).show(state, criterion);
  }

  #panelOf(panel: vscode.WebviewPanel, state: PageState): ReportPanel {
    const { extensionUri, log } = this.#deps;
    const [reports, does] = [this.#reports, this.#commands];
    return new ReportPanel(panel, state, { extensionUri, log, reports, commands: does });
  }
}
