import * as fs from 'node:fs';
import * as path from 'node:path';
import type { DatabaseOptions, Write } from './database';

/** Until version 0.1 each record was a file `<encoded id>.<revision>.json` in a folder a collection. */
const RECORD = /^([^.]+)\.([1-9]\d{0,14})\.json$/;
const ROOTS = ['connection', 'hook-files', 'services'];
/** Lists of the service are read anew, and so is who asked last; among attachments a person's own files may lie. */
const LEFT_OUT =
  /^services\/[^/]+\/(computers|people|controls|readiness|checks)(\/|$)|\/(attachments|\.[^/]*)(\/|$)/;
/** Who told or asked something last: of no use to whoever starts now. */
const CLAIMS = /^(connection\/notice |services\/[^/]+\/usage\/state\/claim )/;

/** What a person had written for a session was kept in three collections. */
const WRITTEN = /^(services\/[^/]+)\/(drafts|sends|queue)$/;

type Old = Readonly<Record<string, unknown>>;

interface OldRecord extends Pick<Write, 'collection' | 'id' | 'version' | 'text'> {
  readonly value: unknown;
}

/** The records of the files before there was a database. The files stay. What cannot be read is told and left out. */
export function oldRecords(root: string, onProblem: DatabaseOptions['onProblem']): readonly OldRecord[] {
  const records = [...recordsBelow(root, onProblem)];
  return [...records.flatMap(partsOf), ...outboxesOf(records, onProblem)];
}

/** The newest readable revision of every record that was not removed. */
function* recordsBelow(root: string, onProblem: DatabaseOptions['onProblem']): Generator<OldRecord> {
  const folders = ROOTS.map(name => path.join(root, name)).filter(folder => fs.existsSync(folder));
  const options = { withFileTypes: true, recursive: true } as const;
  const entries = folders.flatMap(folder => fs.readdirSync(folder, options));
  const files = entries.flatMap(entry => {
    const folder = path.relative(root, entry.parentPath).replaceAll(path.sep, '/');
    const [, stem, revision] = (entry.isFile() && RECORD.exec(entry.name)) || [];
    if (stem === undefined || LEFT_OUT.test(folder)) return [];
    return { folder, stem, revision: Number(revision), file: path.join(entry.parentPath, entry.name) };
  });
  for (const revisions of Map.groupBy(files, ({ folder, stem }) => `${folder}/${stem}`).values())
    for (const { folder, file } of revisions.sort((a, b) => b.revision - a.revision))
      try {
        const record = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<OldRecord & { deleted: boolean }>;
        const { id, version, value, deleted } = record;
        if (deleted === true) break;
        if (typeof id !== 'string' || typeof version !== 'number' || value === undefined)
          throw new Error('It is not a record.');
        // What bytes other than `a-z 0-9 - _` were spelt as `%XX` for.
        const names = folder.split('/').map(name => (name === '%' ? '' : decodeURIComponent(name)));
        const collection = names.join('/');
        if (!CLAIMS.test(`${collection}/${id}`)) yield { collection, id, version, value };
        break;
      } catch (error) {
        onProblem(`A stored record cannot be read and stays in ${file}`, error);
      }
}

/** What a record becomes. Messages were stored a hundred a record; hidden ones without their content. */
function partsOf(record: OldRecord): readonly OldRecord[] {
  const { collection, version, value } = record;
  if (WRITTEN.test(collection)) return [];
  if (!/^services\/[^/]+\/transcripts\/[^/]+$/.test(collection) || !isObject(value))
    return [{ ...record, text: titleOf(record) }];
  return objectsIn(value['entries']).flatMap(entry => {
    const { id, message, sent } = entry as { id?: unknown; message?: Old; sent?: Old };
    const items = message === undefined ? [sent ?? {}] : objectsIn(message['content']);
    const said = items.map(({ text }) => text).filter(text => typeof text === 'string');
    const at = Number(message?.['createdAt'] ?? sent?.['at']) || undefined;
    const by = message === undefined || message['role'] === 'user' ? ('me' as const) : ('agent' as const);
    const text = said.length === 0 ? undefined : { text: said.join('\n'), at, by };
    return typeof id === 'string' ? [{ collection, id, version, value: entry, text }] : [];
  });
}

