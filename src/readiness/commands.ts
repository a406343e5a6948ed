import * as vscode from 'vscode';
import type { ReadinessReport } from '../api';
import type { CommandHandlers } from '../contributions';
import { pick, pickSeveral } from '../ui/pick';
import { inMarkdown as escape, joined } from '../ui/text';
import type { Formatter } from '../util/format';
import { oneLine, plain } from '../util/text';
import { appFolder, type LocalGit, type Staleness } from './git';
import { criteriaOf, passes, percentOf, type Repository, type ShownReport } from './model';
import type { PageState } from './protocol';
import {
  changeText,
  dayText,
  deltaText,
  percentText,
  reportFacts,
  reportLabel,
  reportNotes,
  scoreText,
  subtitle,
} from './text';

/** Puts a message into a session's composer without sending it; resolves to false when the person cancelled. */
export type Prefill = (message: { readonly text: string; readonly title?: string }) => Promise<boolean>;

export interface ReadinessCommandsDeps {
  /** Resolves when reports are there, read if there were none. Rejects when there are none because they cannot be read. */
  readonly ready: () => Promise<void>;
  readonly repositories: () => ReadonlyMap<string, Repository>;
  /** The repository of the active editor, or else the first of this window. */
  readonly here: () => Repository | undefined;
  readonly shown: (state: PageState) => ShownReport | undefined;
  readonly open: (state: PageState, focus?: string) => void;
  readonly git: Pick<LocalGit, 'counted'>;
  readonly prefill: Prefill;
  readonly format: Formatter;
}

/** What rows of the view tell commands. */
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
    compare: (node, nodes) => this.#compare(node, nodes),
    fix: (node, nodes) => this.#fixCommand(node, nodes),
    exportReport: async node => {
      const shown = await this.#shownOf([given(node)]);
      if (shown !== undefined) await this.export(shown);
    },
  };

  constructor(deps: ReadinessCommandsDeps) {
    this.#deps = deps;
  }

  /** Asks an agent to fix criteria: the message is put into a composer, never sent. Without any named, asks which. */
  async fix({ repository, report }: ShownReport, named: readonly string[]): Promise<void> {
    const failing = criteriaOf(report).filter(({ now }) => !passes(now));
    if (failing.length === 0) throw new Error(vscode.l10n.t('Every criterion in this report passes.'));
    const choices = failing.map(({ id, name, now }) => ({
      label: name,
      description: scoreText(now),
      detail: plain(now.rationale ?? ''),
      value: id,
    }));
    const chosen =
      named.length === 0
        ? await pickSeveral(choices, vscode.l10n.t('Which criteria should the agent fix?'))
        : failing.flatMap(({ id }) => (named.includes(id) ? [id] : []));
    if (named.length > 0 && chosen?.length === 0)
      throw new Error(vscode.l10n.t('None of the selected criteria fails.'));
    if (chosen === undefined || chosen.length === 0) return;
    await this.#deps.prefill({
      text: fixMessage(repository, report, chosen),
      title: vscode.l10n.t('Which session should fix the readiness of {0}?', oneLine(repository.name, 60)),
    });
  }

  /** Opens the report as an unsaved Markdown document; where it is kept is the person's decision. */
  async export(shown: ShownReport): Promise<void> {
    const { git, format } = this.#deps;
    const staleness = await git.counted(shown.report.commitHash, shown.local);
    const content = markdownOf(shown, staleness, format);
    const document = await vscode.workspace.openTextDocument({ content, language: 'markdown' });
    await vscode.window.showTextDocument(document);
  }

  /** Shows the folder of an application in the Explorer. */
  async reveal({ local }: ShownReport, app: string): Promise<void> {
    const folder = appFolder(local, app);
    if (folder === undefined)
      throw new Error(vscode.l10n.t('The repository of this application is not open in this window.'));
    await vscode.commands.executeCommand('revealInExplorer', folder);
  }

  async #openReport(node: Given): Promise<void> {
    await this.#deps.ready();
    const state = this.#stateOf(node) ?? latest(await this.#pickRepository());
    if (state === undefined) return;
    if (this.#deps.shown(state) === undefined)
      throw new Error(vscode.l10n.t('This readiness report is not available here.'));
    this.#deps.open(state, typeof node.criterion === 'string' ? node.criterion : undefined);
  }

  async #compare(node: unknown, nodes: unknown): Promise<void> {
    await this.#deps.ready();
    const reports = selected(node, nodes).filter(({ reportId }) => typeof reportId === 'string');
    const [one, two] = reports.flatMap(each => this.#stateOf(each) ?? []);
    const repository =
      this.#repository(one?.key ?? given(node).key) ?? this.#deps.here() ?? (await this.#pickRepository());
    if (repository === undefined) return;
    const first = one ?? (await pickReport(repository, vscode.l10n.t('Which report?'), undefined));
    if (first === undefined) return;
    const question = vscode.l10n.t('Compare with which report?');
    const second = two ?? (await pickReport(repository, question, first.reportId));
    if (second === undefined) return;
    const time = (state: PageState): number => this.#deps.shown(state)?.report.createdAt ?? 0;
    const [older, newer] = time(first) <= time(second) ? [first, second] : [second, first];
    this.#deps.open({ key: newer.key, reportId: newer.reportId, baseId: older.reportId });
  }

  async #fixCommand(node: unknown, nodes: unknown): Promise<void> {
    const rows = selected(node, nodes);
    const shown = await this.#shownOf(rows);
    if (shown === undefined) return;
    const { key: own } = shown.repository;
    const named = rows.flatMap(({ key, criterion }) =>
      typeof criterion === 'string' && key === own ? [criterion] : [],
    );
    await this.fix(shown, named);
  }

  /** The report of the rows; of several repositories the one that the person chooses. Without a row the latest of the one in front. */
  async #shownOf(rows: readonly Given[]): Promise<ShownReport | undefined> {
    await this.#deps.ready();
    const several = [...new Set(rows.map(({ key }) => key))].flatMap(key => this.#repository(key) ?? []);
    const [row = {}] = rows;
    const state =
      several.length > 1
        ? latest(await this.#pickRepository(several))
        : (this.#stateOf(row) ?? latest(this.#deps.here() ?? (await this.#pickRepository())));
    return state && this.#deps.shown(state);
  }

  /** The report a row stands for: its own, or the latest of its repository. */
  #stateOf({ key, reportId }: Given): PageState | undefined {
    if (typeof key === 'string' && typeof reportId === 'string') return { key, reportId };
    return latest(this.#repository(key));
  }

  #repository(key: unknown): Repository | undefined {
    return typeof key === 'string' ? this.#deps.repositories().get(key) : undefined;
  }

  /** Any of these repositories, this window's first. */
  #pickRepository(of: Iterable<Repository> = this.#deps.repositories().values()) {
    const here = this.#deps.here();
    const all = [...of].sort((a, b) => Number(b === here) - Number(a === here));
    if (all.length === 0) throw new Error(vscode.l10n.t('There are no readiness reports yet.'));
    return pick<Repository>(
      all.map(repository => {
        const { name: label, url: detail, reports } = repository;
        const description = `${percentText(percentOf(reports[0]))} · ${dayText(reports[0].createdAt)}`;
        return { label, description, detail, value: repository };
      }),
      vscode.l10n.t('Find a repository'),
    );
  }
}

