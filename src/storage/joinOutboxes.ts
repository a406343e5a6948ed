import type { DatabaseSync } from 'node:sqlite';

/** What was kept of a person's messages in three collections until version 1 of the database, as far as it is used here. */
interface OldDraft {
  readonly text: string;
  readonly at?: number;
  readonly attachments: readonly string[];
  readonly stash?: string;
  readonly target?: unknown;
  readonly sendId?: string;
}

interface OldMessage {
  readonly text: string;
  readonly attachments: readonly { readonly uri: string }[];
  readonly computerId?: string;
  readonly computerName?: string;
}

interface OldSend extends OldMessage {
  readonly sendId: string;
  readonly sessionId: string;
  readonly state: string;
  readonly startedAt: number;
  readonly sentence?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly messageId?: string;
}

interface OldQueue {
  readonly items: readonly (OldMessage & {
    readonly id: string;
    readonly queuedAt: number;
    readonly problem?: string;
  })[];
}

interface Entry {
  readonly id: string;
  readonly state: string;
  readonly text: string;
  readonly at: number;
  readonly attachments: readonly { readonly uri: string }[];
}

interface OldSession {
  draft?: OldDraft;
  queue?: OldQueue;
  readonly sends: OldSend[];
}

const OLD = /^(services\/[^/]+)\/(drafts|sends|queue)$/;

/** Joins drafts, sends and queues into one record a session, in the caller's transaction. What cannot be read stays where it is. */
export function joinOutboxes(db: DatabaseSync): void {
  const sessions = new Map<string, Map<string, OldSession>>();
  const joined: number[] = [];
  const rows = db
    .prepare(
      `SELECT key, collection, id, value FROM documents WHERE value IS NOT NULL AND
       (collection GLOB 'services/*/drafts' OR collection GLOB 'services/*/sends' OR collection GLOB 'services/*/queue')`,
    )
    .all();
  for (const { key, collection, id, value } of rows) {
    const [, service = '', kind] = OLD.exec(String(collection)) ?? [];
    if (kind === undefined) continue;
    const record = parsed(String(value));
    if (!isOld(kind, record)) continue;
    const sessionId = kind === 'sends' ? (record as OldSend).sessionId : String(id);
    const ofService = sessions.get(service) ?? new Map<string, OldSession>();
    const session = ofService.get(sessionId) ?? { sends: [] };
    if (kind === 'drafts') session.draft = record as OldDraft;
    else if (kind === 'queue') session.queue = record as OldQueue;
    else session.sends.push(record as OldSend);
    sessions.set(service, ofService.set(sessionId, session));
    joined.push(Number(key));
  }
  const next = db.prepare('UPDATE counter SET seq = seq + 1 RETURNING seq');
  const seq = (): number => Number(next.get()?.['seq']);
  const insert = db.prepare(
    'INSERT INTO documents (collection, id, seq, version, at, value) VALUES (?, ?, ?, 1, ?, ?)',
  );
  for (const [service, ofService] of sessions)
    for (const [sessionId, session] of ofService)
      insert.run(`${service}/outbox`, sessionId, seq(), Date.now(), JSON.stringify(outboxOf(session)));
  const remove = db.prepare('UPDATE documents SET value = NULL, seq = ? WHERE key = ?');
  for (const key of joined) remove.run(seq(), key);
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Whether a record is what its collection holds, so far that nothing below can fail. */
function isOld(kind: string, record: unknown): boolean {
  if (kind === 'queue') {
    const items = (record as Partial<OldQueue> | null | undefined)?.items;
    return Array.isArray(items) && items.every(item => isMessage(item) && typeof item.id === 'string');
  }
  if (kind === 'drafts' || !isMessage(record)) return isMessage(record);
  return typeof record.sendId === 'string' && typeof record.sessionId === 'string';
}

function isMessage(value: unknown): value is Partial<OldSend & OldQueue['items'][number]> {
  const message = value as Partial<OldMessage> | null | undefined;
  return typeof message?.text === 'string' && Array.isArray(message.attachments);
}

function outboxOf({ draft, queue, sends }: OldSession) {
  const sent = sends
    .sort((a, b) => a.startedAt - b.startedAt || (a.sendId < b.sendId ? -1 : 1))
    .map(send => ({ ...messageOf(send), ...factsOf(send) }));
  const queued = (queue?.items ?? [])
    .filter(({ id }) => !sent.some(send => send.id === id))
    .map(item => ({
      ...messageOf(item),
      id: item.id,
      state: 'queued',
      at: item.queuedAt,
      sentence: item.problem,
    }));
  const entries: readonly Entry[] = [...sent, ...queued];
  const refused = entries.find(({ id, state }) => id === draft?.sendId && state === 'refused');
  return {
    draft: { ...draftOf(draft, entries, refused), refused },
    entries: entries.filter(entry => entry !== refused),
    writes: [],
  };
}

/** The draft without what went into a message: it stayed beside that until the message was accepted, or where the window died. */
function draftOf(draft: OldDraft | undefined, entries: readonly Entry[], refused: Entry | undefined) {
  if (draft === undefined) return { text: '', attachments: [] };
  const { sendId, ...own } = draft;
  if (refused !== undefined) return own;
  const copy = entries.find(
    ({ text, at, state }) =>
      text === own.text && at >= (own.at ?? 0) && (state === 'sending' || state === 'queued'),
  );
  if (sendId === undefined && copy === undefined) return own;
  const { stash = '', ...rest } = own;
  const gone = copy?.attachments.map(({ uri }) => uri) ?? own.attachments;
  return { ...rest, text: stash, attachments: own.attachments.filter(uri => !gone.includes(uri)) };
}

function messageOf({ text, attachments, computerId, computerName }: OldMessage) {
  const target = computerId === undefined ? undefined : { computerId, name: computerName ?? computerId };
  return { text, attachments, target };
}

function factsOf({ sendId, state, startedAt, sentence, before, after, messageId }: OldSend) {
  return { id: sendId, state, at: startedAt, sentence, before, after, messageId };
}
