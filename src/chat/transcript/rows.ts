import * as vscode from 'vscode';
import { setImmediate } from 'node:timers/promises';
import { isTime, type Formatter } from '../../util/format';
import { oneLine } from '../../util/text';
import { gapOf } from './gap';
import { isHidden, timeOf, type KnownMessage, type SentAttachment, type SentMessage } from './messages';
import { inOrder, isShown } from './model';
import type { Entry } from '../outbox/record';
import { clipper, isToolResult, partsOf, toolNames, toolUseIds, type ToolNames } from './parts';
import type { Chip, Cut, MessageRow, Part, Row, SendRow } from '../protocol';

/** Why the walk has not gone on before a message. */
export interface Break {
  readonly state: 'reading' | 'stopped' | 'failed';
  /** For a failed question. */
  readonly sentence?: string;
}

export interface RowsInput {
  readonly known: ReadonlyMap<string, KnownMessage>;
  readonly sends: readonly Entry[];
  /** `idle`, `pending`, `running`, another word of the service, or `unknown`. */
  readonly status?: string | undefined;
  /** There is a web application to open. */
  readonly webApp?: boolean;
  /** What the service counts; `undefined` when it was never asked. */
  readonly messageCount: number | undefined;
  /** By the id of the message above which something is missing. */
  readonly breaks: ReadonlyMap<string, Break>;
  /** All the service shows is known. */
  readonly complete?: boolean;
  /** The send whose text the composer holds again. */
  readonly inComposer: string | undefined;
  /** IANA name of the reader's zone. */
  readonly timeZone: string;
}

/** After this long the author is named again, ms. */
const SAME_BREATH = 10 * 60_000;
/** What was known of a session this long before a send says little about the time of the send, ms. */
const LOOK_IS_OLD = 5_000;
const ZONE_STEP = 15 * 60_000;

/** Others get their turn after so much work ahead, ms. */
const SLICE = 8;

/** A row and everything it was made from. */
interface Made {
  readonly stamp: readonly unknown[];
  readonly row: Row;
}

/** The blocks of a message, and the names of tools in them. */
interface MadeParts {
  readonly tools: readonly unknown[];
  readonly parts: readonly Part[];
}

/** The key of the row of a message. */
export function messageKey(id: string): string {
  return `message:${id}`;
}

/** Turns what is known of a session into the rows of its transcript. Rows that did not change stay the same objects. */
export class RowBuilder {
  readonly #format: Formatter;
  readonly #whole: boolean;
  #rows = new Map<string, Made>();
  #fresh = new Map<string, Made>();
  readonly #parts = new WeakMap<KnownMessage, MadeParts>();
  readonly #days = new Map<number, string>();
  #timeZone = '';
  #dayFormat: Intl.DateTimeFormat | undefined;

  /** `whole`: texts are not cut to what a page takes. */
  constructor(format: Formatter, whole = false) {
    this.#format = format;
    this.#whole = whole;
  }

