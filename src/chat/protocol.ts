import {
  act,
  bytes,
  event,
  listOf,
  number,
  object,
  optional,
  request,
  text,
  type Guarded,
} from '../webview/ipc';
import { isTime } from '../util/format';

export { Formatter } from '../util/format';

/** Messages between a chat panel and its page: what both sides agree on. Foreign text in it is shown as text or sanitized. */

/** Longest text of a part that a page is given; longer ones are cut. UTF-16 units. */
export const MAX_SHOWN = 50_000;
/** Longest text of a message, UTF-16 units. */
export const MAX_TEXT = 2_000_000;
export const MOST_ATTACHED = 500;
/** What is written may be longer than a message, as when something is put before it. */
const written = text(4 * MAX_TEXT);

/** A text that is longer than a page takes: how much more there is, as a sentence. */
export interface Cut {
  readonly cut?: string;
}

export type Part =
  /** Markdown. */
  | ({ readonly kind: 'text'; readonly text: string } & Cut)
  | Fold
  /** `picture` is its key in a `picture` request; without it there is nothing to show but the label. */
  | { readonly kind: 'file'; readonly label: string; readonly picture?: string };

/** What is behind a line that opens it; without texts there is only the line. */
export interface Fold extends Cut {
  readonly kind: 'fold';
  readonly icon: string;
  /** Every second piece is code, as in `Searched for `, `checkout total`, `, 1 match`. */
  readonly label: readonly string[];
  /** The beginning, where the label does not say that. */
  readonly preview: string;
  /** Markdown, or as they are. */
  readonly texts: readonly string[];
  readonly isCode: boolean;
  readonly failed: boolean;
}

/** An attachment as shown: under a message, or as a chip in the composer. */
export interface Chip {
  /** Names it in `detach`; empty where it cannot be removed. */
  readonly key: string;
  readonly name: string;
  readonly kind: 'image' | 'pdf' | 'text' | 'unknown';
  /** Empty when not known. */
  readonly size: string;
  readonly title: string;
  /** Of a picture of a message, its key in a `picture` request; an attached one has its address. */
  readonly picture?: string;
  readonly problem?: string;
  /** A picture that could be sent if it were smaller. */
  readonly shrinkable?: boolean;
}

export type Row =
  /** A heading of a day (`withDays`). */
  { readonly kind: 'date'; readonly key: string; readonly at: number } | MessageRow | GapRow;

export interface GapRow {
  readonly kind: 'gap';
  readonly key: string;
  readonly sentence: string;
  /** They stand before this point, and reading them was stopped. */
  readonly canRead?: boolean;
  /** Why, where the agent has answered and the person's next message is all that is missing. */
  readonly reason?: string;
  readonly webApp?: boolean;
}

export interface MessageRow {
  readonly kind: 'message';
  readonly key: string;
  readonly id: string;
  readonly author: 'person' | 'agent' | 'other';
  /** As the service names it. */
  readonly role: string;
  /** Unix ms of the service. */
  readonly at?: number;
  readonly failed: boolean;
  /** What the message is in the course of an answer, in words; not for commentary, which has a label of its own. */
  readonly phase?: string;
  readonly parts: readonly Part[];
  readonly chips: readonly Chip[];
  /** Sent from here and accepted; its body has not been read back yet. */
  readonly accepted: boolean;
  /** How a message stands that is not known to have arrived, and what is known of it; `id` is that of the send. */
  readonly send?: { readonly state: 'sending' | 'unknown'; readonly sentence: string };
}

export interface Header {
  readonly title: string;
  /** Computer, model and settings, the most telling first. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly status: { readonly word: string; readonly icon: string; readonly spin: boolean };
  /** How long ago the service said so when this was sent, ms. */
  readonly statusAge?: number | undefined;
  readonly problem?: string | undefined;
  readonly tokens?: { readonly short: string; readonly detail: string } | undefined;
  readonly messages?: string | undefined;
  /** What the agent changed: branch and figures, and the rest in sentences. */
  readonly changes?: { readonly short: string; readonly lines: readonly string[] } | undefined;
  readonly refreshing: boolean;
  /** What the editor's menu of the header is about, as JSON. */
  readonly about: string;
}

