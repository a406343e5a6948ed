import * as vscode from 'vscode';
import { commands } from '../contributions';
import { Disposable } from '../util/disposable';
import { oneLine } from '../util/text';
import { card, factLines } from '../ui/text';
import type { LocalGit } from './git';
import { criteriaOf, passes, percentOf, previousOf } from './model';
import { deltaText, percentText, reportLabel, reportNotes } from './text';
import type { Match } from './matches';

/** The readiness of the active editor's repository; hidden where there is no report. */
export class ReadinessStatusBar extends Disposable {
  readonly #git: LocalGit;
  readonly #match: () => Match | undefined;
  readonly #item: vscode.StatusBarItem;

  constructor(git: LocalGit, match: () => Match | undefined) {
    super();
    this.#git = git;
    this.#match = match;
    const { Right } = vscode.StatusBarAlignment;
    this.#item = this.register(vscode.window.createStatusBarItem('agentConsole.readiness', Right, 50));
    this.#item.name = vscode.l10n.t('Agent Console: readiness');
    this.register(vscode.window.onDidChangeActiveTextEditor(() => this.update()));
    this.register(vscode.window.tabGroups.onDidChangeTabs(() => this.update()));
    this.register(vscode.window.tabGroups.onDidChangeTabGroups(() => this.update()));
    this.update();
  }

  update(): void {
    const match = this.#match();
    const report = match?.repository.reports[0];
    if (match === undefined || report === undefined) {
      this.#item.hide();
      return;
    }
    const before = previousOf(match.repository.reports, report);
    const percent = percentOf(report);
    const rows = criteriaOf(report, before);
    const worse = rows.filter(({ change }) => change === 'worse').length;
    const failing = rows.filter(({ now, change }) => change !== 'gone' && !passes(now)).length;
    const name = oneLine(match.repository.name, 100);
    this.#item.command = {
      command: commands.readiness.openReport,
      title: vscode.l10n.t('Open readiness report'),
      arguments: [{ kind: 'repository', key: match.repository.key }],
    };
    this.#item.text = `$(${worse > 0 ? 'arrow-down' : 'pass'}) ${percentText(percent)}`;
    this.#item.tooltip = card(vscode.l10n.t('Readiness of {0}', name), [
      reportLabel(report),
      ...factLines([
        [vscode.l10n.t('Since the previous report'), deltaText(percent, before && percentOf(before))],
        [vscode.l10n.t('Failing criteria'), String(failing)],
        [vscode.l10n.t('Got worse'), worse > 0 ? String(worse) : undefined],
      ]),
      ...reportNotes(report, this.#git.staleness(report.commitHash, match.local)),
    ]);
    this.#item.accessibilityInformation = {
      label: vscode.l10n.t('Readiness of {0}: {1}', name, percentText(percent)),
    };
    this.#item.show();
  }
}
