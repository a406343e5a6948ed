import * as vscode from 'vscode';
import type { CriterionEvaluation, ReadinessReport } from '../api';
import { isTime, supportedLanguage, type Formatter } from '../util/format';
import { oneLine } from '../util/text';
import { factLines, joined, type Fact, type Icon } from '../ui/text';
import {
  criteriaOf,
  isCommit,
  passes,
  percentOf,
  previousOf,
  type Change,
  type CriterionRow,
  type Repository,
} from './model';
import { MOST, type Staleness } from './git';

/** A day in the person's own time zone. */
export function dayText(time: number | undefined): string {
  if (time === undefined) return vscode.l10n.t('unknown date');
  if (!isTime(time)) return String(time);
  const language = supportedLanguage(vscode.env.language);
  return (dayFormat ??= new Intl.DateTimeFormat(language, { dateStyle: 'medium' })).format(time);
}
let dayFormat: Intl.DateTimeFormat | undefined;

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

export function scoreText({ numerator, denominator }: CriterionEvaluation): string {
  return `${numerator}/${denominator}`;
}

export function commitText(commit: string | undefined): string | undefined {
  return commit === undefined ? undefined : isCommit(commit) ? commit.slice(0, 8) : oneLine(commit, 20);
}

/** `12 Nov 2026 · main · 72%`. */
export function reportLabel(report: ReadinessReport): string {
  return joined([
    dayText(report.createdAt),
    oneLine(report.branch ?? '', 60),
    percentText(percentOf(report)),
  ]);
}

/** `12 Nov 2026 · main · 0123abcd`. */
export function subtitle({ createdAt, branch = '', commitHash }: ReadinessReport): string {
  return joined([dayText(createdAt), oneLine(branch, 60), commitText(commitHash)]);
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
  return {
    report,
    percent: percentText(percentOf(report)),
    since: delta && vscode.l10n.t('{0} since {1}', delta, dayText(before?.createdAt)),
    criteria: () => criteriaOf(report, before),
  };
}

/** What the tooltips of a repository's row and of the status bar say of its newest report. */
export function latestLines(
  { report, since, criteria }: ReturnType<typeof latestOf>,
  staleness: Staleness,
): readonly string[] {
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

export function changeText(change: Change = 'same'): string {
  return {
    worse: vscode.l10n.t('worse'),
    better: vscode.l10n.t('better'),
    new: vscode.l10n.t('new'),
    gone: vscode.l10n.t('gone'),
    same: '',
  }[change];
}

/** Codicon of a criterion; colour never stands alone. */
export function criterionIcon({ now, change }: CriterionRow): Icon {
  if (change === 'worse') return { id: 'arrow-down', color: 'list.errorForeground' };
  if (passes(now)) return { id: 'pass', color: 'charts.green' };
  return now.numerator > 0
    ? { id: 'warning', color: 'list.warningForeground' }
    : { id: 'error', color: 'list.errorForeground' };
}

/** How the report's commit stands against HEAD: each fact in a few words for a row, and in a sentence. */
function stalenessFacts(staleness: Staleness): readonly (readonly [short: string, note: string])[] {
  if (staleness === undefined) return [];
  if (staleness === 'unnamed')
    return [['', vscode.l10n.t('The report names no commit, so it cannot be compared with HEAD.')]];
  if (staleness === 'unknown')
    return [
      [
        vscode.l10n.t('unknown commit'),
        vscode.l10n.t("Git does not know the report's commit. Fetch it; it may never have been pushed."),
      ],
    ];
  const { behind, isInHead } = staleness;
  const elsewhere = [
    vscode.l10n.t('not in HEAD'),
    vscode.l10n.t("The report's commit is not in HEAD."),
  ] as const;
  const count = commitsText(behind);
  const older = [
    behind === 1 ? vscode.l10n.t('1 commit behind') : vscode.l10n.t('{0} commits behind', count),
    behind === 1
      ? vscode.l10n.t('HEAD has 1 commit that is not in the report.')
      : vscode.l10n.t('HEAD has {0} commits that are not in the report.', count),
  ] as const;
  if (isInHead && behind === 0)
    return [['', vscode.l10n.t('The report is of the commit you have checked out.')]];
  return [...(isInHead ? [] : [elsewhere]), ...(behind === 0 ? [] : [older])];
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

/** What the report says of itself, name and value. */
export function reportFacts(report: ReadinessReport, format: Formatter): (readonly [string, string])[] {
  const yesNo = (value: boolean | undefined): string | undefined =>
    value === undefined ? undefined : value ? vscode.l10n.t('yes') : vscode.l10n.t('no');
  const { createdAt, modelUsed, repoUrl } = report;
  const unknown = vscode.l10n.t('not known');
  const facts: Fact[] = [
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
  return facts.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, oneLine(value, 500)] as const],
  );
}
