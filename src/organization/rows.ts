import * as vscode from 'vscode';
import { commands } from '../contributions';
import type { UsageOfPeople } from '../shared';
import { card, factLines, format, joined, tokensText, type Fact, type Icon } from '../ui/text';
import { retryNode, type Row, type TreeNode } from '../ui/tree';
import { amountCell } from '../util/amount';
import { csv, type CsvCell } from '../util/csv';
import { oneLine, plain } from '../util/text';
import { canonical, settingsOf, type Direction, type SettingChange } from './changes';
import { activityOf, nameOf, timeOf, whoOf } from './data';
import type { KnownRevision, ListName, OrganizationData, Person, Revision } from './data';

/** Users and control history. One state at a time: where the key may read nothing at all, the line above the rows says so alone. */
export function organizationRows(data: OrganizationData): readonly TreeNode[] {
  const { people, controls } = data;
  return [people, controls].every(isShut) ? [] : [groupNode('people', data), groupNode('controls', data)];
}

/** The key may not read it, and nothing of it is known. */
function isShut({ state: { current } }: OrganizationData[ListName]): boolean {
  return current.failure?.forbidden === true && current.items.length === 0;
}

function groupNode(group: ListName, data: OrganizationData): TreeNode {
  const { items, at, partial, failure } = data[group].state.current;
  const [isPeople, isClosed] = [group === 'people', isShut(data[group])];
  const label = isPeople ? vscode.l10n.t('Users') : vscode.l10n.t('Control history');
  const row = (): Row => {
    const count = at === undefined && items.length === 0 ? '' : format.number(items.length);
    const description = joined([
      isClosed ? vscode.l10n.t('no access with this key') : count,
      partial === true ? vscode.l10n.t('incomplete') : '',
      failure !== undefined && at !== undefined && items.length > 0
        ? vscode.l10n.t('{0} old', format.span(data.now() - at))
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
      ? data.sortedPeople.map(person => personNode(person, data))
      : data.revisions.map(revision => revisionNode(revision));
    return rows.length > 0 ? rows : [emptyNode(group, data)];
  };
  return { id: `group/${group}`, kind: 'group', row, children };
}

function personNode(person: Person, data: OrganizationData): TreeNode {
  const row = (): Row => {
    const { usage } = data;
    const label = oneLine(nameOf(person), 120);
    const description = personStatus(person, usage, data.now());
    const inactive = activityOf(person, usage, data.now()) === 'inactive';
    return {
      label,
      description,
      icon: { id: inactive ? 'circle-slash' : 'person' },
      context: 'person',
      spoken: vscode.l10n.t('User {0}, {1}', label, joined([person.email, description], ', ')),
      command: commands.organization.showUser,
      tooltip: () => card(label, [description, ...factLines(personFacts(person, usage))]),
    };
  };
  return { id: `person/${person.id}`, kind: 'person', ...{ personId: person.id }, row };
}

function revisionNode(revision: KnownRevision): TreeNode {
  const row = (): Row => {
    const { before, changes } = revision;
    const summary = before === undefined ? vscode.l10n.t('first known revision') : summaryText(changes);
    const gap = gapText(before, revision);
    const label = vscode.l10n.t('rev {0}', revision.revision);
    const description = joined([dayText(revision), makerText(revision), summary, gap]);
    return {
      label,
      description,
      icon: { id: 'git-commit' },
      context: 'revision',
      open: changes.length === 0 ? undefined : false,
      command: commands.organization.openChanges,
      spoken: joined([vscode.l10n.t('Revision {0}', revision.revision), description], ', '),
      tooltip: () =>
        card(label, [
          joined([makerText(revision), revision.user?.email, exactTime(revision.updatedAt)]),
          gap,
          ...changeLines(changes),
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
    label: changeText(change),
    description: directionText(change.direction),
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
  const label = reading === undefined ? noneText(group) : vscode.l10n.t('Loading…');
  return { id: `empty/${group}`, kind: 'empty', row: () => ({ label }) };
}

export function noneText(list: ListName): string {
  return list === 'people'
    ? vscode.l10n.t('There are no users yet.')
    : vscode.l10n.t('There are no control revisions yet.');
}

function changeIcon({ kind, direction }: SettingChange): Icon {
  if (direction === 'loosens') return { id: 'unlock', color: 'list.warningForeground' };
  if (direction === 'tightens') return { id: 'lock', color: 'charts.green' };
  if (kind === 'added') return { id: 'diff-added' };
  if (kind === 'removed') return { id: 'diff-removed' };
  return { id: kind === 'reordered' ? 'list-ordered' : 'diff-modified' };
}

/** `3 d · 1.2M tokens · inactive`: when somebody last signed in, and what their agents used. */
export function personStatus(person: Person, usage: UsageOfPeople | undefined, now: number): string {
  const signIn = timeOf(person.lastSignInAt);
  const used = usage?.people.get(person.id);
  if (signIn === undefined && used === undefined) return vscode.l10n.t('activity unknown');
  return joined([
    signIn === undefined ? vscode.l10n.t('last sign-in unknown') : format.span(now - signIn),
    used?.tokens !== 0 &&
      tokensText(used?.tokens, value => vscode.l10n.t('{0} tokens', format.compact(value))),
    activityOf(person, usage, now) === 'inactive' && vscode.l10n.t('inactive'),
  ]);
}

export function personFacts(person: Person, usage: UsageOfPeople | undefined): Fact[] {
  const used = usage?.people.get(person.id);
  const notKnown = vscode.l10n.t('not known');
  const none = usage?.none === 0 ? vscode.l10n.t('none in the last 30 days') : notKnown;
  return [
    [vscode.l10n.t('E-mail'), person.email],
    [vscode.l10n.t('Last sign-in'), exactTime(person.lastSignInAt) ?? notKnown],
    [vscode.l10n.t('Last active day (UTC)'), used?.lastActiveDay ?? none],
    [
      vscode.l10n.t('Tokens, last 30 days (UTC)'),
      tokensText(used === undefined ? usage?.none : used.tokens, value => format.number(value)) || notKnown,
    ],
    [vscode.l10n.t('Joined'), exactTime(person.createdAt)],
    ...Object.entries(person.metadata ?? {})
      .slice(0, 20)
      .map(([name, value]): Fact => [plain(name, 60), valueText(value)]),
  ];
}

/** Changes of a revision on a card: those that loosen or tighten something first. */
function changeLines(changes: readonly SettingChange[]): readonly string[] {
  const most = 15;
  const lines = ranked(changes)
    .slice(0, most)
    .map(change => joined([changeText(change), directionText(change.direction)]));
  const more = changes.length - most;
  return more > 0 ? [...lines, vscode.l10n.t('{0} more changes', more)] : lines;
}

function ranked(changes: readonly SettingChange[]): readonly SettingChange[] {
  const rank = ({ direction }: SettingChange): number => (direction === undefined ? 1 : 0);
  return changes.toSorted((a, b) => rank(a) - rank(b));
}

/** A value of a setting on one line, as people read it. Foreign text. */
function valueText(value: unknown, maxLength = 80): string {
  if (value === undefined) return vscode.l10n.t('not set');
  if (value === '') return '""';
  if (typeof value === 'string') return oneLine(value, maxLength);
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) {
    return oneLine(`[${value.join(', ')}]`, maxLength);
  }
  return oneLine(JSON.stringify(value), maxLength);
}

function directionText(direction: Direction | undefined): string | undefined {
  if (direction === undefined) return undefined;
  return direction === 'loosens' ? vscode.l10n.t('loosens') : vscode.l10n.t('tightens');
}

/** `path: old → new`, of lists `path: +came, −went`; the rest is seen in the diff. Foreign text. */
export function changeText({ path, kind, before, after }: SettingChange): string {
  const isSecret = [before, after].some(value => typeof value === 'string' && value.startsWith('[redacted '));
  const what =
    kind === 'reordered'
      ? vscode.l10n.t('order changed')
      : kind === 'changed' && isSecret
        ? vscode.l10n.t('secret changed')
        : listText(before, after) || `${valueText(before, 40)} → ${valueText(after, 40)}`;
  return oneLine(`${path}: ${what}`, 120);
}

/** What came to a list and what went; empty where it is none, or has the same as before. */
function listText(before: unknown, after: unknown): string {
  if (!Array.isArray(before) || !Array.isArray(after)) return '';
  const only = (sign: string, items: readonly unknown[], others: readonly unknown[]): string[] => {
    const known = new Set(others.map(canonical));
    return items.filter(item => !known.has(canonical(item))).map(item => `${sign}${valueText(item, 40)}`);
  };
  return [...only('+', after, before), ...only('−', before, after)].join(', ');
}

/** `maxAutonomyLevel, +2`: the changed setting that matters most, and how many more. */
export function summaryText(changes: readonly SettingChange[]): string {
  const [first, ...more] = settingsOf(ranked(changes));
  if (first === undefined) return vscode.l10n.t('no change');
  const name = oneLine(first, 60);
  return more.length === 0 ? name : `${name}, +${more.length}`;
}

/** `since rev 12` when revisions in between are not known, so that others may have made some of the changes; else nothing. */
function gapText(before: Revision | undefined, { revision }: Revision): string {
  if (before === undefined || before.revision === revision - 1) return '';
  return vscode.l10n.t('since rev {0}', before.revision);
}

export function makerText(revision: Revision): string {
  return oneLine(whoOf(revision) ?? vscode.l10n.t('unknown'), 80);
}

/** The day of a revision, in the person's own time zone; empty where it is not known. */
export function dayText({ updatedAt }: Revision): string {
  const time = timeOf(updatedAt);
  return time === undefined ? '' : format.date({ dateStyle: 'medium' }, time);
}

/** The exact time of a revision, or what the service wrote instead. */
function exactTime(text: string | undefined): string | undefined {
  const time = timeOf(text);
  return time === undefined ? text : format.exact(time);
}

/** One line a person; times as ISO 8601 in UTC. What is not known is empty. */
export function peopleCsv(people: readonly Person[], usage: UsageOfPeople | undefined, now: number): string {
  const columns = 'id email first_name last_name joined last_sign_in inactive';
  const more = usage === undefined ? '' : ' last_active_day_utc billable_tokens_30_days_utc';
  const lines = people.map((person): CsvCell[] => {
    const { id, email, firstName, lastName, createdAt, lastSignInAt } = person;
    const used = usage?.people.get(id) ?? { lastActiveDay: undefined, tokens: usage?.none };
    const activity = activityOf(person, usage, now);
    const inactive = activity === 'unknown' ? null : activity === 'inactive';
    return [
      ...[id, email, firstName, lastName, isoTime(createdAt), isoTime(lastSignInAt), inactive],
      ...[used.lastActiveDay, amountCell(used.tokens)],
    ];
  });
  return csv(`${columns}${more}`.split(' '), lines);
}

/** One line a changed setting, values as JSON, secrets as their marks. A revision that changed no setting has a line without one. */
export function historyCsv(revisions: readonly KnownRevision[]): string {
  const columns = 'revision time person email setting change before after direction compared_with';
  const lines = revisions.flatMap(({ revision, updatedAt, user, before: earlier, changes }) => {
    const lineOf = (...what: readonly CsvCell[]): CsvCell[] => [
      ...[revision, isoTime(updatedAt), user?.name ?? user?.id, user?.email, ...what, earlier?.revision],
    ];
    if (changes.length === 0) return [lineOf('', '', '', '', '')];
    return changes.map(({ path, kind, before, after, direction }) =>
      lineOf(path, kind, canonical(before), canonical(after), directionText(direction)),
    );
  });
  return csv(columns.split(' '), lines);
}

function isoTime(text: string | undefined): string | undefined {
  const time = timeOf(text);
  return time === undefined ? text : new Date(time).toISOString();
}
