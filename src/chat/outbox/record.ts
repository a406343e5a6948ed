import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { openObject, recordSchema, type RecordOf } from '../../api/records';
import type { CollectionOptions } from '../../storage';
import { sentAttachment } from '../transcript/messages';

/** A file that goes with a message, from when it is attached; its bytes are read again when it is sent. Size in bytes. */
const attachment = () =>
  openObject({
    ...sentAttachment(),
    uri: z.string(),
    /** Where it belongs in the workspace, if its address does not say that. */
    path: z.optional(z.string()),
    /** Why it cannot be sent, for a person. */
    problem: z.optional(z.string()),
    /** A picture that could be sent if it were smaller. */
    shrinkable: z.optional(z.boolean()),
  });

/** What is written: the composer's, and a message's. */
const written = () => ({
  text: z.string(),
  attachments: z.array(attachment()),
  /** A computer chosen for it instead of the session's own. */
  target: z.optional(openObject({ computerId: z.string(), name: z.string() })),
});

/** What a person has written for one session, until the transcript has it. */
const outbox = () =>
  openObject({
    /** `problem`: why what came back into the composer was not sent. */
    draft: openObject({ ...written(), problem: z.optional(z.string()) }),
    /**
     * The messages that have left the composer (interface-notes 4), in the order they go out. One is recorded as `sending` before
     * its request leaves, and never becomes `queued` again once it may have left; `unknown` is for the person to decide about;
     * `accepted` waits until the transcript can take it. One that is refused is in the draft again.
     */
    entries: z.array(
      openObject({
        id: z.string(),
        ...written(),
        state: z.enum(['queued', 'sending', 'accepted', 'unknown']),
        /** When it was queued or sent, or its answer failed to come, Unix ms. */
        at: z.number(),
        /** Of the one try to send it. */
        lease: z.optional(z.string()),
        /** Why it waits for the person or is unknown, for them. */
        sentence: z.optional(z.string()),
        /** What the service had said of the session before; `updatedAt` by its clock. */
        before: z.optional(openObject({ messageCount: z.number(), updatedAt: z.number() })),
        messageId: z.optional(z.string()),
      }),
    ),
    /** The latest writes: whoever could not see one end finds out here whether it happened. */
    writes: z.array(z.string()),
  });

const schema = recordSchema(outbox);
export type OutboxRecord = RecordOf<typeof schema>;
export type Draft = OutboxRecord['draft'];
export type Entry = OutboxRecord['entries'][number];
export type Attachment = Entry['attachments'][number];
/** A message as it is sent. */
export type Message = Pick<Entry, 'text' | 'attachments' | 'target'>;
/** Returns what it was given where there is nothing to change. */
export type Change = (outbox: OutboxRecord) => OutboxRecord;

export const EMPTY: OutboxRecord = { draft: { text: '', attachments: [] }, entries: [], writes: [] };

export const outboxRecords = (serviceId: string): CollectionOptions<OutboxRecord> => ({
  path: `services/${serviceId}/outbox`,
  version: 2,
  schema,
  migrate: fromFirst,
});

/** Version 1 had files of the draft by their addresses, a second text behind it, and refused messages as entries. */
interface First {
  readonly draft: Pick<Draft, 'text'> & {
    readonly attachments: readonly string[];
    readonly stash?: string;
    readonly refused?: Pick<Entry, 'sentence'>;
  };
  readonly entries: readonly { readonly state: string }[];
}

function fromFirst(value: unknown): unknown {
  const { draft, entries } = value as First;
  const { stash = '', refused, attachments: uris, ...rest } = draft;
  const attachments = uris.map(uri => ({ uri, name: uri.split('/').at(-1) ?? uri, kind: 'text', size: 0 }));
  return {
    draft: { ...rest, attachments, text: joined(draft.text, stash), problem: refused?.sentence },
    entries: entries.map(each => (each.state === 'refused' ? { ...each, state: 'queued' } : each)),
    writes: [],
  };
}

export function inDraft(change: (draft: Draft) => Partial<Draft>): Change {
  return outbox => {
    const after = { ...outbox.draft, ...change(outbox.draft) };
    // Lines end as the page shows them.
    after.text = after.text.replaceAll(/\r\n?/g, '\n');
    return isSame(after, outbox.draft) ? outbox : { ...outbox, draft: after };
  };
}

/** Changes one entry, while it is in one of these states. */
export function inEntry(id: string, states: readonly Entry['state'][], change: Partial<Entry>): Change {
  return outbox => {
    const found = outbox.entries.find(each => each.id === id && states.includes(each.state));
    if (found === undefined) return outbox;
    const after = { ...found, ...change };
    if (isSame(after, found)) return outbox;
    return { ...outbox, entries: outbox.entries.map(each => (each === found ? after : each)) };
  };
}