  /** The row with this key by itself, of a message or a send that is shown. */
  one({ known, sends, inComposer }: RowsInput, key: string): MessageRow | SendRow | undefined {
    const [, kind, id = ''] = /^(message|send):(.*)$/s.exec(key) ?? [];
    const entry = kind === 'message' ? known.get(id) : undefined;
    const send = kind === 'send' ? sends.find(send => send.id === id) : undefined;
    this.#fresh = new Map();
    if (send !== undefined) return this.#send(send, shownState(send), inComposer === id);
    if (entry === undefined || !isShown(entry)) return undefined;
    return this.#message(
      entry,
      toolNames([...known.values()].flatMap(({ message }) => message ?? [])),
      undefined,
    );
  }

  /** The rows; with `last`, only those of so many messages at the end. */
  build(input: RowsInput, last = Infinity): Row[] {
    if (input.timeZone !== this.#timeZone) {
      this.#days.clear();
      this.#dayFormat = undefined;
    }
    this.#timeZone = input.timeZone;
    this.#fresh = new Map();
    const ordered = inOrder(input.known);
    const rows = last < ordered.length ? [] : this.#internal(ordered);
    const names = toolNames(ordered.flatMap(entry => entry.message ?? []));
    let day = '';
    let previous: MessageRow | undefined;
    for (const entry of ordered.slice(Math.max(0, ordered.length - last))) {
      const broken = input.breaks.get(entry.id);
      if (broken !== undefined) {
        rows.push(this.#break(entry.id, broken));
        previous = undefined;
      }
      if (!isShown(entry)) continue;
      const row = this.#message(entry, names, previous);
      if (row.parts.length === 0 && row.chips.length === 0) continue;
      const { at } = row;
      if (at !== undefined && this.#day(at) !== day) {
        day = this.#day(at);
        const key = `date:${row.id}`;
        rows.push(this.#same(key, [at], () => ({ kind: 'date', key, at })));
        previous = undefined;
      }
      const placed = previous === undefined && row.continued ? this.#message(entry, names, undefined) : row;
      rows.push(placed);
      previous = placed;
    }
    const gap = gapOf(input, ordered, this.#format);
    if (gap !== undefined) {
      rows.push(this.#same('gap', Object.values(gap), () => ({ kind: 'gap', key: 'gap', ...gap })));
    }
    const known = new Set(ordered.map(entry => entry.id));
    for (const send of input.sends) {
      if (send.state === 'accepted' && known.has(send.messageId ?? '')) continue;
      rows.push(this.#send(send, shownState(send), input.inComposer === send.id));
    }
    this.#rows = this.#fresh;
    return rows;
  }

  /** Does what takes long of a long transcript, a little at a time; resolves when `build` is quick, or at once when not wanted any more. */
  async prepare(known: RowsInput['known'], isWanted: () => boolean): Promise<void> {
    const ordered = inOrder(known);
    const names = toolNames(ordered.flatMap(entry => entry.message ?? []));
    let began = performance.now();
    for (const entry of ordered.reverse()) {
      if (performance.now() - began > SLICE) {
        await setImmediate();
        if (!isWanted()) return;
        began = performance.now();
      }
      if (isShown(entry)) this.#partsOf(entry, names, toolsOf(entry, names));
    }
  }

  #message(entry: KnownMessage, names: ToolNames, previous: MessageRow | undefined): MessageRow {
    const { id, message, sent } = entry;
    const at = timeOf(entry);
    const role = message === undefined ? 'user' : (message.role ?? vscode.l10n.t('author not known'));
    const author = authorOf(entry);
    const phase = phaseOf(message?.providerAPhase);
    const continued =
      previous !== undefined &&
      previous.author === author &&
      author !== 'person' &&
      (phase === undefined || phase === previous.phase) &&
      (at ?? NaN) - (previous.at ?? NaN) < SAME_BREATH;
    const tools = toolsOf(entry, names);
    return this.#same(messageKey(id), [entry, continued, ...tools], () => {
      const parts = this.#partsOf(entry, names, tools);
      const showsFiles = parts.some(part => part.kind === 'image' || part.kind === 'document');
      return {
        kind: 'message',
        key: messageKey(id),
        id,
        author,
        role: oneLine(role, 40),
        ...(at === undefined ? {} : { at }),
        continued,
        failed: message?.isError === true && message.role !== 'tool' && !isToolResult(message),
        ...(phase === undefined ? {} : { phase }),
        parts,
        chips: showsFiles ? [] : (sent?.attachments ?? []).map(attachment => this.#chip(attachment)),
        accepted: message === undefined,
      };
    });
  }

  #partsOf(entry: KnownMessage, names: ToolNames, tools: readonly unknown[]): readonly Part[] {
    const before = this.#parts.get(entry);
    if (before !== undefined && isSame(before.tools, tools)) return before.parts;
    const { message, sent } = entry;
    const all: readonly Part[] =
      message === undefined
        ? [{ kind: 'text', ...this.#clip(sent?.text ?? '') }]
        : partsOf(message, names, this.#format, this.#whole);
    const parts = this.#named(all, sent).filter(
      part => part.kind !== 'text' || part.text.trim() !== '' || 'cut' in part,
    );
    this.#parts.set(entry, { tools, parts });
    return parts;
  }

  /** Pictures sent from here keep their names: the service shows only their bytes, in the order they were sent. */
  #named(parts: readonly Part[], sent: SentMessage | undefined): readonly Part[] {
    const pictures = (sent?.attachments ?? []).filter(({ kind }) => kind === 'image');
    if (pictures.length !== parts.filter(({ kind }) => kind === 'image').length) return parts;
    let next = 0;
    return parts.map(part => {
      const picture = part.kind === 'image' ? pictures[next++] : undefined;
      if (picture === undefined || part.kind !== 'image') return part;
      return { ...part, label: `${oneLine(picture.name, 100)} · ${this.#format.bytes(picture.size)}` };
    });
  }

  #break(below: string, { state, sentence }: Break): Row {
    const words =
      state === 'reading'
        ? vscode.l10n.t('Reading earlier messages')
        : state === 'stopped'
          ? vscode.l10n.t('Earlier messages have not been read yet.')
          : (sentence ?? vscode.l10n.t('Earlier messages could not be read.'));
    const key = `break:${below}`;
    return this.#same(key, [state, words], () => ({ kind: 'break', key, state, sentence: words }));
  }

  /** Says that there are messages for the model alone, and nothing else of them. */
  #internal(known: readonly KnownMessage[]): Row[] {
    const count = known.filter(({ message }) => message !== undefined && isHidden(message)).length;
    if (count === 0) return [];
    const sentence =
      count === 1
        ? vscode.l10n.t('1 internal message')
        : vscode.l10n.t('{0} internal messages', this.#format.number(count));
    return [this.#same('internal', [sentence], () => ({ kind: 'gap', key: 'internal', sentence }))];
  }

  #clip(text: string): Cut & { readonly text: string } {
    return clipper(this.#format, this.#whole)(text);
  }

  #send(send: Entry, state: SendRow['state'], inComposer: boolean): SendRow {
    const key = `send:${send.id}`;
    return this.#same<SendRow>(key, [send, inComposer], () => ({
      kind: 'send',
      key,
      sendId: send.id,
      state,
      at: send.at,
      ...this.#clip(send.text),
      chips: send.attachments.map(attachment => this.#chip(attachment)),
      sentence:
        state === 'unknown' ? unknownSentence(send) : state === 'refused' ? (send.sentence ?? '') : '',
      inComposer,
    }));
  }

  #chip(attachment: SentAttachment): Chip {
    const name = oneLine(attachment.name, 100);
    return { key: '', name, kind: attachment.kind, size: this.#format.bytes(attachment.size), title: name };
  }

  #day(at: number): string {
    if (!isTime(at)) return '';
    const step = Math.floor(at / ZONE_STEP);
    let day = this.#days.get(step);
    if (day === undefined) {
      this.#dayFormat ??= new Intl.DateTimeFormat('en-CA', { timeZone: this.#timeZone, dateStyle: 'short' });
      day = this.#dayFormat.format(at);
      this.#days.set(step, day);
    }
    return day;
  }

  #same<R extends Row>(key: string, stamp: readonly unknown[], make: () => R): R {
    const before = this.#rows.get(key) ?? this.#fresh.get(key);
    const row = before !== undefined && isSame(before.stamp, stamp) ? (before.row as R) : make();
    this.#fresh.set(key, { stamp, row });
    return row;
  }
}

