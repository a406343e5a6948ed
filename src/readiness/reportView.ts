import * as vscode from 'vscode';
import type { ReadinessReport } from '../api';
import { factLines, joined } from '../ui/text';
import type { Formatter } from '../util/format';
import { oneLine, plain } from '../util/text';
import type { Commit, LocalRepository, Staleness } from './git';
import {
  appParts,
  criteriaOf,
  passes,
  percentOf,
  previousOf,
  share,
  type CriterionRow,
  type Repository,
} from './model';
import type { AppView, CommitsView, CriterionView, ReportView, TrendPoint } from './protocol';
import {
  changeText,
  commitText,
  commitsText,
  dayText,
  deltaText,
  percentText,
  reportFacts,
  reportLabel,
  reportNotes,
  scoreText,
} from './text';

/** A report with what it is compared with, and where it stands in this window. */
export interface ShownReport {
  readonly repository: Repository;
  readonly report: ReadinessReport;
  readonly base?: ReadinessReport | undefined;
  readonly local?: LocalRepository | undefined;
  /** Parts of the report, or of the one it is compared with, could not be read. */
  readonly isPartial: boolean;
}

/** The newest report of a repository, and how it stands against the one before it on its branch. */
export interface Latest {
  readonly report: ReadinessReport;
  readonly percent: string;
  /** `+7 since Nov 12`; empty where there is nothing to compare with. */
  readonly since: string;
  readonly criteria: () => readonly CriterionRow[];
}

export function latestOf({ reports }: Repository): Latest | undefined {
  const [report] = reports;
  if (report === undefined) return undefined;
  const before = previousOf(reports, report);
  const percent = percentOf(report);
  const delta = deltaText(percent, before && percentOf(before));
  return {
    report,
    percent: percentText(percent),
    since: delta && vscode.l10n.t('{0} since {1}', delta, dayText(before?.createdAt)),
    criteria: () => criteriaOf(report, before),
  };
}

/** What the tooltips of a repository's row and of the status bar say of its newest report. */
export function latestLines({ report, since, criteria }: Latest, staleness: Staleness): readonly string[] {
  const rows = criteria().filter(({ change }) => change !== 'gone');
  const worse = rows.filter(({ change }) => change === 'worse').length;
  const failing = rows.filter(({ now }) => !passes(now)).length;
  return [
    joined([reportLabel(report), since]),
    ...factLines([
      [vscode.l10n.t('Failing criteria'), String(failing)],
      [vscode.l10n.t('Got worse'), worse > 0 ? String(worse) : undefined],
    ]),
    ...reportNotes(report, staleness),
  ];
}

/** A report for its page. */
export function reportView(shown: ShownReport, staleness: Staleness, format: Formatter): ReportView {
  const { repository, report, base } = shown;
  const percent = percentOf(report);
  return {
    reportId: report.reportId,
    baseId: base?.reportId,
    title: oneLine(repository.name, 100),
    subtitle: [dayText(report.createdAt), oneLine(report.branch ?? '', 60), commitText(report.commitHash)]
      .filter(part => part !== undefined && part !== '')
      .join(' · '),
    score: percentText(percent),
    delta: base === undefined ? '' : deltaText(percent, percentOf(base)),
    base: base === undefined ? '' : reportLabel(base),
    notes: [
      ...(shown.isPartial ? [vscode.l10n.t('Parts of the report could not be read and are left out.')] : []),
      ...reportNotes(report, staleness),
    ],
    facts: reportFacts(report, format),
    criteria: criteriaOf(report, base).map(criterionView),
    apps: appViews(shown),
    trend: repository.reports.map(each => trendPoint(each, report.branch)).reverse(),
  };
}

function criterionView(row: CriterionRow): CriterionView {
  return {
    id: row.id,
    name: oneLine(row.name, 120),
    score: row.change === 'gone' ? '' : scoreText(row.now),
    percent: row.change === 'gone' ? '' : `${share(row.now)}%`,
    passes: passes(row.now),
    before: row.before === undefined ? '' : scoreText(row.before),
    change: row.change,
    changeText: changeText(row.change),
    rationale: row.change === 'gone' ? '' : plain(row.now.rationale ?? '', 4_000),
  };
}

/** Where an application is on this machine; `undefined` when its repository is not open or the path leads out of it. */
export function appFolder(local: LocalRepository | undefined, app: string): vscode.Uri | undefined {
  const parts = appParts(app);
  return local === undefined || parts === undefined ? undefined : vscode.Uri.joinPath(local.root, ...parts);
}

function appViews({ report, local }: ShownReport): AppView[] {
  return Object.entries(report.apps ?? {}).map(([path, { description }]) => ({
    path,
    label: appLabel(path),
    description: plain(description ?? '', 2_000),
    local: appFolder(local, path) !== undefined,
  }));
}

/** An application's path as people read it. */
export function appLabel(path: string): string {
  return path === '.' || path === '' ? vscode.l10n.t('whole repository') : oneLine(path, 200);
}

function trendPoint(report: ReadinessReport, branch: string | undefined): TrendPoint {
  const percent = percentOf(report);
  return {
    reportId: report.reportId,
    at: report.createdAt,
    day: dayText(report.createdAt),
    percent,
    score: percentText(percent),
    branch: oneLine(report.branch ?? '', 60),
    commit: commitText(report.commitHash) ?? '',
    line: report.branch === branch,
  };
}

/** Commits of the newer of two reports that the older one does not have; `undefined` where Git cannot tell. */
export function commitsView(commits: readonly Commit[] | undefined): CommitsView {
  if (commits === undefined) {
    const note = vscode.l10n.t(
      'Not known: the repository must be open in this window, and Git must know the commits of both reports.',
    );
    return { note, commits: [] };
  }
  return {
    note:
      commits.length === 1
        ? vscode.l10n.t('The newer report has 1 commit that the older one does not.')
        : vscode.l10n.t(
            'The newer report has {0} commits that the older one does not.',
            commitsText(commits.length),
          ),
    commits: commits.map(({ hash, subject, author, at }) => ({
      hash: hash.slice(0, 8),
      subject: oneLine(subject, 200),
      author: oneLine(author, 80),
      day: at === undefined ? '' : dayText(at),
    })),
  };
}
