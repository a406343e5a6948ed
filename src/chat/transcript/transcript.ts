import { isDeepStrictEqual } from 'node:util';
import type { Collection, CollectionOptions, SearchText, Storage } from '../../storage';
import type { Event } from '../../util/lifecycle';
import {
  authorOf,
  inOrder,
  isHidden,
  isShown,
  knownMessageSchema,
  merged,
  timeOf,
  type KnownMessage,
  type SentMessage,
  type StoredMessage,
} from './messages';
import { partText, type Part } from '../protocol';
import { partsOf, toolsIn } from './parts';

/** How the messages of a session are kept, and what they are found by: all a person may see of them. */
export function transcriptRecords(serviceId: string, sessionId: string): CollectionOptions<KnownMessage> {
  const path = `services/${serviceId}/transcripts/${sessionId}`;
  return { path, version: 1, schema: knownMessageSchema, text: searchText };
}

function searchText(known: KnownMessage): SearchText | undefined {
  const { message, sent } = known;
  if (message !== undefined && isHidden(message)) return undefined;
  const said = message === undefined ? [] : partsOf(message, toolsIn([message]), true).map(partText);
  const files = sent?.attachments.map(({ name }) => name) ?? [];
  const text = [...(message === undefined ? [sent?.text ?? ''] : said), ...files].join('\n').trim();
  return text === '' ? undefined : { text, at: timeOf(known), by: BY[authorOf(known)] };
}

const BY = { person: 'me', agent: 'agent', other: undefined } as const;

/**
 * What other programs are told of the stored messages of a session: those a person may see, in reading order, each text made when it is
 * asked for, and how many are known with the others. A record that cannot be read is not known.
 */
export function publicMessages(records: readonly unknown[]) {
  const known = new Map<string, KnownMessage>();
  for (const record of records) {
    try {
      const entry = knownMessageSchema.parse(record);
      known.set(entry.id, entry);
    } catch {
      continue;
    }
  }
  const tools = toolsIn([...known.values()].flatMap(({ message }) => message ?? []));
  const messages = inOrder(known)
    .filter(isShown)
    .map(entry => {
      const { id, message, sent } = entry;
      const said = (): readonly string[] =>
        message === undefined ? [sent?.text ?? ''] : partsOf(message, tools, true).map(wordsOfPart);
      return { id, by: BY[authorOf(entry)], at: timeOf(entry), text: () => said().join('\n\n') };
    });
  return { messages, known: known.size };
}

/** What is folded away in the chat has its heading in brackets. */
function wordsOfPart(part: Part): string {
  return part.kind === 'fold' ? [`[${part.label.join('')}]`, ...part.texts].join('\n') : partText(part);
}

/** The known messages of one session, durable, shared by all windows. No id is ever lost. */
export class Transcript {
  readonly #messages: Collection<KnownMessage>;
  readonly onDidChange: Event<unknown>;

  constructor(storage: Storage, serviceId: string, sessionId: string) {
    this.#messages = storage.collection(transcriptRecords(serviceId, sessionId));
    this.onDidChange = this.#messages.onDidChange;
  }

  get known(): ReadonlyMap<string, KnownMessage> {
    return this.#messages.values;
  }

  hasSent(sendId: string): boolean {
    return [...this.known.values()].some(({ sent }) => sent?.sendId === sendId);
  }

  async load(): Promise<void> {
    await this.#messages.load();
  }

  forget(): void {
    this.#messages.forget();
  }

  async keep(messages: readonly StoredMessage[]): Promise<void> {
    await Promise.all(messages.map(message => this.#add({ id: message.id, message })));
  }

  /** Keeps the id of an accepted message at once, with what was sent. `at` is moved after everything known. */
  keepSent(messageId: string, sent: SentMessage): Promise<void> {
    let latest = 0;
    for (const entry of this.known.values()) latest = Math.max(latest, timeOf(entry) ?? 0);
    return this.#add({ id: messageId, sent: { ...sent, at: Math.max(sent.at, latest + 1) } });
  }

  async #add(entry: KnownMessage): Promise<void> {
    await this.#messages.update(entry.id, before => {
      const after = merged(before, entry);
      return isDeepStrictEqual(before, after) ? before : after;
    });
  }
}
