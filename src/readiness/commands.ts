import * as vscode from 'vscode';
import type { CommandHandlers } from '../contributions';
import type { Formatter } from '../util/format';
import { forQuickPick, oneLine, plain } from '../util/text';
import { jsonOf, markdownOf } from './exports';
import type { Staleness } from './git';
import { fixMessage } from './fixMessage';
import { fixSelection } from './fixSelection';
import { criteriaOf, passes, percentOf, previousOf, type Repository, type StoredReport } from './model';
import type { PageState } from './protocol';
import { appFolder, appLabel, type ShownReport } from './reportView';
import { dayText, percentText, reportLabel, scoreText } from './text';
import type { AppNode, CriterionNode, ReadinessTreeNode, RepositoryNode } from './tree';

/** Puts a message into a session's composer without sending it; resolves to false when the person cancelled. */
export type Prefill = (message: { readonly text: string; readonly title?: string }) => Promise<boolean>;

export interface ReadinessCommandsDeps {
  /** Resolves when the reports kept here have been read. */
  readonly ready: () => Promise<void>;
  readonly refresh: (all: boolean) => Promise<void>;
  readonly repositories: () => ReadonlyMap<string, Repository>;
  /** The repository of the active editor, or else the first of this window. */
  readonly here: () => Repository | undefined;
  readonly shown: (state: PageState) => ShownReport | undefined;
  readonly open: (state: PageState, focus?: string) => void;
  /** How the report's commit stands against HEAD. */
  readonly staleness: (shown: ShownReport) => Promise<Staleness>;
  readonly prefill: Prefill;
  readonly format: Formatter;
}

interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

/** What a person can do with readiness reports. */
export class ReadinessCommands {
  readonly #deps: ReadinessCommandsDeps;

  readonly handlers: CommandHandlers<'readiness'> = {
    refresh: () => this.#deps.refresh(false),
    readAll: () => this.#deps.refresh(true),
    openReport: node => this.#openReport(node),
    compare: (node, nodes) => this.#compare(node, nodes),
    find: () => this.#find(),
    fix: (node, nodes) => this.#fixCommand(node, nodes),
    exportReport: node => this.#exportCommand(node),
    revealApplication: async node => {
      const app = nodeOf(node, 'app') as AppNode | undefined;
      if (app !== undefined) await this.#revealFolder(appFolder(app.local, app.path), app.path);
    },
  };

  constructor(deps: ReadinessCommandsDeps) {
    this.#deps = deps;
  }

