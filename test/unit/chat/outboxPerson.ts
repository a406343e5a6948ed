import { Conversation } from '../../../src/chat/conversation';
import type { KnownMessage } from '../../../src/chat/messages';
import type { Unsaved } from '../../../src/chat/protocol';
import { Outboxes } from '../../../src/chat/outbox/outbox';
import type { Shown } from '../../../src/chat/outbox/record';
import { ReadingPlaces } from '../../../src/chat/readingPlaces';
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
