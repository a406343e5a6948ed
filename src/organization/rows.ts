import * as vscode from 'vscode';
import { commands } from '../contributions';
import type { Formatter } from '../util/format';
import { oneLine } from '../util/text';
import { factsTooltip, themeIcon } from '../util/treeItems';
import type { SettingChange } from './changes';
import type { OrganizationData } from './data';
import { personFacts, personStatus, revisionFacts, changeFacts } from './facts';
import { isInactive, nameOf, timeOf, type Person, type Revision } from './model';
import type { Shown } from './shown';
import type { GroupName, OrganizationTreeNode } from './tree';
import {
  changeText,
  changeWords,
  countsText,
  directionText,
  gapText,
  isSecretChange,
  makerText,
  summaryText,
  valueText,
  type Calendar,
} from './words';

export interface RowsDeps {
  readonly data: OrganizationData;
  readonly shown: Shown;
  readonly format: Formatter;
  readonly calendar: Calendar;
  readonly inactiveDays: () => number;
  readonly now: () => number;
}

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

/** How each node looks and is read aloud. */
export class Rows {
  readonly #deps: RowsDeps;

  constructor(deps: RowsDeps) {
    this.#deps = deps;
  }

  item(node: OrganizationTreeNode): vscode.TreeItem {
    const item = this.#item(node);
    // Days of a filtered history are rows of their own, so that they are open whatever was closed before.
    const filtered = node.kind === 'day' && this.#deps.shown.isHistoryFiltered;
    item.id = `${Object.values(node).join('/')}${filtered ? '/filtered' : ''}`;
    return item;
  }

