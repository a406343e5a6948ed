import * as vscode from 'vscode';
import type { Formatter } from '../../util/format';
import { oneLine } from '../../util/text';
import type { Entry } from '../outbox/record';
import {
  partsOfRow,
  partText,
  type Chip,
  type GapRow,
  type MessageRow,
  type Part,
  type Row,
} from '../protocol';
import { gapOf } from './gap';
import { timeOf, type KnownMessage, type SentAttachment, type StoredItem } from './messages';
import { inOrder, isShown } from './model';
import { clipped, COMMENTARY, fileOf, partsOf, pictureOf } from './parts';
import { isToolResult, toolId, toolsIn, type Tools } from './tools';

/** Why the walk has not gone on before a message, in words, and whether it can. */
export type Break = Required<Pick<GapRow, 'sentence' | 'canRead'>>;

export interface RowsInput {
  readonly known: ReadonlyMap<string, KnownMessage>;
  readonly sends: readonly Entry[];
  /** `idle`, `pending`, `running`, another word of the service, or `unknown`. */
  readonly status?: string | undefined;
  /** When the service last said so, Unix ms. */
  readonly statusAt?: number | undefined;
  /** There is a web application to open. */
  readonly webApp?: boolean;
  /** What the service counts; `undefined` when it was never asked. */
  readonly messageCount: number | undefined;
  /** By the id of the message above which something is missing. */
  readonly breaks: ReadonlyMap<string, Break>;
  /** All the service shows is known. */
  readonly complete?: boolean;
}

/** After this long the author is named again, ms. */
const SAME_BREATH = 10 * 60_000;

function messageKey(id: string): string {
  return `message:${id}`;
}

/** The key of the row a message is in: the results of tools stand with their uses. */
export function rowKeyOf(known: RowsInput['known'], id: string): string {
  const message = known.get(id)?.message;
  const [use] =
    message !== undefined && isToolResult(message) ? message.content.flatMap(item => toolId(item) ?? []) : [];
  const isUse = (item: StoredItem): boolean => item.type === 'tool_use' && toolId(item) === use;
  const holder = [...known.values()].find(each => use !== undefined && each.message?.content.some(isUse));
  return messageKey(holder?.id ?? id);
}

/** What the row of a message says, commentary too; of one that says nothing, all it holds. */
export function rowText(row: Row): string {
  const parts = partsOfRow(row);
  const said = parts.filter(
    part => part.kind === 'text' || (part.kind === 'fold' && part.icon === COMMENTARY),
  );
  const texts = (said.length > 0 ? said : parts).map(partText);
  return texts.filter(text => text.trim() !== '').join('\n\n');
}

/** Turns what is known of a session into the rows of its transcript. Rows that did not change stay the same objects. */
export class RowBuilder {
  readonly #format: Formatter;
  readonly #whole: boolean;
  readonly #made = new Map<string, { readonly stamp: readonly unknown[]; readonly made: unknown }>();

  /** `whole`: texts are not cut to what a page takes. */
  constructor(format: Formatter, whole = false) {
    this.#format = format;
    this.#whole = whole;
  }

  /** The rows; with `last`, only those of so many messages at the end. */
  build(input: RowsInput, last = Infinity): Row[] {
    const ordered = inOrder(input.known);
    const rows: Row[] = [];
    const tools = toolsIn(ordered.flatMap(({ message }) => message ?? []));
    let previous: MessageRow | undefined;
    for (const entry of ordered.slice(Math.max(0, ordered.length - last))) {
      const broken = input.breaks.get(entry.id);
      if (broken !== undefined) {
        rows.push(this.#gap(`break:${entry.id}`, broken));
        previous = undefined;
      }
      if (!isShown(entry)) continue;
      const content = this.#content(entry, tools);
      if (content.parts.length === 0 && content.chips.length === 0) continue;
      previous = this.#message(entry, content, previous);
      rows.push(previous);
    }
    const gap = gapOf(input, ordered, this.#format);
    if (gap !== undefined) rows.push(this.#gap('gap', gap));
    for (const send of input.sends) {
      if (send.state === 'accepted' && input.known.has(send.messageId ?? '')) continue;
      rows.push(this.#send(send, (input.statusAt ?? 0) > send.at ? input.messageCount : undefined));
    }
    return rows;
  }

  #message(entry: KnownMessage, content: Content, previous: MessageRow | undefined): MessageRow {
    const { id, message } = entry;
    const at = timeOf(entry);
    const author = authorOf(entry);
    const phase = phaseOf(message?.providerAPhase);
    const continued =
      previous !== undefined &&
      previous.author === author &&
      author !== 'person' &&
      (phase === undefined || phase === previous.phase) &&
      (at ?? NaN) - (previous.at ?? NaN) < SAME_BREATH;
    const key = messageKey(id);
    return this.#same<MessageRow>(key, [content, continued], () => ({
      kind: 'message',
      key,
      id,
      author,
      role: oneLine(message === undefined ? 'user' : (message.role ?? vscode.l10n.t('author unknown')), 40),
      ...(at === undefined ? {} : { at }),
      continued,
      failed: message?.isError === true && message.role !== 'tool' && !isToolResult(message),
      ...(phase === undefined ? {} : { phase }),
      ...content,
      accepted: message === undefined,
    }));
  }

