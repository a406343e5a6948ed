import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { openObject, recordSchema, type RecordOf } from '../../api';
import { sentAttachment } from '../transcript/messages';

/** An attachment of a message by its address; its bytes are read when it is sent. Size in bytes. */
const reference = () => openObject({ ...sentAttachment(), uri: z.string() });

/** A computer chosen for a message instead of the session's own. */
const target = () => openObject({ computerId: z.string(), name: z.string() });

/** What the service said of the session at some time; `updatedAt` by its clock. */
const counts = () => openObject({ messageCount: z.number(), updatedAt: z.number() });

/**
 * A message that has left the composer (interface-notes 4). `sending` is recorded before its request leaves and never becomes
 * `queued` again once it may have left; `accepted` waits until the transcript can take it.
 */
const entry = () =>
  openObject({
    id: z.string(),
    text: z.string(),
    attachments: z.array(reference()),
    target: z.optional(target()),
    state: z.enum(['queued', 'sending', 'accepted', 'refused', 'unknown']),
    /** When it was queued or sent, Unix ms. */
    at: z.number(),
    /** Of the one try to send it. */
    lease: z.optional(z.string()),
    /** Why it could not be sent, was refused or is unknown, for a person. */
    sentence: z.optional(z.string()),
    /** The session before it was sent, and after its outcome stayed unknown. */
    before: z.optional(counts()),
    after: z.optional(counts()),
    /** When accepted. */
    messageId: z.optional(z.string()),
  });

const draft = () =>
  openObject({
    text: z.string(),
    /** When the text was written, Unix ms. */
    at: z.optional(z.number()),
    /** Addresses, in order. */
    attachments: z.array(z.string()),
    /** Another text that comes back after this one: what was written before an earlier message was called up, or in another window. */
    stash: z.optional(z.string()),
    target: z.optional(target()),
    /** The refused message this draft came back from. */
    refused: z.optional(entry()),
  });

/** What a person has written for one session, until the transcript has it: the entries in the order they go out. */
export const outboxSchema = recordSchema(() =>
  openObject({
    draft: draft(),
    entries: z.array(entry()),
    /** The latest writes: whoever could not see one end finds out here whether it happened. */
    writes: z.array(z.string()),
  }),
);

export type OutboxRecord = RecordOf<typeof outboxSchema>;
export type Draft = OutboxRecord['draft'];
export type Entry = OutboxRecord['entries'][number];
export type AttachmentReference = Entry['attachments'][number];
export type Target = NonNullable<Entry['target']>;
/** A message as it is sent. */
export type Message = Pick<Entry, 'text' | 'attachments' | 'target'>;
/** Returns what it was given where there is nothing to change. */
export type Change = (outbox: OutboxRecord) => OutboxRecord;

export const EMPTY: OutboxRecord = { draft: { text: '', attachments: [] }, entries: [], writes: [] };

/** The entry with this id; a refused one also while the composer holds it. */
export function entryOf({ draft: { refused }, entries }: OutboxRecord, id: string): Entry | undefined {
  return refused?.id === id ? refused : entries.find(each => each.id === id);
}

/** Changes the draft alone. */
export function inDraft(change: (draft: Draft) => Partial<Draft>): Change {
  return outbox => {
    const after = { ...outbox.draft, ...change(outbox.draft) };
    return isSame(after, outbox.draft) ? outbox : { ...outbox, draft: after };
  };
}

/** Changes one entry, while it is in one of these states. */
export function inEntry(id: string, states: readonly Entry['state'][], change: Partial<Entry>): Change {
  return outbox => {
    const found = outbox.entries.find(each => each.id === id && states.includes(each.state));
    return found === undefined ? outbox : inPlace(outbox, found, { ...found, ...change });
  };
}

function inPlace(outbox: OutboxRecord, entry: Entry, by: Entry): OutboxRecord {
  if (isSame(by, entry)) return outbox;
  return { ...outbox, entries: outbox.entries.map(each => (each === entry ? by : each)) };
}

/** All that is queued waits for the person, who stopped the agent, or no longer, but for `others`. Other reasons stay. */
export function withQueueHeld(isHeld: boolean, others: readonly string[] = []): Change {
  const sentence = vscode.l10n.t('You stopped the agent. Take this message back to send it.');
  const [from, to] = isHeld ? [undefined, sentence] : [sentence, undefined];
  return outbox =>
    outbox.entries
      .filter(({ id, state, sentence: why }) => state === 'queued' && why === from && !others.includes(id))
      .reduce((after, each) => inPlace(after, each, { ...each, sentence: to }), outbox);
}

