import * as vscode from 'vscode';
import { forNotification, forQuickPick } from '../util/text';
import { settingsOf } from './changes';
import { catalogue, explanationOf } from './catalogue';
import type { OrganizationData } from './data';
import {
  dayOf,
  makerOf,
  nameOf,
  timeOf,
  whoOf,
  type HistoryFilter,
  type PeopleFilter,
  type Person,
  type Revision,
} from './model';
import { changeText, makerText, summaryText, type Calendar } from './words';

interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

async function choose<T>(
  items: readonly (Choice<T> | vscode.QuickPickItem)[],
  placeHolder: string,
): Promise<T | undefined> {
  const chosen = await vscode.window.showQuickPick([...items], {
    placeHolder,
    matchOnDescription: true,
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  return chosen !== undefined && 'value' in chosen ? chosen.value : undefined;
}

const separator = (label: string): vscode.QuickPickItem => ({
  label,
  kind: vscode.QuickPickItemKind.Separator,
});

/** Finds somebody by name, e-mail or id. */
export function pickPerson(
  people: readonly Person[],
  statusOf: (person: Person) => string,
): Promise<Person | undefined> {
  return choose(
    people.map(person => ({
      label: forQuickPick(nameOf(person)),
      description: forQuickPick(person.email ?? person.id),
      detail: forQuickPick(statusOf(person)),
      value: person,
    })),
    vscode.l10n.t('Find a user by name, e-mail or state'),
  );
}

/** Finds a revision by number, person, day or changed setting. */
export function pickRevision(
  revisions: readonly Revision[],
  data: Pick<OrganizationData, 'changesOf'>,
  calendar: Calendar,
  placeHolder: string,
): Promise<Revision | undefined> {
  return choose(
    revisions.map(revision => {
      const changes = data.changesOf(revision);
      const time = timeOf(revision.updatedAt);
      return {
        label: forQuickPick(vscode.l10n.t('rev {0}', revision.revision)),
        description: forQuickPick(
          [time === undefined ? '' : calendar.dayOf(time), makerText(revision), summaryText(changes)]
            .filter(Boolean)
            .join(' · '),
        ),
        detail: forQuickPick(changes.slice(0, 8).map(changeText).join('; '), 300),
        value: revision,
      };
    }),
    placeHolder,
  );
}

/** Asks which users are shown and in which order. */
export async function pickPeopleFilter(
  current: PeopleFilter,
  inactiveDays: number,
): Promise<PeopleFilter | undefined> {
  const { text, sort } = current;
  const kept = { sort, ...(text === undefined ? {} : { text }) };
  const ask = Symbol('ask');
  const picked = (chosen: boolean, label: string): string => (chosen ? `$(check) ${label}` : label);
  const chosen = await choose<PeopleFilter | typeof ask>(
    [
      separator(vscode.l10n.t('Show')),
      { label: picked(current.seen === undefined, vscode.l10n.t('Everybody')), value: kept },
      {
        label: picked(
          current.seen === 'inactive',
          inactiveDays === 1
            ? vscode.l10n.t('Inactive: not seen for 1 day')
            : vscode.l10n.t('Inactive: not seen for {0} days', inactiveDays),
        ),
        value: { ...kept, seen: 'inactive' },
      },
      {
        label: picked(current.seen === 'unknown', vscode.l10n.t('Last sign-in not known')),
        value: { ...kept, seen: 'unknown' },
      },
      {
        label: picked((text ?? '') !== '', vscode.l10n.t('Name or e-mail contains…')),
        description: forQuickPick(text ?? ''),
        value: ask,
      },
      separator(vscode.l10n.t('Sort by')),
      { label: picked(sort === 'name', vscode.l10n.t('Name')), value: { ...current, sort: 'name' } },
      {
        label: picked(sort === 'latest', vscode.l10n.t('Last sign-in, latest first')),
        value: { ...current, sort: 'latest' },
      },
      {
        label: picked(sort === 'longestAgo', vscode.l10n.t('Last sign-in, longest ago first')),
        value: { ...current, sort: 'longestAgo' },
      },
    ],
    vscode.l10n.t('Which users to show, and in which order'),
  );
  if (chosen !== ask) return chosen;
  const wanted = await vscode.window.showInputBox({
    title: vscode.l10n.t('Filter users'),
    prompt: vscode.l10n.t('Part of a name, an e-mail or an id. Leave it empty to show everybody.'),
    value: text ?? '',
  });
  if (wanted === undefined) return undefined;
  return { ...current, text: wanted.trim() === '' ? undefined : wanted.trim() };
}

/** Asks for one more thing revisions are filtered by: a person, a setting, or days. */
export async function pickHistoryFilter(
  current: HistoryFilter,
  data: Pick<OrganizationData, 'revisions' | 'changesOf'>,
  now: number,
): Promise<HistoryFilter | undefined> {
  const by = await choose<'person' | 'setting' | 'days' | 'clear'>(
    [
      { label: vscode.l10n.t('Person…'), value: 'person' },
      {
        label: vscode.l10n.t('Setting…'),
        description: forQuickPick(current.setting ?? ''),
        value: 'setting',
      },
      {
        label: vscode.l10n.t('Days…'),
        description: forQuickPick([current.from, current.to].filter(Boolean).join(' – ')),
        value: 'days',
      },
      { label: vscode.l10n.t('Show all revisions'), value: 'clear' },
    ],
    vscode.l10n.t('Filter the control history by'),
  );
  switch (by) {
    case 'clear':
      return {};
    case 'person': {
      const person = await choose(makers(data.revisions), vscode.l10n.t('Changes made by'));
      return person === undefined ? undefined : { ...current, person };
    }
    case 'setting': {
      const setting = await choose(settings(data), vscode.l10n.t('Changes of the setting'));
      return setting === undefined ? undefined : { ...current, setting };
    }
    case 'days': {
      const days = await pickDays(now);
      if (days === undefined) return undefined;
      return { ...current, from: undefined, to: undefined, ...days };
    }
    case undefined:
      return undefined;
  }
}

function makers(revisions: readonly Revision[]): Choice<string>[] {
  const found = new Map<string, { who: string; email: string; count: number }>();
  for (const revision of revisions) {
    const entry = found.get(makerOf(revision));
    if (entry === undefined) {
      const who = whoOf(revision) ?? vscode.l10n.t('unknown person');
      found.set(makerOf(revision), { who, email: revision.user?.email ?? '', count: 1 });
    } else entry.count++;
  }
  return [...found].map(([value, { who, email, count }]) => ({
    label: forQuickPick(who),
    description: forQuickPick(
      [email, count === 1 ? vscode.l10n.t('1 revision') : vscode.l10n.t('{0} revisions', count)]
        .filter(Boolean)
        .join(' · '),
    ),
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
      label: forQuickPick(setting),
      description: count === 1 ? vscode.l10n.t('1 change') : vscode.l10n.t('{0} changes', count),
      detail: explanationOf(setting),
      value: setting,
    };
  });
}

async function pickDays(now: number): Promise<Pick<HistoryFilter, 'from' | 'to'> | undefined> {
  const daysAgo = (days: number): string => dayOf(now - (days - 1) * 24 * 60 * 60 * 1000);
  const ask = Symbol('ask');
  const chosen = await choose<Pick<HistoryFilter, 'from' | 'to'> | typeof ask>(
    [
      ...[7, 30, 90, 365].map(days => ({
        label: vscode.l10n.t('Last {0} days', days),
        value: { from: daysAgo(days) },
      })),
      { label: vscode.l10n.t('Any days'), value: {} },
      { label: vscode.l10n.t('From … to …'), value: ask },
    ],
    vscode.l10n.t('Changes made in'),
  );
  if (chosen !== ask) return chosen;
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Filter by days'),
    prompt: vscode.l10n.t('First and last day, such as 2026-11-01 2026-11-20. One day alone is that day.'),
    validateInput: value =>
      readDays(value) === undefined
        ? vscode.l10n.t(
            '“{0}” is not a day or two days like 2026-11-01 2026-11-20.',
            forNotification(value, 40),
          )
        : undefined,
  });
  return text === undefined ? undefined : readDays(text);
}

/** One or two days, in order; `undefined` for anything else. */
export function readDays(text: string): { from: string; to: string } | undefined {
  const days = text.match(/\d{4}-\d{2}-\d{2}/g) ?? [];
  const rest = text.replace(/\d{4}-\d{2}-\d{2}/g, '').replace(/[\s,–—-]|to|\.{2,3}/g, '');
  const real = days.filter(day => {
    const time = Date.parse(`${day}T00:00:00Z`);
    return Number.isFinite(time) && new Date(time).toISOString().startsWith(day);
  });
  const [from, to = from] = real;
  if (rest !== '' || real.length !== days.length || days.length > 2) return undefined;
  if (from === undefined || to === undefined || from > to) return undefined;
  return { from, to };
}
