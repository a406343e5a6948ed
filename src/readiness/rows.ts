import * as path from 'node:path';
import * as vscode from 'vscode';
import type { ReadinessReport } from '../api';
import { commands } from '../contributions';
import { card, factLines, joined } from '../ui/text';
import type { Row, TreeNode } from '../ui/tree';
import type { Formatter } from '../util/format';
import { middle, oneLine } from '../util/text';
import type { LocalGit, LocalRepository } from './git';
import { passes, percentOf, previousOf, share, type CriterionRow, type Repository } from './model';
import { appFolder, appLabel, latestLines, latestOf } from './reportView';
import * as words from './text';
import type { Matches } from './matches';

export interface RowsContext {
  readonly repositories: ReadonlyMap<string, Repository>;
  /** Repositories of this window, with reports or without. */
  readonly matches: Pick<Matches, 'all' | 'unreported'>;
  readonly git: Pick<LocalGit, 'staleness'>;
  readonly format: Formatter;
}

/** The repositories of this window with their latest report, then those without one; below, all others. */
export function readinessRows(context: RowsContext): readonly TreeNode[] {
  const { repositories, matches } = context;
  if (repositories.size === 0) return [];
  const { all, unreported } = matches;
  const others = repositories.size - all.length;
  return [
    ...all.map(({ repository, local }) => repositoryNode(repository, local, context)),
    ...unreported.map(unreportedNode),
    ...(all.length + unreported.length === 0 ? [unmatchedNode()] : []),
    ...(others > 0 ? [othersNode(others, context)] : []),
  ];
}

function unreportedNode(local: LocalRepository): TreeNode {
  const label = oneLine(path.posix.basename(local.root.path), 100);
  // An address may hold a password.
  const remotes = local.urls.map(url => oneLine(url.replace(/\/\/[^/]*@/, '//'), 200)).join(', ');
  const [description, detail] =
    remotes === ''
      ? [vscode.l10n.t('no remote'), vscode.l10n.t('Reports are matched by the addresses of the remotes.')]
      : [vscode.l10n.t('no report'), vscode.l10n.t('None of these remotes has a report: {0}', remotes)];
  const row: Row = { label, description, icon: { id: 'repo' }, tooltip: () => card(label, [detail]) };
  return { id: `unreported/${local.root.toString()}`, kind: 'unreported', row: () => row };
}

function unmatchedNode(): TreeNode {
  const label = vscode.l10n.t('No repository is known here');
  const detail = vscode.l10n.t(
    "Open a folder with a Git repository. VS Code's Git finds it, unless it is turned off, as in Restricted Mode.",
  );
  const row: Row = {
    label,
    icon: { id: 'info' },
    spoken: `${label}. ${detail}`,
    tooltip: () => card(label, [detail]),
  };
  return { id: 'unmatched', kind: 'unmatched', row: () => row };
}

function othersNode(count: number, context: RowsContext): TreeNode {
  const { matches, repositories } = context;
  const here = new Set(matches.all.map(({ repository }) => repository.key));
  return {
    // Open at first where it is all there is.
    id: `others/${here.size > 0}`,
    kind: 'others',
    row: () => ({
      label: vscode.l10n.t('Other repositories'),
      description: String(count),
      open: here.size === 0,
    }),
    children: () =>
      [...repositories.values()]
        .filter(({ key }) => !here.has(key))
        .map(repository => repositoryNode(repository, undefined, context)),
  };
}