/** The first of the queue becomes `sending`, where it still is that and nothing waits for the person. */
export function withNext(entry: Entry): Change {
  return outbox => {
    const first = outbox.entries.find(({ state }) => state !== 'accepted');
    const isFree = first?.state === 'queued' && first.sentence === undefined;
    const isNext = isFree && first.id === entry.id && undecided(outbox).length === 0;
    return isNext ? inPlace(outbox, first, entry) : outbox;
  };
}

/** The composer's text as a page has it. */
export type Shown = Pick<Draft, 'text' | 'stash'>;

/** A text in the place of what the page showed; `at` Unix ms. */
export interface Edit extends Shown {
  readonly over: Shown;
  readonly at: number;
}

/**
 * Replaces the draft's text. What the page did not show came meanwhile and stays: a refused message with its entry, another
 * window's words before those added here or in the stash. What left meanwhile does not come back with the words added to it or
 * taken from it.
 */
export function withText({ text, stash, over, at }: Edit): Change {
  return outbox => {
    const { draft: before, entries } = outbox;
    // What was set aside has left meanwhile.
    const aside = before.text === '' && stash === over.text ? undefined : stash;
    const merged = before.stash === over.stash ? aside : together([aside, before.stash], text);
    const stashed = stash === over.stash ? before.stash : merged;
    const set = (changed: string, others = stashed): OutboxRecord => ({
      ...outbox,
      draft: { ...before, text: changed, stash: others, at },
    });
    if (before.text === text && before.stash === stashed) return outbox;
    if (before.text === over.text || before.text === text) return set(text);
    const added = over.text !== '' && text.startsWith(over.text) ? text.slice(over.text.length) : undefined;
    const { refused } = before;
    if (refused?.text === before.text) {
      const attachments = without(before.attachments, refused);
      const left = { ...rest(before), text: added?.trimStart() ?? text, stash: stashed, at, attachments };
      return { ...outbox, draft: left, entries: [refused, ...entries] };
    }
    if (added !== undefined && before.text.startsWith(over.text)) return set(before.text + added);
    if (added !== undefined)
      return set([before.text, added.trimStart()].filter(part => part !== '').join('\n\n'));
    const removed = missingIn(text, over.text)?.trim();
    if (removed !== undefined) {
      const parts = before.text.split(removed);
      return set(parts.length === 2 ? parts.join('').trim() : before.text);
    }
    if (before.text === '') return set(text);
    return set(text, together([stashed, before.text], text));
  };
}

/** Puts the message in the composer among the entries, unless it is not what stands there; what was stashed comes back. */
export function withTaken(message: Entry): Change {
  return outbox => {
    const { draft: before } = outbox;
    if (before.text !== message.text || entryOf(outbox, message.id) !== undefined) return outbox;
    return {
      ...outbox,
      draft: {
        ...rest(before),
        text: before.stash ?? '',
        attachments: without(before.attachments, message),
      },
      entries: [...outbox.entries, message],
    };
  };
}

export function withoutEntry(id: string): Change {
  return outbox => {
    const { draft: before, entries } = outbox;
    const isInDraft = before.refused?.id === id;
    if (!isInDraft && !entries.some(each => each.id === id)) return outbox;
    return {
      ...outbox,
      draft: isInDraft ? { ...before, refused: undefined } : before,
      entries: entries.filter(each => each.id !== id),
    };
  };
}

/** The service said no: the message goes back into an empty composer, else it waits for the person with the reason. */
export function withRefused(id: string, sentence: string): Change {
  return outbox => {
    const { draft: before, entries } = outbox;
    const found = entries.find(
      ({ id: each, state }) => each === id && ['sending', 'unknown'].includes(state),
    );
    if (found === undefined) return outbox;
    const refused = { ...found, state: 'refused' as const, sentence };
    if (before.text !== '' || before.attachments.length > 0 || before.refused !== undefined)
      return inPlace(outbox, found, refused);
    const { text, target, at } = found;
    const attachments = found.attachments.map(({ uri }) => uri);
    return {
      ...outbox,
      draft: { ...before, text, attachments, target, at, refused },
      entries: entries.filter(each => each !== found),
    };
  };
}