  /** Asks an agent to mend criteria: the message is put into a composer, never sent. Without any named, asks which. */
  async fix({ repository, report }: ShownReport, criteria: readonly string[]): Promise<void> {
    const chosen = criteria.length > 0 ? criteria : await pickCriteria(repository, report);
    if (chosen === undefined || chosen.length === 0) return;
    await this.#deps.prefill({
      text: fixMessage(repository, report, chosen),
      title: vscode.l10n.t('Which session shall work on the readiness of {0}?', oneLine(repository.name, 60)),
    });
  }

  /** Opens the report as an unsaved document; where it is kept is the person's decision. */
  async export(shown: ShownReport, language: 'markdown' | 'json'): Promise<void> {
    const { staleness, format } = this.#deps;
    const content = language === 'json' ? jsonOf(shown) : markdownOf(shown, await staleness(shown), format);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language }));
  }

  reveal(shown: ShownReport, app: string): Promise<void> {
    const known = Object.hasOwn(shown.report.apps ?? {}, app);
    return this.#revealFolder(known ? appFolder(shown.local, app) : undefined, app);
  }

  async #openReport(node: unknown): Promise<void> {
    await this.#deps.ready();
    const state = stateOf(node) ?? (await this.#latest(this.#deps.here()));
    if (state === undefined) return;
    if (this.#deps.shown(state) === undefined)
      throw new Error(vscode.l10n.t('This readiness report is not known here.'));
    this.#deps.open(state, (nodeOf(node, 'criterion') as CriterionNode | undefined)?.row.id);
  }

  async #find(): Promise<void> {
    await this.#deps.ready();
    const state = await this.#latest(undefined);
    if (state !== undefined) this.#deps.open(state);
  }

  async #compare(node: unknown, nodes: unknown): Promise<void> {
    await this.#deps.ready();
    const given = (Array.isArray(nodes) && nodes.length > 1 ? (nodes as unknown[]) : [node]).flatMap(
      each => nodeOf(each, 'report') ?? [],
    );
    const states = given.flatMap(each => stateOf(each) ?? []).slice(0, 2);
    if (states.length === 0) {
      const repository =
        (nodeOf(node, 'repository') as RepositoryNode | undefined)?.repository ?? this.#deps.here();
      const key = repository?.key ?? (await this.#latest(undefined))?.key;
      if (key === undefined) return;
      const first = await this.#pickReport(key, vscode.l10n.t('Which report?'), undefined);
      if (first !== undefined) states.push(first);
    }
    const [first] = states;
    if (first === undefined) return;
    const second =
      states[1] ??
      (await this.#pickReport(first.key, vscode.l10n.t('Compare with which report?'), first.reportId));
    if (second === undefined) return;
    const time = (state: PageState): number => this.#deps.shown(state)?.report.createdAt ?? 0;
    const [older, newer] = time(first) <= time(second) ? [first, second] : [second, first];
    this.#deps.open({ key: newer.key, reportId: newer.reportId, baseId: older.reportId });
  }

  async #fixCommand(node: unknown, nodes: unknown): Promise<void> {
    await this.#deps.ready();
    const state = stateOf(node) ?? (await this.#latest(this.#deps.here()));
    const shown = state && this.#deps.shown(state);
    if (shown === undefined) return;
    const selected = Array.isArray(nodes) && nodes.length > 0 ? (nodes as unknown[]) : [node];
    const rows = selected.flatMap(each => (nodeOf(each, 'criterion') as CriterionNode | undefined) ?? []);
    const { criteria, leftOut } = fixSelection(rows, shown.repository, shown.report);
    if (leftOut !== '') void vscode.window.showInformationMessage(leftOut);
    // Rows that all pass are no wish to be asked for others.
    if (rows.length > 0 && criteria.length === 0) return;
    await this.fix(shown, criteria);
  }

  async #exportCommand(node: unknown): Promise<void> {
    await this.#deps.ready();
    const state = stateOf(node) ?? (await this.#latest(this.#deps.here()));
    const shown = state && this.#deps.shown(state);
    if (shown === undefined) return;
    const choices: Choice<'markdown' | 'json'>[] = [
      { label: 'Markdown', value: 'markdown' },
      { label: 'JSON', value: 'json' },
    ];
    const choice = await vscode.window.showQuickPick(choices, { placeHolder: vscode.l10n.t('Export as') });
    if (choice !== undefined) await this.export(shown, choice.value);
  }

  async #revealFolder(folder: vscode.Uri | undefined, app: string): Promise<void> {
    if (folder === undefined)
      throw new Error(vscode.l10n.t('The repository of this application is not open in this window.'));
    try {
      await vscode.workspace.fs.stat(folder);
    } catch {
      throw new Error(vscode.l10n.t('There is no folder {0} here any more.', appLabel(app)));
    }
    await vscode.commands.executeCommand('revealInExplorer', folder);
  }

  /** The latest report of a repository; without one, of the one a person chooses from all. */
  async #latest(repository: Repository | undefined): Promise<PageState | undefined> {
    const chosen = repository ?? (await this.#pickRepository());
    const report = chosen?.reports[0];
    return chosen === undefined || report === undefined
      ? undefined
      : { key: chosen.key, reportId: report.reportId };
  }

  async #pickRepository(): Promise<Repository | undefined> {
    const choices = [...this.#deps.repositories().values()].map((repository): Choice<Repository> => {
      const [report] = repository.reports;
      return {
        label: forQuickPick(repository.name),
        description:
          report === undefined ? '' : `${percentText(percentOf(report))} · ${dayText(report.createdAt)}`,
        detail: forQuickPick(repository.url),
        value: repository,
      };
    });
    if (choices.length === 0) throw new Error(vscode.l10n.t('There are no readiness reports yet.'));
    const options = { placeHolder: vscode.l10n.t('Find a repository'), matchOnDetail: true };
    return (await vscode.window.showQuickPick(choices, options))?.value;
  }

  async #pickReport(
    key: string,
    placeHolder: string,
    without: string | undefined,
  ): Promise<PageState | undefined> {
    const reports = this.#deps.repositories().get(key)?.reports ?? [];
    const choices = reports
      .filter(({ reportId }) => reportId !== without)
      .map((report): Choice<string> => ({
        label: forQuickPick(reportLabel(report)),
        description: forQuickPick(report.commitHash ?? '', 12),
        value: report.reportId,
      }));
    const options = { placeHolder, matchOnDescription: true, ignoreFocusOut: true };
    const reportId = (await vscode.window.showQuickPick(choices, options))?.value;
    return reportId === undefined ? undefined : { key, reportId };
  }
}

async function pickCriteria(
  repository: Repository,
  report: StoredReport,
): Promise<readonly string[] | undefined> {
  const choices = criteriaOf(report, previousOf(repository.reports, report))
    .filter(({ now, change }) => change !== 'gone' && !passes(now))
    .map(({ id, name, now }): Choice<string> => ({
      label: forQuickPick(name),
      description: scoreText(now),
      detail: forQuickPick(plain(now.rationale ?? ''), 300),
      value: id,
      picked: true,
    }));
  if (choices.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Every criterion of this report passes.'));
    return undefined;
  }
  const options = {
    canPickMany: true,
    placeHolder: vscode.l10n.t('Which criteria should the agent fix?'),
    matchOnDetail: true,
    ignoreFocusOut: true,
  } as const;
  const chosen = await vscode.window.showQuickPick(choices, options);
  if (chosen?.length !== 0) return chosen?.map(({ value }) => value);
  void vscode.window.showInformationMessage(
    vscode.l10n.t('No criterion was ticked. Tick those that the agent should fix.'),
  );
  return undefined;
}

function nodeOf(value: unknown, kind: ReadinessTreeNode['kind']): ReadinessTreeNode | undefined {
  const found = typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
  return found ? (value as ReadinessTreeNode) : undefined;
}

/** The report a row stands for: its own, or the latest of its repository. */
function stateOf(value: unknown): PageState | undefined {
  const report = nodeOf(value, 'report');
  if (report?.kind === 'report') return { key: report.repository.key, reportId: report.report.reportId };
  const node = nodeOf(value, 'repository') ?? nodeOf(value, 'criterion');
  if (node?.kind !== 'repository' && node?.kind !== 'criterion') return undefined;
  const [latest] = node.repository.reports;
  return latest && { key: node.repository.key, reportId: latest.reportId };
}
