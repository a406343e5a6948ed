import * as vscode from 'vscode';
import type { Formatter } from '../util/format';
import { plain } from '../util/text';
import { explanationOf } from './catalogue';
import type { SettingChange } from './changes';
import { nameOf, timeOf, whoOf, type Person, type PersonUsage, type Revision } from './model';
import { canonical } from './stable';
import { changeText, directionText, exactTime, valueText } from './words';

export type Facts = readonly (readonly [name: string, value: string | undefined])[];

/** `3 d · 1.2M tokens · inactive`: when somebody last signed in, and what their agents used. */
export function personStatus(
  person: Person,
  usage: PersonUsage | undefined,
  inactive: boolean,
  format: Formatter,
  now: number,
): string {
  const signIn = timeOf(person.lastSignInAt);
  return [
    signIn === undefined ? vscode.l10n.t('last sign-in not known') : format.span(now - signIn),
    usage === undefined || usage.billableTokens === 0
      ? ''
      : vscode.l10n.t('{0} tokens', format.compact(usage.billableTokens)),
    inactive ? vscode.l10n.t('inactive') : '',
  ]
    .filter(part => part !== '')
    .join(' · ');
}

export function personFacts(person: Person, usage: PersonUsage | undefined, format: Formatter): Facts {
  return [
    [vscode.l10n.t('Name'), nameOf(person)],
    [vscode.l10n.t('E-mail'), person.email],
    [vscode.l10n.t('Last sign-in'), exactTime(person.lastSignInAt, format) ?? vscode.l10n.t('not known')],
    [vscode.l10n.t('Last active day (UTC)'), usage?.lastActiveDay],
    [
      vscode.l10n.t('Tokens, last 30 days (UTC)'),
      usage === undefined ? undefined : format.number(usage.billableTokens),
    ],
    [vscode.l10n.t('Joined'), exactTime(person.createdAt, format)],
    ...Object.entries(person.metadata ?? {})
      .slice(0, 20)
      .map(([name, value]): [string, string] => [plain(name, 60), valueText(value)]),
    [vscode.l10n.t('Id'), person.id],
  ];
}

export function revisionFacts(
  revision: Revision,
  before: Revision | undefined,
  changes: readonly SettingChange[],
  format: Formatter,
): Facts {
  const most = 15;
  return [
    [vscode.l10n.t('Revision'), String(revision.revision)],
    [vscode.l10n.t('Compared with'), before === undefined ? undefined : String(before.revision)],
    [vscode.l10n.t('By'), whoOf(revision)],
    [vscode.l10n.t('E-mail'), revision.user?.email],
    [vscode.l10n.t('Time'), exactTime(revision.updatedAt, format)],
    ...changes.slice(0, most).map((change): [string, string] => {
      const toward = directionText(change.direction);
      return [vscode.l10n.t('Change'), `${changeText(change)}${toward === undefined ? '' : ` (${toward})`}`];
    }),
    [vscode.l10n.t('Further changes'), changes.length > most ? String(changes.length - most) : undefined],
  ];
}

/** What the setting is about, and both values in full. */
export function changeFacts(change: SettingChange): Facts {
  const full = (value: unknown): string =>
    value === undefined ? vscode.l10n.t('not set') : typeof value === 'string' ? value : canonical(value);
  return [
    [vscode.l10n.t('Setting'), change.path],
    [vscode.l10n.t('About'), explanationOf(change.setting)],
    [vscode.l10n.t('Before'), full(change.before)],
    [vscode.l10n.t('After'), full(change.after)],
    [vscode.l10n.t('Direction'), directionText(change.direction)],
  ];
}