/** All that is queued waits for the person, who stopped the agent, or no longer, but for `others`. Other reasons stay. */
export function withQueueHeld(isHeld: boolean, others: readonly string[] = []): Change {
  const stopped = vscode.l10n.t('You stopped the agent. Take this message back to send it.');
  const [from, sentence] = isHeld ? [undefined, stopped] : [stopped, undefined];
  return outbox =>
    outbox.entries
      .filter(each => each.sentence === from && !others.includes(each.id))
      .reduce((after, { id }) => inEntry(id, ['queued'], { sentence })(after), outbox);
}

/** The first message that waits, unless that is for the person. */
export function nextOf({ draft, entries }: OutboxRecord): Entry | undefined {
  const waits = draft.problem !== undefined || entries.some(({ state }) => state === 'unknown');
  const first = entries.find(({ state }) => state !== 'accepted');
  return !waits && first?.state === 'queued' && first.sentence === undefined ? first : undefined;
}

/** The first of the queue becomes `sending`, where it still is that and nothing waits for the person. */
export function withNext(entry: Entry): Change {
  return outbox => (nextOf(outbox)?.id === entry.id ? inEntry(entry.id, ['queued'], entry)(outbox) : outbox);
}

/** A text in the place of what the page showed. */
export interface Edit {
  readonly over: string;
  readonly text: string;
}

/** Replaces the composer's text. What the page did not show came meanwhile and stays. */
export function withText({ over, text }: Edit): Change {
  return inDraft(({ text: before, problem }) => {
    const after = merged(before, over, text);
    return { text: after, problem: after === '' ? undefined : problem };
  });
}

/** Puts a message of the composer, which showed `shown`, among the entries, unless the composer holds something else. */
export function withTaken(message: Entry, shown: string): Change {
  return outbox => {
    const { text, attachments, target } = outbox.draft;
    if (text !== shown || outbox.entries.some(({ id }) => id === message.id)) return outbox;
    const sent = message.attachments.map(({ uri }) => uri);
    const left = attachments.filter(({ uri }) => !sent.includes(uri));
    const draft = { text: message.text === shown ? '' : shown, attachments: left, target };
    return { ...outbox, draft, entries: [...outbox.entries, message] };
  };
}

export function withAdded(message: Entry): Change {
  return outbox => ({ ...outbox, entries: [...outbox.entries, message] });
}

export function withoutEntry(id: string): Change {
  return outbox => {
    const entries = outbox.entries.filter(each => each.id !== id);
    return entries.length === outbox.entries.length ? outbox : { ...outbox, entries };
  };
}

/** Moves an entry into the composer, with the reason where it was refused. */
export function withTakenBack(id: string, problem?: string): Change {
  return outbox => {
    const found = outbox.entries.find(each => each.id === id);
    return found === undefined ? outbox : withWords(found, problem)(withoutEntry(id)(outbox));
  };
}

/** Puts a message into the composer, behind what is written there; all of it goes where that was to go. */
export function withWords({ text, attachments, target }: Message, problem?: string): Change {
  return inDraft(before => {
    const added = attachments.filter(({ uri }) => !before.attachments.some(each => each.uri === uri));
    return {
      text: joined(before.text, text),
      attachments: [...before.attachments, ...added],
      target,
      problem: problem ?? before.problem,
    };
  });
}

export function joined(...texts: readonly string[]): string {
  return texts.filter(text => text !== '').join('\n\n');
}

/**
 * The draft `before` with what made `text` out of `over`. Where that left the composer or was changed elsewhere meanwhile, the words
 * that were added to it come behind what is there now.
 */
function merged(before: string, over: string, text: string): string {
  if (before === over || before === text) return text;
  if (over !== '' && before.startsWith(`${over}\n\n`)) return joined(text, before.slice(over.length + 2));
  if (over !== '' && before.endsWith(`\n\n${over}`)) return joined(before.slice(0, -over.length - 2), text);
  return joined(before, addedWords(over, text));
}

/** The words of `text` that are not in `over`, which it was made from in one place. */
function addedWords(over: string, text: string): string {
  const shorter = Math.min(over.length, text.length);
  let from = 0;
  while (from < shorter && text[from] === over[from]) from++;
  let rest = 0;
  while (from + rest < shorter && text.at(-1 - rest) === over.at(-1 - rest)) rest++;
  let to = text.length - rest;
  const isSpace = (at: number): boolean => /^\s*$/.test(text.charAt(at));
  while (from < to && isSpace(from)) from++;
  while (from < to && isSpace(to - 1)) to--;
  if (from === to) return '';
  while (!isSpace(from - 1)) from--;
  while (!isSpace(to)) to++;
  return text.slice(from, to);
}

function isSame<T extends object>(one: T, other: T): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