export interface Composer {
  readonly chips: readonly Chip[];
  /** The size of all attachments together; empty for none. */
  readonly total: string;
  readonly sending: boolean;
  /** Why nothing can be sent now; the draft is kept. */
  readonly obstacle?: string | undefined;
  /** Why what came back into the composer was not sent. */
  readonly problem?: string | undefined;
  readonly canStop: boolean;
  /** Enter queues the message rather than sending it. */
  readonly queues: boolean;
  readonly queue: readonly QueuedRow[];
  /** What the queue waits for; empty without one. */
  readonly queueNote: string;
  readonly queueStopped: boolean;
  /** The computer the message goes to; empty when not known. */
  readonly target: string;
  readonly sendKey: 'enter' | 'ctrl+enter';
  /** Bytes. */
  readonly fileLimit: number;
}

export interface QueuedRow {
  readonly id: string;
  /** Its beginning, as it is shown. */
  readonly text: string;
  readonly chips: readonly Chip[];
  readonly problem?: string | undefined;
}

export interface PanelState {
  readonly header: Header;
  readonly composer: Composer;
  readonly transcriptProblem?: string;
  readonly removed: boolean;
}

const isKept = object({
  scroll: optional(object({ key: text(2000), offset: number(-1e9, 1e9) })),
  opened: optional(listOf(text(2000), 1000)),
});
/** Where the reader was and which parts were opened, by row and number; without a position at the end. */
export type Kept = Guarded<typeof isKept>;

export const isPageState = object({
  sessionId: text(1000),
  serviceId: text(100),
  title: text(1000),
  kept: optional(isKept),
});
/** What the page keeps over a reload, and hands back to be restored. */
export type PageState = Guarded<typeof isPageState>;

const isUnsaved = object({
  text: written,
  at: optional(number(0, Number.MAX_SAFE_INTEGER)),
  sendId: optional(text(100)),
  next: optional(written),
});
/** Text the panel has not stored yet, when it was written (Unix ms), the id of the send it was to become, and what was written since. */
export type Unsaved = Guarded<typeof isUnsaved>;

export interface Start {
  /** The texts of the display language; none for English. */
  readonly texts: Readonly<Record<string, string>> | undefined;
  readonly identity: PageState;
  /** Where the session was read before, if that was in this window and since it was loaded. */
  readonly kept?: Kept | undefined;
  readonly draft: string;
  readonly focus: boolean;
}

/** Words to be found, in the row with this key. */
export interface Wanted {
  readonly words?: string | undefined;
  readonly key?: string | undefined;
}

/** Replaces `remove` rows from `from` on. A transcript arrives with its end first. */
export interface Splice {
  readonly from: number;
  readonly remove: number;
  readonly rows: readonly Row[];
  /** With this, all have arrived. */
  readonly isWhole: boolean;
}

export interface Picture {
  readonly mediaType: string;
  /** With a buffer of their own: of a view, the whole buffer would cross. */
  readonly bytes: Uint8Array;
}

export function partText(part: Part): string {
  return part.kind === 'fold' ? part.texts.join('\n') : part.kind === 'file' ? part.label : part.text;
}

export function partsOfRow(row: Row): readonly Part[] {
  return row.kind === 'message' ? row.parts : [];
}

/** The row of a message on its way, until more is known of it. */
export function sendRow(id: string, at: number, text = ''): MessageRow {
  return {
    ...{ kind: 'message', key: `send:${id}`, id, author: 'person', role: 'user', at },
    ...{ failed: false, accepted: false, chips: [], parts: [{ kind: 'text', text }] },
    send: { state: 'sending', sentence: '' },
  };
}

/** The rows with a heading before the first message of each day, in the time zone of whoever reads. */
export function withDays(rows: readonly Row[]): readonly Row[] {
  /** Of the day, Unix ms: to write out each date takes too long. */
  let [begin, end] = [NaN, NaN];
  return rows.flatMap((row): readonly Row[] => {
    const { at = NaN } = row.kind === 'message' ? row : {};
    if (row.kind !== 'message' || !isTime(at) || (at >= begin && at < end)) return [row];
    const day = new Date(at);
    const midnight = (days: number) => new Date(day.getFullYear(), day.getMonth(), day.getDate() + days);
    [begin, end] = [midnight(0).getTime(), midnight(1).getTime()];
    return [{ kind: 'date', key: `date:${row.id}`, at }, row];
  });
}

