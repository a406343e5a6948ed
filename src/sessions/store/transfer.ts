import { isSessionId } from '../links';
import { migrateRecord, RECORD_VERSION, sessionRecordSchema, type SessionRecord } from './record';

const FORMAT = 'agent-console-sessions';

/** What a file of exported sessions holds; entries that could not be read are named by their place. */
export interface ImportedSessions {
  /** Host of the service the sessions are of. */
  readonly host: string;
  readonly records: readonly SessionRecord[];
  readonly bad: readonly { readonly place: string; readonly reason: string }[];
}

export type ImportProblem = 'notJson' | 'notOurs' | 'newer';

/** Why a file cannot be imported at all. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  readonly problem: ImportProblem;
  constructor(problem: ImportProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** The text of a file that `readImport` reads back. `now` is Unix ms. */
export function exportText(records: Iterable<SessionRecord>, host: string, now: number): string {
  const sessions = [...records]
    .map(record => ({ ...record, check: undefined }))
    .sort((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
  const exportedAt = new Date(now).toISOString();
  return `${JSON.stringify({ format: FORMAT, version: RECORD_VERSION, exportedAt, service: host, sessions }, undefined, 2)}\n`;
}

/** Reads an exported file of this or an older version. Throws `ImportError` for anything else. `now` is Unix ms. */
export function readImport(text: string, now = Date.now()): ImportedSessions {
  const file = parse(text) as Readonly<Record<string, unknown>> | null;
  if (typeof file !== 'object' || file === null || file['format'] !== FORMAT)
    throw new ImportError('notOurs');
  const { version, service, sessions } = file;
  if (typeof version !== 'number' || typeof service !== 'string' || !Array.isArray(sessions))
    throw new ImportError('notOurs');
  if (version > RECORD_VERSION) throw new ImportError('newer');
  const records: SessionRecord[] = [];
  const bad: { place: string; reason: string }[] = [];
  sessions.forEach((entry: unknown, index) => {
    try {
      const migrated = version < RECORD_VERSION ? migrateRecord(entry, version) : entry;
      const record: SessionRecord = sessionRecordSchema.parse(migrated);
      if (!isSessionId(record.sessionId)) throw new Error('sessionId is not an id');
      records.push(inThePast(record, now));
    } catch (error) {
      bad.push({
        place: placeOf(entry, index),
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  });
  return { host: service, records, bad };
}

/**
 * A record that is here and one from a file: of each part the newer one. What the service told goes by when it was asked, what a
 * person keeps by when it was changed. The record that is here, itself, when the file knows nothing newer.
 */
export function mergeRecord(current: SessionRecord | undefined, incoming: SessionRecord): SessionRecord {
  if (current === undefined) return incoming;
  const told = (incoming.checkedAt ?? 0) > (current.checkedAt ?? 0) ? incoming : current;
  const local =
    (incoming.local.changedAt ?? 0) > (current.local.changedAt ?? 0) ? incoming.local : current.local;
  const merged: SessionRecord = {
    ...current,
    session: told.session ?? current.session,
    checkedAt: told.checkedAt,
    statusAfterSend: told.statusAfterSend,
    computerName: current.computerName ?? incoming.computerName,
    firstText: current.firstText ?? incoming.firstText,
    workspace: current.workspace ?? incoming.workspace,
    addedAt: Math.min(current.addedAt, incoming.addedAt),
    local,
  };
  return JSON.stringify(merged) === JSON.stringify(current) ? current : merged;
}

/** What a file dates in the future would count as newer than whatever is learnt here. */
function inThePast(record: SessionRecord, now: number): SessionRecord {
  const past = <T extends number | undefined>(at: T): T => (at !== undefined && at > now ? now : at) as T;
  const { local, signal, addedAt, checkedAt } = record;
  return {
    ...record,
    check: undefined,
    addedAt: past(addedAt),
    checkedAt: past(checkedAt),
    signal: signal && { ...signal, at: past(signal.at) },
    local: {
      ...local,
      ...(local.changedAt === undefined ? {} : { changedAt: past(local.changedAt) }),
    },
  };
}

function placeOf(entry: unknown, index: number): string {
  const id = (entry as { readonly sessionId?: unknown } | null | undefined)?.sessionId;
  return typeof id === 'string' && id !== '' ? `sessions[${index}] ${id}` : `sessions[${index}]`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new ImportError('notJson');
  }
}
