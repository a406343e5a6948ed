import * as vscode from 'vscode';
import { commands } from '../contributions';
import { Disposable } from '../util/disposable';
import { oneLine } from '../util/text';
import { card } from '../ui/text';
import type { LocalGit } from './git';
import type { Match } from './matches';
import { latestLines, latestOf } from './text';

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
    if (match === undefined) {
      this.#item.hide();
      return;
    }
    const latest = latestOf(match.repository);
    const { percent, report } = latest;
    const isWorse = latest.criteria().some(({ change }) => change === 'worse');
    const staleness = this.#git.staleness(report.commitHash, match.local);
    const name = oneLine(match.repository.name, 100);
    this.#item.command = {
      command: commands.readiness.openReport,
      title: vscode.l10n.t('Open readiness report'),
      arguments: [{ kind: 'repository', key: match.repository.key }],
    };
    this.#item.text = `$(${isWorse ? 'arrow-down' : 'pass'}) ${percent}`;
    this.#item.tooltip = card(vscode.l10n.t('Readiness of {0}', name), latestLines(latest, staleness));
    this.#item.accessibilityInformation = {
      label: vscode.l10n.t('Readiness of {0}: {1}', name, percent),
    };
    this.#item.show();
  }
}
