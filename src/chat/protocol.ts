import { listOf, number, object, optional, text, type Guard } from '../webview/guards';
import { event, request } from '../webview/ipc';
import type { ChatStrings } from './strings';

export type { ChatStrings } from './strings';

/** Messages between a chat panel and its page: what both sides agree on. Foreign text in it is shown as text or sanitized. */

/** One block of a message. Text is Markdown only in `text` and `commentary`. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'commentary' | 'reasoning'; readonly text: string }
  | { readonly kind: 'withheld' }
  | { readonly kind: 'toolUse'; readonly name: string; readonly input: string }
  | { readonly kind: 'toolResult'; readonly name: string; readonly text: string; readonly failed: boolean }
  /** `index` names the picture in an `image` request; without it there is nothing to show but the label. */
  | { readonly kind: 'image'; readonly label: string; readonly index?: number }
  | { readonly kind: 'document'; readonly label: string }
  | { readonly kind: 'other'; readonly type: string; readonly text: string };

/** An attachment as shown: under a message, or as a chip in the composer. */
export interface Chip {
  /** Names it in `detach`; empty where it cannot be removed. */
  readonly key: string;
  readonly name: string;
  readonly kind: 'image' | 'pdf' | 'text' | 'unknown' | 'checking';
  /** Such as `180 KB`; empty when not known. */
  readonly size: string;
  /** The whole path or address. */
  readonly title: string;
  /** Why it cannot be sent. */
  readonly problem?: string;
}

export type Row =
  | { readonly kind: 'date'; readonly key: string; readonly at: number }
  | MessageRow
  /** Messages before this point have not been read. */
  | {
      readonly kind: 'break';
      readonly key: string;
      readonly state: 'reading' | 'stopped' | 'failed';
      readonly sentence: string;
    }
  /** Messages of the session that cannot be read yet. */
  | { readonly kind: 'gap'; readonly key: string; readonly sentence: string }
  | SendRow;

export interface MessageRow {
  readonly kind: 'message';
  readonly key: string;
  readonly id: string;
  readonly author: 'person' | 'agent' | 'other';
  /** The role as the service names it. */
  readonly role: string;
  /** Unix ms of the service; 0 when not known. */
  readonly at: number;
  /** Same author as the row above, so the name need not be said again. */
  readonly continued: boolean;
  readonly failed: boolean;
  /** What the message is in the course of an answer, in words; not for commentary, which has a label of its own. */
  readonly phase?: string;
  readonly parts: readonly Part[];
  readonly chips: readonly Chip[];
  /** Sent from here and accepted; its body has not been read back yet. */
  readonly accepted: boolean;
}

export interface SendRow {
  readonly kind: 'send';
  readonly key: string;
  readonly sendId: string;
  readonly state: 'sending' | 'refused' | 'unknown';
  readonly at: number;
  readonly text: string;
  readonly chips: readonly Chip[];
  /** What is known of it. */
  readonly sentence: string;
  /** The composer holds its text again. */
  readonly inComposer: boolean;
}

export interface Header {
  readonly title: string;
  /** Computer, model and settings, the most telling first. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly status: { readonly word: string; readonly icon: string; readonly spin: boolean };
  /** How long ago the service said so when this was sent, ms. */
  readonly statusAge?: number;
  /** Why the status is not known. */
  readonly problem?: string;
  readonly tokens?: { readonly short: string; readonly detail: string };
  readonly messages?: string;
  readonly refreshing: boolean;
}

export interface Composer {
  readonly chips: readonly Chip[];
  /** All attachments together, such as `182 KB`; empty for none. */
  readonly total: string;
  readonly sending: boolean;
  /** Why nothing can be sent now; the draft is kept. */
  readonly blocked?: string;
}

export interface PanelState {
  readonly header: Header;
  readonly composer: Composer;
  /** Why the stored transcript cannot be shown. */
  readonly transcriptProblem?: string;
  /** The session is no longer in the person's list. */
  readonly removed: boolean;
}

/** Where the reader was and what was opened; without a position at the end. */
export interface Kept {
  readonly scroll?: { readonly key: string; readonly offset: number } | undefined;
  /** Parts that were opened, by row and number. */
  readonly opened?: readonly string[] | undefined;
}

/** What the page keeps over a reload, and hands back to be restored. */
export interface PageState extends Kept {
  readonly sessionId: string;
  readonly serviceId: string;
  readonly title: string;
}

export interface Start {
  readonly strings: ChatStrings;
  readonly language: string;
  readonly identity: Pick<PageState, 'sessionId' | 'serviceId' | 'title'>;
  /** Of the page before this one; left out where this window has shown none. */
  readonly kept?: Kept;
  readonly draft: string;
  /** Put the cursor into the composer. */
  readonly focus: boolean;
}

/** Replaces `remove` rows from `from` on. A transcript arrives with its end first. */
export interface Splice {
  readonly from: number;
  readonly remove: number;
  readonly rows: readonly Row[];
  /** Rows the page will hold when all have arrived. */
  readonly total: number;
}

export interface Picture {
  readonly mediaType: string;
  /** A view of exactly these bytes. */
  readonly bytes: Uint8Array;
}

const MAX_TEXT = 2_000_000;
const none = object({});
const sendId = object({ sendId: text(100) });

/** Checks what a page keeps. */
export const keptShape = {
  scroll: optional(object({ key: text(2000), offset: number(-1e9, 1e9) })),
  opened: optional(listOf(text(2000), 1000)),
};

export const chatProtocol = {
  requests: {
    /** Sends the text with the attachments the panel holds; answered when it is recorded durably, before it is accepted. */
    send: request(object({ text: text(MAX_TEXT) }))<{ readonly sendId: string }>(),
    sendAgain: request(sendId)<null>(),
    discard: request(sendId)<null>(),
    /** Puts a refused message back into the composer. */
    editAgain: request(sendId)<null>(),
    refresh: request(none)<null>(),
    /** Goes on with an ancestor walk that stopped. */
    readEarlier: request(none)<null>(),
    /** Opens `path:line` or `path:line:column` of the workspace. */
    openPath: request(object({ path: text(4000) }))<null>(),
    /** Puts a removed session back into the list. */
    addAgain: request(none)<null>(),
    picture: request(object({ messageId: text(1000), index: number(0, 10_000) }))<Picture>(),
  },
  notifications: {
    /** The page listens. Sent again each time it was built anew. */
    ready: object({ timeZone: text(100) }),
    draft: object({ text: text(MAX_TEXT) }),
    /** Asks for files with a picker. */
    attach: none,
    detach: object({ key: text(10_000) }),
    openLink: object({ href: text(10_000) }),
    copy: object({ text: text(MAX_TEXT) }),
    /** The position or what is opened has changed. */
    kept: object(keptShape),
    /** Asks for what else can be done with the session. */
    more: none,
    /** A failure in the page, for the log: names of errors only. */
    failed: object({ names: listOf(text(200), 10) }) satisfies Guard<{ readonly names: readonly string[] }>,
  },
  events: {
    start: event<Start>(),
    state: event<PanelState>(),
    splice: event<Splice>(),
    /** The panel changed the text of the composer. */
    setDraft: event<{ readonly text: string; readonly focus: boolean }>(),
    focusComposer: event<Record<string, never>>(),
    /** Opens the find bar. */
    find: event<Record<string, never>>(),
    /** For screen readers, politely. */
    announce: event<{ readonly text: string }>(),
  },
};

export type ChatProtocol = typeof chatProtocol;
