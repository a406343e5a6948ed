import * as z from 'zod/mini';
import { Dropped, isRecord, reasonOf } from './decode';

type Schema = z.ZodMiniType;

/** As `z.looseObject`: unknown fields are kept (interface-notes 8). The inferred type names the known ones only. */
export function openObject<S extends z.core.$ZodLooseShape>(shape: S): z.ZodMiniObject<S> {
  return z.looseObject(shape);
}

/** As `z.catch`, which a bundle cannot have without all of zod's helpers. */
export function orElse<S extends Schema>(
  schema: S,
  make: (caught: Pick<z.core.$ZodCatchCtx, 'value' | 'error'>) => unknown,
): z.ZodMiniCatch<S> {
  return new z.ZodMiniCatch({ type: 'catch', innerType: schema, catchValue: make }) as z.ZodMiniCatch<S>;
}

/** What does not fit, for `decodeItem` to take out and report. */
const orDrop = <S extends Schema>(schema: S, instead?: unknown) =>
  orElse(schema, caught => new Dropped(caught, instead));

/** A field that may be missing or `null`. */
export const maybe = <S extends Schema>(schema: S) => z.optional(orDrop(schema));

/** An optional list whose entries are read each for itself. */
export const list = <S extends Schema>(entry: S) => maybe(z.array(orDrop(entry)));

/** An optional object with values of one kind under names from the service, each read for itself. */
export const mapOf = <S extends Schema>(value: S) => maybe(z.record(z.string(), orDrop(value)));

export const mapOrEmpty = <S extends Schema>(value: S) =>
  orDrop(
    z._default(z.record(z.string(), orDrop(value)), () => ({})),
    {},
  );

function each<K extends string, F>(names: readonly K[], field: F): Readonly<Record<K, F>> {
  return Object.fromEntries(names.map(name => [name, field])) as Record<K, F>;
}

/** Optional fields of one kind. */
export const texts = <K extends string>(...names: K[]) => each(names, maybe(z.string()));
export const numbers = <K extends string>(...names: K[]) => each(names, maybe(z.number()));
export const flags = <K extends string>(...names: K[]) => each(names, maybe(z.boolean()));
/** Objects whose inner shape the interface does not show. */
export const maps = <K extends string>(...names: K[]) =>
  each(names, maybe(z.record(z.string(), z.unknown())));
export const anything = <K extends string>(...names: K[]) => each(names, maybe(z.unknown()));
export const textLists = <K extends string>(...names: K[]) => each(names, list(z.string()));

/** Reads records of one kind as they were stored. */
export interface RecordSchema<T> {
  /** Throws an error that says what does not fit, such as `at is missing`. */
  parse(value: unknown): T;
}

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** What a schema reads. */
export type RecordOf<S> = S extends RecordSchema<infer T> ? DeepReadonly<T> : never;

/** A schema of stored records, made when it is first used. */
export function recordSchema<S extends z.ZodMiniType>(make: () => S): RecordSchema<z.output<S>> {
  let made: S | undefined;
  return {
    parse: value => {
      const read = (made ??= make()).safeParse(value);
      if (read.success) return read.data;
      const [issue] = read.error.issues;
      throw new Error(issue === undefined ? 'It does not fit.' : reasonOf(value, issue));
    },
  };
}

/** A field that is left out where it does not fit. */
export const ifFits = <S extends z.ZodMiniType>(schema: S) => orElse(z.optional(schema), () => undefined);

/** What is made of a value that fits; it does not fit where `make` throws. */
export const into = <S extends z.ZodMiniType, T>(schema: S, make: (value: z.output<S>) => T) =>
  z.pipe(
    schema,
    z.transform((value: z.output<S>, context): T => {
      try {
        return make(value);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        context.issues.push({ code: 'custom', message, input: value });
        return z.NEVER;
      }
    }),
  );

/** An object taken as it is, since it was checked when it came from the service. */
export const taken = <T extends object>() => z.custom<T>(isRecord);
