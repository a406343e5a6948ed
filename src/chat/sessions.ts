import type { SessionSettings } from '../api';
import type { Event, IDisposable } from '../util/lifecycle';

export type { ShownChanges as ChatChanges } from '../shared';

export interface ChatSession {
  readonly sessionId: string;
  /** Foreign text, or this extension's words for a session without a title. */
  readonly title: string;
  readonly computerId?: string | undefined;
  readonly computerName?: string | undefined;
  /** `idle`, `pending`, `running`, another word of the service, or `unknown`. */
  readonly status: string;
  readonly shown?: { readonly word: string; readonly icon: string; readonly spin: boolean } | undefined;
  /** When the service last said so; Unix ms. */
  readonly statusAt?: number | undefined;
  /** Why the last check failed; a sentence for a person. */
  readonly statusProblem?: string | undefined;
  readonly messageCount?: number | undefined;
  /** The service's clock, Unix ms. */
  readonly updatedAt?: number | undefined;
  readonly settings?: SessionSettings | undefined;
  /** What the person does with it on this machine. */
  readonly isPinned?: boolean | undefined;
  readonly isArchived?: boolean | undefined;
}

/** What the chat needs of the sessions feature; passed in by `parts`. */
export interface ChatSessions {
  get(sessionId: string): ChatSession | undefined;
  /** The service whose list has been read; a session of it that is not known is not in the list. */
  readonly serviceId?: string | undefined;
  /** Session ids that changed; an empty list means any of them. */
  readonly onDidChange: Event<readonly string[]>;
  /** Asks the service now; resolves with the session as known afterwards; rejects with ApiError. */
  refresh(sessionId: string, signal?: AbortSignal): Promise<ChatSession>;
  /** Takes in what other windows have stored of it. */
  read(sessionId: string): Promise<unknown>;
  /** While held, the session's status is polled (fast while pending or running, resting otherwise), and read if it is in front. */
  watch(sessionId: string, why?: 'inFront'): IDisposable;
  /** A service has answered a send with this agent status. `text` gives an untitled session its local title. */
  noteSend(
    serviceId: string,
    sessionId: string,
    sent: { readonly status: string | undefined; readonly at: number; readonly text: string },
  ): Promise<void>;
  /** Reads a session that is not known yet and puts it into the index; rejects when the service does not know it. */
  ensure(sessionId: string): Promise<void>;
  /** Quick pick of known sessions, or of a new one `first`; `undefined` when cancelled. */
  pick(placeHolder: string, first?: 'known' | 'new'): Promise<string | undefined>;
}

export function keyOf({ serviceId, sessionId }: { readonly serviceId: string; readonly sessionId: string }) {
  return `${serviceId}\n${sessionId}`;
}
