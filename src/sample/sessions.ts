import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { advance, ask, emptySession, stateAt, type ContentItem, type SessionState } from './records';
import { plan } from './script';

/** What is kept: when something happened first, and the sessions. */
export const sampleRecord = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('first'), at: z.number() }),
  z.object({ kind: z.literal('session'), state: z.custom<SessionState>(isState) }),
]);
export type SampleRecord = z.output<typeof sampleRecord>;

function isState(value: unknown): boolean {
  const { sessionId, messages, steps } = (value ?? {}) as Partial<Record<keyof SessionState, unknown>>;
  return typeof sessionId === 'string' && Array.isArray(messages) && Array.isArray(steps);
}

/** Where the state of the sample is kept, shared by all windows; a collection of the store is one. */
export interface SampleRecords {
  /** Reads everything once; later calls answer at once. */
  load(): Promise<unknown>;
  readonly values: ReadonlyMap<string, SampleRecord>;
  /** Changes the newest value, again if another window wrote in between; the value it was given writes nothing. */
  update(
    id: string,
    change: (current: SampleRecord | undefined) => SampleRecord | undefined,
  ): Promise<SampleRecord | undefined>;
}

export interface GivenMessage {
  readonly text: string;
  readonly images?: readonly { readonly mediaType: string; readonly data: string }[];
  readonly files?: readonly {
    readonly mediaType: string;
    readonly data: string;
    readonly name?: string;
    readonly path?: string;
  }[];
}

/** A message as it is stored, and the names of its attachments. */
interface PersonMessage {
  readonly text: string;
  readonly content: readonly ContentItem[];
  readonly attachments: readonly string[];
}

/** Attachments above this are described in the stored message instead of being part of it. */
const KEPT_DATA = 512 * 1024;

export function messageOf({ text, images = [], files = [] }: GivenMessage): PersonMessage {
  const content: ContentItem[] = [{ type: 'text', text, id: randomUUID() }];
  const given = [
    ...images.map((image, at) => ({ ...image, kind: 'image' as const, name: `image ${at + 1}` })),
    ...files.map((file, at) => ({
      ...file,
      kind: 'file' as const,
      name: file.name ?? file.path ?? `file ${at + 1}`,
    })),
  ];
  for (const { kind, name, mediaType, data } of given) {
    const [id, source] = [randomUUID(), { type: 'base64', mediaType, data }];
    if (data.length > KEPT_DATA) {
      const bytes = Buffer.byteLength(data, 'base64');
      content.push({ type: 'text', id, text: `Attached: ${name} (${mediaType}, ${bytes} bytes)` });
    } else if (kind === 'image') content.push({ type: 'image', id, source });
    else content.push({ type: 'document', id, source, name });
  }
  return { text, content, attachments: given.map(({ name }) => name) };
}

/**
 * Sessions and their agents. What an agent will do is decided when a person asks; where a session stands then depends on the clock
 * alone, so all windows that share the records see the same, and nothing runs in between.
 */
export class Sessions {
  readonly #records: SampleRecords;
  readonly #now: () => number;
  readonly #pace: number;

  /** `now` is Unix ms; `pace` is how long the agent takes, as a multiple of its natural pace. */
  constructor(records: SampleRecords, now: () => number, pace: number) {
    this.#records = records;
    this.#now = now;
    this.#pace = pace;
  }

  async create(computerId: string, settings: SessionState['settings']): Promise<SessionState> {
    const createdAt = Math.floor(this.#now());
    const state = emptySession({ sessionId: randomUUID(), createdAt, computerId, settings });
    await this.#records.update(state.sessionId, () => ({ kind: 'session', state }));
    return state;
  }

  /** The session as it is now, also one that another window has just made; `undefined`: there is none. */
  async find(sessionId: string): Promise<SessionState | undefined> {
    if (this.#get(sessionId) === undefined) await this.#records.update(sessionId, current => current);
    return this.#get(sessionId);
  }

  all(): readonly SessionState[] {
    return [...this.#records.values.keys()]
      .flatMap(id => this.#get(id) ?? [])
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  async send(sessionId: string, { text, content, attachments }: PersonMessage) {
    const messageId = randomUUID();
    let status: SessionState['status'] = 'pending';
    await this.#change(sessionId, (state, at) => {
      const turn = state.messages.filter(({ role }) => role === 'user').length;
      const request = { text, attachments, turn, settings: state.settings };
      ask(state, content, at, begin => plan(request, begin, this.#pace), messageId);
      status = state.status;
    });
    return { messageId, status };
  }

  /** Ends what the agent does, and forgets what it was to do. */
  async interrupt(sessionId: string): Promise<void> {
    await this.#change(sessionId, (state, at) => {
      if (state.status === 'idle') return;
      state.steps.length = 0;
      state.status = 'idle';
      state.updatedAt = state.completedAt = at;
      delete state.turnBegan;
    });
  }

  async #change(sessionId: string, change: (state: SessionState, at: number) => void): Promise<void> {
    await this.#records.update(sessionId, current => {
      if (current?.kind !== 'session') return current;
      const [state, at] = [structuredClone(current.state), Math.floor(this.#now())];
      advance(state, at);
      change(state, at);
      return { kind: 'session', state };
    });
  }

  #get(sessionId: string): SessionState | undefined {
    const record = this.#records.values.get(sessionId);
    return record?.kind === 'session' ? stateAt(record.state, this.#now()) : undefined;
  }
}
