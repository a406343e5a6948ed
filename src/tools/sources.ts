import type { Message, Session, SessionChange } from '../../api';
import type { IDisposable } from '../util/disposable';

/** What is stored of a list of the service. Times are Unix ms. */
export interface StoredList<T> {
  readonly items: readonly T[];
  /** When it was last read to its end; `undefined` where it never was. */
  readonly at?: number | undefined;
}

export interface StoredMessage extends Omit<Message, 'text'> {
  /** Made when it is asked for: a message may be long. */
  readonly text: () => string;
}

/** The messages of a session, in reading order, and how many of it are known, with those nobody may see. */
export interface StoredMessages {
  readonly messages: readonly StoredMessage[];
  readonly known: number;
}

export interface StoredComputer {
  readonly computerId: string;
  readonly name: string;
  readonly status?: string | undefined;
  readonly provider?: string | undefined;
  readonly host?: string | undefined;
  /** Why it could not be set up. */
  readonly error?: string | undefined;
}

export interface StoredReadiness {
  readonly repository: string;
  readonly key: string;
  readonly at?: number | undefined;
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
  /** Whole percent. */
  readonly score?: number | undefined;
  /** Of the report before it on the same branch. */
  readonly scoreBefore?: number | undefined;
  /** What got worse first, then what fails, then the rest. */
  readonly criteria: readonly {
    readonly id: string;
    readonly passing: number;
    readonly of: number;
    readonly isPassing: boolean;
    readonly change?: string | undefined;
    readonly rationale?: string | undefined;
  }[];
}

export interface StoredRevision {
  readonly revision: number;
  readonly at?: number | undefined;
  readonly by?: string | undefined;
  readonly changes: () => readonly { readonly path: string }[];
}

export interface StoredHit {
  readonly kind: 'message' | 'session title' | 'computer' | 'readiness' | 'control revision';
  readonly sessionId?: string | undefined;
  readonly id: string;
  readonly at: number;
  readonly by?: string | undefined;
  readonly text: string;
}

/** What a report of usage is made of, as the dashboard shows it. */
export interface UsageAsked {
  readonly tab: 'tokens' | 'tools' | 'activity' | 'productivity' | 'people';
  /** UTC days. */
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly names: boolean;
}
export interface StoredUsage {
  readonly query: { readonly range: { readonly start: string; readonly end: string } };
  readonly through?: string | undefined;
  readonly missing: readonly string[];
  readonly figures: readonly object[];
  readonly sections: readonly {
    readonly id: string;
    readonly title: string;
    readonly table: {
      readonly columns: readonly { readonly id: string }[];
      readonly rows: readonly { readonly cells: readonly unknown[] }[];
      readonly total?: readonly unknown[] | undefined;
    };
  }[];
}

/** What is stored of the service in use. Nothing here asks the service anything. Rejects with a sentence. */
export interface Sources {
  /** By id. */
  sessions(): Promise<ReadonlyMap<string, Session>>;
  /** Tells at first how all sessions stand, and then each that changes, in whichever window; without one where it left the list. */
  watch(listener: (changes: readonly SessionChange[], isFirst: boolean) => unknown): Promise<IDisposable>;
  messages(sessionId: string): Promise<StoredMessages>;
  /** The latest first; `text` as it is typed into the product's own search. */
  search(
    text: string,
    limit: number,
  ): Promise<{ readonly hits: readonly StoredHit[]; readonly isMore: boolean }>;
  computers(): Promise<StoredList<StoredComputer>>;
  /** Of the repositories `asked` names, by a part of their name or address or by a path on this machine; else of this window's, else all. */
  readiness(asked: string | undefined): Promise<StoredList<StoredReadiness>>;
  usage(asked: UsageAsked): Promise<StoredUsage>;
  /** The newest first. */
  controls(): Promise<StoredList<StoredRevision>>;
}
