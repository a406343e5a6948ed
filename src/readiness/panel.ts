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
import type { ShownReport } from './model';
import { missingParts, pageParts, type PageFacts } from './page';
import { reportProtocol, type PageState, type ReportProtocol } from './protocol';

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
  #wanted: string | undefined;
  /** The wanted criterion has not been brought into view yet. */
  #isWanted = false;
  #commits: PageFacts['commits'] = 'asked';
  /** How often commits were asked for. */
  #turn = 0;
  /** The page as it was drawn. */
  #drawn: Readonly<Record<string, string>> = {};

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
          this.#drawn = {};
          this.update();
        },
        look: look => {
          const { filter, words } = this.#state.look ?? {};
          this.#state = { ...this.#state, look };
          if (filter !== look.filter || words !== look.words) this.#draw();
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

  /** Shows another report, or another comparison; `wanted` is the criterion to bring into view. */
  show(state: PageState, wanted?: string): void {
    const { look, reportId, baseId } = this.#state;
    const isSame = state.reportId === reportId && state.baseId === baseId;
    // Something else is read from its beginning.
    const kept = look && (isSame ? look : { ...look, scroll: 0 });
    this.#state = { ...state, look: wanted === undefined ? kept : undefined };
    this.#wanted = wanted;
    this.#isWanted = wanted !== undefined;
    this.#commits = 'asked';
    this.update();
  }

  /** Draws the report as it is known now. */
  update(): void {
    if (!this.page.isReady) return;
    const { git, find } = this.#deps;
    const { report, base, local } = find(this.#state) ?? {};
    this.#draw();
    const turn = ++this.#turn;
    const [older, newer] =
      (base?.createdAt ?? 0) <= (report?.createdAt ?? 0) ? [base, report] : [report, base];
    void git.between(local, older?.commitHash, newer?.commitHash).then(commits => {
      if (turn !== this.#turn) return;
      this.#commits = commits;
      this.#draw();
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

  /** Sends the page what of it says something else now. */
  #draw(): void {
    const { git, find, format, missing } = this.#deps;
    const shown = find(this.#state);
    const sentence = shown === undefined ? missing() : undefined;
    if (!this.page.isReady || (shown === undefined && sentence === undefined)) return;
    if (shown !== undefined)
      this.panel.title = vscode.l10n.t('Readiness: {0}', oneLine(shown.repository.name, 50));
    const [state, wanted, commits] = [this.#state, this.#wanted, this.#commits];
    const parts =
      shown === undefined
        ? missingParts(sentence ?? '')
        : pageParts(shown, {
            ...{ state, wanted, commits, format },
            staleness: git.staleness(shown.report.commitHash, shown.local),
          });
    const changed = Object.entries(parts).filter(([id, part]) => this.#drawn[id] !== part);
    const isWanted = shown !== undefined && this.#isWanted;
    if (changed.length === 0 && !isWanted) return;
    this.#drawn = parts;
    this.#side.send('draw', { parts: Object.fromEntries(changed), state, isWanted });
    if (isWanted) this.#isWanted = false;
  }

  #failed(error: unknown): void {
    void vscode.window.showErrorMessage(forNotification(errorSentence(error), 1_000));
  }
}
