import { Conversation } from '../../../src/chat/conversation';
import type { KnownMessage } from '../../../src/chat/transcript/messages';
import type { Unsaved } from '../../../src/chat/protocol';
import { Outboxes } from '../../../src/chat/outbox/outbox';
import type { Shown } from '../../../src/chat/outbox/record';
import { ReadingPlaces } from '../../../src/chat/panel/readingPlaces';
import type { Surroundings } from './outboxWorld';

/** What a person can do in one window, and sees there. */
export interface Person {
  load(): Promise<void>;
  draft(): Shown;
  entries(): readonly { readonly id: string; readonly text: string; readonly state: string }[];
  known(): ReadonlyMap<string, KnownMessage>;
  /** Changes the composer's text; `over` is what it showed before. */
  write(text: string, over: Shown): void;
  submit(text: string, id: string, over: Shown): Promise<void>;
  takeUnsaved(unsaved: Unsaved): Promise<void>;
  takeBack(id: string): Promise<unknown>;
  editAgain(id: string): Promise<void>;
  sendAgain(id: string): Promise<void>;
  discard(id: string): Promise<unknown>;
  refresh(): Promise<void>;
  flush(): Promise<void>;
  isUnwritten(): boolean;
  dispose(): void;
}

export function openPerson(surroundings: Surroundings): Person {
  const { storage, serviceId } = surroundings;
  const ignore = (): void => undefined;
  const outboxes = new Outboxes(storage, serviceId, ignore);
  const places = new ReadingPlaces(storage, serviceId, ignore);
  const conversation = new Conversation({ ...surroundings, outboxes, places });
  const { composition } = conversation;
  return {
    load: () => conversation.load(),
    draft: () => composition.draft,
    entries: () => [
      ...conversation.sends.filter(({ id }) => composition.draft.refused?.id !== id),
      ...conversation.queued,
    ],
    known: () => conversation.transcript.known,
    write: (text, over) => composition.setText(text, over.stash, over),
    submit: (text, id, over) => conversation.submit(text, id, over),
    takeUnsaved: unsaved => conversation.takeUnsaved(unsaved),
    takeBack: id => composition.takeBackQueued(id),
    editAgain: id => composition.editAgain(id),
    sendAgain: id => conversation.sendAgain(id),
    discard: id => conversation.discard(id),
    refresh: () => conversation.refresh(),
    flush: () => outboxes.flush(),
    isUnwritten: () => outboxes.of(conversation.sessionId).isUnwritten,
    dispose: () => {
      conversation.dispose();
      outboxes.dispose();
      places.dispose();
    },
  };
}

/** The pieces of text a person wrote, by what may have become of each. */
export class Ledger {
  readonly written: string[] = [];
  readonly discarded = new Set<string>();
  /** How often each may leave: once, and again after it was refused or by a person's decision about one whose outcome is unknown. */
  readonly #allowed = new Map<string, number>();
  readonly #shared = new Set<string>();

  /** A piece unlike every other. */
  next(): string {
    const number = this.written.length + 1;
    const piece = `<${(number * 2_654_435_761) % 1_000_000_007}>`;
    this.written.push(piece);
    return piece;
  }

  in(text: string): readonly string[] {
    return this.written.filter(piece => text.includes(piece));
  }

  allow(text: string): void {
    for (const piece of this.in(text)) this.#allowed.set(piece, this.allowed(piece) + 1);
  }

  /** Two versions of a text are both there where neither can be told to be the newer one: with what they share. */
  share({ text, stash = '' }: Shown): void {
    for (const piece of this.in(stash)) if (text.includes(piece)) this.#shared.add(piece);
  }

  allowed(piece: string): number {
    return this.#shared.has(piece) ? Infinity : (this.#allowed.get(piece) ?? 1);
  }
}
