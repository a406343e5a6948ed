import * as z from 'zod';

/** An object whose unknown fields are kept (interface-notes 8). The inferred type names the known ones only. */
export function open<S extends z.core.$ZodLooseShape>(shape: S): z.ZodObject<S> {
  return z.looseObject(shape);
}

/** Enumerations are open: any text passes. */
export const text = z.string;
export const number = z.number;
export const flag = z.boolean;
export const list = z.array;
export const unknown = z.unknown;
/** An object whose inner shape the interface does not show. */
export const map = () => z.record(z.string(), z.unknown());
/** An object with values of one kind under names from the service. */
export const mapOf = <V extends z.ZodType>(value: V) => z.record(z.string(), value);

/** Makes a value when it is first asked for. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
