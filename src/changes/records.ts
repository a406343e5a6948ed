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

/** A comment on lines of a commit. Lines count from 0. */
const commentSchema = recordSchema(() =>
  openObject({
    id: z.string(),
    sessionId: z.string(),
    /** The repository's root folder. */
    repository: z.string(),
    /** Below the root, with `/`. */
    path: z.string(),
    commit: z.string(),
    /** The first line, and how many there are. */
    line: z.number(),
    count: z.number(),
    /** What the first of them say, at most `MOST_QUOTED`. */
    quoted: z.array(z.string()),
    words: z.string(),
    at: z.number(),
    /** It is in the transcript; before, the outbox says how it stands. */
    sent: z.optional(z.boolean()),
  }),
);

export type CommentRecord = RecordOf<typeof commentSchema>;

/** Lines of a comment that are kept and sent with it. */
export const MOST_QUOTED = 100;

/** The comments on what the sessions of a service changed, by their ids. */
export function commentRecords(serviceId: string): CollectionOptions<CommentRecord> {
  return { path: `services/${serviceId}/comments`, version: 1, schema: commentSchema };
}
