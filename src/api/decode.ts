import type * as z from 'zod/mini';
import { oneLine } from '../util/text';

/** Something in an answer that could not be shown, and why. Names where it is, never what it holds. */
export interface ItemProblem {
  /** Position within the list or page; absent when the list itself is meant. */
  readonly index?: number;
  readonly id?: string;
  /** The part left out of an item that is otherwise shown; absent when the whole item is left out. */
  readonly field?: string;
  readonly reason: string;
}

/** What could be read of a list, and what could not. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly problems: readonly ItemProblem[];
}

/** Part of an item that was left out. */
export interface DroppedField {
  readonly field: string;
  readonly reason: string;
}

export type Decoded<T> =
  | { readonly ok: true; readonly value: T; readonly dropped: readonly DroppedField[] }
  | { readonly ok: false; readonly reason: string };

/** An answer without the parts it must have. */
export class WrongShape extends Error {
  override readonly name = 'WrongShape';
}

/** More than this many problems of one answer are counted, not named. */
const MOST_PROBLEMS = 500;
const MOST_ROUNDS = 16;

/**
 * Reads one item tolerantly (interface-notes 8). What does not fit is left out at the smallest place that makes the rest fit: a
 * field, an entry of a list, a value of a map; `null` counts as missing. Only a missing required field at the top fails the
 * item. Changes `input` while it works.
 */
export function decodeItem<S extends z.ZodMiniType>(schema: S, input: unknown): Decoded<z.output<S>> {
  const dropped: DroppedField[] = [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const result = schema.safeParse(input);
    if (result.success) return { ok: true, value: result.data, dropped };
    const faults = result.error.issues.map(issue => faultOf(input, issue));
    const fatal = faults.find(fault => fault.parent === undefined);
    if (fatal !== undefined) return { ok: false, reason: fatal.reason };
    dropped.push(...remove(faults));
  }
  return { ok: false, reason: 'too many parts do not fit' };
}

type Container = Record<PropertyKey, unknown> | unknown[];

/** A part to be removed, or the whole item when no parent holds it. */
interface Fault {
  readonly parent: Container | undefined;
  readonly key: PropertyKey;
  readonly field: string;
  readonly reason: string;
  /** A field that is there but `null`: missing, and nothing to report. */
  readonly silent: boolean;
}

function faultOf(input: unknown, issue: z.core.$ZodIssue): Fault {
  for (let length = issue.path.length; length > 0; length--) {
    const parent = valueAt(input, issue.path.slice(0, length - 1));
    const key = issue.path[length - 1];
    if (key === undefined || !isContainer(parent) || !Object.hasOwn(parent, key)) continue;
    const silent = length === issue.path.length && !Array.isArray(parent) && valueAt(parent, [key]) === null;
    return {
      parent,
      key,
      field: pathText(issue.path.slice(0, length)),
      reason: reasonOf(input, issue),
      silent,
    };
  }
  return { parent: undefined, key: '', field: '', reason: reasonOf(input, issue), silent: false };
}

/** Removes what the faults name, each part once, and says what is gone. */
function remove(faults: readonly Fault[]): DroppedField[] {
  const dropped = new Map<string, DroppedField>();
  const gaps = new Map<unknown[], Set<number>>();
  for (const { parent, key, field, reason, silent } of faults) {
    if (parent === undefined) continue;
    if (!silent && !dropped.has(field)) dropped.set(field, { field, reason });
    if (Array.isArray(parent)) gaps.set(parent, (gaps.get(parent) ?? new Set()).add(Number(key)));
    else Reflect.deleteProperty(parent, key);
  }
  for (const [array, indexes] of gaps) {
    const kept = array.filter((_, index) => !indexes.has(index));
    array.splice(0, array.length);
    for (const item of kept) array.push(item);
  }
  return [...dropped.values()];
}

function reasonOf(input: unknown, issue: z.core.$ZodIssue): string {
  const where = issue.path.length === 0 ? 'item' : pathText(issue.path);
  if (issue.code !== 'invalid_type')
    return `${where}: ${issue.code === 'custom' ? issue.message : 'not allowed'}`;
  const value = valueAt(input, issue.path);
  return value === undefined || value === null
    ? `${where} is missing`
    : `${where}: expected ${issue.expected}, received ${typeName(value)}`;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (!isContainer(value) || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** `by_model[3].model_id`. Names of maps come from the service: foreign text. */
function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += `${text === '' ? '' : '.'}${oneLine(String(key), 60)}`;
  }
  return oneLine(text, 200);
}

/** Reads the rows of a list, each for itself: one that cannot be read never hides the others. */
export function decodeRows<S extends z.ZodMiniType>(
  schema: S,
  rows: readonly unknown[],
  idOf: (row: Readonly<Record<string, unknown>>) => unknown,
): { items: z.output<S>[]; problems: ItemProblem[] } {
  const items: z.output<S>[] = [];
  const problems: ItemProblem[] = [];
  let unnamed = 0;
  rows.forEach((row, index) => {
    const named = nameOf(row, idOf);
    const decoded = decodeItem(schema, row);
    if (decoded.ok) items.push(decoded.value);
    const found: readonly { field?: string; reason: string }[] = decoded.ok
      ? decoded.dropped
      : [{ reason: decoded.reason }];
    for (const problem of found) {
      if (problems.length < MOST_PROBLEMS) problems.push({ index, ...named, ...problem });
      else unnamed++;
    }
  });
  if (unnamed > 0) problems.push({ reason: `and ${unnamed} more` });
  return { items, problems };
}

function nameOf(
  row: unknown,
  idOf: (row: Readonly<Record<string, unknown>>) => unknown,
): { id: string } | Record<string, never> {
  const id = isRecord(row) ? idOf(row) : undefined;
  return typeof id === 'string' || typeof id === 'number' ? { id: oneLine(String(id), 100) } : {};
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The list an answer must hold under `name`. Throws `WrongShape` when it does not. */
export function listIn(answer: unknown, name: string): readonly unknown[] {
  const list = isRecord(answer) && Object.hasOwn(answer, name) ? answer[name] : undefined;
  if (!Array.isArray(list)) throw new WrongShape(`${name} is not a list`);
  return list;
}

/** One item that is an answer by itself. Throws `WrongShape` when a required field is missing; reports what was left out. */
export function decodeSingle<S extends z.ZodMiniType>(
  schema: S,
  answer: unknown,
  report: (dropped: readonly DroppedField[]) => void,
): z.output<S> {
  const decoded = decodeItem(schema, answer);
  if (!decoded.ok) throw new WrongShape(decoded.reason);
  if (decoded.dropped.length > 0) report(decoded.dropped);
  return decoded.value;
}
