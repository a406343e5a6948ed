import type { ApiClient } from '../api';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { Attachments } from './attachments';
import type { BuildBody } from './bodyBuilder';
import type { Outboxes } from './outbox/outbox';
import type { ReadingPlaces } from './readingPlaces';
import type { ChatSessions } from './sessions';

/** What is queued or being sent is looked at so often, ms: nobody tells when another window that has it in its hands is gone. */
export const LOOK_EVERY_MS = 10_000;

/** What a conversation is made from. */
export interface ConversationOptions {
  readonly serviceId: string;
  readonly sessionId: string;
  readonly storage: Storage;
  readonly outboxes: Outboxes;
  readonly places: ReadingPlaces;
  readonly attachments: Attachments;
  readonly buildBody: BuildBody;
  readonly sessions: ChatSessions;
  /** The client of this conversation's service; `undefined` while it cannot be asked. */
  readonly api: () => ApiClient | undefined;
  /** A sentence for a failed request; `undefined` when it was cancelled. */
  readonly describe: (error: unknown) => string | undefined;
  readonly log: Logger;
  readonly now?: () => number;
  /** Whether what only some services offer may be used; not when left out. */
  readonly extras?: () => boolean;
}
