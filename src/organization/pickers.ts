import * as vscode from 'vscode';
import { pick, type Choice } from '../ui/pick';
import { joined } from '../ui/text';
import type { Formatter } from '../util/format';
import { catalogue } from './catalogue';
import { settingsOf, type SettingChange } from './changes';
import type { ListName, OrganizationData } from './data';
import {
  dayOf,
  INACTIVE_DAYS,
  makerOf,
  nameOf,
  timeOf,
  whoOf,
  type HistoryFilter,
  type PeopleFilter,
  type Person,
  type PersonUsage,
  type Revision,
} from './model';
import { changeText, makerText, personStatus, summaryText } from './words';

/** Somebody, found by name, e-mail, id or state. */
export function personChoice(
  person: Person,
  usage: PersonUsage | undefined,
  format: Formatter,
  now: number,
): Choice<Person> {
  return {
    label: nameOf(person),
    description: person.email ?? person.id,
    detail: personStatus(person, usage, format, now),
    value: person,
  };
}

/** A revision, found by number, person, day or changed setting. */
export function revisionChoice(
  revision: Revision,
  changes: readonly SettingChange[],
  format: Formatter,
): Choice<Revision> {
  const day = format.day(dayOf(timeOf(revision.updatedAt)));
  return {
    label: vscode.l10n.t('rev {0}', revision.revision),
    description: joined([day, makerText(revision), summaryText(changes)]),
    detail: changes.slice(0, 8).map(changeText).join('; '),
    value: revision,
  };
}

/** Asks for one of the two lists. */
export function pickGroup(): Promise<ListName | undefined> {
  return pick<ListName>(
    [
      { label: vscode.l10n.t('Users'), value: 'people' },
      { label: vscode.l10n.t('Control history'), value: 'controls' },
    ],
    vscode.l10n.t('Export as CSV'),
  );
}

/** What is to be shown of the users, or of the control history. */
export interface Filter {
  readonly people?: PeopleFilter;
  readonly controls?: HistoryFilter;
}

/** Asks what of a group, or of both, is shown. */
export async function pickFilter(
  group: ListName | undefined,
  data: Pick<OrganizationData, 'revisions' | 'changesOf' | 'peopleFilter' | 'historyFilter'>,
): Promise<Filter | undefined> {
  const { peopleFilter, historyFilter } = data;
  const ofPeople = (label: string, value: PeopleFilter): Choice<Filter> => ({
    label,
    icon: value.activity === peopleFilter.activity ? 'check' : undefined,
    value: { people: value },
  });
  const chosen = await pick<Filter | 'person' | 'setting'>(
    [
      ...(group === 'controls'
        ? []
        : [
            ofPeople(vscode.l10n.t('All users'), {}),
            ofPeople(vscode.l10n.t('Inactive users: not seen for {0} days', INACTIVE_DAYS), {
              activity: 'inactive',
            }),
            ofPeople(vscode.l10n.t('Users with unknown activity'), { activity: 'unknown' }),
          ]),
      ...(group === 'people'
        ? []
        : [
            { label: vscode.l10n.t('All revisions'), value: { controls: {} } },
            { label: vscode.l10n.t('Changes made by…'), value: 'person' as const },
            {
              label: vscode.l10n.t('Changes to a setting…'),
              description: historyFilter.setting,
              value: 'setting' as const,
            },
          ]),
    ],
    vscode.l10n.t('What to show'),
  );
  if (chosen === 'person') {
    const person = await pick(makers(data.revisions), vscode.l10n.t('Changes made by whom?'));
    return person === undefined ? undefined : { controls: { ...historyFilter, person } };
  }
  if (chosen === 'setting') {
    const setting = await pick(settings(data), vscode.l10n.t('Changes to which setting?'));
    return setting === undefined ? undefined : { controls: { ...historyFilter, setting } };
  }
  return chosen;
}

function makers(revisions: readonly Revision[]): Choice<string>[] {
  const found = new Map<string, { readonly first: Revision; count: number }>();
  for (const revision of revisions) {
    const entry = found.get(makerOf(revision));
    if (entry === undefined) found.set(makerOf(revision), { first: revision, count: 1 });
    else entry.count++;
  }
  return [...found].map(([value, { first, count }]) => ({
    label: whoOf(first) ?? vscode.l10n.t('unknown'),
    description: joined([
      first.user?.email,
      count === 1 ? vscode.l10n.t('1 revision') : vscode.l10n.t('{0} revisions', count),
    ]),
    value,
  }));
}

/** Settings that ever changed first, then the rest of those known. */
function settings(data: Pick<OrganizationData, 'revisions' | 'changesOf'>): Choice<string>[] {
  const counts = new Map<string, number>();
  for (const revision of data.revisions) {
    for (const setting of settingsOf(data.changesOf(revision)))
      counts.set(setting, (counts.get(setting) ?? 0) + 1);
  }
  const known = [...catalogue.keys()].filter(path => !path.includes('[]') && !counts.has(path));
  return [...[...counts.keys()].sort(), ...known].map(setting => {
    const count = counts.get(setting) ?? 0;
    return {
      label: setting,
      description: count === 1 ? vscode.l10n.t('1 change') : vscode.l10n.t('{0} changes', count),
      value: setting,
    };
  });
}
