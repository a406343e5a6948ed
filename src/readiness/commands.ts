import * as vscode from 'vscode';
import type { ReadinessReport } from '../api';
import type { CommandHandlers } from '../contributions';
import { pick, pickItem, pickSeveral } from '../ui/pick';
import { joined } from '../ui/text';
import { oneLine, plain } from '../util/text';
import { criteriaOf, fails, percentOf, type Repository, type ShownReport } from './model';
import type { PageState } from './protocol';
import { compared, type Reports } from './reports';
import { markdownOf } from './sections';
import { dayText, percentText, reportLabel, scoreText } from './rows';

/** Puts a message into a session's composer without sending it; resolves to false when the person cancelled. */
export type Prefill = (message: { readonly text: string; readonly title?: string }) => Promise<boolean>;

export interface ReadinessCommandsDeps {
  readonly reports: Pick<Reports, 'ready' | 'known' | 'shown' | 'commits'> & {
    readonly window: Pick<Reports['window'], 'here'>;
    readonly git: Pick<Reports['git'], 'counted'>;
  };
  readonly open: (state: PageState, criterion?: string) => void;
  readonly prefill: Prefill;
}

interface Given {
  readonly key?: unknown;
  readonly reportId?: unknown;
  readonly criterion?: unknown;
}

/** What a person can do with readiness reports. Without a row each command asks with a picker. */
export class ReadinessCommands {
  readonly #deps: ReadinessCommandsDeps;

  readonly handlers: CommandHandlers<'readiness'> = {
    openReport: node => this.#openReport(given(node)),
    compare: (node, nodes) => this.#compare(selected(node, nodes)),
    fix: (node, nodes) => this.#fixRows(given(node), selected(node, nodes)),
    exportReport: async node => {
      const shown = await this.#shownOf(given(node));
      if (shown !== undefined) await this.export(shown);
    },
  };

  constructor(deps: ReadinessCommandsDeps) {
    this.#deps = deps;
  }

  /** Asks an agent to fix criteria: the message is put into a composer, never sent. Asks which where none of those named fails. */
  async fix({ repository, report }: ShownReport, named: readonly string[]): Promise<void> {
    const failing = criteriaOf(report).filter(fails);
    if (failing.length === 0) throw new Error(vscode.l10n.t('Every criterion in this report passes.'));
    const choices = failing.map(({ id, name, now }) => ({
      label: name,
      description: scoreText(now),
      detail: plain(now?.rationale ?? ''),
      value: id,
    }));
    const meant = failing.map(({ id }) => id).filter(id => named.includes(id));
    const chosen =
      meant.length > 0
        ? meant
        : await pickSeveral(choices, vscode.l10n.t('Which criteria should the agent fix?'));
    if (chosen === undefined || chosen.length === 0) return;
    await this.#deps.prefill({
      text: fixMessage(repository, report, chosen),
      title: vscode.l10n.t('Which session should work on {0}?', oneLine(repository.name, 60)),
    });
  }

  /** Opens the report as an unsaved Markdown document; where it is kept is the person's decision. */
  async export(shown: ShownReport): Promise<void> {
    const { reports } = this.#deps;
    const staleness = await reports.git.counted(shown.report.commitHash, shown.local);
    const content = markdownOf(shown, { staleness, commits: await reports.commits(shown) });
    const document = await vscode.workspace.openTextDocument({ content, language: 'markdown' });
    await vscode.window.showTextDocument(document);
  }

  async #openReport(node: Given): Promise<void> {
    await this.#deps.reports.ready();
    const state = this.#stateOf(node) ?? latest(await this.#pickRepository());
    if (state === undefined) return;
    if (this.#deps.reports.shown(state) === undefined)
      throw new Error(vscode.l10n.t('This readiness report is not available here.'));
    this.#deps.open(state, typeof node.criterion === 'string' ? node.criterion : undefined);
  }

  /** Two reports of one repository: of rows of several the first one's count. */
  async #compare(nodes: readonly Given[]): Promise<void> {
    const { reports } = this.#deps;
    await reports.ready();
    const rows = nodes.filter(({ reportId }) => typeof reportId === 'string');
    const [one, two] = rows
      .flatMap(each => this.#stateOf(each) ?? [])
      .filter(({ key }, _, [first]) => key === first?.key);
    const repository =
      this.#repository(one?.key ?? nodes[0]?.key) ??
      reports.window.here?.repository ??
      (await this.#pickRepository());
    if (repository === undefined) return;
    const first = one ?? (await pickReport(repository, vscode.l10n.t('Which report?')));
    if (first === undefined) return;
    const question = vscode.l10n.t('Compare with which report?');
    const second = two ?? (await pickReport(repository, question, first));
    if (second === undefined) return;
    this.#deps.open(compared(reports, first, second));
  }

  /** Of rows of several repositories those count that are of the same as the one that was clicked. */
  async #fixRows(row: Given, rows: readonly Given[]): Promise<void> {
    const shown = await this.#shownOf(row);
    const named = rows.flatMap(({ key, criterion }) =>
      typeof criterion === 'string' && key === shown?.repository.key ? criterion : [],
    );
    if (shown !== undefined) await this.fix(shown, named);
  }

  /** The report of a row. Without a row the latest of the repository in front. */
  async #shownOf(row: Given): Promise<ShownReport | undefined> {
    const { reports } = this.#deps;
    await reports.ready();
    const state =
      this.#stateOf(row) ?? latest(reports.window.here?.repository ?? (await this.#pickRepository()));
    return state && reports.shown(state);
  }

  /** The report a row stands for: its own, or the latest of its repository. */
  #stateOf({ key, reportId }: Given): PageState | undefined {
    if (typeof key === 'string' && typeof reportId === 'string') return { key, reportId };
    return latest(this.#repository(key));
  }

  #repository(key: unknown): Repository | undefined {
    return typeof key === 'string' ? this.#deps.reports.known.get(key) : undefined;
  }

  /** Any repository, the one in front first. */
  #pickRepository() {
    const { known, window } = this.#deps.reports;
    const here = window.here?.repository;
    const all = [...known.values()].sort((a, b) => Number(b === here) - Number(a === here));
    const choices = all.map(value => {
      const [newest] = value.reports;
      const description = joined([percentText(percentOf(newest)), dayText(newest.createdAt)]);
      return { label: value.name, description, detail: value.url, value };
    });
    const none = vscode.l10n.t('There are no readiness reports yet.');
    return pickItem<Repository>(choices, vscode.l10n.t('Find a repository'), none);
  }
}

