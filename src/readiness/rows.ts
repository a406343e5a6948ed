import * as vscode from 'vscode';
import { commands } from '../contributions';
import { card, factLines, factsTooltip, joined } from '../ui/text';
import type { Row, TreeNode } from '../ui/tree';
import type { Formatter } from '../util/format';
import { middle, oneLine } from '../util/text';
import type { GitState, LocalRepository, Staleness } from './git';
import {
  criteriaOf,
  passes,
  percentOf,
  previousOf,
  share,
  type CriterionRow,
  type Repository,
  type StoredReport,
} from './model';
import { appFolder, appLabel } from './reportView';
import * as words from './text';
import { unmatchedText, type Match } from './matches';

export interface RowsContext {
  readonly repositories: ReadonlyMap<string, Repository>;
  /** Repositories of this window that have reports. */
  readonly matches: readonly Match[];
  readonly git: GitState;
  /** How a report stands against HEAD, as far as that has been counted. */
  readonly staleness: (commit: string | undefined, local: LocalRepository | undefined) => Staleness;
  readonly format: Formatter;
}

/** The repositories of this window with their latest report; below, all others. */
export function readinessRows(context: RowsContext): readonly TreeNode[] {
  const { repositories, matches, git } = context;
  if (repositories.size === 0) return [];
  const others = repositories.size - matches.length;
  return [
    ...matches.map(({ repository, local }) => repositoryNode(repository, local, context)),
    ...(matches.length === 0 ? [unmatchedNode(git)] : []),
    ...(others > 0 ? [othersNode(others, context)] : []),
  ];
}

function unmatchedNode(git: GitState): TreeNode {
  const { label, detail } = unmatchedText(git);
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
  const here = new Set(matches.map(({ repository }) => repository.key));
  return {
    // Open at first where it is all there is.
    id: `others/${here.size > 0}`,
    kind: 'others',
    row: () => ({
      label: vscode.l10n.t('Other repositories'),
      description: String(count),
      context: 'readinessOthers',
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
  const [report] = repository.reports;
  const name = oneLine(repository.name, 100);
  const id = `${local === undefined ? '' : 'here/'}${key}`;
  const row = (): Row => {
    const open = local !== undefined;
    if (report === undefined) return { label: name, context: 'readinessRepository', open };
    const staleness = context.staleness(report.commitHash, local);
    const before = previousOf(repository.reports, report);
    const percent = percentOf(report);
    const delta = words.deltaText(percent, before && percentOf(before));
    const day = before && words.shortDay(before.createdAt);
    const since = delta === '' ? undefined : vscode.l10n.t('{0} since {1}', delta, day ?? '');
    const old = staleness.kind === 'same' ? undefined : words.stalenessText(staleness);
    const description = joined([words.percentText(percent), old, since]);
    return {
      label: name,
      description,
      icon: { id: 'repo' },
      context: 'readinessRepository',
      open,
      tooltip: () =>
        card(name, [
          words.reportLabel(report),
          since,
          ...words.reportNotes(report, staleness),
          repository.url,
        ]),
    };
  };
  const children = (): readonly TreeNode[] => {
    if (report === undefined) return [];
    const rows = criteriaOf(report, previousOf(repository.reports, report)).filter(
      ({ change }) => change !== 'gone',
    );
    const passing = rows.filter(isPassing);
    const apps = Object.keys(report.apps ?? {});
    const group = (name: string, label: string, of: readonly TreeNode[], count?: number): TreeNode => ({
      id: `group/${id}/${name}`,
      kind: 'group',
      row: () => ({ label, description: count === undefined ? undefined : String(count), open: false }),
      children: () => of,
    });
    const { reports } = repository;
    const toCriterion = (each: CriterionRow): TreeNode => criterionNode(repository, each);
    const facts = words.reportFacts(report, context.format);
    return [
      ...rows.filter(each => !isPassing(each)).map(toCriterion),
      ...(passing.length === 0
        ? []
        : [group('passing', vscode.l10n.t('Passing'), passing.map(toCriterion), passing.length)]),
      ...(apps.length === 0
        ? []
        : [
            group(
              'apps',
              vscode.l10n.t('Applications'),
              apps.map(path => appNode(repository, local, path)),
              apps.length,
            ),
          ]),
      group(
        'reports',
        vscode.l10n.t('Reports'),
        reports.map(each => reportNode(repository, each, context.format)),
        reports.length,
      ),
      group(
        'about',
        vscode.l10n.t('About this report'),
        facts.map(fact => factNode(id, fact)),
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

function appNode(repository: Repository, local: LocalRepository | undefined, path: string): TreeNode {
  const description = repository.reports[0]?.apps?.[path]?.description;
  const folder = appFolder(local, path);
  const title = vscode.l10n.t('Show in the Explorer');
  const row: Row = {
    label: middle(appLabel(path), 60),
    description,
    icon: { id: path === '.' ? 'root-folder' : 'folder' },
    tooltip: () => card(path, [description]),
    command: folder && { command: 'revealInExplorer', title, arguments: [folder] },
  };
  return {
    id: `app/${folder === undefined ? '' : 'here/'}${repository.key}/${path}`,
    kind: 'app',
    row: () => row,
  };
}

function reportNode(repository: Repository, report: StoredReport, format: Formatter): TreeNode {
  const { key, reports } = repository;
  const node = { kind: 'report', key, reportId: report.reportId };
  const row = (): Row => {
    const percent = percentOf(report);
    const before = previousOf(reports, report);
    const label = words.dayText(report.createdAt);
    return {
      label,
      description: joined([
        words.percentText(percent),
        words.deltaText(percent, before && percentOf(before)),
        oneLine(report.branch ?? '', 60),
      ]),
      icon: { id: 'git-commit' },
      context: 'readinessReport',
      command: openReport(node),
      tooltip: () =>
        card(label, [
          ...factLines(words.reportFacts(report, format).slice(0, -1)),
          ...words.reportNotes(report, { kind: 'noRepository' }),
        ]),
    };
  };
  return { id: `report/${key}/${report.reportId}`, ...node, row };
}

function factNode(id: string, fact: readonly [string, string]): TreeNode {
  const [label, description] = fact;
  const row: Row = { label, description, tooltip: () => factsTooltip([fact]) };
  return { id: `fact/${id}/${label}`, kind: 'fact', row: () => row };
}
