import * as vscode from 'vscode';
import { commands } from '../contributions';
import { card, factLines, format, joined, type Icon } from '../ui/text';
import { retryNode, type Row, type TreeNode } from '../ui/tree';
import { oneLine } from '../util/text';
import type { SettingChange } from './changes';
import { activityOf, nameOf } from './data';
import type { KnownRevision, ListName, OrganizationData, Person } from './data';
import * as words from './words';

interface RowsContext {
  readonly data: OrganizationData;
  readonly now: () => number;
}

/** Users and control history. One state at a time: where the key may read nothing at all, the line above the rows says so alone. */
export function organizationRows(context: RowsContext): readonly TreeNode[] {
  const { people, controls } = context.data;
  return [people, controls].every(isShut)
    ? []
    : [groupNode('people', context), groupNode('controls', context)];
}

/** The key may not read it, and nothing of it is known. */
function isShut({ state: { current } }: OrganizationData[ListName]): boolean {
  return current.failure?.forbidden === true && current.items.length === 0;
}

function groupNode(group: ListName, context: RowsContext): TreeNode {
  const { data, now } = context;
  const { items, at, partial, failure } = data[group].state.current;
  const [isPeople, isClosed] = [group === 'people', isShut(data[group])];
  const label = isPeople ? vscode.l10n.t('Users') : vscode.l10n.t('Control history');
  const row = (): Row => {
    const count = at === undefined && items.length === 0 ? '' : format.number(items.length);
    const description = joined([
      isClosed ? vscode.l10n.t('no access with this key') : count,
      partial === true ? vscode.l10n.t('incomplete') : '',
      failure !== undefined && at !== undefined && items.length > 0
        ? vscode.l10n.t('{0} old', format.span(now() - at))
        : '',
    ]);
    return {
      label,
      description,
      icon: { id: isPeople ? 'organization' : 'history' },
      context: group,
      open: isClosed ? undefined : !isPeople,
      tooltip: () =>
        card(label, [
          description,
          ...factLines([[vscode.l10n.t('Read'), at === undefined ? undefined : format.exact(at)]]),
          failure?.sentence,
        ]),
    };
  };
  const children = (): readonly TreeNode[] => {
    if (isPeople) void data.askUsage();
    const rows = isPeople
      ? data.sortedPeople.map(person => personNode(person, context))
      : data.revisions.map(revision => revisionNode(revision));
    return rows.length > 0 ? rows : [emptyNode(group, data)];
  };
  return { id: `group/${group}`, kind: 'group', row, children };
}

function personNode(person: Person, { data, now }: RowsContext): TreeNode {
  const row = (): Row => {
    const usage = data.usageOf(person);
    const label = oneLine(nameOf(person), 120);
    const description = words.personStatus(person, usage, now());
    const inactive = activityOf(person, usage, now()) === 'inactive';
    return {
      label,
      description,
      icon: { id: inactive ? 'circle-slash' : 'person' },
      context: 'person',
      spoken: vscode.l10n.t('User {0}, {1}', label, joined([person.email, description], ', ')),
      command: commands.organization.showUser,
      tooltip: () => card(label, [description, ...factLines(words.personFacts(person, usage))]),
    };
  };
  return { id: `person/${person.id}`, kind: 'person', ...{ personId: person.id }, row };
}

function revisionNode(revision: KnownRevision): TreeNode {
  const row = (): Row => {
    const { before, changes } = revision;
    const summary = before === undefined ? vscode.l10n.t('first known revision') : words.summaryText(changes);
    const gap = words.gapText(before, revision);
    const label = vscode.l10n.t('rev {0}', revision.revision);
    const day = words.dayText(revision);
    const exact = words.exactTime(revision.updatedAt);
    const toward = [...new Set(changes.map(({ direction }) => words.directionText(direction)))];
    return {
      label,
      description: joined([day, words.makerText(revision), summary, gap]),
      icon: { id: 'git-commit' },
      context: 'revision',
      open: changes.length === 0 ? undefined : false,
      command: commands.organization.openChanges,
      spoken: joined(
        [
          vscode.l10n.t('Revision {0} by {1}', revision.revision, words.makerText(revision)),
          exact,
          summary,
          gap,
          ...toward,
        ],
        ', ',
      ),
      tooltip: () =>
        card(label, [
          joined([words.makerText(revision), revision.user?.email, exact]),
          gap,
          ...words.changeLines(changes),
        ]),
    };
  };
  const children = (): readonly TreeNode[] =>
    revision.changes.map((change, index) => changeNode(revision.revision, change, index));
  return {
    id: `revision/${revision.revision}`,
    kind: 'revision',
    ...{ revision: revision.revision },
    row,
    children,
  };
}

function changeNode(revision: number, change: SettingChange, index: number): TreeNode {
  const row = (): Row => ({
    label: words.changeText(change),
    description: words.directionText(change.direction),
    spoken: joined([words.changeSpoken(change), words.directionText(change.direction)], ', '),
    icon: changeIcon(change),
    command: commands.organization.openChanges,
  });
  return { id: `change/${revision}/${index}`, kind: 'change', ...{ revision }, row };
}

/** What stands where a group has no rows: why, and what helps. */
function emptyNode(group: ListName, data: OrganizationData): TreeNode {
  const { failure, reading, at } = data[group].state.current;
  if (reading === undefined && (failure !== undefined || at === undefined))
    return { ...retryNode(commands.console.refresh), id: `retry/${group}` };
  const none =
    group === 'people' ? vscode.l10n.t('No users yet.') : vscode.l10n.t('No controls have been changed yet.');
  const label = reading === undefined ? none : vscode.l10n.t('Loading…');
  return { id: `empty/${group}`, kind: 'empty', row: () => ({ label }) };
}

function changeIcon({ kind, direction }: SettingChange): Icon {
  if (direction === 'loosens') return { id: 'unlock', color: 'list.warningForeground' };
  if (direction === 'tightens') return { id: 'lock', color: 'charts.green' };
  if (kind === 'added') return { id: 'diff-added' };
  if (kind === 'removed') return { id: 'diff-removed' };
  return { id: kind === 'reordered' ? 'list-ordered' : 'diff-modified' };
}
