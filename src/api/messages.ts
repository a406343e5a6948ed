import type { Blob } from 'node:buffer';
import type * as z from 'zod/mini';
import { decodeSingle } from './decode';
import { idQuery, idSegment, jsonBody } from './queries';
import { flag, lazily, list, number, open, optional, text, unknown } from './schema';
import { reportTo, v0Get, v0Post, type RequestOptions, type Service } from './service';
import type { GetOptions } from './sessions';

/**
 * A part of a message. `text` is the type that carries text (section 2.9); the fields of other types seen at services
 * (interface-notes, extras) are named but not interpreted.
 */
export type ContentItem = z.output<ReturnType<typeof contentSchema>>;

/** Section 2.9. Times are Unix ms. */
export type Message = z.output<ReturnType<typeof messageSchema>>;

/** Answer of section 4.7. */
export type SentMessage = z.output<ReturnType<typeof sentSchema>>;

const contentSchema = lazily(() =>
  open({
    type: text(),
    text: optional(text()),
    id: optional(text()),
    thinking: optional(unknown()),
    name: optional(unknown()),
    input: optional(unknown()),
    toolUseId: optional(unknown()),
    content: optional(unknown()),
    isError: optional(unknown()),
    source: optional(unknown()),
  }),
);

export const messageSchema = lazily(() =>
  open({
    id: text(),
    role: text(),
    content: list(contentSchema()),
    createdAt: number(),
    updatedAt: number(),
    parentId: optional(text()),
    visibility: optional(text()),
    providerAMessageId: optional(text()),
    providerAPhase: optional(text()),
    providerAEncryptedContent: optional(text()),
    providerAReasoningId: optional(text()),
    providerAReasoningSummary: optional(text()),
    providerBThoughtSignature: optional(text()),
    chatCompletionReasoningField: optional(text()),
    chatCompletionReasoningContent: optional(text()),
    isUserVisible: optional(flag()),
    isError: optional(flag()),
  }),
);

const sentSchema = lazily(() => open({ messageId: text(), status: text() }));

/** `data` is base64; `mediaType` such as `image/png`. */
export interface ImageAttachment {
  readonly type: 'base64';
  readonly data: string;
  readonly mediaType: string;
}

/** `data` is base64, `parsedData` the text of a text file, `path` relative to the workspace. */
export interface FileAttachment {
  readonly type: 'base64';
  readonly mediaType: string;
  readonly data: string;
  readonly parsedData?: string | undefined;
  readonly name?: string | undefined;
  readonly path?: string | undefined;
}

/** Body of section 4.7. */
export interface OutgoingMessage {
  readonly text: string;
  readonly images?: readonly ImageAttachment[] | undefined;
  readonly files?: readonly FileAttachment[] | undefined;
  /** Where to route; the session's own computer when left out. */
  readonly computerId?: string | undefined;
}

/** Sections 4.7 and 4.8. There is no call that lists messages. */
export class Messages {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /**
   * Sent once. Fails with kind `outcomeUnknown` when the message may have arrived all the same, and with another kind only
   * when it certainly did not.
   */
  async send(
    sessionId: string,
    message: OutgoingMessage,
    options: RequestOptions = {},
  ): Promise<SentMessage> {
    const { text: words, images, files, computerId } = message;
    idQuery('computerId', computerId);
    return this.sendBody(sessionId, jsonBody({ text: words, images, files, computerId }), options);
  }

  /** As `send`, with the body of section 4.7 as ready-made JSON. */
  async sendBody(
    sessionId: string,
    body: Uint8Array | Blob | string,
    { signal }: RequestOptions = {},
  ): Promise<SentMessage> {
    const { http, log } = this.#service;
    const path = `/sessions/${idSegment('sessionId', sessionId)}/messages`;
    return http.request(
      v0Post(this.#service, path, body),
      answer => decodeSingle(sentSchema(), answer, reportTo(log, 'Sent message')),
      signal,
    );
  }

  async get(sessionId: string, messageId: string, { computerId, signal }: GetOptions = {}): Promise<Message> {
    const { http } = this.#service;
    const path = `/sessions/${idSegment('sessionId', sessionId)}/messages/${idSegment('messageId', messageId)}`;
    const query = { computerId: idQuery('computerId', computerId) };
    return http.request(v0Get(this.#service, path, query), answer => this.#read(answer), signal);
  }

  /** What was said stays as it was said; only the fields around it are searched for secrets. */
  #read(answer: unknown): Message {
    const { redactor, log } = this.#service;
    const safe = redactor.redact(answer, { texts: false, except: CONTENT });
    return decodeSingle(messageSchema(), safe, reportTo(log, 'Message'));
  }
}

/** Where what was said stands; searched for secrets nowhere. */
export const CONTENT: ReadonlySet<string> = new Set(['content']);
