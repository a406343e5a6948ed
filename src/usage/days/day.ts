import * as z from 'zod/mini';
import {
  analyticsRow,
  openObject,
  recordSchema,
  type ActivityDay,
  type ProductivityDay,
  type TokenDay,
  type ToolDay,
  type UserDay,
} from '../../api';
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

/** A day may still be missing for this long after its end, ms. */
const SETTLING_MS = 36 * 60 * 60 * 1000;
/** How often such a day is asked for again, ms. */
const SETTLING_EVERY_MS = 60 * 60 * 1000;

/** One finished UTC day of one endpoint as the service gave it. Stored as rows of values without names. */
export class DayRecord<E extends Endpoint = Endpoint> {
  readonly endpoint: E;
  /** When it was asked for; Unix ms. */
  readonly at: number;
  /** Of `people` one a person, of the others at most one. */
  readonly rows: readonly Rows[E][];
  /** What could not be read of the answer; foreign text. */
  readonly problems: readonly string[];

  constructor(endpoint: E, at: number, rows: readonly Rows[E][], problems: readonly string[] = []) {
    this.endpoint = endpoint;
    this.at = at;
    this.rows = [...new Map(rows.map(row => ['user_id' in row ? row.user_id : '', row])).values()];
    this.problems = problems;
  }

  /** The one row of a day that has one. */
  get row(): Rows[E] | undefined {
    return this.rows[0];
  }

  /** Whether the service may not have been through with the day when it was asked. */
  isSettling(day: Day): boolean {
    return this.rows.length === 0 && this.at < countedBy(day);
  }

  /** Whether the day is to be asked for again: nothing was there yet. A day that is there is finished. `now` in Unix ms. */
  isDue(day: Day, now: number): boolean {
    return this.isSettling(day) && (now - this.at >= SETTLING_EVERY_MS || now >= countedBy(day));
  }

  toJSON(): unknown {
    const { at, rows, problems } = this;
    const stored = rows.map(row => pack(shapes[this.endpoint], row));
    return { at, rows: stored, ...(problems.length === 0 ? {} : { problems }) };
  }
}

/** When the service is surely through with a day; Unix ms. */
function countedBy(day: Day): number {
  return startOf(day) + DAY_MS + SETTLING_MS;
}

const daySchema = recordSchema(() =>
  openObject({
    at: z.number(),
    rows: z.array(z.unknown()),
    problems: z._default(z.array(z.string()), () => []),
  }),
);

/** Reads what `toJSON` wrote. `share` gives one text for all that are equal. Throws when it is something else. */
export function readDay<E extends Endpoint>(
  endpoint: E,
  value: unknown,
  share: (text: string) => string,
): DayRecord<E> {
  const day = daySchema.parse(value);
  const rows = day.rows.map((stored): Rows[E] => {
    const row = analyticsRow(endpoint, unpack(shapes[endpoint], stored, share));
    if (row === undefined) throw new Error('A row of it makes no sense.');
    return row as unknown as Rows[E];
  });
  return new DayRecord(endpoint, day.at, rows, day.problems);
}

/** The fields of a row in the order they are stored, each with the shape of its own rows where it is a list of them. */
type Shape = readonly (readonly [name: string, rows?: Shape])[];

const perModel = 'model_id model_tier billable_tokens input_tokens output_tokens';
/** Fields may be added at the end; anything else is another version. */
const shapes: Readonly<Record<Endpoint, Shape>> = {
  tokens: shapeOf(
    `date billable_tokens input_tokens output_tokens cache_read_tokens cache_write_tokens by_model(${perModel})
     by_user(user_id user_email billable_tokens by_model(${perModel}))`,
  ),
  tools: shapeOf(
    `date tool_calls by_tool(tool invocations) mcp_users_with_mcp mcp_by_server(server invocations)
     skills_invocations skills_by_name(name count) slash_commands_invocations slash_commands_by_name(name count)
     hooks_invocations hooks_by_event(event matcher command count) web_users autonomy_ratio_avg autonomy_ratio_p50
     autonomy_ratio_p90 tool_calls_per_session_avg user_turns_per_session_avg tool_autonomy_level_ratio`,
  ),
  activity: shapeOf(
    `date daily_active_users weekly_active_users monthly_active_users daily_active_users_by_client sessions
     messages user_messages`,
  ),
  productivity: shapeOf(
    `date files_created files_edited by_extension(extension count) by_language(language count) git_commits
     git_prs_created`,
  ),
  people: shapeOf(
    `user_id user_email date tool_calls billable_tokens primary_model primary_model_tier files_created
     files_edited git_commits git_prs_created mcp_calls skill_calls slash_commands hooks sessions messages
     user_messages assistant_messages autonomy_ratio delegation_level languages`,
  ),
};

function shapeOf(text: string): Shape {
  const tokens = (text.match(/\w+|[()]/g) ?? []).values();
  const read = (): Shape => {
    const fields: [string, Shape?][] = [];
    for (;;) {
      const { value: token = ')' } = tokens.next();
      if (token === ')') return fields;
      if (token === '(') fields.at(-1)?.push(read());
      else fields.push([token]);
    }
  };
  return read();
}

function pack(shape: Shape, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null;
  const row = value as Readonly<Record<string, unknown>>;
  const packed = shape.map(([name, rows]) => {
    const field = row[name];
    if (rows === undefined) return field ?? null;
    return Array.isArray(field) ? field.map(item => pack(rows, item)) : null;
  });
  while (packed.length > 0 && packed.at(-1) === null) packed.pop();
  return packed;
}

function unpack(shape: Shape, packed: unknown, share: (text: string) => string): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  if (!Array.isArray(packed)) return row;
  for (const [index, [name, rows]] of shape.entries()) {
    const value: unknown = packed[index];
    if (value === undefined || value === null) continue;
    if (rows === undefined) row[name] = typeof value === 'string' ? share(value) : value;
    else if (Array.isArray(value)) row[name] = value.map(item => unpack(rows, item, share));
  }
  return row;
}
