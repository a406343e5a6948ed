import * as vscode from 'vscode';
import { errorSentence } from '../connection';
import type { Logger } from '../log';
import { notify } from '../ui/notify';
import { PagePanel } from '../ui/pagePanel';
import { forNotification, oneLine } from '../util/text';
import type { PanelSide } from '../webview/ipc';
import type { ReadinessCommands } from './commands';
import type { ShownReport } from './model';
import { missingParts, pageParts } from './page';
import { reportProtocol, type PageState, type ReportProtocol } from './protocol';
import type { Reports } from './reports';

export interface ReportPanelDeps {
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
  readonly reports: Pick<Reports, 'shown' | 'missing' | 'commits' | 'git'>;
  readonly commands: Pick<ReadinessCommands, 'fix' | 'export' | 'reveal'>;
}

/** One report at a time, with what it is compared with; stays where it is when newer reports come. */
export class ReportPanel extends PagePanel {
  readonly #deps: ReportPanelDeps;
  readonly #side: Pick<PanelSide<ReportProtocol>, 'send'>;
  #state: PageState;
  #wanted: string | undefined;
  /** The wanted criterion has not been brought into view yet. */
  #isWanted = false;
  /** The page as it was drawn. */
  #drawn: Readonly<Record<string, string>> = {};

  constructor(panel: vscode.WebviewPanel, state: PageState, deps: ReportPanelDeps) {
    super(panel, { ...deps, name: 'readiness' });
    this.#state = state;
    this.#deps = deps;
    const { commands } = deps;
    this.#side = this.page.connect({
      protocol: reportProtocol,
      handlers: {
        ready: () => {
          this.#drawn = {};
          this.update();
        },
        show: ({ reportId }) => this.show({ ...this.#state, reportId, baseId: undefined }),
        compare: ({ reportId }) => this.show({ ...this.#state, baseId: reportId }),
        fix: ({ criteria }) => this.#act(shown => commands.fix(shown, criteria)),
        export: () => this.#act(shown => commands.export(shown)),
        reveal: ({ path }) => this.#act(shown => commands.reveal(shown, path)),
      },
    });
    this.page.load();
  }

  /** Shows another report, or another comparison; `wanted` is the criterion to bring into view. */
  show(state: PageState, wanted?: string): void {
    this.#state = state;
    this.#wanted = wanted;
    this.#isWanted = wanted !== undefined;
    this.update();
  }

  /** Sends the page what of it says something else now. */
  update(): void {
    const { reports } = this.#deps;
    const [state, wanted] = [this.#state, this.#wanted];
    const shown = reports.shown(state);
    const sentence = shown === undefined ? reports.missing : '';
    if (!this.page.isReady || sentence === undefined) return;
    let parts = missingParts(sentence);
    if (shown !== undefined) {
      this.panel.title = vscode.l10n.t('Readiness: {0}', oneLine(shown.repository.name, 50));
      const staleness = reports.git.staleness(shown.report.commitHash, shown.local);
      const commits = reports.commits(shown);
      parts = pageParts(shown, { state, wanted, commits, staleness });
    }
    const changed = Object.entries(parts).filter(([id, part]) => this.#drawn[id] !== part);
    const isWanted = shown !== undefined && this.#isWanted;
    if (changed.length === 0 && !isWanted) return;
    this.#drawn = parts;
    this.#side.send('draw', { parts: Object.fromEntries(changed), state, isWanted });
    if (isWanted) this.#isWanted = false;
  }

  protected override onMissing(): void {
    const shown = this.#deps.reports.shown(this.#state);
    if (shown === undefined) return;
    notify(this.#deps.log, 'warning', vscode.l10n.t('The report page did not load.'), [
      vscode.l10n.t('Open as text'),
      () => this.#deps.commands.export(shown),
    ]);
  }

  async #act(act: (shown: ShownReport) => Promise<void>): Promise<void> {
    const shown = this.#deps.reports.shown(this.#state);
    if (shown === undefined) return;
    await act(shown).catch((error: unknown) => {
      void vscode.window.showErrorMessage(forNotification(errorSentence(error), 1_000));
    });
  }
}
