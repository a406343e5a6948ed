import * as z from 'zod/mini';
import { oneLine } from '../util/text';
import type { ApiErrorReason } from './errors';

/** Something in an answer that could not be shown, and why. Names where it is, never what it holds. */
export interface ItemProblem {
  /** Position within the list or page; absent when the list itself is meant. */
  readonly index?: number;
  /** Of the item, or the name it goes by where it has no id. */
  readonly id?: string;
  /** The part left out of an item that is otherwise shown; absent when the whole item is left out. */
  readonly field?: string;
  readonly reason: string;
}

export interface Listed<T> {
  readonly items: readonly T[];
  readonly problems: readonly ItemProblem[];
}

/** An answer that cannot be taken; `code` says what is wrong with it in a word. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly reason: ApiErrorReason;
  readonly code: string;

  constructor(reason: ApiErrorReason, code: string, message = code) {
    super(message);
    this.reason = reason;
    this.code = code;
  }
}

type Schema<T = unknown> = z.ZodMiniType<T>;

interface Caught {
  readonly value: unknown;
  readonly error: { readonly issues: readonly z.core.$ZodIssue[] };
}

/** As `z.looseObject`, with less of zod: unknown fields are kept (interface-notes 8). The inferred type names the known ones only. */
export const openObject = <S extends z.core.$ZodLooseShape>(shape: S) =>
  new z.ZodMiniObject({ type: 'object', shape, catchall: z.unknown() }) as z.ZodMiniObject<S>;

/** Values of one kind under names from the service. */
export const mapOf = <S extends Schema>(catchall: S) =>
  new z.ZodMiniObject({ type: 'object', shape: {}, catchall }) as Schema<
    Readonly<Record<string, z.output<S>>>
  >;

/** As `z.catch`, which a bundle cannot have without all of zod's helpers. */
export function orElse<S extends Schema>(schema: S, make: (caught: Caught) => unknown): z.ZodMiniCatch<S> {
  return new z.ZodMiniCatch({ type: 'catch', innerType: schema, catchValue: make }) as z.ZodMiniCatch<S>;
}

/** Stands for a part that did not fit, until `decodeItem` takes it out again. */
class Dropped {
  /** How many were made so far: most items hold none and need not be looked through. */
  static made = 0;
  readonly caught: Caught;

  constructor(caught: Caught) {
    this.caught = caught;
    Dropped.made++;
  }
}

const orDrop = <S extends Schema>(schema: S) => orElse(schema, caught => new Dropped(caught));

/** A field that may be missing or `null`. */
export const maybe = <S extends Schema>(schema: S) => z.optional(orDrop(schema));

/** An optional list whose entries are read each for itself. */
export const list = <S extends Schema>(entry: S) => maybe(z.array(orDrop(entry)));

/** A map whose values are read each for itself. */
export const mapOfEach = <S extends Schema>(value: S) => mapOf(orDrop(value));

type Decoded<T> =
  | { readonly value: T; readonly problems: readonly ItemProblem[] }
  | { readonly value?: undefined; readonly problems: readonly [ItemProblem] };

/**
 * Reads one item tolerantly (interface-notes 8) in one pass. What does not fit is left out at the smallest place that makes the
 * rest fit: a field, an entry of a list, a value of a map; `null` counts as missing. Only a missing required field at the top fails
 * the item. Never changes `input`.
 */
export function decodeItem<S extends Schema>(schema: S, input: unknown): Decoded<z.output<S>> {
  const before = Dropped.made;
  const { success, data, error } = schema.safeParse(input);
  if (!success) return { problems: [{ reason: reasonOf(input, error.issues[0]) }] };
  const problems: ItemProblem[] = [];
  if (Dropped.made > before) takeOut(data, [], problems);
  return { value: data, problems };
}

/** Deeper than any schema. */
const DEEPEST = 16;

/** Takes the stand-ins out of what was read and says what is gone. */
function takeOut(part: unknown, path: readonly PropertyKey[], problems: ItemProblem[]): void {
  if (typeof part !== 'object' || part === null || path.length > DEEPEST) return;
  const isList = Array.isArray(part);
  for (const [name, value] of Object.entries(part as Record<string, unknown>)) {
    const here = [...path, isList ? Number(name) : name];
    if (!(value instanceof Dropped)) {
      takeOut(value, here, problems);
      continue;
    }
    const { caught } = value;
    if (!isList) Reflect.deleteProperty(part, name);
    if (!isList && caught.value === null) continue;
    problems.push({ field: pathText(here), reason: reasonOf(caught.value, caught.error.issues[0], here) });
  }
  if (!isList) return;
  let kept = 0;
  for (const value of part as unknown[]) if (!(value instanceof Dropped)) part[kept++] = value;
  part.length = kept;
}

/** What does not fit in `value`, which stands at `at`, as `rows[3].date is missing`. */
export function reasonOf(
  value: unknown,
  issue: z.core.$ZodIssue | undefined,
  at: readonly PropertyKey[] = [],
): string {
  const path = issue?.path ?? [];
  const where = pathText([...at, ...path]) || 'item';
  if (issue?.code !== 'invalid_type')
    return `${where}: ${issue?.code === 'custom' ? issue.message : 'not allowed'}`;
  const found = path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown>)[key], value);
  if (found === undefined || found === null) return `${where} is missing`;
  return `${where}: expected ${issue.expected}, received ${Array.isArray(found) ? 'array' : typeof found}`;
}

/** `by_model[3].model_id`. Names of maps come from the service: foreign text. */
function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map(key => (typeof key === 'number' ? `[${key}]` : `.${oneLine(String(key), 60)}`));
  return oneLine(parts.join('').replace(/^\./, ''), 200);
}

/** More than this many problems of one answer are counted, not named. */
const MOST_PROBLEMS = 500;

/** Reads the rows of a list, each for itself: one that cannot be read never hides the others. `id` is the name of their id. */
export function decodeRows<S extends Schema>(
  schema: S,
  rows: readonly unknown[],
  id = 'id',
): { items: z.output<S>[]; problems: ItemProblem[] } {
  const items: z.output<S>[] = [];
  const problems: ItemProblem[] = [];
  let unnamed = 0;
  for (const [index, row] of rows.entries()) {
    const decoded = decodeItem(schema, row);
    if (decoded.value !== undefined) items.push(decoded.value);
    for (const problem of decoded.problems)
      if (problems.length < MOST_PROBLEMS) problems.push({ index, ...nameOf(row, id), ...problem });
      else unnamed++;
  }
  if (unnamed > 0) problems.push({ reason: `and ${unnamed} more` });
  return { items, problems };
}

/** What an item without an id may go by. */
const NAMES = ['name', 'title', 'email', 'user_email', 'repoUrl', 'date'];

function nameOf(row: unknown, id: string): { id: string } | undefined {
  if (!isRecord(row)) return undefined;
  const isName = (value: unknown): value is string | number =>
    typeof value === 'number' || (typeof value === 'string' && value !== '');
  const name = [id, ...NAMES].map(each => row[each]).find(isName);
  return name === undefined ? undefined : { id: oneLine(String(name), 100) };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
