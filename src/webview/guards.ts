/** Checks the shape of foreign values. A guard never throws on plain data and copies nothing. Pages leave out those they do not use. */
export type Guard<T> = (value: unknown) => value is T;

/** The type a guard lets through. */
export type Guarded<G> = G extends Guard<infer T> ? T : never;

/** Text of at most `maxLength` UTF-16 units. */
/* @__NO_SIDE_EFFECTS__ */
export function text(maxLength: number): Guard<string> {
  return (value): value is string => typeof value === 'string' && value.length <= maxLength;
}

/** A finite number from `least` to `most`. */
/* @__NO_SIDE_EFFECTS__ */
export function number(least: number, most: number): Guard<number> {
  return (value): value is number =>
    typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most;
}

export const boolean: Guard<boolean> = (value): value is boolean => typeof value === 'boolean';

/** Bytes, at most `maxLength` of them. */
/* @__NO_SIDE_EFFECTS__ */
export function bytes(maxLength: number): Guard<Uint8Array> {
  return (value): value is Uint8Array => value instanceof Uint8Array && value.length <= maxLength;
}

/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const T extends string>(...words: readonly T[]): Guard<T> {
  return (value): value is T => (words as readonly unknown[]).includes(value);
}

/* @__NO_SIDE_EFFECTS__ */
export function listOf<T>(item: Guard<T>, maxLength: number): Guard<readonly T[]> {
  return (value): value is readonly T[] =>
    Array.isArray(value) && value.length <= maxLength && value.every(entry => item(entry));
}

/* @__NO_SIDE_EFFECTS__ */
export function optional<T>(inner: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || inner(value);
}

type OptionalKeys<S> = { [K in keyof S]: undefined extends Guarded<S[K]> ? K : never }[keyof S];

/** What `object(shape)` lets through. */
export type ObjectOf<S> = {
  readonly [K in Exclude<keyof S, OptionalKeys<S>>]: Guarded<S[K]>;
} & { readonly [K in OptionalKeys<S>]?: Guarded<S[K]> };

/** An object that has these fields and no others. */
/* @__NO_SIDE_EFFECTS__ */
export function object<S extends Readonly<Record<string, Guard<unknown>>>>(shape: S): Guard<ObjectOf<S>> {
  const fields = Object.entries(shape);
  const names = new Set(Object.keys(shape));
  return (value): value is ObjectOf<S> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    if (!Object.keys(value).every(name => names.has(name))) return false;
    const record = value as Readonly<Record<string, unknown>>;
    return fields.every(([name, guard]) => guard(Object.hasOwn(record, name) ? record[name] : undefined));
  };
}
