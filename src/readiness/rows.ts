import * as path from 'node:path';
import * as vscode from 'vscode';
import type { CriterionEvaluation, ReadinessReport } from '../api';
import { commands } from '../contributions';
import { card, factLines, format, joined, type Fact, type Icon } from '../ui/text';
import type { Row, TreeNode } from '../ui/tree';
import { isTime } from '../util/format';
import { remoteUrls, type GitRepository } from '../util/git';
import { middle, oneLine } from '../util/text';
import { MOST, type LocalGit, type Matches, type Staleness } from './git';
import { appParts, criteriaOf, fails, isCommit, passes, percentOf, previousOf, share } from './model';
import type { CriterionRow, Repository } from './model';

export interface RowsContext {
  readonly known: ReadonlyMap<string, Repository>;
  /** Repositories of this window, with reports or without. */
  readonly window: Pick<Matches, 'all' | 'unreported'>;
  readonly git: Pick<LocalGit, 'staleness'>;
}

/** The repositories of this window with their latest report, then those without one; below, all others. */
export function readinessRows({ known, window, git }: RowsContext): readonly TreeNode[] {
  if (known.size === 0) return [];
  const { all, unreported } = window;
  const here = new Set(all.map(({ repository }) => repository.key));
  const others = [...known.values()].filter(({ key }) => !here.has(key));
  const title = vscode.l10n.t('Other repositories');
  // Open at first where it is all there is.
  const isOpen = all.length === 0;
  return [
    ...all.map(({ repository, local }) => repositoryNode(repository, git, local)),
    ...unreported.map(unreportedNode),
    ...(all.length + unreported.length === 0 ? [unmatchedNode()] : []),
    ...groupNode(`others/${!isOpen}`, title, others, each => repositoryNode(each, git), isOpen),
  ];
}

function groupNode<T>(
  id: string,
  label: string,
  of: readonly T[],
  nodeOf: (each: T) => TreeNode,
  open = false,
): readonly TreeNode[] {
  const row: Row = { label, description: String(of.length), open };
  return of.length === 0 ? [] : [{ id, kind: 'group', row: () => row, children: () => of.map(nodeOf) }];
}

function unreportedNode(local: GitRepository): TreeNode {
  const label = oneLine(path.posix.basename(local.rootUri.path), 100);
  // An address may hold a password.
  const remotes = remoteUrls(local).map(url => oneLine(url.replace(/\/\/[^/]*@/, '//'), 200));
  const [description, detail] =
    remotes.length === 0
      ? [vscode.l10n.t('no remote'), vscode.l10n.t('Reports are matched by the addresses of the remotes.')]
      : [
          vscode.l10n.t('no report'),
          vscode.l10n.t('None of these remotes has a report: {0}', remotes.join(', ')),
        ];
  const row: Row = { label, description, icon: { id: 'repo' }, tooltip: () => card(label, [detail]) };
  return { id: `unreported/${local.rootUri.toString()}`, kind: 'unreported', row: () => row };
}

function unmatchedNode(): TreeNode {
  const label = vscode.l10n.t('No repository is known here');
  const detail = vscode.l10n.t(
    "Open a folder with a Git repository. VS Code's Git extension finds it unless it is turned off, as in Restricted Mode.",
  );
  const spoken = `${label}. ${detail}`;
  const row: Row = { label, icon: { id: 'info' }, spoken, tooltip: () => card(label, [detail]) };
  return { id: 'unmatched', kind: 'unmatched', row: () => row };
}

function repositoryNode(repository: Repository, git: RowsContext['git'], local?: GitRepository): TreeNode {
  const { key, reports } = repository;
  const latest = latestOf(repository);
  const id = `${local === undefined ? '' : 'here/'}${key}`;
  const row = (): Row => {
    const staleness = git.staleness(latest.report.commitHash, local);
    const label = oneLine(repository.name, 100);
    return {
      label,
      description: joined([latest.percent, stalenessText(staleness), latest.since]),
      icon: { id: 'repo' },
      context: 'readinessRepository',
      open: local !== undefined,
      tooltip: () => card(label, [...latest.lines(staleness), repository.url]),
    };
  };
  const children = (): readonly TreeNode[] => {
    const isFine = ({ now, change }: CriterionRow): boolean =>
      change !== 'worse' && now !== undefined && passes(now);
    const criteria = Map.groupBy(latest.criteria(), isFine);
    const toCriterion = (each: CriterionRow): TreeNode => criterionNode(key, each);
    const group = <T>(name: string, label: string, of: readonly T[], nodeOf: (each: T) => TreeNode) =>
      groupNode(`group/${id}/${name}`, label, of, nodeOf);
    return [
      ...(criteria.get(false) ?? []).map(toCriterion),
      ...group('passing', vscode.l10n.t('Passing'), criteria.get(true) ?? [], toCriterion),
      ...group('apps', vscode.l10n.t('Applications'), Object.keys(latest.report.apps ?? {}), app =>
        appNode(repository, local, app),
      ),
      ...group('reports', vscode.l10n.t('Reports'), reports, each => reportNode(repository, each)),
    ];
  };
  return { id: `repository/${id}`, kind: 'repository', ...{ key }, row, children };
}

