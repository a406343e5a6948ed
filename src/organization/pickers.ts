import * as vscode from 'vscode';
import { pick, type Choice } from '../ui/pick';
import { joined } from '../ui/text';
import type { Formatter } from '../util/format';
import { catalogue, explanationOf } from './catalogue';
import { settingsOf, type SettingChange } from './changes';
import type { OrganizationData } from './data';
import {
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
import { changeText, makerText, personStatus, summaryText, type Calendar } from './words';

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
  calendar: Calendar,
): Choice<Revision> {
  const time = timeOf(revision.updatedAt);
  const day = time === undefined ? '' : calendar.dayOf(time);
  return {
    label: vscode.l10n.t('rev {0}', revision.revision),
    description: joined([day, makerText(revision), summaryText(changes)]),
    detail: changes.slice(0, 8).map(changeText).join('; '),
    value: revision,
  };
}

/** Asks which users are shown. */
export function pickPeopleFilter({ activity }: PeopleFilter): Promise<PeopleFilter | undefined> {
  const choice = (label: string, value: PeopleFilter): Choice<PeopleFilter> => ({
    label,
    icon: value.activity === activity ? 'check' : undefined,
    value,
  });
  return pick(
    [
      choice(vscode.l10n.t('Everybody'), {}),
      choice(vscode.l10n.t('Inactive: not seen for {0} days', INACTIVE_DAYS), { activity: 'inactive' }),
      choice(vscode.l10n.t('Activity not known'), { activity: 'unknown' }),
    ],
    vscode.l10n.t('Which users to show'),
  );
}

/** Asks for one more thing revisions are filtered by: a person or a setting. */
export async function pickHistoryFilter(
  current: HistoryFilter,
  data: Pick<OrganizationData, 'revisions' | 'changesOf'>,
): Promise<HistoryFilter | undefined> {
  const by = await pick<'person' | 'setting' | 'clear'>(
    [
      { label: vscode.l10n.t('Person…'), value: 'person' },
      { label: vscode.l10n.t('Setting…'), description: current.setting, value: 'setting' },
      { label: vscode.l10n.t('Show all revisions'), value: 'clear' },
    ],
    vscode.l10n.t('Filter the control history by'),
  );
  switch (by) {
    case 'clear':
      return {};
    case 'person': {
      const person = await pick(makers(data.revisions), vscode.l10n.t('Changes made by'));
      return person === undefined ? undefined : { ...current, person };
    }
    case 'setting': {
      const setting = await pick(settings(data), vscode.l10n.t('Changes of the setting'));
      return setting === undefined ? undefined : { ...current, setting };
    }
    case undefined:
      return undefined;
  }
}

function makers(revisions: readonly Revision[]): Choice<string>[] {
  const found = new Map<string, { readonly first: Revision; count: number }>();
  for (const revision of revisions) {
    const entry = found.get(makerOf(revision));
    if (entry === undefined) found.set(makerOf(revision), { first: revision, count: 1 });
    else entry.count++;
  }
  return [...found].map(([value, { first, count }]) => ({
    label: whoOf(first) ?? vscode.l10n.t('unknown person'),
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
      detail: explanationOf(setting),
      value: setting,
    };
  });
}
