import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { Disposable } from '../../util/lifecycle';
import { oneLine } from '../../util/text';
import type { Entry } from '../outbox/record';
import { chipOf } from '../panel/panelState';
import {
  partsOfRow,
  partText,
  sendRow,
  type Chip,
  type GapRow,
  type MessageRow,
  type Part,
  type Row,
  type Splice,
} from '../protocol';
import {
  authorOf,
  inOrder,
  isShown,
  isToolResult,
  timeOf,
  type KnownMessage,
  type SentAttachment,
  type StoredItem,
} from './messages';
import { clipped, COMMENTARY, fileOf, messagesInWords, partsOf, toolId, toolsIn, type Tools } from './parts';

export interface RowsInput {
  readonly known: ReadonlyMap<string, KnownMessage>;
  readonly sends: readonly Entry[];
  /** `idle`, `pending`, `running`, another word of the service, or `unknown`. */
  readonly status?: string | undefined;
  /** When the service last said so, Unix ms. */
  readonly statusAt?: number | undefined;
  readonly webApp?: boolean;
  /** What the service counts; `undefined` when it was never asked. */
  readonly messageCount: number | undefined;
  /** Whether the ancestor walk is under way, and its failures in words, by id; of a list the service has, nothing. */
  readonly walk?: { readonly isOn: boolean; readonly failed: ReadonlyMap<string, string> } | undefined;
  readonly complete?: boolean;
  /** Why the list of messages could not be read. */
  readonly failure?: string | undefined;
}

/** The key of the row a message is in: the results of tools stand with their uses. */
export function rowKeyOf(known: RowsInput['known'], id: string): string {
  const message = known.get(id)?.message;
  const [use] =
    message !== undefined && isToolResult(message) ? message.content.flatMap(item => toolId(item) ?? []) : [];
  const isUse = (item: StoredItem): boolean => item.type === 'tool_use' && toolId(item) === use;
  const holder = [...known.values()].find(each => use !== undefined && each.message?.content.some(isUse));
  return `message:${holder?.id ?? id}`;
}

/** What the row of a message says, commentary too; of one that says nothing, all it holds. */
export function rowText(row: Row): string {
  const parts = partsOfRow(row);
  const said = parts.filter(
    part => part.kind === 'text' || (part.kind === 'fold' && part.icon === COMMENTARY),
  );
  const texts = (said.length > 0 ? said : parts).map(partText).filter(text => text.trim() !== '');
  const names = row.kind === 'message' ? row.chips.map(({ name }) => name) : [];
  return texts.join('\n\n') || names.join('\n');
}

/** Turns what is known of a session into the rows of its transcript. Rows that did not change stay the same objects. */
export class RowBuilder {
  readonly #whole: boolean;
  readonly #made = new Map<string, { readonly stamp: readonly unknown[]; readonly made: unknown }>();

  /** `whole`: texts are not cut to what a page takes. */
  constructor(whole = false) {
    this.#whole = whole;
  }

  /** The rows; with `last`, only those of so many messages at the end. */
  build(input: RowsInput, last = Infinity): Row[] {
    const ordered = inOrder(input.known);
    const rows: Row[] = [];
    const tools = toolsIn(ordered.flatMap(({ message }) => message ?? []));
    for (const entry of ordered.slice(Math.max(0, ordered.length - last))) {
      const broken = breakAbove(entry, input);
      if (broken !== undefined) rows.push(this.#gap(`break:${entry.id}`, broken));
      const row = isShown(entry) ? this.#message(entry, tools) : undefined;
      if (row !== undefined) rows.push(row);
    }
    const gap = gapOf(input, ordered);
    if (gap !== undefined) rows.push(this.#gap('gap', gap));
    for (const send of input.sends) {
      if (send.state === 'accepted' && input.known.has(send.messageId ?? '')) continue;
      rows.push(this.#send(send, (input.statusAt ?? 0) > send.at ? input.messageCount : undefined));
    }
    return rows;
  }

  #message(entry: KnownMessage, tools: Tools): MessageRow | undefined {
    const { id, message } = entry;
    const key = `message:${id}`;
    const ids = message?.content.flatMap(item => toolId(item) ?? []) ?? [];
    const stamp = [entry, ...ids.flatMap(each => [tools.results.get(each), tools.uses.has(each)])];
    return this.#same<MessageRow | undefined>(key, stamp, () => {
      const content = this.#content(entry, tools);
      if (content.parts.length === 0 && content.chips.length === 0) return undefined;
      const at = timeOf(entry);
      const phase = phaseOf(message?.providerAPhase);
      return {
        ...{ kind: 'message', key, id, author: authorOf(entry) },
        role: oneLine(message === undefined ? 'user' : (message.role ?? vscode.l10n.t('author unknown')), 40),
        ...(at === undefined ? {} : { at }),
        failed: message?.isError === true && message.role !== 'tool' && !isToolResult(message),
        ...(phase === undefined ? {} : { phase }),
        ...content,
        accepted: message === undefined,
      };
    });
  }