/** Sends a message again in the place of one that was refused or is unknown. */
export function withReplaced(id: string, by: Entry): Change {
  return outbox => {
    const found = outbox.entries.find(each => each.id === id && UNDECIDED.includes(each.state));
    return found === undefined ? outbox : inPlace(outbox, found, by);
  };
}

/** Puts a message at the end, whatever the composer holds. */
export function withAdded(message: Entry): Change {
  return outbox =>
    entryOf(outbox, message.id) === undefined ? { ...outbox, entries: [...outbox.entries, message] } : outbox;
}

/** Moves an entry into the composer, before or after what is written there; the draft goes where that was to go. */
export function withTakenBack(id: string, place: 'before' | 'after'): Change {
  return outbox => {
    const found = outbox.entries.find(each => each.id === id);
    return found === undefined ? outbox : withWords(found, place)(withoutEntry(id)(outbox));
  };
}

/** Puts a message into the composer. */
export function withWords({ text, attachments, target }: Message, place: 'before' | 'after'): Change {
  return inDraft(before => {
    const back = { text, attachments: attachments.map(({ uri }) => uri) };
    const parts = place === 'before' ? [back, before] : [before, back];
    return {
      text: parts.flatMap(part => part.text || []).join('\n\n'),
      attachments: [...new Set(parts.flatMap(part => part.attachments))],
      target,
      refused: undefined,
    };
  });
}

/** The states that are the person's to decide about. */
export const UNDECIDED: readonly Entry['state'][] = ['refused', 'unknown'];

/** What a person has to decide about; nothing queued goes out before. */
export function undecided({ draft: { refused }, entries }: OutboxRecord): readonly Entry[] {
  const open = entries.filter(({ state }) => UNDECIDED.includes(state));
  return refused === undefined ? open : [refused, ...open];
}

/** Texts one after another, without those that `text` or an earlier one holds. */
export function together(texts: readonly (string | undefined)[], text: string): string | undefined {
  const left: string[] = [];
  for (const each of texts)
    if (each !== undefined && ![text, ...left].some(other => other.includes(each))) left.push(each);
  return left.length === 0 ? undefined : left.join('\n\n');
}

/** What is missing in `text`, where that is `whole` without one piece. */
function missingIn(text: string, whole: string): string | undefined {
  const length = whole.length - text.length;
  let from = 0;
  while (from < text.length && text[from] === whole[from]) from++;
  const isRest = length > 0 && text.slice(from) === whole.slice(from + length);
  return isRest ? whole.slice(from, from + length) : undefined;
}

/** Most of `other` is still there in `text`, from its beginning and from its end, and nothing of it is missing. */
export function isVersion(text: string, other: string): boolean {
  const shorter = Math.min(text.length, other.length);
  let begin = 0;
  while (begin < shorter && text[begin] === other[begin]) begin++;
  let end = 0;
  while (begin + end < shorter && text.at(-1 - end) === other.at(-1 - end)) end++;
  let found = 0;
  for (let at = 0; at < text.length && found < other.length; at++) if (text[at] === other[found]) found++;
  return 2 * (begin + end) >= other.length && found === other.length;
}

/** What a draft keeps when its text is gone. */
function rest({ attachments, target: chosen }: Draft): Draft {
  return { ...EMPTY.draft, attachments, ...(chosen === undefined ? {} : { target: chosen }) };
}

function without(uris: readonly string[], { attachments }: Message): readonly string[] {
  return uris.filter(uri => !attachments.some(each => each.uri === uri));
}

function isSame<T extends object>(one: T, other: T): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Why a person's act on a message was not carried out: errors whose messages are sentences. */

export function isBusy(): Error {
  return new Error(vscode.l10n.t('The message before this one is still being sent.'));
}

/** It was recorded, but its window lost its turn before the request left. */
export function isQueued(): Error {
  return new Error(vscode.l10n.t('The message is queued. It will be sent when the agent is idle.'));
}

/** Another window was first with the composer. */
export function isChanged(): Error {
  return new Error(vscode.l10n.t('The text was changed in another window. Check it and send it again.'));
}

/** There is nothing left to decide about. */
export function isSettled(): Error {
  return new Error(vscode.l10n.t('This message has been dealt with meanwhile.'));
}
