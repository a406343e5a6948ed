import { amountCell } from '../util/amount';
import { csv, type CsvCell } from '../util/csv';
import type { SettingChange } from './changes';
import { activityOf, timeOf, type Person, type Revision, type UsageOfPeople } from './model';
import { canonical } from './stable';
import { directionText } from './words';

/** One line a person; times as ISO 8601 in UTC. What is not known is empty. */
export function peopleCsv(people: readonly Person[], usage: UsageOfPeople | undefined, now: number): string {
  const columns = ['id', 'email', 'first_name', 'last_name', 'joined', 'last_sign_in', 'inactive'];
  const usageColumns = usage === undefined ? [] : ['last_active_day_utc', 'billable_tokens_30_days_utc'];
  return csv(
    [...columns, ...usageColumns],
    people.map((person): CsvCell[] => {
      const used = usage?.get(person.id);
      const activity = activityOf(person, used, now);
      return [
        person.id,
        person.email,
        person.firstName,
        person.lastName,
        isoTime(person.createdAt),
        isoTime(person.lastSignInAt),
        activity === 'unknown' ? null : activity === 'inactive',
        used?.lastActiveDay,
        amountCell(used?.tokens),
      ];
    }),
  );
}

/**
 * One line a changed setting since the revision `compared_with`; values as JSON, secrets as their marks. A revision that changed no
 * setting has one line without a setting.
 */
export function historyCsv(
  revisions: readonly Revision[],
  changesOf: (revision: Revision) => readonly SettingChange[],
  beforeOf: (revision: Revision) => Revision | undefined,
): string {
  return csv(
    [
      'revision',
      'time',
      'person',
      'email',
      'setting',
      'change',
      'before',
      'after',
      'direction',
      'compared_with',
    ],
    (function* () {
      for (const revision of revisions) {
        const whoAndWhen = [
          revision.revision,
          isoTime(revision.updatedAt),
          revision.user?.name ?? revision.user?.id,
          revision.user?.email,
        ];
        const comparedWith = beforeOf(revision)?.revision;
        const changes = changesOf(revision);
        if (changes.length === 0) yield [...whoAndWhen, '', '', '', '', '', comparedWith];
        for (const { path, kind, before, after, direction } of changes) {
          const what = [path, kind, canonical(before), canonical(after), directionText(direction)];
          yield [...whoAndWhen, ...what, comparedWith];
        }
      }
    })(),
  );
}

function isoTime(text: string | undefined): string | undefined {
  const time = timeOf(text);
  return time === undefined ? text : new Date(time).toISOString();
}
