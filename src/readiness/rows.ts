import * as path from 'node:path';
import * as vscode from 'vscode';
import type { ReadinessReport } from '../api';
import { commands } from '../contributions';
import { card, factLines, joined } from '../ui/text';
import type { Row, TreeNode } from '../ui/tree';
import { remoteUrls, type GitRepository } from '../util/git';
import { middle, oneLine } from '../util/text';
import { appFolder, type LocalGit, type Matches } from './git';
import { passes, percentOf, previousOf, share, type CriterionRow, type Repository } from './model';
import * as words from './text';

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
  // Open at first where it is all there is.
  const [id, title, isOpen] = [
    `others/${all.length > 0}`,
    vscode.l10n.t('Other repositories'),
    all.length === 0,
  ];
  return [
    ...all.map(({ repository, local }) => repositoryNode(repository, git, local)),
    ...unreported.map(unreportedNode),
    ...(all.length + unreported.length === 0 ? [unmatchedNode()] : []),
    ...groupNode(id, title, others, each => repositoryNode(each, git), isOpen),
  ];
}

/** The row above several others; none where there is nothing below it. */
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
    "Open a folder with a Git repository. VS Code's Git finds it, unless it is turned off, as in Restricted Mode.",
  );
  const spoken = `${label}. ${detail}`;
  const row: Row = { label, icon: { id: 'info' }, spoken, tooltip: () => card(label, [detail]) };
  return { id: 'unmatched', kind: 'unmatched', row: () => row };
}

function repositoryNode(repository: Repository, git: RowsContext['git'], local?: GitRepository): TreeNode {
  const { key, reports } = repository;
  const latest = words.latestOf(repository);
  const id = `${local === undefined ? '' : 'here/'}${key}`;
  const row = (): Row => {
    const staleness = git.staleness(latest.report.commitHash, local);
    const label = oneLine(repository.name, 100);
    return {
      label,
      description: joined([latest.percent, words.stalenessText(staleness), latest.since]),
      icon: { id: 'repo' },
      context: 'readinessRepository',
      open: local !== undefined,
      tooltip: () => card(label, [...latest.lines(staleness), repository.url]),
    };
  };
  const children = (): readonly TreeNode[] => {
    const [passing = [], failing = []] = [true, false].map(isPassing =>
      latest
        .criteria()
        .filter(({ now, change }) => isPassing === (change !== 'worse' && now !== undefined && passes(now))),
    );
    const toCriterion = (each: CriterionRow): TreeNode => criterionNode(key, each);
    const group = <T>(name: string, label: string, of: readonly T[], nodeOf: (each: T) => TreeNode) =>
      groupNode(`group/${id}/${name}`, label, of, nodeOf);
    return [
      ...failing.map(toCriterion),
      ...group('passing', vscode.l10n.t('Passing'), passing, toCriterion),
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
    const score = words.scoreText(now);
    const isChanged = change === 'worse' || change === 'better';
    const was = isChanged ? vscode.l10n.t('was {0}', words.scoreText(before)) : '';
    const description = joined([
      score,
      `${share([now])}%`,
      was,
      change === 'new' && words.changeText(change),
    ]);
    const changed = words.changeText(change);
    const facts = factLines([[vscode.l10n.t('Criterion id'), id]]);
    return {
      label,
      description,
      icon: words.criterionIcon(criterion),
      context: passes(now) ? 'readinessPassing' : 'readinessFailing',
      command: commands.readiness.openReport,
      spoken: joined([label, words.passingText(now), description, changed], ', '),
      tooltip: () => card(label, [joined([score, was, changed]), now.rationale, ...facts]),
    };
  };
  return { id: `criterion/${key}/${id}`, kind: 'criterion', ...{ key, criterion: id }, row };
}

function appNode({ key, reports }: Repository, local: GitRepository | undefined, app: string): TreeNode {
  const description = reports[0].apps?.[app]?.description;
  const folder = appFolder(local, app);
  const title = vscode.l10n.t('Show in the Explorer');
  const row: Row = {
    label: middle(words.appLabel(app), 60),
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
    const label = words.dayText(report.createdAt);
    const delta = words.deltaText(report, previousOf(reports, report));
    const score = joined([words.percentText(percentOf(report)), delta]);
    return {
      label,
      description: joined([score, oneLine(report.branch ?? '', 60)]),
      icon: { id: 'git-commit' },
      context: 'readinessReport',
      command: commands.readiness.openReport,
      tooltip: () =>
        card(label, [score, ...factLines(words.reportFacts(report)), ...words.reportNotes(report)]),
    };
  };
  return { id: `report/${key}/${reportId}`, kind: 'report', ...{ key, reportId }, row };
}
