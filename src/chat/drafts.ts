import type { Storage } from '../storage';
import { Emitter } from '../util/event';
import { DelayedRecords } from './delayedRecords';

/** What a person has written for a session and not sent yet. */
export interface Draft {
  readonly text: string;
  /** When the text was written, Unix ms. */
  readonly at?: number;
  /** Addresses of attachments, in order. */
  readonly attachments: readonly string[];
  /** What was written before an earlier message was called up and changed. */
  readonly stash?: string;
  /** Where to route it, when not to the session's own computer. */
  readonly target?: Target;
  /** A queued message that is being changed, and what it has become so far. */
  readonly changing?: Changing;
  /** The send this draft went into: until it is accepted the draft stays, so nothing is lost. */
  readonly sendId?: string;
}

/** What has been written for a queued message and is not in the queue yet. */
export interface Changing {
  readonly id: string;
  readonly text: string;
}

/** A computer chosen for a message. */
export interface Target {
  readonly computerId: string;
  readonly name: string;
}

/** Where a message is routed, when not to the session's own computer; as it is kept with a queued message and a send. */
export interface Route {
  readonly computerId?: string | undefined;
  /** As the person chose it. */
  readonly computerName?: string | undefined;
}

/** Where this message goes, and nothing else of it. */
export function routeOf({ computerId, computerName }: Route): Route {
  return computerId === undefined
    ? {}
    : { computerId, ...(computerName === undefined ? {} : { computerName }) };
}

/** The computer of a route, chosen for a draft. */
export function targetOf({ computerId, computerName }: Route): Target | undefined {
  return computerId === undefined ? undefined : { computerId, name: computerName ?? computerId };
}

export const EMPTY_DRAFT: Draft = { text: '', attachments: [] };

/** The drafts of one service. */
export class Drafts extends DelayedRecords<Draft> {
  readonly #changed = this.register(new Emitter<readonly string[]>());

  /** `onWriteError` hears of the first failure of a draft, not of each further try. `retryDelay`: ms. */
  constructor(
    storage: Storage,
    serviceId: string,
    onWriteError: (error: unknown) => void,
    retryDelay?: number,
  ) {
    const path = `services/${serviceId}/drafts`;
    super({ storage, path, decode: decodeDraft, isEmpty, onWriteError, retryDelay });
    this.register(this.collection.onDidChange(ids => this.#changed.fire(ids)));
  }

  /** The session ids whose stored draft changed, here or in another window. */
  readonly onDidChange = this.#changed.event;

  /** All attachments of all drafts. */
  get attachments(): readonly string[] {
    return [...this.collection.values.values(), ...this.unstored].flatMap(draft => draft.attachments);
  }

  get(sessionId: string): Draft {
    return this.known(sessionId) ?? EMPTY_DRAFT;
  }
}

function isEmpty({ text, attachments, target, changing, stash = '' }: Draft): boolean {
  return text + stash === '' && attachments.length === 0 && target === undefined && changing === undefined;
}

function decodeDraft(value: unknown): Draft {
  const draft = value as Partial<Draft> | null;
  if (typeof draft?.text !== 'string') throw new Error('the text is missing');
  if (!Array.isArray(draft.attachments) || !draft.attachments.every(uri => typeof uri === 'string')) {
    throw new Error('the attachments are missing');
  }
  const { sendId, stash, target, changing } = draft;
  for (const text of [sendId, stash, target?.computerId, target?.name, changing?.id, changing?.text])
    if (text !== undefined && typeof text !== 'string') throw new Error('a field is not text');
  if (draft.at !== undefined && typeof draft.at !== 'number') throw new Error('the time is none');
  return draft as Draft;
}
