import * as z from 'zod/mini';
import { maps, maybe, openObject, texts } from '../tolerant';

/** Section 2.11. Times are texts as the service writes them. */
export type OrganizationUser = z.output<typeof userSchema>;
/** One revision of the enterprise controls: the settings as they were after it (section 2.12). */
export type ControlChange = z.output<typeof controlChangeSchema>;

export const userSchema = openObject({
  id: z.string(),
  ...texts('email', 'createdAt', 'firstName', 'lastName', 'lastSignInAt'),
  ...maps('metadata'),
});

export const controlChangeSchema = openObject({
  revision: z.number(),
  /** As the service sends them: settings come and go with its versions. Secrets among them arrive redacted. */
  settings: z.record(z.string(), z.unknown()),
  user: maybe(openObject(texts('id', 'email', 'name'))),
  ...texts('updatedAt'),
});
