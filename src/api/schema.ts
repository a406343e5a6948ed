import { $constructor, $ZodObjectJIT, type $ZodLooseShape } from 'zod/v4/core';
import * as z from 'zod/mini';
import { ZodMiniType } from 'zod/mini';

/** As `z.looseObject` makes it, but compiled for its fields: answers of 30 MB are read with it. */
const OpenObject = $constructor<z.ZodMiniObject>('ZodMiniObject', (made, definition) => {
  $ZodObjectJIT.init(made, definition);
  ZodMiniType.init(made, definition);
});

/** An object whose unknown fields are kept (interface-notes 8). The inferred type names the known ones only. */
export function open<S extends $ZodLooseShape>(shape: S): z.ZodMiniObject<S> {
  return new OpenObject({ type: 'object', shape, catchall: z.unknown() }) as z.ZodMiniObject<S>;
}

/** Enumerations are open: any text passes. */
export const text = z.string;
export const number = z.number;
export const flag = z.boolean;
export const list = z.array;
export const unknown = z.unknown;
/** A field that may be left out. */
export const optional = z.optional;
/** A field in which `null` says something. */
export const nullable = z.nullable;
export const refine = z.refine;
/** An object whose inner shape the interface does not show. */
export const map = () => z.record(z.string(), z.unknown());
/** An object with values of one kind under names from the service. */
export const mapOf = <V extends z.ZodMiniType>(value: V) => z.record(z.string(), value);

/** Makes a value when it is first asked for. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