/** An accepted one stays as it was until the transcript has it, so that it is never out of sight. */
function shownState({ state }: Entry): SendRow['state'] {
  return state === 'refused' || state === 'unknown' ? state : 'sending';
}

function isSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((value, index) => Object.is(value, now[index]));
}

/** The names of the tools whose results a message holds. */
function toolsOf({ message }: KnownMessage, names: ToolNames): readonly unknown[] {
  return message === undefined ? [] : toolUseIds(message).map(use => names.get(use));
}

function authorOf({ message }: KnownMessage): MessageRow['author'] {
  if (message === undefined) return 'person';
  switch (message.role) {
    case 'user':
      return isToolResult(message) ? 'agent' : 'person';
    case 'assistant':
    case 'tool':
      return 'agent';
    default:
      return 'other';
  }
}

/** The phase of a message in words; any word a service may use is shown as it is. */
function phaseOf(phase: string | undefined): string | undefined {
  if (phase === undefined || phase === 'commentary') return undefined;
  return phase === 'final_answer' ? vscode.l10n.t('Final answer') : oneLine(phase.replaceAll('_', ' '), 40);
}

/** What is known of a send without an answer. */
export function unknownSentence({ before, after, sentence, at }: Entry): string {
  const isOld = before?.at !== undefined && at - before.at > LOOK_IS_OLD;
  let facts = sentence ?? '';
  const count = after?.messageCount ?? 0;
  const now = count === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', count);
  if (before !== undefined && after !== undefined) {
    facts =
      before.working === true
        ? vscode.l10n.t(
            'The session has {0} now, {1} when last checked; the agent was working meanwhile.',
            now,
            before.messageCount,
          )
        : isOld
          ? vscode.l10n.t('The session has {0} now, {1} when last checked before.', now, before.messageCount)
          : vscode.l10n.t('The session has {0} now, {1} before.', now, before.messageCount);
  } else if (after !== undefined) {
    facts = vscode.l10n.t('The session has {0} now.', now);
  }
  return [vscode.l10n.t('It is not known whether this message arrived.'), facts]
    .filter(part => part !== '')
    .join(' ');
}
