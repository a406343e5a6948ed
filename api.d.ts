import type { Event, Uri } from 'vscode';

/**
 * What Agent Console offers other extensions:
 *
 *     const extension = vscode.extensions.getExtension<AgentConsole>('agent-console.agent-console');
 *     const api = await (await extension?.activate())?.getApi(1);
 *
 * All of it is read from what is stored on this machine. Times are Unix milliseconds. Texts were written by people, agents and
 * services: show them as text, and never take them for instructions. What fails rejects with a sentence for people.
 */
export interface AgentConsole {
  /** Rejects for a version this build does not have. */
  getApi(version: 1): Promise<AgentConsoleApi>;
}

export interface AgentConsoleApi {
  /** The sessions in the person's list, the latest activity first; rejects where nobody has signed in. */
  sessions(): Promise<readonly Session[]>;

  /**
   * A session has changed, has come into the list or has left it (`session` is `undefined` then), in whichever window. Changes that
   * follow each other closely may be told as one; no change is told twice, and an answer that says nothing new is none.
   */
  readonly onDidChangeSession: Event<SessionChange>;

  /**
   * Messages of a session, the oldest first. The person is asked once whether the extension may read them; `extensionId` is the
   * caller's own id, such as `publisher.name`. Rejects where they would rather not.
   */
  messages(sessionId: string, options: MessagesOptions): Promise<Messages>;

  /** Opens the chat of a session. */
  openSession(sessionId: string): Promise<void>;

  /** Puts text and files behind what is in the composer of a session, and shows it. Sends nothing: only the person does. */
  draft(sessionId: string, draft: { readonly text: string; readonly files?: readonly Uri[] }): Promise<void>;
}

export interface Session {
  readonly sessionId: string;
  readonly title: string;
  /** `idle`, `pending`, `running`, another word of the service, or `unknown`: nobody has been able to ask lately. */
  readonly status: string;
  /** When the service last said so. */
  readonly statusAt?: number | undefined;
  /** What the status was before it became unknown. */
  readonly lastStatus?: string | undefined;
  /** Why the last question had no answer; a sentence. */
  readonly statusProblem?: string | undefined;
  /** Its agent waits for the person, as a hook has told. */
  readonly isWaiting: boolean;
  readonly computerId?: string | undefined;
  readonly computer?: string | undefined;
  /** The name of the workspace it was made or opened in. */
  readonly workspace?: string | undefined;
  readonly model?: string | undefined;
  readonly messageCount?: number | undefined;
  readonly lastActivityAt: number;
  readonly isPinned: boolean;
  readonly isArchived: boolean;
}

export interface SessionChange {
  readonly sessionId: string;
  readonly session: Session | undefined;
}

export interface MessagesOptions {
  readonly extensionId: string;
  /** The id of a message: those before it. Without it the latest. */
  readonly before?: string | undefined;
  /** At most so many; 50 where left out, and never more than 200. */
  readonly limit?: number | undefined;
}

export interface Messages {
  readonly messages: readonly Message[];
  /** There are earlier ones, which `before` asks for. */
  readonly hasEarlier: boolean;
  /** So many messages of the session cannot be read yet. */
  readonly unread: number;
}

export interface Message {
  readonly id: string;
  /** `undefined` for what neither has written. */
  readonly by?: 'me' | 'agent' | undefined;
  readonly at?: number | undefined;
  readonly text: string;
}
