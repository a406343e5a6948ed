import { Analytics, type Row } from '../../src/sample/analytics';
import { EARLIEST_DAY, seeded } from '../../src/sample/random';

/** From the sample's first day on. */
export interface Size {
  readonly days: number;
  readonly people: number;
}

/** People who work with agents; those that `names` has none for have addresses. */
export function peopleOf(count: number, names: readonly string[] = []) {
  return Array.from({ length: count }, (_, index) => ({
    id: `user_${seeded('person', index).hex(20)}`,
    email: names[index] ?? `person.${index}@acme.example`,
  }));
}

/** The usage of an organization of any size, made as that of the sample; the same for the same arguments. */
const usageOf = ({ people }: Size): Analytics => new Analytics('usage', peopleOf(people));
const daysOf = ({ days }: Size) => ({ first: EARLIEST_DAY, last: EARLIEST_DAY + days - 1 });

/** Rows of section 2.6, person after person, as the service pages them. */
export const userRows = (size: Size): Row[] => usageOf(size).users(daysOf(size), Infinity).rows;

/** Rows of section 2.2. */
export const tokenRows = (size: Size): Row[] => usageOf(size).tokens(daysOf(size));

export function answerOf(rows: readonly unknown[], extra: Record<string, unknown> = {}): string {
  return JSON.stringify({
    data: rows,
    meta: { org_id: 'org_acme', has_more: false, next_cursor: null, ...extra },
  });
}