/** After this long the author is named again, ms. */
const SAME_BREATH = 10 * 60_000;

/** Whether a row goes on with what the agent says in the one above, so that its name need not be said again. */
export function goesOn(row: Row, above: Row | undefined): boolean {
  if (row.kind !== 'message' || above?.kind !== 'message' || row.author === 'person') return false;
  const { author, phase = above.phase, at = NaN } = row;
  return author === above.author && phase === above.phase && at - (above.at ?? NaN) < SAME_BREATH;
}

/** A file with a line, and perhaps a column, such as `src/a.ts:41:2`; not a host with a port. */
export const PATH =
  /(?<![\w/\\.@:+-])(?:\.{0,2}[\\/])?(?:[\w@+.-]{1,100}[\\/]){0,30}[\w@+.-]{1,100}\.(?!(?:com|org|net|io|dev|local):)[a-z]\w{0,9}:\d{1,7}(?::\d{1,5})?(?![\w/])/gi;

const none = object({});
const code = act(object({ text: text(MAX_TEXT) }));
/** Names a message that is queued or of unknown outcome. */
const ofEntry = act(object({ id: text(100) }));
/** Texts of the composer that the page was given before it said this: what it says may cross the next. */
const seen = number(0, Number.MAX_SAFE_INTEGER);
/** An attachment of the draft by its address, or a picture of a message by its id, a line feed and its place. */
const ofAttachment = object({ key: text(10_000) });
const ofRow = act(object({ key: text(2000) }));

export const chatProtocol = /* @__PURE__ */ (() => ({
  requests: {
    /**
     * Sends the text with the attachments the panel holds, or queues it while the agent works; answered when it is recorded durably,
     * before it is accepted. A text that the composer did not hold leaves what it holds. `sendId`: 8 to 64 letters, digits or
     * dashes, made by the page.
     */
    send: act(object({ text: written, sendId: text(100), seen })),
    history: request(none)<readonly string[]>(),
    /** Attaches a pasted or dropped file, or a long text; without its bytes where it is too large. With `replaces`, in the place of that. */
    attachBytes: act(
      object({
        name: text(300),
        size: number(0, Number.MAX_SAFE_INTEGER),
        bytes,
        replaces: optional(text(10_000)),
      }),
    ),
    attach: act(none),
    attachUris: act(object({ uris: listOf(text(10_000), MOST_ATTACHED + 1) })),
    takeBack: ofEntry,
    discard: ofEntry,
    sendAgain: ofEntry,
    chooseTarget: act(none),
    stop: act(none),
    refresh: act(none),
    showChanges: act(none),
    readEarlier: act(none),
    openPath: act(object({ path: text(4000) })),
    /** Puts code where the cursor of the editor beside the chat is. */
    insertCode: code,
    /** Shows what a diff would change, or offers to change it. */
    compareDiff: code,
    applyDiff: code,
    addAgain: act(none),
    picture: request(ofAttachment)<Picture>(),
    /** The page listens. Sent again each time it was built anew. */
    ready: act(none),
    /** `version` comes back in `draftStored`. */
    draft: act(object({ text: written, seen, version: number(0, Number.MAX_SAFE_INTEGER) })),
    detach: act(ofAttachment),
    openAttachment: act(ofAttachment),
    /** Text a page before this one had not seen stored, and the id of the send it was to become. */
    unsaved: act(isUnsaved),
    openLink: act(object({ href: text(10_000) })),
    copy: code,
    /** Copies all a message says, also what the page does not show of it. */
    copyMessage: ofRow,
    openMessage: ofRow,
    kept: act(isKept),
    /** Opens the web application, where an answer can be read that is not shown here. */
    openWebApp: act(none),
  },
  events: {
    start: event<Start>(),
    state: event<PanelState>(),
    splice: event<Splice>(),
    /** The panel changed the text of the composer, or puts the cursor there. */
    setDraft: event<{ readonly text?: string; readonly focus: boolean }>(),
    /** Everything up to this version of the draft is durable. */
    draftStored: event<{ readonly version: number }>(),
    find: event<Wanted>(),
    announce: event<{ readonly text: string }>(),
  },
}))();

export type ChatProtocol = typeof chatProtocol;