  #item(node: OrganizationTreeNode): vscode.TreeItem {
    const { data } = this.#deps;
    switch (node.kind) {
      case 'group':
        return this.#group(node.group);
      case 'person': {
        const person = data.person(node.personId);
        return person === undefined ? new vscode.TreeItem('') : this.#person(person);
      }
      case 'day':
        return this.#day(node.day);
      case 'revision': {
        const revision = data.revision(node.revision);
        return revision === undefined ? new vscode.TreeItem('') : this.#revision(revision);
      }
      case 'change':
      case 'entry': {
        const revision = data.revision(node.revision);
        const change = revision && data.changesOf(revision)[node.index];
        if (revision === undefined || change === undefined) return new vscode.TreeItem('');
        return node.kind === 'change' ? this.#change(revision, change) : this.#entry(change, node.entry);
      }
      case 'more':
        return this.#more(node.what);
      case 'problem':
        return this.#problem(node.group, node.index);
      case 'empty':
        return this.#empty(node.group);
    }
  }

  #group(group: GroupName): vscode.TreeItem {
    const { data, shown, format } = this.#deps;
    const { items, reading, at, partial, failure } = data[group].state.current;
    const isPeople = group === 'people';
    const label = isPeople ? vscode.l10n.t('Users') : vscode.l10n.t('Control history');
    const item = new vscode.TreeItem(label, isPeople ? Collapsed : Expanded);
    const filtered = isPeople ? shown.isPeopleFiltered : shown.isHistoryFiltered;
    const parts = [
      reading !== undefined
        ? vscode.l10n.t('{0} read so far…', format.number(reading.count))
        : failure?.forbidden === true && items.length === 0
          ? vscode.l10n.t('not readable with this key')
          : at === undefined && items.length === 0
            ? ''
            : filtered
              ? vscode.l10n.t(
                  '{0} of {1}',
                  format.number(isPeople ? shown.people.length : shown.revisionCount),
                  format.number(items.length),
                )
              : format.number(items.length),
      partial === true && reading === undefined ? vscode.l10n.t('incomplete') : '',
      failure !== undefined && at !== undefined && items.length > 0
        ? vscode.l10n.t('{0} old', format.span(this.#deps.now() - at))
        : '',
    ];
    item.description = parts.filter(part => part !== '').join(' · ');
    item.iconPath = themeIcon({
      id: reading !== undefined ? 'sync~spin' : isPeople ? 'organization' : 'history',
    });
    item.contextValue = `${group}${reading === undefined ? '' : ' reading'}`;
    item.tooltip = factsTooltip([
      [label, item.description],
      [vscode.l10n.t('Read'), at === undefined ? undefined : format.exact(at)],
      [vscode.l10n.t('Error'), failure?.sentence],
    ]);
    item.accessibilityInformation = { label: [label, item.description].filter(Boolean).join(', ') };
    return item;
  }

  #person(person: Person): vscode.TreeItem {
    const { shown, format, inactiveDays, now } = this.#deps;
    const usage = shown.usage?.get(person.id);
    const inactive = isInactive(person, usage, now(), inactiveDays());
    const name = oneLine(nameOf(person), 120);
    const item = new vscode.TreeItem(name, None);
    item.iconPath = themeIcon({ id: inactive ? 'circle-slash' : 'person' });
    item.contextValue = person.email === undefined ? 'person' : 'person email';
    item.description = personStatus(person, usage, inactive, format, now());
    item.tooltip = factsTooltip(personFacts(person, usage, format));
    item.accessibilityInformation = {
      label: vscode.l10n.t(
        'User {0}, {1}',
        name,
        [person.email, item.description].filter(Boolean).join(', '),
      ),
    };
    return item;
  }

  #day(day: string): vscode.TreeItem {
    const { data, shown, calendar } = this.#deps;
    const revisions = shown.days.get(day) ?? [];
    const isNewest = shown.days.keys().next().value === day;
    const item = new vscode.TreeItem(
      calendar.day(day),
      isNewest || shown.isHistoryFiltered ? Expanded : Collapsed,
    );
    item.iconPath = themeIcon({ id: 'calendar' });
    const known = revisions.filter(revision => data.before(revision) !== undefined);
    const parts = [
      revisions.length === 1 ? '' : vscode.l10n.t('{0} revisions', revisions.length),
      known.length === 0
        ? vscode.l10n.t('first known revision')
        : summaryText(known.flatMap(revision => data.changesOf(revision))),
    ];
    item.description = parts.filter(part => part !== '').join(' · ');
    item.contextValue = 'day';
    item.accessibilityInformation = { label: `${calendar.day(day)}, ${item.description}` };
    return item;
  }

  #revision(revision: Revision): vscode.TreeItem {
    const { data, calendar, format } = this.#deps;
    const changes = data.changesOf(revision);
    const before = data.before(revision);
    const time = timeOf(revision.updatedAt);
    const summary = before === undefined ? vscode.l10n.t('first known revision') : summaryText(changes);
    const item = new vscode.TreeItem(
      vscode.l10n.t('rev {0}', revision.revision),
      changes.length === 0 ? None : Collapsed,
    );
    const clock = time === undefined ? '' : calendar.timeOfDay(time);
    const gap = gapText(before, revision);
    item.description = [makerText(revision), summary, gap, clock].filter(part => part !== '').join(' · ');
    item.iconPath = themeIcon({ id: 'git-commit' });
    item.contextValue = before === undefined ? 'revision first' : 'revision';
    item.tooltip = factsTooltip(revisionFacts(revision, before, changes, format));
    item.command = {
      command: commands.organization.openChanges,
      title: vscode.l10n.t('Show what changed'),
      arguments: [{ kind: 'revision', revision: revision.revision }],
    };
    const toward = [...new Set(changes.map(({ direction }) => directionText(direction)))].filter(Boolean);
    item.accessibilityInformation = {
      label: [
        vscode.l10n.t('Revision {0} by {1}', revision.revision, makerText(revision)),
        time === undefined ? '' : format.exact(time),
        summary,
        gap,
        ...toward,
      ]
        .filter(part => part !== undefined && part !== '')
        .join(', '),
    };
    return item;
  }

  #change(revision: Revision, change: SettingChange): vscode.TreeItem {
    const entries = change.set === undefined ? 0 : change.set.added.length + change.set.removed.length;
    const item = new vscode.TreeItem(changeText(change), entries === 0 ? None : Collapsed);
    item.description = [
      countsText(change),
      change.kind === 'changed' && isSecretChange(change) ? vscode.l10n.t('the secret changed') : undefined,
      directionText(change.direction),
    ]
      .filter(part => part !== undefined && part !== '')
      .join(' · ');
    item.iconPath = themeIcon(changeIcon(change));
    item.contextValue = 'change';
    item.tooltip = factsTooltip(changeFacts(change));
    item.command = {
      command: commands.organization.openChanges,
      title: vscode.l10n.t('Show what changed'),
      arguments: [{ kind: 'revision', revision: revision.revision }],
    };
    item.accessibilityInformation = { label: changeWords(change) };
    return item;
  }

  #entry({ set }: SettingChange, entry: number): vscode.TreeItem {
    const { added = [], removed = [] } = set ?? {};
    const isAdded = entry < added.length;
    const value = isAdded ? added[entry] : removed[entry - added.length];
    const text = valueText(value, 200);
    const item = new vscode.TreeItem(text, None);
    item.description = isAdded ? vscode.l10n.t('added') : vscode.l10n.t('removed');
    item.iconPath = themeIcon({ id: isAdded ? 'diff-added' : 'diff-removed' });
    item.contextValue = 'entry';
    item.accessibilityInformation = { label: `${text}, ${item.description}` };
    return item;
  }

  #more(what: 'people' | 'days'): vscode.TreeItem {
    const { shown, format } = this.#deps;
    const rest = (what === 'people' ? shown.people.length : shown.days.size) - shown.limit[what];
    const title = what === 'people' ? vscode.l10n.t('Show more users') : vscode.l10n.t('Show earlier days');
    const item = new vscode.TreeItem(title, None);
    item.description = vscode.l10n.t('{0} more', format.number(rest));
    item.iconPath = themeIcon({ id: 'ellipsis' });
    item.command = { command: commands.organization.showMore, title, arguments: [{ kind: 'more', what }] };
    item.accessibilityInformation = { label: `${title}, ${item.description}` };
    return item;
  }

  #problem(group: GroupName, index: number | undefined): vscode.TreeItem {
    const { problems } = this.#deps.data[group].state.current;
    if (index === undefined) {
      const label =
        problems.length === 1
          ? vscode.l10n.t('1 entry could not be read')
          : vscode.l10n.t('{0} entries could not be read', problems.length);
      const item = new vscode.TreeItem(label, Collapsed);
      item.iconPath = themeIcon({ id: 'warning', color: 'list.warningForeground' });
      item.contextValue = 'problems';
      return item;
    }
    const problem = problems[index];
    const place = problem?.id ?? (problem?.index === undefined ? undefined : `#${problem.index + 1}`);
    const kind = group === 'people' ? vscode.l10n.t('User') : vscode.l10n.t('Revision');
    const label = place === undefined ? vscode.l10n.t('The list') : `${kind} ${oneLine(place)}`;
    const item = new vscode.TreeItem(label, None);
    item.description = oneLine([problem?.field, problem?.reason].filter(Boolean).join(': '));
    item.contextValue = 'problem';
    item.tooltip = factsTooltip([[vscode.l10n.t('Error'), problem?.reason]]);
    return item;
  }

  #empty(group: GroupName): vscode.TreeItem {
    const { data, shown } = this.#deps;
    const { items, failure, reading, at } = data[group].state.current;
    const filtered =
      items.length > 0 && (group === 'people' ? shown.isPeopleFiltered : shown.isHistoryFiltered);
    const item = new vscode.TreeItem('', None);
    if (filtered) {
      item.label = vscode.l10n.t('Nothing passes the filter. Clear it');
      item.iconPath = themeIcon({ id: 'clear-all' });
      item.command = { command: commands.organization.clearFilter, title: item.label };
    } else if (reading !== undefined) {
      item.label = vscode.l10n.t('Reading…');
    } else if (failure !== undefined || at === undefined) {
      const forbidden = failure?.forbidden === true;
      item.label = forbidden ? vscode.l10n.t('Not readable with this key') : vscode.l10n.t('Try again');
      item.iconPath = themeIcon({ id: forbidden ? 'lock' : 'refresh' });
      item.tooltip = factsTooltip([[vscode.l10n.t('Error'), failure?.sentence]]);
      if (!forbidden) item.command = { command: commands.organization.refresh, title: item.label };
    } else {
      item.label =
        group === 'people'
          ? vscode.l10n.t('The service lists no users.')
          : vscode.l10n.t('No control has been changed yet.');
    }
    return item;
  }
}

function changeIcon({ kind, direction }: SettingChange): { id: string; color?: string } {
  if (kind === 'unreadable') return { id: 'warning', color: 'list.warningForeground' };
  if (direction === 'loosens') return { id: 'unlock', color: 'list.warningForeground' };
  if (direction === 'tightens') return { id: 'lock', color: 'charts.green' };
  if (kind === 'added') return { id: 'diff-added' };
  if (kind === 'removed') return { id: 'diff-removed' };
  return { id: kind === 'reordered' ? 'list-ordered' : 'diff-modified' };
}
