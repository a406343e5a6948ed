import * as vscode from 'vscode';
import { errorSentence } from '../connection';
import type { Logger } from '../log';
import type { Formatter } from '../util/format';
import { notify } from '../ui/notify';
import { PagePanel } from '../ui/pagePanel';
import { forNotification, oneLine } from '../util/text';
import type { PanelSide } from '../webview/ipc';
import type { ReadinessCommands } from './commands';
import type { LocalGit } from './git';
import { reportProtocol, type PageState, type ReportProtocol } from './protocol';
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

/** One report at a time, with what it is compared with; stays where it is when newer reports come. */
export class ReportPanel extends PagePanel {
  readonly #deps: ReportPanelDeps;
  readonly #side: Pick<PanelSide<ReportProtocol>, 'send'>;
  #state: PageState;
  #focus: string | undefined;
  /** How often it was drawn. */
  #turn = 0;

  constructor(panel: vscode.WebviewPanel, state: PageState, deps: ReportPanelDeps) {
    super(panel, { ...deps, name: 'readiness' });
    this.#state = state;
    this.#deps = deps;
    const withShown =
      <T>(act: (shown: ShownReport, params: T) => Promise<void>) =>
      async (params: T): Promise<void> => {
        const shown = deps.find(this.#state);
        if (shown !== undefined) await act(shown, params).catch((error: unknown) => this.#failed(error));
      };
    this.#side = this.page.connect({
      protocol: reportProtocol,
      handlers: {
        ready: () => {
          this.#side.send('start', { texts: vscode.l10n.bundle });
          this.update();
        },
        show: ({ reportId }) => this.show({ ...this.#state, reportId, baseId: undefined }),
        compare: ({ reportId }) => this.show({ ...this.#state, baseId: reportId }),
        fix: withShown<{ criteria: readonly string[] }>((shown, { criteria }) =>
          deps.commands.fix(shown, criteria),
        ),
        export: withShown<object>(shown => deps.commands.export(shown)),
        reveal: withShown<{ path: string }>((shown, { path }) => deps.commands.reveal(shown, path)),
      },
    });
    this.page.load();
  }

  /** Shows another report, or another comparison; `focus` is the criterion to bring into view. */
  show(state: PageState, focus?: string): void {
    this.#state = state;
    this.#focus = focus;
    this.update();
  }

  /** Draws the report as it is known now. */
  update(): void {
    if (!this.page.isReady) return;
    const { git, find, format, missing } = this.#deps;
    const shown = find(this.#state);
    if (shown === undefined) {
      const sentence = missing();
      if (sentence !== undefined) this.#side.send('missing', { sentence });
      return;
    }
    const { repository, report, base, local } = shown;
    this.panel.title = vscode.l10n.t('Readiness: {0}', oneLine(repository.name, 50));
    const staleness = git.staleness(report.commitHash, local);
    const view = { ...reportView(shown, staleness, format), focus: this.#focus };
    this.#focus = undefined;
    this.#side.send('report', { view, state: this.#state });
    const turn = ++this.#turn;
    const [older, newer] =
      (base?.createdAt ?? 0) <= (report.createdAt ?? 0) ? [base, report] : [report, base];
    void git.between(local, older?.commitHash, newer?.commitHash).then(commits => {
      if (turn === this.#turn) this.#side.send('commits', base && commitsView(commits));
    });
  }

  protected override onMissing(): void {
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
