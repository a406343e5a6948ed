import * as vscode from 'vscode';
import { supportedLanguage, type Formatter } from '../util/format';
import { oneLine } from '../util/text';
import type { SettingChange } from './changes';
import { settingsOf } from './changes';
import type { Direction } from './directions';
import { isGap, makerOf, timeOf, whoOf, type HistoryFilter, type PeopleFilter, type Revision } from './model';

/** A value of a setting on one line, as people read it. Foreign text. */
export function valueText(value: unknown, maxLength = 80): string {
  if (value === undefined) return vscode.l10n.t('not set');
  if (value === '') return '""';
  if (typeof value === 'string') return oneLine(value, maxLength);
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) {
    return oneLine(`[${value.join(', ')}]`, maxLength);
  }
  return oneLine(JSON.stringify(value), maxLength);
}

/** Whether only what stands for a secret differs. */
export function isSecretChange({ before, after }: SettingChange): boolean {
  return [before, after].some(value => typeof value === 'string' && value.startsWith('[redacted '));
}

export function directionText(direction: Direction | undefined): string | undefined {
  if (direction === undefined) return undefined;
  return direction === 'loosens' ? vscode.l10n.t('loosens') : vscode.l10n.t('tightens');
}

/** `+2 −1` for sets, nothing for other changes. */
export function countsText({ set }: SettingChange): string | undefined {
  if (set === undefined) return undefined;
  const { added, removed } = set;
  return [added.length > 0 ? `+${added.length}` : '', removed.length > 0 ? `−${removed.length}` : '']
    .filter(part => part !== '')
    .join(' ');
}

/** Longest list that is shown item by item. */
const SHORT = 60;

/** `path: old → new`. Foreign text. */
export function changeText(change: SettingChange): string {
  const path = oneLine(change.path, 120);
  switch (change.kind) {
    case 'unreadable':
      return vscode.l10n.t('{0}: one side could not be read', path);
    case 'reordered':
      return vscode.l10n.t('{0}: order changed', path);
    default:
      return `${path}: ${sidesText(change).join(' → ')}`;
  }
}

/** The same in words, for screen readers. */
export function changeWords(change: SettingChange): string {
  const { path, kind, direction } = change;
  if (kind === 'unreadable' || kind === 'reordered') return changeText(change);
  const [from, to] = sidesText(change);
  const words = vscode.l10n.t('{0}, from {1} to {2}', oneLine(path, 120), from, to);
  const toward = directionText(direction);
  return toward === undefined ? words : `${words}, ${toward}`;
}

/** Both values; sets that are long by their sizes. */
function sidesText({ before, after, set }: SettingChange): [before: string, after: string] {
  const isLong = (value: unknown): boolean => value !== undefined && JSON.stringify(value).length > SHORT;
  return set !== undefined && (isLong(before) || isLong(after))
    ? [entriesText(before), entriesText(after)]
    : [valueText(before), valueText(after)];
}

function entriesText(value: unknown): string {
  if (!Array.isArray(value)) return valueText(value);
  return value.length === 1 ? vscode.l10n.t('1 entry') : vscode.l10n.t('{0} entries', value.length);
}

/** `maxAutonomyLevel, +2`: the first changed setting and how many more. */
export function summaryText(changes: readonly SettingChange[]): string {
  const [first, ...more] = settingsOf(changes);
  if (first === undefined) return vscode.l10n.t('no change');
  const name = oneLine(first, 60);
  return more.length === 0 ? name : `${name}, +${more.length}`;
}

/** What the view is filtered by, for its title; empty when it is not. */
export function filterText(
  people: PeopleFilter,
  { person, setting, from, to }: HistoryFilter,
  revisions: readonly Revision[],
): string {
  const maker = person === undefined ? undefined : revisions.find(each => makerOf(each) === person);
  return [
    people.text,
    people.seen === undefined
      ? undefined
      : people.seen === 'unknown'
        ? vscode.l10n.t('last sign-in not known')
        : vscode.l10n.t('inactive'),
    maker && makerText(maker),
    setting,
    from === undefined && to === undefined
      ? undefined
      : from === to
        ? from
        : `${from ?? ''} – ${to ?? ''}`.trim(),
  ]
    .filter(part => part !== undefined && part !== '')
    .map(part => oneLine(part ?? '', 60))
    .join(' · ');
}