function criterionNode(key: string, criterion: CriterionRow): TreeNode {
  const { id, now = { numerator: 0, denominator: 1 }, before, change } = criterion;
  const row = (): Row => {
    const label = oneLine(criterion.name, 120);
    const score = scoreText(now);
    const isChanged = change === 'worse' || change === 'better';
    const was = isChanged ? vscode.l10n.t('was {0}', scoreText(before)) : '';
    const description = joined([score, `${share([now])}%`, was, change === 'new' && changeText(change)]);
    const changed = changeText(change);
    const facts = factLines([[vscode.l10n.t('Criterion id'), id]]);
    return {
      label,
      description,
      icon: criterionIcon(criterion),
      context: passes(now) ? 'readinessPassing' : 'readinessFailing',
      command: commands.readiness.openReport,
      spoken: joined([label, passingText(now), description, changed], ', '),
      tooltip: () => card(label, [joined([score, was, changed]), now.rationale, ...facts]),
    };
  };
  return { id: `criterion/${key}/${id}`, kind: 'criterion', ...{ key, criterion: id }, row };
}

function appNode({ key, reports }: Repository, local: GitRepository | undefined, app: string): TreeNode {
  const description = reports[0].apps?.[app]?.description;
  const parts = appParts(app);
  const folder = local && parts && vscode.Uri.joinPath(local.rootUri, ...parts);
  const title = vscode.l10n.t('Show in the Explorer');
  const row: Row = {
    label: middle(appLabel(app), 60),
    description,
    icon: { id: app === '.' ? 'root-folder' : 'folder' },
    tooltip: () => card(app, [description]),
    command: folder && { command: 'revealInExplorer', title, arguments: [folder] },
  };
  return { id: `app/${folder === undefined ? '' : 'here/'}${key}/${app}`, kind: 'app', row: () => row };
}

function reportNode({ key, reports }: Repository, report: ReadinessReport): TreeNode {
  const { reportId } = report;
  const row = (): Row => {
    const label = dayText(report.createdAt);
    const delta = deltaText(report, previousOf(reports, report));
    const score = joined([percentText(percentOf(report)), delta]);
    return {
      label,
      description: joined([score, oneLine(report.branch ?? '', 60)]),
      icon: { id: 'git-commit' },
      context: 'readinessReport',
      command: commands.readiness.openReport,
      tooltip: () => card(label, [score, ...factLines(reportFacts(report)), ...reportNotes(report)]),
    };
  };
  return { id: `report/${key}/${reportId}`, kind: 'report', ...{ key, reportId }, row };
}

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
function criterionIcon({ now, change }: CriterionRow): Icon {
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
    return [['', vscode.l10n.t('The report is for the commit you have checked out.')]];
  const facts: (readonly [string, string])[] = [];
  if (!isInHead)
    facts.push([vscode.l10n.t('not in HEAD'), vscode.l10n.t("The report's commit is not in HEAD.")]);
  if (behind > 0) {
    const commits = commitsText(behind);
    facts.push([
      vscode.l10n.t('{0} behind', commits),
      vscode.l10n.t('HEAD is {0} ahead of the report.', commits),
    ]);
  }
  return facts;
}

/** How the report's commit stands against HEAD, in a few words; empty where nothing needs saying. */
function stalenessText(staleness: Staleness): string {
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
      vscode.l10n.t('It was made with uncommitted changes, so it may describe files in no commit.'),
    hasNonRemoteCommits === true &&
      vscode.l10n.t('It was made with unpushed commits, so others may not have what it describes.'),
  ].filter(note => note !== false);
}

/** As many commits as were counted. */
export function commitsText(count: number): string {
  if (count === 1) return vscode.l10n.t('1 commit');
  return vscode.l10n.t('{0} commits', count >= MOST ? `${MOST}+` : count);
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