function repositoryNode(
  repository: Repository,
  local: LocalRepository | undefined,
  context: RowsContext,
): TreeNode {
  const { key } = repository;
  const latest = latestOf(repository);
  const name = oneLine(repository.name, 100);
  const id = `${local === undefined ? '' : 'here/'}${key}`;
  const row = (): Row => {
    const open = local !== undefined;
    if (latest === undefined) return { label: name, context: 'readinessRepository', open };
    const staleness = context.git.staleness(latest.report.commitHash, local);
    return {
      label: name,
      description: joined([latest.percent, words.stalenessText(staleness), latest.since]),
      icon: { id: 'repo' },
      context: 'readinessRepository',
      open,
      tooltip: () => card(name, [...latestLines(latest, staleness), repository.url]),
    };
  };
  const children = (): readonly TreeNode[] => {
    if (latest === undefined) return [];
    const rows = latest.criteria().filter(({ change }) => change !== 'gone');
    const passing = rows.filter(isPassing);
    const apps = Object.keys(latest.report.apps ?? {});
    const group = (name: string, label: string, of: readonly TreeNode[]): TreeNode => ({
      id: `group/${id}/${name}`,
      kind: 'group',
      row: () => ({ label, description: String(of.length), open: false }),
      children: () => of,
    });
    const { reports } = repository;
    const toCriterion = (each: CriterionRow): TreeNode => criterionNode(repository, each);
    return [
      ...rows.filter(each => !isPassing(each)).map(toCriterion),
      ...(passing.length === 0 ? [] : [group('passing', vscode.l10n.t('Passing'), passing.map(toCriterion))]),
      ...(apps.length === 0
        ? []
        : [
            group(
              'apps',
              vscode.l10n.t('Applications'),
              apps.map(app => appNode(repository, local, app)),
            ),
          ]),
      group(
        'reports',
        vscode.l10n.t('Reports'),
        reports.map(each => reportNode(repository, each, context.format)),
      ),
    ];
  };
  return { id: `repository/${id}`, kind: 'repository', ...{ key }, row, children };
}

function isPassing({ now, change }: CriterionRow): boolean {
  return change !== 'worse' && passes(now);
}

function openReport(node: object): vscode.Command {
  return { command: commands.readiness.openReport, title: vscode.l10n.t('Open report'), arguments: [node] };
}

function criterionNode({ key }: Repository, criterion: CriterionRow): TreeNode {
  const { id, now, before, change } = criterion;
  const node = { kind: 'criterion', key, criterion: id };
  const name = oneLine(criterion.name, 120);
  const row = (): Row => {
    const score = words.scoreText(now);
    const isChanged = change === 'worse' || change === 'better';
    const was = isChanged && before !== undefined ? vscode.l10n.t('was {0}', words.scoreText(before)) : '';
    const isNew = change === 'new' ? vscode.l10n.t('new') : '';
    const description = joined([score, `${share(now)}%`, was, isNew]);
    const state = passes(now) ? vscode.l10n.t('passes') : vscode.l10n.t('fails');
    return {
      label: name,
      description,
      icon: words.criterionIcon(criterion),
      context: passes(now) ? 'readinessPassing' : 'readinessFailing',
      command: openReport(node),
      spoken: joined([name, state, description, words.changeText(change)], ', '),
      tooltip: () =>
        card(name, [
          joined([score, was, words.changeText(change)]),
          now.rationale,
          ...factLines([[vscode.l10n.t('Criterion id'), id]]),
        ]),
    };
  };
  return { id: `criterion/${key}/${id}`, ...node, row };
}

function appNode(repository: Repository, local: LocalRepository | undefined, app: string): TreeNode {
  const description = repository.reports[0]?.apps?.[app]?.description;
  const folder = appFolder(local, app);
  const title = vscode.l10n.t('Show in the Explorer');
  const row: Row = {
    label: middle(appLabel(app), 60),
    description,
    icon: { id: app === '.' ? 'root-folder' : 'folder' },
    tooltip: () => card(app, [description]),
    command: folder && { command: 'revealInExplorer', title, arguments: [folder] },
  };
  return {
    id: `app/${folder === undefined ? '' : 'here/'}${repository.key}/${app}`,
    kind: 'app',
    row: () => row,
  };
}

function reportNode(repository: Repository, report: ReadinessReport, format: Formatter): TreeNode {
  const { key, reports } = repository;
  const node = { kind: 'report', key, reportId: report.reportId };
  const row = (): Row => {
    const percent = percentOf(report);
    const before = previousOf(reports, report);
    const label = words.dayText(report.createdAt);
    const score = joined([words.percentText(percent), words.deltaText(percent, before && percentOf(before))]);
    return {
      label,
      description: joined([score, oneLine(report.branch ?? '', 60)]),
      icon: { id: 'git-commit' },
      context: 'readinessReport',
      command: openReport(node),
      tooltip: () =>
        card(label, [
          score,
          ...factLines(words.reportFacts(report, format).slice(0, -1)),
          ...words.reportNotes(report),
        ]),
    };
  };
  return { id: `report/${key}/${report.reportId}`, ...node, row };
}