function latest(repository: Repository | undefined): PageState | undefined {
  return repository && { key: repository.key, reportId: repository.reports[0].reportId };
}

function pickReport({ key, reports }: Repository, placeHolder: string, but?: PageState) {
  const choices = reports
    .filter(({ reportId }) => reportId !== but?.reportId)
    .map(report => ({
      label: reportLabel(report),
      description: oneLine(report.commitHash ?? '', 12),
      value: { key, reportId: report.reportId },
    }));
  return pick<PageState>(choices, placeHolder);
}

/** What a row is about, which may be of another extension. */
function given(row: unknown): Given {
  return typeof row === 'object' && row !== null ? row : {};
}

/** All rows that are selected, where the one that was clicked is among them. */
function selected(row: unknown, rows: unknown): readonly Given[] {
  return Array.isArray(rows) && rows.length > 0 ? rows.map(given) : [given(row)];
}

/** What an agent is asked to mend: the criteria, why they fail, the applications and the commit. Foreign text is made plain. */
export function fixMessage(
  repository: Repository,
  report: ReadinessReport,
  criteria: readonly string[],
): string {
  const { branch, commitHash } = report;
  const where = joined(
    [
      oneLine(repository.name, 200),
      branch !== undefined && vscode.l10n.t('branch {0}', oneLine(branch, 100)),
      commitHash !== undefined && vscode.l10n.t('commit {0}', oneLine(commitHash, 64)),
    ],
    ', ',
  );
  const asked = criteria.flatMap(id => {
    const evaluation = Object.hasOwn(report.report, id) ? report.report[id] : undefined;
    if (evaluation === undefined) return [];
    const rationale = plain(evaluation.rationale ?? '', 4_000).replace(/\n/g, '\n  ');
    const line = `- ${oneLine(id, 200)}: ${vscode.l10n.t('{0} pass', scoreText(evaluation))}`;
    return rationale === '' ? [line] : [line, `  ${rationale}`];
  });
  const apps = Object.entries(report.apps ?? {}).map(
    ([path, { description = '' }]) => `- ${joined([oneLine(path, 200), oneLine(description, 500)], ': ')}`,
  );
  const asks = vscode.l10n.t(
    'Please improve the readiness of {0}. The report of {1} says:',
    where,
    dayText(report.createdAt),
  );
  const below = apps.length === 0 ? [] : ['', vscode.l10n.t('Applications:'), ...apps];
  return [asks, '', ...asked, ...below, ''].join('\n');
}
