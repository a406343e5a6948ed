import * as vscode from 'vscode';
import { commands } from '../contributions';
import { Disposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { middle, oneLine } from '../util/text';
import { factsTooltip, retryItem, themeIcon } from '../util/treeItems';
import type { LocalGit, LocalRepository } from './git';
import {
  criteriaOf,
  failuresOf,
  passes,
  percentOf,
  previousOf,
  readableName,
  share,
  type CriterionRow,
  type Repository,
  type StoredReport,
} from './model';
import { appFolder, appLabel } from './reportView';
import * as words from './text';
import { placeText, unmatchedText, type Unmatched } from './unmatched';

/** A repository with reports, and where it is open in this window. */
export interface Match {
  readonly repository: Repository;
  readonly local: LocalRepository;
}

export interface RepositoryNode {
  readonly kind: 'repository';
  readonly repository: Repository;
  readonly local?: LocalRepository | undefined;
}
export interface CriterionNode {
  readonly kind: 'criterion';
  readonly repository: Repository;
  readonly row: CriterionRow;
}
export interface ReportNode {
  readonly kind: 'report';
  readonly repository: Repository;
  readonly report: StoredReport;
}
export interface AppNode {
  readonly kind: 'app';
  readonly repository: Repository;
  readonly local?: LocalRepository | undefined;
  readonly path: string;
}
type Group = 'passing' | 'apps' | 'reports' | 'about';
interface GroupNode {
  readonly kind: 'group';
  readonly group: Group;
  readonly of: RepositoryNode;
}
interface FactNode {
  readonly kind: 'fact';
  readonly repository: Repository;
  readonly fact: readonly [string, string];
}
interface UnmatchedNode {
  readonly kind: 'place';
  readonly place: Unmatched;
}
interface PlainNode {
  readonly kind: 'others' | 'unmatched' | 'retry';
}
export type ReadinessTreeNode =
  RepositoryNode | CriterionNode | ReportNode | AppNode | GroupNode | FactNode | UnmatchedNode | PlainNode;

export interface ReadinessTreeDeps {
  /** Resolves when the reports have been read, or could not be; never rejects. */
  readonly ready: () => Promise<'show' | 'hide' | 'failed'>;
  readonly repositories: () => ReadonlyMap<string, Repository>;
  readonly matches: () => readonly Match[];
  /** Places of this window without a report. */
  readonly unmatched: () => readonly Unmatched[];
  readonly git: Pick<LocalGit, 'state' | 'staleness'>;
  readonly format: Formatter;
}

/** The repositories of this window with their latest report; below, all others. */
export class ReadinessTree extends Disposable implements vscode.TreeDataProvider<ReadinessTreeNode> {
  readonly #deps: ReadinessTreeDeps;
  readonly #changed = this.register(new vscode.EventEmitter<undefined>());

  constructor(deps: ReadinessTreeDeps) {
    super();
    this.#deps = deps;
  }

  readonly onDidChangeTreeData = this.#changed.event;

  /** Draws all rows again. */
  redraw(): void {
    this.#changed.fire(undefined);
  }

  async getChildren(node?: ReadinessTreeNode): Promise<ReadinessTreeNode[]> {
    switch (node?.kind) {
      case undefined:
        return this.#roots();
      case 'others': {
        const here = new Set(this.#deps.matches().map(({ repository }) => repository.key));
        return [...this.#deps.repositories().values()]
          .filter(({ key }) => !here.has(key))
          .map(repository => ({ kind: 'repository', repository }));
      }
      case 'repository':
        return repositoryChildren(node);
      case 'group':
        return groupChildren(node, this.#deps.format);
      default:
        return [];
    }
  }

  getTreeItem(node: ReadinessTreeNode): vscode.TreeItem | Promise<vscode.TreeItem> {
    switch (node.kind) {
      case 'retry':
        return retryItem(commands.readiness.refresh);
      case 'unmatched': {
        const { label, detail } = unmatchedText(this.#deps.git.state);
        const item = new vscode.TreeItem(label);
        item.id = 'unmatched';
        item.iconPath = new vscode.ThemeIcon('info');
        item.tooltip = detail;
        item.accessibilityInformation = { label: `${label}. ${detail}` };
        return item;
      }
      case 'place':
        return placeItem(node);
      case 'others': {
        const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
        const here = this.#deps.matches().length;
        const item = new vscode.TreeItem(
          vscode.l10n.t('Other repositories'),
          here > 0 ? Collapsed : Expanded,
        );
        item.id = `others/${here > 0}`;
        item.contextValue = 'readinessOthers';
        item.description = String(this.#deps.repositories().size - here);
        return item;
      }
      case 'repository':
        return this.#repositoryItem(node);
      case 'criterion':
        return criterionItem(node);
      case 'group':
        return groupItem(node);
      case 'app':
        return appItem(node);
      case 'report':
        return reportItem(node, this.#deps.format);
      case 'fact':
        return factItem(node);
    }
  }

  async #roots(): Promise<ReadinessTreeNode[]> {
    const ready = await this.#deps.ready();
    if (ready === 'failed') return [{ kind: 'retry' }];
    const all = this.#deps.repositories();
    if (ready === 'hide' || all.size === 0) return [];
    const here = this.#deps.matches();
    const places = this.#deps.unmatched();
    return [
      ...here.map((match): RepositoryNode => ({ kind: 'repository', ...match })),
      ...(here.length === 0 && places.length < 2
        ? [{ kind: 'unmatched' } as const]
        : places.map(place => ({ kind: 'place', place }) as const)),
      ...(all.size > here.length ? [{ kind: 'others' } as const] : []),
    ];
  }

  async #repositoryItem(node: RepositoryNode): Promise<vscode.TreeItem> {
    const { repository, local } = node;
    const [report] = repository.reports;
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(
      oneLine(repository.name, 100),
      local === undefined ? Collapsed : Expanded,
    );
    item.id = `repository/${local === undefined ? '' : 'here/'}${repository.key}`;
    item.contextValue = 'readinessRepository';
    if (report === undefined) return item;
    const staleness = await this.#deps.git.staleness(report.commitHash, local);
    const before = previousOf(repository.reports, report);
    const percent = percentOf(report);
    const delta = words.deltaText(percent, before && percentOf(before));
    const old = staleness.kind === 'same' ? '' : words.stalenessText(staleness);
    const since =
      before === undefined || delta === ''
        ? ''
        : vscode.l10n.t('{0} since {1}', delta, words.shortDay(before.createdAt));
    item.iconPath = new vscode.ThemeIcon('repo');
    item.description = [words.percentText(percent), old, since].filter(part => part !== '').join(' · ');
    item.tooltip = factsTooltip([
      [vscode.l10n.t('Repository'), repository.url],
      [vscode.l10n.t('Latest report'), words.reportLabel(report)],
      [vscode.l10n.t('Since the report before'), since],
      ...words.reportNotes(report, staleness).map(note => [vscode.l10n.t('Note'), note] as const),
    ]);
    item.accessibilityInformation = { label: `${oneLine(repository.name, 100)}, ${item.description}` };
    return item;
  }
}

function placeItem({ place }: UnmatchedNode): vscode.TreeItem {
  const { label, description, detail } = placeText(place);
  const item = new vscode.TreeItem(label);
  item.id = `place/${place.root.scheme}:${place.root.path}`;
  item.description = description;
  item.tooltip = detail;
  item.iconPath = new vscode.ThemeIcon('info');
  item.accessibilityInformation = { label: `${label}, ${description}. ${detail}` };
  return item;
}

function repositoryChildren(node: RepositoryNode): ReadinessTreeNode[] {
  const { repository } = node;
  const [report] = repository.reports;
  if (report === undefined) return [];
  const rows = criteriaOf(report, previousOf(repository.reports, report));
  const failing = rows.filter(({ now, change }) => change !== 'gone' && (!passes(now) || change === 'worse'));
  const groups: Group[] = ['passing', 'apps', 'reports', 'about'];
  const hidden = (group: Group): boolean =>
    (group === 'apps' && Object.keys(report.apps ?? {}).length === 0) ||
    (group === 'passing' && !rows.some(isPassing));
  return [
    ...failing.map((row): CriterionNode => ({ kind: 'criterion', repository, row })),
    ...groups.filter(group => !hidden(group)).map((group): GroupNode => ({ kind: 'group', group, of: node })),
  ];
}

function isPassing({ now, change }: CriterionRow): boolean {
  return change !== 'gone' && change !== 'worse' && passes(now);
}

function groupChildren({ group, of }: GroupNode, format: Formatter): ReadinessTreeNode[] {
  const { repository, local } = of;
  const [report] = repository.reports;
  if (report === undefined) return [];
  switch (group) {
    case 'passing':
      return criteriaOf(report, previousOf(repository.reports, report))
        .filter(isPassing)
        .map(row => ({ kind: 'criterion', repository, row }));
    case 'apps':
      return Object.keys(report.apps ?? {}).map(path => ({ kind: 'app', repository, local, path }));
    case 'reports':
      return repository.reports.map(each => ({ kind: 'report', repository, report: each }));
    case 'about':
      return words.reportFacts(report, format).map(fact => ({ kind: 'fact', repository, fact }));
  }
}

function groupItem({ group, of }: GroupNode): vscode.TreeItem {
  const [report] = of.repository.reports;
  const counts: Record<Group, readonly [string, number | undefined]> = {
    passing: [vscode.l10n.t('Passing'), Object.values(report?.report ?? {}).filter(passes).length],
    apps: [vscode.l10n.t('Applications'), Object.keys(report?.apps ?? {}).length],
    reports: [vscode.l10n.t('Reports'), of.repository.reports.length],
    about: [vscode.l10n.t('About this report'), undefined],
  };
  const [label, count] = counts[group];
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `group/${of.local === undefined ? '' : 'here/'}${of.repository.key}/${group}`;
  if (count !== undefined) item.description = String(count);
  return item;
}

function criterionItem(node: CriterionNode): vscode.TreeItem {
  const { repository, row } = node;
  const score = words.scoreText(row.now);
  const changed = row.change === 'worse' || row.change === 'better';
  const was =
    changed && row.before !== undefined ? vscode.l10n.t('was {0}', words.scoreText(row.before)) : '';
  const isNew = row.change === 'new' ? vscode.l10n.t('new') : '';
  const name = oneLine(row.name, 120);
  const item = new vscode.TreeItem(name);
  item.id = `criterion/${repository.key}/${row.id}`;
  item.contextValue = passes(row.now) ? 'readinessPassing' : 'readinessFailing';
  item.iconPath = themeIcon(words.criterionIcon(row));
  item.description = [score, `${share(row.now)}%`, was, isNew].filter(part => part !== '').join(' · ');
  item.tooltip = factsTooltip([
    [name, score],
    [vscode.l10n.t('Before'), row.before && words.scoreText(row.before)],
    [vscode.l10n.t('Change'), words.changeText(row.change)],
    [vscode.l10n.t('Rationale'), row.now.rationale],
    [vscode.l10n.t('Criterion id'), row.id],
  ]);
  const state = passes(row.now) ? vscode.l10n.t('passes') : vscode.l10n.t('fails');
  item.accessibilityInformation = {
    label: `${name}, ${state}, ${item.description} ${words.changeText(row.change)}`,
  };
  item.command = {
    command: commands.readiness.openReport,
    title: vscode.l10n.t('Open report'),
    arguments: [node],
  };
  return item;
}

function appItem(node: AppNode): vscode.TreeItem {
  const { repository, local, path } = node;
  const report = repository.reports[0];
  const description = report?.apps?.[path]?.description;
  const failing = report === undefined ? [] : failuresOf(report, path).map(readableName);
  const item = new vscode.TreeItem(middle(appLabel(path), 60));
  item.id = `app/${local === undefined ? '' : 'here/'}${repository.key}/${path}`;
  item.iconPath = new vscode.ThemeIcon(path === '.' ? 'root-folder' : 'folder');
  if (description !== undefined) item.description = oneLine(description);
  item.tooltip = factsTooltip([
    [vscode.l10n.t('Application'), path],
    [vscode.l10n.t('Description'), description],
    [vscode.l10n.t('Failing criteria'), failing.join(', ')],
  ]);
  if (appFolder(local, path) !== undefined) {
    item.contextValue = 'readinessApp';
    const title = vscode.l10n.t('Show in the Explorer');
    item.command = { command: commands.readiness.revealApplication, title, arguments: [node] };
  }
  return item;
}

function reportItem(node: ReportNode, format: Formatter): vscode.TreeItem {
  const { repository, report } = node;
  const percent = percentOf(report);
  const before = previousOf(repository.reports, report);
  const item = new vscode.TreeItem(words.dayText(report.createdAt));
  item.id = `report/${repository.key}/${report.reportId}`;
  item.contextValue = 'readinessReport';
  item.iconPath = new vscode.ThemeIcon('git-commit');
  const delta = words.deltaText(percent, before && percentOf(before));
  item.description = [words.percentText(percent), delta, oneLine(report.branch ?? '', 60)]
    .filter(part => part !== '')
    .join(' · ');
  item.tooltip = factsTooltip([
    ...words.reportFacts(report, format),
    ...words
      .reportNotes(report, { kind: 'noRepository' })
      .map(note => [vscode.l10n.t('Note'), note] as const),
  ]);
  item.command = {
    command: commands.readiness.openReport,
    title: vscode.l10n.t('Open report'),
    arguments: [node],
  };
  return item;
}

function factItem({ repository, fact: [name, value] }: FactNode): vscode.TreeItem {
  const item = new vscode.TreeItem(name);
  item.id = `fact/${repository.key}/${name}`;
  item.description = value;
  item.tooltip = factsTooltip([[name, value]]);
  return item;
}