/** What a session is found by before it is next written: the name given here, or the service's, or the first line sent. */
function titleOf({ collection, value }: OldRecord): OldRecord['text'] {
  if (!/^services\/[^/]+\/sessions$/.test(collection) || !isObject(value)) return undefined;
  const [local, session] = [value['local'], value['session']].map(part => (isObject(part) ? part : {}));
  const titles = [local?.['name'], session?.['title'], value['firstText']];
  const text = titles.find((title): title is string => typeof title === 'string' && title.trim() !== '');
  const at = Number(session?.['updatedAt'] ?? value['addedAt']) || undefined;
  return text === undefined || local?.['removedAt'] !== undefined ? undefined : { text, at };
}

/** One record a session: what is being written, and what was sent or waits, in the order it was. */
function outboxesOf(
  records: readonly OldRecord[],
  onProblem: DatabaseOptions['onProblem'],
): readonly OldRecord[] {
  const parts = records.flatMap(({ collection, id, value }) => {
    const [, service = '', kind = ''] = WRITTEN.exec(collection) ?? [];
    if (kind === '') return [];
    const old = isObject(value) ? value : {};
    const messages = kind === 'queue' ? objectsIn(old['items']) : [old];
    const read = messages.filter(message => isMessage(kind, message));
    if (read.length < messages.length) onProblem('A stored message cannot be read', new Error(collection));
    const sessionOf = (old: Old): string => (kind === 'sends' ? String(old['sessionId']) : id);
    return read.map(old => ({ collection: `${service}/outbox`, kind, old, id: sessionOf(old) }));
  });
  const bySession = Map.groupBy(parts, ({ collection, id }) => `${collection} ${id}`);
  return [...bySession.values()].map(parts => {
    const of = (kind: string) => parts.filter(part => part.kind === kind).map(({ old }) => old);
    const sent = of('sends').map(old => entryOf(old, { id: old['sendId'], at: old['startedAt'] }));
    const queued = of('queue').map(old => entryOf(old, { state: 'queued', at: old['queuedAt'] }));
    const all = [
      ...sent.sort((a, b) => Number(a['at']) - Number(b['at'])),
      ...queued.filter(({ id }) => !sent.some(entry => entry['id'] === id)),
    ];
    const { sendId, ...draft }: Old = of('drafts')[0] ?? { text: '', attachments: [] };
    const refused = all.find(({ id, state }) => id === sendId && state === 'refused');
    const own = refused === undefined ? unsent(draft, sendId, all) : { ...draft, refused };
    const value = { draft: own, entries: all.filter(entry => entry !== refused), writes: [] };
    return { collection: parts[0]?.collection ?? '', id: parts[0]?.id ?? '', version: 1, value };
  });
}

/** Whether it is what its collection holds, so far that an outbox with it can be read. */
function isMessage(kind: string, { text, attachments, id, sendId, sessionId }: Old): boolean {
  const ids = kind === 'drafts' ? [] : kind === 'queue' ? [id] : [sendId, sessionId];
  return [text, ...ids].every(each => typeof each === 'string') && Array.isArray(attachments);
}

/** The draft without what went into a message: it stayed beside that until the message was accepted, or where the window died. */
function unsent(draft: Old, sendId: unknown, entries: readonly Old[]): Old {
  const isCopy = ({ text, at, state }: Old): boolean =>
    text === draft['text'] && Number(at) >= Number(draft['at'] ?? 0) && /sending|queued/.test(String(state));
  const copy = entries.find(isCopy);
  if (sendId === undefined && copy === undefined) return draft;
  const { stash = '', attachments, ...rest } = draft;
  const gone = copy === undefined ? attachments : objectsIn(copy['attachments']).map(({ uri }) => uri);
  const left = (attachments as unknown[]).filter(uri => !(gone as unknown[]).includes(uri));
  return { ...rest, text: stash, attachments: left };
}

function entryOf({ computerId, computerName, problem, ...old }: Old, more: Old): Old {
  const target = computerId === undefined ? undefined : { computerId, name: computerName ?? computerId };
  return { sentence: problem, ...old, target, ...more };
}

function objectsIn(list: unknown): readonly Old[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function isObject(value: unknown): value is Old {
  return typeof value === 'object' && value !== null;
}
