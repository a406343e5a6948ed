import type { KnownSession, SessionsFor } from '../shared';

export type ChatSession = Pick<KnownSession, 'sessionId' | 'title' | 'status'> & Partial<KnownSession>;

/** What the chat needs of the sessions feature. */
export type ChatSessions = SessionsFor<'onDidChange' | 'read' | 'watch' | 'noteSend' | 'ensure' | 'pick'> & {
  readonly serviceId?: string | undefined;
  get(sessionId: string): ChatSession | undefined;
  all(): readonly Pick<KnownSession, 'title'>[];
  refresh(sessionId: string, signal?: AbortSignal): Promise<ChatSession>;
};

export function keyOf({ serviceId, sessionId }: { readonly serviceId: string; readonly sessionId: string }) {
  return `${serviceId}\n${sessionId}`;
}
