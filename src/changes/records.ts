import * as z from 'zod/mini';
import { ifFits, openObject, recordSchema, type RecordOf } from '../api/records';
import type { CollectionOptions } from '../storage';

const branch = () => ({
  repository: z.string(),
  remote: z.optional(z.string()),
  name: z.string(),
});

/** What is kept of a session's work. Times are Unix ms. */
const workSchema = recordSchema(() =>
  openObject({
    sessionId: z.string(),
    /** The branch a person has named. */
    named: ifFits(openObject(branch())),
    /** What was checked out when a hook told that the agent had finished. */
    stopped: ifFits(openObject({ repository: z.string(), branch: z.string(), at: z.number() })),
    /** The branch as it was last seen. */
    last: ifFits(openObject({ ...branch(), base: z.string(), tip: z.string() })),
  }),
);

export type WorkRecord = RecordOf<typeof workSchema>;

/** The work of a service's sessions, by their ids. Only what a person has named must survive a loss of power. */
export function workRecords(serviceId: string): CollectionOptions<WorkRecord> {
  return {
    path: `services/${serviceId}/changes`,
    version: 1,
    schema: workSchema,
    isVolatile: (before, after) => JSON.stringify(before?.named) === JSON.stringify(after.named),
  };
}