  /** What a message holds. A person's pictures and documents are shown as in the composer. */
  #content(entry: KnownMessage, tools: Tools): Content {
    const { message, sent } = entry;
    if (message === undefined) return this.#written(sent?.text, sent?.attachments);
    const parts = partsOf(message, tools, this.#whole);
    if (authorOf(entry) !== 'person') return { parts, chips: [] };
    return { parts: parts.filter(({ kind }) => kind !== 'file'), chips: this.#files(entry) };
  }

  /** The service shows only the bytes of pictures, in the order they were sent: from here they keep their names. */
  #files({ message, sent }: KnownMessage): readonly Chip[] {
    const files = (message?.content ?? []).flatMap((item, index): Chip[] => {
      if (message === undefined || (item.type !== 'image' && item.type !== 'document')) return [];
      const { name, mediaType, size, ...picture } = fileOf(message, item, index);
      const kind = item.type === 'image' ? 'image' : mediaType === 'application/pdf' ? 'pdf' : 'text';
      return [{ key: '', name, kind, size, title: name, ...picture }];
    });
    if (sent === undefined) return files;
    const attached = this.#chips(sent.attachments);
    const pictures = files.filter(({ kind }) => kind === 'image');
    if (attached.filter(({ kind }) => kind === 'image').length !== pictures.length) return files;
    return attached.map(chip => (chip.kind === 'image' ? { ...pictures.shift(), ...chip } : chip));
  }

  #gap(key: string, gap: Gap): Row {
    return this.#same(key, Object.values(gap), () => ({ kind: 'gap', key, ...gap }));
  }

  /** An accepted one stays as it was until the transcript has it, so that it is never out of sight. */
  #send(send: Entry, count: number | undefined): MessageRow {
    const { id, at, state, text, attachments } = send;
    return this.#same<MessageRow>(`send:${id}`, [send, count], () => ({
      ...sendRow(id, at),
      ...this.#written(text, attachments),
      ...(state === 'unknown' && { send: { state, sentence: unknownSentence(send, count) } }),
    }));
  }

  #written(text = '', attachments: readonly SentAttachment[] = []): Content {
    const parts: Part[] = text.trim() === '' ? [] : [{ kind: 'text', ...clipped(text, this.#whole) }];
    return { parts, chips: this.#chips(attachments) };
  }

  #chips(attachments: readonly SentAttachment[]): Chip[] {
    return attachments.map(each => chipOf(each, ''));
  }

  #same<R>(key: string, stamp: readonly unknown[], make: () => R): R {
    const before = this.#made.get(key);
    if (
      before?.stamp.length === stamp.length &&
      before.stamp.every((value, at) => Object.is(value, stamp[at]))
    )
      return before.made as R;
    const made = make();
    this.#made.set(key, { stamp, made });
    return made;
  }
}

type Content = Pick<MessageRow, 'parts' | 'chips'>;

/** The phase of a message in words; any word a service may use is shown as it is. */
function phaseOf(phase: string | undefined): string | undefined {
  if (phase === undefined || phase === 'commentary') return undefined;
  return phase === 'final_answer' ? vscode.l10n.t('Final answer') : oneLine(phase.replaceAll('_', ' '), 40);
}

/** What is known of a send without an answer, since which the session was found to have so many messages. */
function unknownSentence({ before, sentence = '' }: Entry, count: number | undefined): string {
  const now = messagesInWords(count ?? 0);
  const facts =
    count === undefined
      ? sentence
      : before === undefined
        ? vscode.l10n.t('The session has {0} now.', now)
        : vscode.l10n.t('The session has {0} now, {1} when last checked.', now, before.messageCount);
  return `${vscode.l10n.t('It is not known whether this message arrived.')} ${facts}`.trim();
}

type Gap = Omit<GapRow, 'kind' | 'key'>;

