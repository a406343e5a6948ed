import { csv, type CsvCell } from '../util/csv';
import type { SettingChange } from './changes';
import { isInactive, timeOf, type Person, type Revision, type UsageOfPeople } from './model';
import { canonical } from './stable';
import { directionText } from './words';

/** One line a person; times as ISO 8601 in UTC. */
export function peopleCsv(
  people: readonly Person[],
  usage: UsageOfPeople | undefined,
  now: number,
  inactiveDays: number,
): string {
  const columns = ['id', 'email', 'first_name', 'last_name', 'joined', 'last_sign_in', 'inactive'];
  const usageColumns = usage === undefined ? [] : ['last_active_day_utc', 'billable_tokens_30_days_utc'];
  return csv(
    [...columns, ...usageColumns],
    people.map((person): CsvCell[] => {
      const used = usage?.get(person.id);
      return [
        person.id,
        person.email,
        person.firstName,
        person.lastName,
        isoTime(person.createdAt),
        isoTime(person.lastSignInAt),
        isInactive(person, used, now, inactiveDays),
        used?.lastActiveDay,
        used?.billableTokens,
      ];
    }),
  );
}

/** One line a changed setting since the revision `compared_with`; values as JSON, secrets as their marks. */
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
        for (const { path, kind, before, after, direction } of changesOf(revision)) {
          yield [
            revision.revision,
            isoTime(revision.updatedAt),
            revision.user?.name ?? revision.user?.id,
            revision.user?.email,
            path,
            kind,
            canonical(before),
            canonical(after),
            directionText(direction),
            beforeOf(revision)?.revision,
          ];
        }
      }
    })(),
  );
}

function isoTime(text: string | undefined): string | undefined {
  const time = timeOf(text);
  return time === undefined ? text : new Date(time).toISOString();
}
