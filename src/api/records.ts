import * as z from 'zod/mini';
import { decodeItem, decodeRows, isRecord, orElse, reasonOf } from './decode';
import { computerSchema, sessionSchema, type Computer, type Session } from './resources';

export { openObject, orElse } from './decode';

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
      throw new Error(reasonOf(value, read.error.issues[0]));
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

/** A session that was stored or comes from a file, read as tolerantly as an answer; `undefined` when it is none. */
export function readSession(value: unknown): Session | undefined {
  return decodeItem(sessionSchema, value).value;
}

/** Computers that were stored, as far as they can be read. */
export function readComputers(value: unknown): readonly Computer[] {
  return decodeRows(computerSchema, Array.isArray(value) ? (value as unknown[]) : []).items;
}
