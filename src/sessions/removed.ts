import * as z from 'zod/mini';
import { openObject, recordSchema, ifFits, into, taken } from '../api';
import type { Collection, Storage } from '../storage';
import { sessionRecordSchema, type SessionRecord } from './record';

/** A session that a person took out of the list. */
export interface Removed {
  /** Unix ms. */
  readonly at: number;
  /** As it was then; missing where an older version took it out, or where it cannot be read. */
  readonly record?: SessionRecord | undefined;
}

/** What people took out of the list of a service, so that its own list does not bring it back, and they themselves can. */
export async function removedFrom(storage: Storage, serviceId: string): Promise<Collection<Removed>> {
  const removed = storage.collection<Removed>({
    path: `services/${serviceId}/removed`,
    version: 1,
    schema: removedSchema,
  });
  await removed.load();
  return removed;
}

const removedSchema = recordSchema(() =>
  openObject({
    at: z._default(z.number(), 0),
    record: ifFits(into(taken(), value => sessionRecordSchema.parse(value))),
  }),
);
