import * as vscode from 'vscode';
import { errorSentence } from '../connection';
import { panels } from '../contributions';
import type { Logger } from '../log';
import { Disposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { notify } from '../ui/notify';
import { forNotification, oneLine } from '../util/text';
import { panelSide, type PanelSide } from '../webview/ipc';
import { WebviewPage } from '../webview/page';
import type { ReadinessCommands } from './commands';
import type { LocalGit } from './git';
import { reportProtocol, type CommitsView, type PageState, type ReportProtocol } from './protocol';
import { commitsView, reportView, type ShownReport } from './reportView';

export interface ReportPanelDeps {
  readonly extensionUri: vscode.Uri;
  readonly git: LocalGit;
  readonly format: Formatter;
  readonly log: Logger;
  /** The reports as known now; `undefined` when the report is not among them. */
  readonly find: (state: PageState) => ShownReport | undefined;
  /** Why a report is not there; `undefined` while that is not known yet. */
  readonly missing: () => string | undefined;
  readonly commands: Pick<ReadinessCommands, 'fix' | 'export' | 'reveal'>;
}

/** Makes the editor panel of a repository's reports. */
export function createPanel(title: string, extensionUri: vscode.Uri): vscode.WebviewPanel {
  const panel = vscode.window.createWebviewPanel(panels.readinessReport, title, vscode.ViewColumn.Active);
  panel.iconPath = {
    light: vscode.Uri.joinPath(extensionUri, 'media', 'readiness', 'icon-light.svg'),
    dark: vscode.Uri.joinPath(extensionUri, 'media', 'readiness', 'icon-dark.svg'),
  };
  return panel;
}

/** One report at a time, with what it is compared with; stays where it is when newer reports come. */
export class ReportPanel extends Disposable {
  readonly #panel: vscode.WebviewPanel;
  readonly #deps: ReportPanelDeps;
  readonly #page: PanelSide<ReportProtocol>;
  readonly #life: WebviewPage;
  readonly #disposed = new vscode.EventEmitter<void>();
  #state: PageState;
  #focus: string | undefined;

  constructor(panel: vscode.WebviewPanel, state: PageState, deps: ReportPanelDeps) {
    super();
    this.#panel = panel;
    this.#state = state;
    this.#deps = deps;
    this.#life = this.register(
      new WebviewPage({
        webview: panel.webview,
        extensionUri: deps.extensionUri,
        name: 'readiness',
        title: () => panel.title,
        isVisible: () => panel.visible,
        onGone: () => undefined,
        onMissing: () => this.#offerText(),
        log: deps.log,
      }),
    );
    const withShown =
      <T>(act: (shown: ShownReport, params: T) => Promise<void>) =>
      async (params: T): Promise<void> => {
        const shown = deps.find(this.#state);
        if (shown !== undefined) await act(shown, params).catch((error: unknown) => this.#failed(error));
      };
    this.#page = panelSide({
      protocol: reportProtocol,
      handlers: {
        commits: () => this.#commits(),
        ready: () => this.#pageReady(),
        show: ({ reportId }) => this.show({ ...this.#state, reportId, baseId: undefined }),
        compare: ({ reportId }) => this.show({ ...this.#state, baseId: reportId }),
        fix: withShown<{ criteria: readonly string[] }>((shown, { criteria }) =>
          deps.commands.fix(shown, criteria),
        ),
        export: withShown<object>(shown => deps.commands.export(shown)),
        reveal: withShown<{ path: string }>((shown, { path }) => deps.commands.reveal(shown, path)),
      },
      post: message => panel.webview.postMessage(message),
      describe: error => forNotification(errorSentence(error)),
      onProblem: (problem, error) => this.#life.problem(problem, error),
    });
    this.register(this.#life.onDidReceive(message => this.#page.receive(message)));
    this.register(panel.onDidDispose(() => this.dispose()));
    this.register(panel.onDidChangeViewState(() => this.#life.followVisibility()));
    this.#life.load();
  }

  /** Fires once, when the panel is closed. */
  readonly onDidDispose = this.#disposed.event;

  reveal(): void {
    this.#panel.reveal(undefined, false);
  }

  /** Shows another report, or another comparison; `focus` is the criterion to bring into view. */
  show(state: PageState, focus?: string): void {
    this.#state = state;
    this.#focus = focus;
    this.update();
  }

  /** Draws the report as it is known now. */
  update(): void {
    if (!this.#life.isReady) return;
    const { git, find, format, missing } = this.#deps;
    const shown = find(this.#state);
    if (shown === undefined) {
      const sentence = missing();
      if (sentence !== undefined) this.#page.send('missing', { sentence });
      return;
    }
    this.#panel.title = vscode.l10n.t('Readiness: {0}', oneLine(shown.repository.name, 50));
    const staleness = git.staleness(shown.report.commitHash, shown.local);
    const view = { ...reportView(shown, staleness, format), focus: this.#focus };
    this.#focus = undefined;
    this.#page.send('report', { view, state: this.#state });
  }

  /** Lets go of the panel but leaves it open: the editor restores it when the extension starts again. */
  release(): void {
    super.dispose();
    this.#disposed.dispose();
  }

  override dispose(): void {
    if (this.isDisposed) return;
    super.dispose();
    this.#panel.dispose();
    this.#disposed.fire();
    this.#disposed.dispose();
  }

  #pageReady(): void {
    this.#life.ready();
    this.#page.send('start', { texts: vscode.l10n.bundle });
    this.update();
  }

  /** Commits from the older of the two reports to the newer one. */
  async #commits(): Promise<CommitsView> {
    const shown = this.#deps.find(this.#state);
    if (shown === undefined) throw new Error(this.#deps.missing() ?? '');
    const { report, base, local } = shown;
    const [older, newer] =
      (base?.createdAt ?? 0) <= (report.createdAt ?? 0) ? [base, report] : [report, base];
    return commitsView(shown, await this.#deps.git.between(local, older?.commitHash, newer?.commitHash));
  }

  #offerText(): void {
    const shown = this.#deps.find(this.#state);
    if (shown === undefined) return;
    notify(this.#deps.log, 'warning', vscode.l10n.t('The report page did not load.'), [
      vscode.l10n.t('Open as text'),
      () => this.#deps.commands.export(shown),
    ]);
  }

  #failed(error: unknown): void {
    void vscode.window.showErrorMessage(forNotification(errorSentence(error), 1_000));
  }
}
