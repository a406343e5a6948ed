import * as z from 'zod/mini';
import { openObject, recordSchema, type RecordOf } from '../../api/records';
import type { CollectionOptions } from '../../storage';

/** A comment on lines of a commit. Lines count from 0, times are Unix ms. */
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
