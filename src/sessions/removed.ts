import type { Collection, Storage } from '../storage';
import { decodeRecord, type SessionRecord } from './record';

/** A session that a person took out of the list. */
export interface Removed {
  /** Unix ms. */
  readonly at: number;
  /** As it was then; missing where an older version took it out, or where it cannot be read. */
  readonly record?: SessionRecord;
}

/** What people took out of the list of a service, so that its own list does not bring it back, and they themselves can. */
export async function removedFrom(storage: Storage, serviceId: string): Promise<Collection<Removed>> {
  const removed = storage.collection<Removed>({
    path: `services/${serviceId}/removed`,
    version: 1,
    decode,
  });
  await removed.load();
  return removed;
}

function decode(value: unknown): Removed {
  const { at, record } = (value ?? {}) as Partial<Record<keyof Removed, unknown>>;
  const time = Number(at ?? 0);
  try {
    return record === undefined ? { at: time } : { at: time, record: decodeRecord(record) };
  } catch {
    return { at: time };
  }
}
