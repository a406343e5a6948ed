import * as z from 'zod/mini';
import type { ItemProblem } from '../api';
import { openObject, recordSchema, taken, type RecordSchema } from '../api/records';
import type { CollectionOptions, SearchText } from '../storage';

/** Why the newest reading failed. */
export interface ListFailure {
  /** Unix ms. */
  readonly at: number;
  readonly sentence: string;
  /** The key has no right to this list: it is asked for again once an hour. */
  readonly forbidden?: boolean | undefined;
  /** Failures of one cause are told once. */
  readonly cause?: string | undefined;
}

/** How the newest reading of a list went. Times are Unix ms. */
export interface Head {
  /** When the list was last read to its end, in whichever window. */
  readonly at?: number | undefined;
  /** What could not be read. */
  readonly problems: readonly ItemProblem[];
  readonly failure?: ListFailure | undefined;
  /** It ended before the end of the list: `items` may lack some. */
  readonly partial?: boolean | undefined;
  /** Stands for the key that was told. */
  readonly key?: string | undefined;
}

/** A list as last known. A failure takes nothing away. */
export interface ListState<T> extends Head {
  readonly items: readonly T[];
  /** Items read so far, while it is being read. */
  readonly reading?: { readonly count: number } | undefined;
}

/** A record of a list: one of its items, or how its newest reading went. */
export interface Stored<T> {
  readonly item?: T;
  readonly head?: Head;
}

export const HEAD = 'head';

/** The id of an item's record. */
export const idOf = (key: string): string => `item ${key}`;

/** The key of an item's record. */
export const keyIn = (id: string): string => id.slice(idOf('').length);

/** What the items of a list are. */
export interface ItemKind<T> {
  /** What a stored item must be. */
  readonly schema: RecordSchema<T>;
  /** What an item is found by. */
  readonly text?: ((item: T) => SearchText) | undefined;
}

const headSchema = recordSchema(() =>
  openObject({
    at: z.exactOptional(z.number()),
    problems: z.array(taken<ItemProblem>()),
    failure: z.exactOptional(openObject({ at: z.number(), sentence: z.string() })),
    partial: z.exactOptional(z.boolean()),
    key: z.exactOptional(z.string()),
  }),
);

/** How a list is kept at a path of the store. All of it can be read again, so no change is waited for. */
export function listRecords<T extends object>(
  path: string,
  { schema: item, text }: ItemKind<T>,
): CollectionOptions<Stored<T>> {
  return {
    path,
    version: 1,
    schema: {
      parse: value => {
        const record = (value ?? {}) as Readonly<Record<string, unknown>>;
        return 'item' in record
          ? { item: item.parse(record['item']) }
          : { head: headSchema.parse(record['head']) };
      },
    },
    isVolatile: () => true,
    text: record => record.item && text?.(record.item),
  };
}
