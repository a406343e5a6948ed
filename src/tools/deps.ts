import type * as vscode from 'vscode';
import type { Message, Session as PublicSession } from '../../api';
import type { Connection } from '../connection';
import type { Logger } from '../log';
import type { UsageSummary } from '../shared';
import type { Storage } from '../storage';
import type { IDisposable } from '../util/lifecycle';

/** As other extensions are told of it, and more. */
export interface Session extends PublicSession {
  /** What the agent said when it began to wait, finished or ended: words that extensions need to be allowed to read. */
  readonly says?: string | undefined;
}

export interface SessionChange {
  readonly sessionId: string;
  readonly session: Session | undefined;
}

/** What is stored of a list of the service; `at`: when it was last read to its end, Unix ms. */
interface StoredList<T> {
  readonly items: readonly T[];
  readonly at?: number | undefined;
}

/** Each row goes out with all that its feature tells of it; here stands what tools look at. Times are Unix ms. */
export interface StoredRepository {
  readonly at?: number | undefined;
  readonly criteria: readonly (Readonly<Record<'change' | 'rationale', string | undefined>> & {
    readonly isPassing: boolean;
  })[];
}

/** What is stored of the service in use: nothing here asks the service anything. Rejects with a sentence. */
export interface Sources {
  /** By id, the latest activity first. */
  sessions(): Promise<ReadonlyMap<string, Session>>;
  /** Rejects for one that is not in the list, as `messages` does. */
  session(sessionId: string): Promise<Session>;
  /** Tells at first how all sessions stand, then each that changes, in whichever window; without one where it left the list. */
  watch(listener: (changes: readonly SessionChange[], isFirst: boolean) => unknown): Promise<IDisposable>;
  /** Those a person may see, in reading order, each text made when it is asked for; `known` counts the others, too. `unread`: unknown here. */
  messages(sessionId: string): Promise<{
    readonly session: Session;
    readonly unread: number;
    readonly messages: readonly (Omit<Message, 'text'> & { readonly text: () => string })[];
    readonly known: number;
  }>;
  /** The latest first, each with the whole line of the match; `text` as it is typed into the product's own search. */
  search(
    text: string,
    limit: number,
  ): Promise<{
    hits: readonly { at: number; sessionId?: string | undefined; match: string; text: string }[];
    isMore: boolean;
  }>;
  computers(): Promise<StoredList<{ computerId: string; name: string; error?: string | undefined }>>;
  /** Of what `asked` names, by a part of name or address; else of this window, else all. */
  readiness(asked: string | undefined): Promise<StoredList<StoredRepository>>;
  readonly usage: UsageSummary;
  /** Revisions, the newest first. */
  controls(): Promise<
    StoredList<{
      revision: number;
      at?: number | undefined;
      by?: string | undefined;
      changes: () => readonly { readonly path: string }[];
    }>
  >;
}

/** How a send ended, as the chat says it. */
export type Sent =
  | { readonly state: 'accepted'; readonly messageId: string }
  | { readonly state: 'refused' | 'unknown'; readonly sentence: string };

export interface ToolsDeps {
  readonly connection: Pick<Connection, 'state' | 'ready'>;
  readonly storage: Pick<Storage, 'collection'>;
  readonly sources: Sources;
  readonly log: Pick<Logger, 'error'> & { clean(text: string): string };
  /** What package.json calls the tools. */
  readonly called: readonly (Readonly<Record<'name' | 'displayName' | 'modelDescription', string>> & {
    readonly inputSchema: object;
  })[];
  /** The person has turned writing on. */
  readonly mayWrite: () => boolean;
  /** Resolves to the id; to `undefined` where the person would rather not. */
  readonly create: (request: { computerId: string; sessionSettings: object }) => Promise<string | undefined>;
  readonly send: (message: { sessionId: string; text: string }) => Promise<Sent>;
  readonly open: (sessionId: string) => Promise<unknown>;
  readonly prefill: (draft: {
    sessionId: string;
    text: string;
    files: readonly vscode.Uri[];
  }) => Promise<unknown>;
}
