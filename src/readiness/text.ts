import * as vscode from 'vscode';
import type { CriterionEvaluation, ReadinessReport } from '../api';
import { factLines, format, joined, type Fact, type Icon } from '../ui/text';
import { isTime } from '../util/format';
import { oneLine } from '../util/text';
import { MOST, type Staleness } from './git';
import { criteriaOf, fails, isCommit, passes, percentOf, previousOf } from './model';
import type { CriterionRow, Repository } from './model';

/** A day in the person's own time zone. */
export function dayText(time: number | undefined): string {
  if (time === undefined) return vscode.l10n.t('unknown date');
  return isTime(time) ? format.date({ dateStyle: 'medium' }, time) : String(time);
}

export function percentText(percent: number | undefined): string {
  return percent === undefined ? vscode.l10n.t('no score') : `${percent}%`;
}

/** How the score stands against an earlier report's, in points: `+4`, `-3` or `±0`; empty without one. */
export function deltaText(report: ReadinessReport, base: ReadinessReport | undefined): string {
  const [now, before] = [percentOf(report), base && percentOf(base)];
  if (now === undefined || before === undefined) return '';
  const delta = now - before;
  return delta === 0 ? '±0' : delta > 0 ? `+${delta}` : String(delta);
}

export function scoreText(of: CriterionEvaluation | undefined): string {
  return of === undefined ? '' : `${of.numerator}/${of.denominator}`;
}

export function commitText(commit = ''): string {
  return isCommit(commit) ? commit.slice(0, 8) : oneLine(commit, 20);
}

/** `12 Nov 2026 · main`, and more of the report: its score or its commit. */
export function reportLabel(report: ReadinessReport, more = percentText(percentOf(report))): string {
  return joined([dayText(report.createdAt), oneLine(report.branch ?? '', 60), more]);
}

/** An application's path as people read it. */
export function appLabel(path: string): string {
  return path === '.' || path === '' ? vscode.l10n.t('whole repository') : oneLine(path, 200);
}

/** The newest report of a repository, and how it stands against the one before it on its branch: `+7 since Nov 12` in `since`. */
export function latestOf({ reports }: Repository) {
  const [report] = reports;
  const before = previousOf(reports, report);
  const delta = deltaText(report, before);
  const since = delta && vscode.l10n.t('{0} since {1}', delta, dayText(before?.createdAt));
  const criteria = (): readonly CriterionRow[] =>
    criteriaOf(report, before).filter(({ now }) => now !== undefined);
  /** For the tooltips of a repository's row and of the status bar. */
  const lines = (staleness: Staleness): readonly string[] => {
    const worse = criteria().filter(({ change }) => change === 'worse').length;
    return [
      joined([reportLabel(report), since]),
      ...factLines([
        [vscode.l10n.t('Failing criteria'), String(criteria().filter(fails).length)],
        [vscode.l10n.t('Got worse'), worse > 0 ? String(worse) : undefined],
      ]),
      ...reportNotes(report, staleness),
    ];
  };
  return { report, percent: percentText(percentOf(report)), since, criteria, lines };
}

export function changeText(change: CriterionRow['change'] = 'same'): string {
  return {
    worse: vscode.l10n.t('worse'),
    better: vscode.l10n.t('better'),
    new: vscode.l10n.t('new'),
    gone: vscode.l10n.t('gone'),
    same: '',
  }[change];
}

export function passingText(of: CriterionEvaluation): string {
  return passes(of) ? vscode.l10n.t('passes') : vscode.l10n.t('fails');
}

/** Codicon of a criterion; colour never stands alone. */
export function criterionIcon({ now, change }: CriterionRow): Icon {
  if (change === 'worse') return { id: 'arrow-down', color: 'list.errorForeground' };
  if (now !== undefined && passes(now)) return { id: 'pass', color: 'charts.green' };
  return now !== undefined && now.numerator > 0
    ? { id: 'warning', color: 'list.warningForeground' }
    : { id: 'error', color: 'list.errorForeground' };
}

/** How the report's commit stands against HEAD: each fact in a few words for a row, where it needs saying, and in a sentence. */
function stalenessFacts(staleness: Staleness): readonly (readonly [short: string, note: string])[] {
  if (staleness === undefined) return [];
  if (staleness === 'unnamed')
    return [['', vscode.l10n.t('The report names no commit, so it cannot be compared with HEAD.')]];
  if (staleness === 'unknown') {
    const note = vscode.l10n.t(
      "Git does not know the report's commit. Fetch it; it may never have been pushed.",
    );
    return [[vscode.l10n.t('unknown commit'), note]];
  }
  const { behind, isInHead } = staleness;
  if (isInHead && behind === 0)
    return [['', vscode.l10n.t('The report is of the commit you have checked out.')]];
  const facts: (readonly [string, string])[] = [];
  if (!isInHead)
    facts.push([vscode.l10n.t('not in HEAD'), vscode.l10n.t("The report's commit is not in HEAD.")]);
  if (behind === 1)
    facts.push([
      vscode.l10n.t('1 commit behind'),
      vscode.l10n.t('HEAD has 1 commit that is not in the report.'),
    ]);
  else if (behind > 1)
    facts.push([
      vscode.l10n.t('{0} commits behind', commitsText(behind)),
      vscode.l10n.t('HEAD has {0} commits that are not in the report.', commitsText(behind)),
    ]);
  return facts;
}

/** How the report's commit stands against HEAD, in a few words; empty where nothing needs saying. */
export function stalenessText(staleness: Staleness): string {
  return joined(stalenessFacts(staleness).map(([short]) => short));
}

/** What a report's age and flags mean for whoever reads it; one sentence each. */
export function reportNotes(
  { hasLocalChanges, hasNonRemoteCommits }: ReadinessReport,
  staleness?: Staleness,
  isPartial = false,
): string[] {
  return [
    isPartial && vscode.l10n.t('Parts of the report could not be read and are left out.'),
    ...stalenessFacts(staleness).map(([, note]) => note),
    hasLocalChanges === true &&
      vscode.l10n.t('It was made with uncommitted changes, so it may describe files that are in no commit.'),
    hasNonRemoteCommits === true &&
      vscode.l10n.t('It was made with unpushed commits, so others may not have what it describes.'),
  ].filter(note => note !== false);
}

/** As many as were counted. */
export function commitsText(count: number): string {
  return count >= MOST ? `${MOST}+` : String(count);
}

/** What the report says of itself. */
export function reportFacts(report: ReadinessReport): readonly Fact[] {
  const yesNo = (value: boolean | undefined): string | undefined =>
    value === undefined ? undefined : value ? vscode.l10n.t('yes') : vscode.l10n.t('no');
  const { createdAt, modelUsed, repoUrl } = report;
  const unknown = vscode.l10n.t('not known');
  return [
    [vscode.l10n.t('Created'), createdAt === undefined ? unknown : format.exact(createdAt)],
    [vscode.l10n.t('Branch'), report.branch],
    [vscode.l10n.t('Commit'), report.commitHash],
    [vscode.l10n.t('Local changes'), yesNo(report.hasLocalChanges)],
    [vscode.l10n.t('Unpushed commits'), yesNo(report.hasNonRemoteCommits)],
    [vscode.l10n.t('Model'), modelUsed?.id],
    [vscode.l10n.t('Reasoning effort'), modelUsed?.reasoningEffort],
    [vscode.l10n.t('Agent version'), report.agentVersion],
    [vscode.l10n.t('Repository'), repoUrl ?? unknown],
    [vscode.l10n.t('Report id'), report.reportId],
  ];
}