/** What is said above a message that names one before it which is not known: why the walk has not gone on, and whether it can. */
function breakAbove({ message }: KnownMessage, { known, walk }: RowsInput): Gap | undefined {
  const ask = message?.parentId;
  if (walk === undefined || ask === undefined || known.has(ask)) return undefined;
  const failed = walk.failed.get(ask);
  if (failed !== undefined)
    return { sentence: vscode.l10n.t('Earlier messages could not be read: {0}', failed), canRead: true };
  return walk.isOn
    ? { sentence: vscode.l10n.t('Reading earlier messages'), canRead: false }
    : { sentence: vscode.l10n.t('Earlier messages have not been read yet.'), canRead: true };
}

/**
 * What is said about messages of the session that are not known here, or of which none is for people. While the agent works that is
 * one quiet line; when it rests, and replies can only be reached from the next message, there is a reason, too.
 */
function gapOf(input: RowsInput, ordered: readonly KnownMessage[]): Gap | undefined {
  const { messageCount = 0, complete = false, failure, status = 'unknown', sends, webApp = false } = input;
  const missing = Math.max(0, messageCount - ordered.length);
  const isInternal = missing === 0 && !ordered.some(isShown);
  const count = isInternal ? ordered.length : missing;
  if (count === 0) return undefined;
  const last = ordered.at(-1);
  const messages = messagesInWords(count);
  if (last !== undefined && (complete || isInternal))
    return { sentence: vscode.l10n.t('The service does not show {0} of this session', messages) };
  if (ordered.some(entry => breakAbove(entry, input) !== undefined))
    return { sentence: vscode.l10n.t('{0} not read yet', messages) };
  if (failure !== undefined)
    return { sentence: vscode.l10n.t('{0} could not be read: {1}', messages, failure), canRead: true };
  const later = vscode.l10n.t('{0} cannot be read before your next message', messages);
  if (['running', 'pending', 'unknown'].includes(status) || sends.some(({ state }) => state === 'sending'))
    return { sentence: later };
  const answered = vscode.l10n.t('The agent has answered ({0}).', messages);
  const isAnswer = last !== undefined && (last.message === undefined || last.message.role === 'user');
  const reason = vscode.l10n.t('This service shows replies only after your next message.');
  return { sentence: isAnswer ? answered : later, reason, webApp };
}

/** Messages shown first, from the end; then so many more a step until the page has all: results of tools may be long. */
const FIRST = 100;
const STEP = 200;

/** Keeps the rows of a page true to a transcript, sending only what changed, the end of it first. */
export class RowFeed extends Disposable {
  readonly #rows = new RowBuilder();
  readonly #send: (splice: Splice) => void;
  #input: RowsInput | undefined;
  /** What the page holds, and whether that is all; `undefined` while there is none. */
  #sent: { readonly rows: readonly Row[]; readonly isWhole: boolean } | undefined;
  /** Messages from the end that the page has or is sent now. */
  #reach = 0;
  #filling = false;

  constructor(send: (splice: Splice) => void) {
    super();
    this.#send = send;
  }

  /** Shows these; a page that was built anew, or was away, is sent all of them. */
  show(input: RowsInput): void {
    this.#input = input;
    this.#sync(input);
    void this.#fill();
  }

  pause(): void {
    this.#sent = undefined;
    this.#reach = 0;
  }

  async #fill(): Promise<void> {
    if (this.#filling) return;
    this.#filling = true;
    for (;;) {
      await setImmediate();
      if (this.isDisposed || this.#sent === undefined || this.#input === undefined) break;
      if (this.#reach >= this.#input.known.size) break;
      this.#reach += STEP;
      this.#sync(this.#input);
    }
    this.#filling = false;
  }

  #sync(input: RowsInput): void {
    const before = this.#sent?.rows ?? [];
    this.#reach ||= FIRST;
    if (this.#reach >= input.known.size) this.#reach = Infinity;
    const rows = this.#rows.build(input, this.#reach);
    let from = 0;
    while (from < before.length && from < rows.length && before[from] === rows[from]) from++;
    let [end, last] = [rows.length, before.length];
    while (end > from && last > from && before[last - 1] === rows[end - 1]) [end, last] = [end - 1, last - 1];
    const isWhole = this.#reach === Infinity;
    const isNews = this.#sent?.isWhole !== isWhole || from < last || from < end;
    this.#sent = { rows, isWhole };
    if (isNews) this.#send({ from, remove: last - from, rows: rows.slice(from, end), isWhole });
  }
}