function latest(repository: Repository | undefined): PageState | undefined {
  return repository && { key: repository.key, reportId: repository.reports[0].reportId };
}

function pickReport(
  { key, reports }: Repository,
  placeHolder: string,
  without: string | undefined,
): Promise<PageState | undefined> {
  const choices = reports
    .filter(({ reportId }) => reportId !== without)
    .map(report => ({
      label: reportLabel(report),
      description: oneLine(report.commitHash ?? '', 12),
      value: { key, reportId: report.reportId },
    }));
  return pick(choices, placeHolder);
}

function given(node: unknown): Given {
  return typeof node === 'object' && node !== null ? node : {};
}

function selected(node: unknown, nodes: unknown): readonly Given[] {
  return (Array.isArray(nodes) && nodes.length > 0 ? (nodes as unknown[]) : [node]).map(given);
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
    ([path, { description }]) =>
      `- ${oneLine(path, 200)}${description ? `: ${oneLine(description, 500)}` : ''}`,
  );
  return [
    vscode.l10n.t(
      'Please fix the readiness of {0}. The report of {1} says:',
      where,
      dayText(report.createdAt),
    ),
    '',
    ...asked,
    ...(apps.length === 0 ? [] : ['', vscode.l10n.t('Applications:'), ...apps]),
    '',
  ].join('\n');
}

/** The report, and how it stands against the base, as a Markdown document. Foreign text is escaped: it holds no markup. */
export function markdownOf(shown: ShownReport, staleness: Staleness, format: Formatter): string {
  const { repository, report, base, isPartial } = shown;
  const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
    `| ${head.join(' | ')} |`,
    `| ${head.map(() => '---').join(' | ')} |`,
    ...rows.map(row => `| ${row.map(escape).join(' | ')} |`),
    '',
  ];
  const isCompared = base !== undefined;
  const delta =
    base === undefined ? '' : ` (${joined([deltaText(report, base), escape(reportLabel(base))], ', ')})`;
  const withBase = isCompared ? [vscode.l10n.t('Before'), vscode.l10n.t('Change')] : [];
  const notes = reportNotes(report, staleness, isPartial);
  const apps = Object.entries(report.apps ?? {});
  return [
    `# ${vscode.l10n.t('Readiness of {0}', escape(oneLine(repository.name, 100)))}`,
    '',
    `${escape(subtitle(report))}: ${percentText(percentOf(report))}${delta}`,
    '',
    ...(notes.length === 0 ? [] : [...notes.map(note => `- ${escape(note)}`), '']),
    `## ${vscode.l10n.t('Criteria')}`,
    '',
    ...table(
      [vscode.l10n.t('Criterion'), vscode.l10n.t('Score'), ...withBase, vscode.l10n.t('Rationale')],
      criteriaOf(report, base).map(({ id, name, now, before, change }) => [
        name === id ? id : `${name} (${id})`,
        change === 'gone' ? '' : scoreText(now),
        ...(isCompared ? [before === undefined ? '' : scoreText(before), changeText(change)] : []),
        change === 'gone' ? '' : plain(now.rationale ?? '', 4_000),
      ]),
    ),
    ...(apps.length === 0
      ? []
      : [
          `## ${vscode.l10n.t('Applications')}`,
          '',
          ...table(
            [vscode.l10n.t('Application'), vscode.l10n.t('Description')],
            apps.map(([path, { description = '' }]) => [path, description]),
          ),
        ]),
    `## ${vscode.l10n.t('About this report')}`,
    '',
    ...reportFacts(report, format).map(([name, value]) => `- ${name}: ${escape(value)}`),
    '',
  ].join('\n');
}