  /** What a message holds. A person's pictures and documents are shown as in the composer. */
  #content(entry: KnownMessage, tools: Tools): Content {
    const { id, message, sent } = entry;
    const ids = message?.content.flatMap(item => toolId(item) ?? []) ?? [];
    const stamp = [entry, ...ids.flatMap(each => [tools.results.get(each), tools.uses.has(each)])];
    return this.#same(`content:${id}`, stamp, () => {
      if (message === undefined) return this.#written(sent?.text, sent?.attachments);
      const parts = partsOf(message, tools, this.#format, this.#whole);
      if (authorOf(entry) !== 'person') return { parts, chips: [] };
      return { parts: parts.filter(({ kind }) => kind !== 'file'), chips: this.#files(entry) };
    });
  }

  /** The service shows only the bytes of pictures, in the order they were sent: from here they keep their names. */
  #files({ message, sent }: KnownMessage): readonly Chip[] {
    const files = (message?.content ?? []).flatMap((item, index): Chip[] => {
      if (item.type !== 'image' && item.type !== 'document') return [];
      const isImage = item.type === 'image';
      const what = isImage ? vscode.l10n.t('Image') : vscode.l10n.t('Document');
      const { name, mediaType = '', size = '' } = fileOf(item, what, this.#format);
      const kind = isImage ? 'image' : mediaType === 'application/pdf' ? 'pdf' : 'text';
      const picture = pictureOf(item) === undefined ? {} : { index };
      return [{ key: '', name, kind, size, title: name, ...picture }];
    });
    if (sent === undefined) return files;
    const attached = this.#chips(sent.attachments);
    const pictures = files.filter(({ kind }) => kind === 'image');
    if (attached.filter(({ kind }) => kind === 'image').length !== pictures.length) return files;
    return attached.map(chip => (chip.kind === 'image' ? { ...pictures.shift(), ...chip } : chip));
  }

  #gap(key: string, gap: Omit<GapRow, 'kind' | 'key'>): Row {
    return this.#same(key, Object.values(gap), () => ({ kind: 'gap', key, ...gap }));
  }

  /** An accepted one stays as it was until the transcript has it, so that it is never out of sight. */
  #send(send: Entry, count: number | undefined): MessageRow {
    const { id, at } = send;
    const key = `send:${id}`;
    const state = send.state === 'unknown' ? send.state : 'sending';
    return this.#same<MessageRow>(key, [send, count], () => ({
      ...{ kind: 'message', key, id, author: 'person', role: 'user', at },
      ...{ continued: false, failed: false, accepted: false },
      ...this.#written(send.text, send.attachments),
      send: { state, sentence: state === 'unknown' ? unknownSentence(send, count) : '' },
    }));
  }

  /** What was written here. */
  #written(text = '', attachments: readonly SentAttachment[] = []): Content {
    const parts: Part[] =
      text.trim() === '' ? [] : [{ kind: 'text', ...clipped(text, this.#format, this.#whole) }];
    return { parts, chips: this.#chips(attachments) };
  }

  #chips(attachments: readonly SentAttachment[]): Chip[] {
    return attachments.map(({ name: foreign, kind, size }) => {
      const name = oneLine(foreign, 100);
      return { key: '', name, kind, size: this.#format.bytes(size), title: name };
    });
  }

  /** What was made before from the same. */
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

function authorOf({ message }: KnownMessage): MessageRow['author'] {
  switch (message?.role ?? (message === undefined ? 'user' : undefined)) {
    case 'user':
      return message !== undefined && isToolResult(message) ? 'agent' : 'person';
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

/** What is known of a send without an answer, since which the session was found to have so many messages. */
function unknownSentence({ before, sentence = '' }: Entry, count: number | undefined): string {
  const now = count === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', count ?? '');
  const facts =
    count === undefined
      ? sentence
      : before === undefined
        ? vscode.l10n.t('The session has {0} now.', now)
        : vscode.l10n.t('The session has {0} now, {1} when last checked.', now, before.messageCount);
  return `${vscode.l10n.t('It is not known whether this message arrived.')} ${facts}`.trim();
}