/** `since rev 12` when revisions in between are not known; else nothing. */
export function gapText(before: Revision | undefined, revision: Revision): string {
  return isGap(before, revision) ? vscode.l10n.t('since rev {0}', before.revision) : '';
}

/** Who made a revision, as shown. */
export function makerText(revision: Revision): string {
  return oneLine(whoOf(revision) ?? vscode.l10n.t('unknown person'), 80);
}

/** Days and times of day in the display language; all times are Unix ms, days local. */
export class Calendar {
  readonly #language: string;
  #days: Intl.DateTimeFormat | undefined;
  #times: Intl.DateTimeFormat | undefined;

  constructor(language: string) {
    this.#language = language;
  }

  /** A local day given as `YYYY-MM-DD`. */
  day(day: string): string {
    const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
    return day === ''
      ? vscode.l10n.t('Without a date')
      : this.dayOf(new Date(year, month - 1, date).getTime());
  }

  dayOf(time: number): string {
    this.#days ??= new Intl.DateTimeFormat(supportedLanguage(this.#language), { dateStyle: 'medium' });
    return this.#days.format(time);
  }

  timeOfDay(time: number): string {
    this.#times ??= new Intl.DateTimeFormat(supportedLanguage(this.#language), { timeStyle: 'short' });
    return this.#times.format(time);
  }
}

/**
 * A revision as text to be passed on: number, person, exact time, what changed since the one before, where. Foreign text made
 * plain.
 */
export function permalinkText(
  revision: Revision,
  before: Revision | undefined,
  changes: readonly SettingChange[],
  host: string | undefined,
): string {
  const { user } = revision;
  const time = timeOf(revision.updatedAt);
  const email =
    user?.email === undefined || user.email === whoOf(revision) ? '' : ` <${oneLine(user.email)}>`;
  const lines = [
    vscode.l10n.t(
      'Control revision {0} by {1} at {2}',
      revision.revision,
      `${makerText(revision)}${email}`,
      time === undefined ? vscode.l10n.t('unknown time') : new Date(time).toISOString(),
    ),
    ...(host === undefined ? [] : [vscode.l10n.t('Service: {0}', oneLine(host))]),
    ...(isGap(before, revision)
      ? [
          vscode.l10n.t(
            'Changes since revision {0}; those in between are not known, and others may have made them:',
            before.revision,
          ),
        ]
      : []),
    ...changes.slice(0, 20).map(change => {
      const toward = directionText(change.direction);
      return `- ${changeText(change)}${toward === undefined ? '' : ` (${toward})`}`;
    }),
    ...(changes.length > 20 ? [vscode.l10n.t('- and {0} more', changes.length - 20)] : []),
  ];
  return lines.join('\n');
}

/** The exact time of a revision, or what the service wrote instead. */
export function exactTime(text: string | undefined, format: Formatter): string | undefined {
  const time = timeOf(text);
  return time === undefined ? text : format.exact(time);
}

/** How many of `all` users a file has. */
export function usersExported(count: number, all: number, format: Formatter): string {
  if (count !== all) {
    return vscode.l10n.t('{0} of {1} users exported: those that the filter shows.', count, all);
  }
  return all === 1
    ? vscode.l10n.t('1 user exported.')
    : vscode.l10n.t('{0} users exported.', format.number(all));
}

/** How many of `all` revisions a file has. */
export function revisionsExported(count: number, all: number, format: Formatter): string {
  if (count !== all) {
    return vscode.l10n.t('{0} of {1} revisions exported: those that the filter shows.', count, all);
  }
  return all === 1
    ? vscode.l10n.t('1 revision exported.')
    : vscode.l10n.t('{0} revisions exported.', format.number(all));
}

export function notSignedIn(): string {
  return vscode.l10n.t('Sign in to read the organization.');
}
