/** One record as it is stored. `value` is JSON; null when the record was removed. */
export interface Row {
  readonly id: string;
  readonly seq: number;
  readonly version: number;
  readonly value: string | null;
}

export interface ChangedRow extends Row {
  readonly collection: string;
}

/** Some rows in an order. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly isLast: boolean;
}

/** A page of records at a time: what the other side takes in within a few milliseconds. */
const PAGE_ROWS = 200;
const PAGE_CHARACTERS = 256 * 1024;

/** What a write expects of a record: 0 where there is none, or it was removed. */
export function seqOf(row: Row | undefined): number {
  return row === undefined || row.value === null ? 0 : row.seq;
}

/** As many rows as the other side takes in within a few milliseconds. */
export function pageOf<T>(
  found: Iterable<Readonly<Record<string, unknown>>>,
  make: (row: Readonly<Record<string, unknown>>) => T,
): Page<T> {
  const rows: T[] = [];
  let characters = 0;
  for (const row of found) {
    rows.push(make(row));
    characters += String(row['value']).length;
    if (rows.length >= PAGE_ROWS || characters >= PAGE_CHARACTERS) return { rows, isLast: false };
  }
  return { rows, isLast: true };
}

export function rowOf(row: Readonly<Record<string, unknown>>): Row {
  const value = row['value'];
  return {
    id: String(row['id']),
    seq: Number(row['seq']),
    version: Number(row['version']),
    value: typeof value === 'string' ? value : null,
  };
}
