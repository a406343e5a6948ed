import assert from 'node:assert/strict';
import { inspect } from 'node:util';

/** Hands back a value whose form is as described; throws for any other. */
export type Shape<T = unknown> = (value: unknown, where?: string) => T;

type Fields = Readonly<Record<string, Shape>>;
type Read<F extends Fields> = { [K in keyof F]: ReturnType<F[K]> };

const check =
  <T>(what: string, holds: (value: unknown) => boolean): Shape<T> =>
  (value, where = 'answer') => {
    assert.ok(holds(value), `${where} should be ${what}, is ${inspect(value).slice(0, 200)}`);
    return value as T;
  };

export const string = check<string>('a string', value => typeof value === 'string');
export const boolean = check<boolean>('a boolean', value => typeof value === 'boolean');
export const number = check<number>(
  'a number of at least 0',
  value => typeof value === 'number' && Number.isFinite(value) && value >= 0,
);
export const integer = check<number>('an integer', value => Number.isSafeInteger(value));
export const day = check<string>(
  'a day',
  value => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
);
export const dateTime = check<string>(
  'a date-time',
  value => typeof value === 'string' && new Date(value).toISOString() === value,
);
export const email = check<string>('an e-mail address', value => /^[a-z0-9.]+@[a-z.]+$/.test(String(value)));
export const uuid = check<string>('a UUID', value =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(value)),
);
export const record = check<Record<string, unknown>>(
  'an object',
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
);

export const oneOf = <const T>(...values: readonly T[]): Shape<T> =>
  check<T>(`one of ${values.join(', ')}`, value => values.includes(value as T));

export const nullable =
  <T>(shape: Shape<T>): Shape<T | null> =>
  (value, where) =>
    value === null ? null : shape(value, where);

export const list =
  <T>(item: Shape<T>): Shape<T[]> =>
  (value, where = 'answer') => {
    assert.ok(Array.isArray(value), `${where} should be an array`);
    return value.map((entry: unknown, index) => item(entry, `${where}[${index}]`));
  };

export const map =
  <T>(item: Shape<T>): Shape<Record<string, T>> =>
  (value, where = 'answer') => {
    const entries = Object.entries(record(value, where));
    return Object.fromEntries(entries.map(([name, entry]) => [name, item(entry, `${where}.${name}`)]));
  };

/** Exactly these fields: one that is missing or not named here fails. */
export function object<R extends Fields>(required: R): Shape<Read<R>>;
export function object<R extends Fields, O extends Fields>(
  required: R,
  optional: O,
): Shape<Read<R> & Partial<Read<O>>>;
export function object(required: Fields, optional: Fields = {}): Shape {
  return (value, where = 'answer') => {
    const fields = record(value, where);
    for (const name of Object.keys(required)) assert.ok(name in fields, `${where}.${name} is missing`);
    for (const [name, field] of Object.entries(fields)) {
      const shape = required[name] ?? optional[name];
      assert.ok(shape, `${where}.${name} is not in the interface`);
      shape(field, `${where}.${name}`);
    }
    return value;
  };
}
