/**
 * Who wrote the last revisions, newest first: writer and its count of writes to this record. A writer that finds a higher
 * revision than its own learns here whether that one was built on its write or passed it by.
 */
export type Lineage = readonly (readonly [writer: string, count: number])[];

/** Writers remembered in one record. Only those that write at the same moment matter. */
const LINEAGE_LENGTH = 16;

interface Common {
  readonly id: string;
  readonly writers: Lineage;
}

/** What one file holds. A removal is a revision too, so that a late update cannot bring a record back unnoticed. */
export type StoredRecord =
  | (Common & { readonly kind: 'value'; readonly version: number; readonly value: unknown })
  | (Common & { readonly kind: 'deleted'; readonly at: number });

export function formatRecord(record: StoredRecord): string {
  const { id, writers } = record;
  const body =
    record.kind === 'value'
      ? { id, version: record.version, value: record.value, writers }
      : { id, deleted: true, at: record.at, writers };
  return `${JSON.stringify(body)}\n`;
}

/** Throws with a reason when `text` is not a whole record. */
export function parseRecord(text: string): StoredRecord {
  const body: unknown = JSON.parse(text);
  if (!isObject(body) || typeof body['id'] !== 'string') throw new Error('It is not a record.');
  const { id } = body;
  const writers = parseLineage(body['writers']);
  if (body['deleted'] === true) {
    return { kind: 'deleted', id, at: typeof body['at'] === 'number' ? body['at'] : 0, writers };
  }
  const version = body['version'];
  if (typeof version !== 'number' || !Number.isSafeInteger(version)) throw new Error('It has no version.');
  if (!('value' in body)) throw new Error('It has no value.');
  return { kind: 'value', id, version, value: body['value'], writers };
}

/** The lineage after one more write. */
export function extendLineage(lineage: Lineage, writer: string, count: number): Lineage {
  return [[writer, count] as const, ...lineage.filter(([name]) => name !== writer)].slice(0, LINEAGE_LENGTH);
}

/** Whether a write is among those a record was built on. */
export function descendsFrom(lineage: Lineage, writer: string, count: number): boolean {
  return lineage.some(([name, last]) => name === writer && last >= count);
}

function parseLineage(value: unknown): Lineage {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (entry: unknown): entry is [string, number] =>
      Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'number',
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
