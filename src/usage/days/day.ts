import * as z from 'zod/mini';
import type { ActivityDay, ProductivityDay, TokenDay, ToolDay, UserDay } from '../../api';
import { analyticsRow, openObject, recordSchema } from '../../api/records';
import { DAY_MS, startOf } from '../report/calendar';
import type { Day, TabId } from '../report/types';

/** What a day of each endpoint holds: one row, or none, and of `people` a row a person. */
export interface Rows {
  readonly tokens: TokenDay;
  readonly tools: ToolDay;
  readonly activity: ActivityDay;
  readonly productivity: ProductivityDay;
  readonly people: UserDay;
}

/** Each tab has an endpoint of its own. */
export type Endpoint = TabId;

/** A day of which nothing was there so soon after its beginning may still come, ms. */
const EARLY_MS = 3 * DAY_MS;
/** How often such a day is asked for again, ms. */
const EVERY_MS = 60 * 60 * 1000;

/** One finished UTC day of one endpoint as the service gave it. */
export class DayRecord<E extends Endpoint = Endpoint> {
  /** When it was asked for; Unix ms. */
  readonly at: number;
  /** Of `people` one a person, of the others at most one. */
  readonly rows: readonly Rows[E][];
  /** What could not be read of the answer; foreign text. */
  readonly problems: readonly string[];

  constructor(at: number, rows: readonly Rows[E][], problems: readonly string[] = []) {
    this.at = at;
    this.rows = [...new Map(rows.map(row => ['user_id' in row ? row.user_id : '', row])).values()];
    this.problems = problems;
  }

  /** The one row of a day that has one. */
  get row(): Rows[E] | undefined {
    return this.rows[0];
  }

  /** Whether the service may not have been through with the day when it was asked. */
  isEarly(day: Day): boolean {
    return this.rows.length === 0 && this.at < startOf(day) + EARLY_MS;
  }

  /** Whether the day is to be asked for again: nothing was there yet. A day that is there is finished. `now` in Unix ms. */
  isDue(day: Day, now: number): boolean {
    return this.isEarly(day) && now - this.at >= EVERY_MS;
  }

  toJSON(): unknown {
    const { at, rows, problems } = this;
    return { at, rows: pack(rows), ...(problems.length === 0 ? {} : { problems }) };
  }
}

const daySchema = recordSchema(() =>
  openObject({
    at: z.number(),
    rows: z.unknown(),
    problems: z._default(z.array(z.string()), () => []),
  }),
);

/** Reads what `toJSON` wrote. `share` gives one text for all that are equal. Throws when it is something else. */
export function readDay<E extends Endpoint>(
  endpoint: E,
  value: unknown,
  share: (text: string) => string,
): DayRecord<E> {
  const { at, rows, problems } = daySchema.parse(value);
  const unpacked = unpack(rows, share);
  if (!Array.isArray(unpacked)) throw new Error('It has no rows.');
  const known = unpacked.map((stored): Rows[E] => {
    const row = analyticsRow(endpoint, stored);
    if (row === undefined) throw new Error('A row of it makes no sense.');
    return row as unknown as Rows[E];
  });
  return new DayRecord(at, known, problems);
}

/** A list of objects with the names of their fields said once. */
interface Packed {
  readonly fields: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Lists of objects, and those within them, become tables: there may be hundreds of thousands of rows. */
function pack(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return value ?? null;
  const fields = [...new Set(value.flatMap(row => Object.keys(row)))];
  return { fields, rows: value.map(row => fields.map(field => pack(row[field]))) } satisfies Packed;
}

function unpack(value: unknown, share: (text: string) => string): unknown {
  if (typeof value === 'string') return share(value);
  if (!isPacked(value)) return value;
  return value.rows.map(cells =>
    Object.fromEntries(
      value.fields.flatMap((field, at) => (cells[at] === null ? [] : [[field, unpack(cells[at], share)]])),
    ),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPacked(value: unknown): value is Packed {
  return isObject(value) && Array.isArray(value['fields']) && Array.isArray(value['rows']);
}
