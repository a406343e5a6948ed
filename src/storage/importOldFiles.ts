import * as fs from 'node:fs';
import * as path from 'node:path';
import type { DatabaseOptions, Write } from './database';

/** Until version 0.1 each record was a file `<encoded id>.<revision>.json` in a folder a collection. */
const FILES = '{connection,hook-files,services}/**/*.json';
const RECORD = /^(.*\/[^./]+)\.([1-9]\d{0,14})\.json$/;
/** Lists of the service are read anew, and so is who told or asked something last; among attachments a person's own files may lie. */
const LEFT_OUT =
  /^services\/[^/]+\/(computers|people|controls|readiness|checks)\/|\/(attachments\/|\.|state\/claim%20)|^connection\/notice%20/;
const SESSIONS = /^services\/[^/]+\/sessions$/;
const TRANSCRIPT = /^services\/[^/]+\/transcripts\/[^/]+$/;
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
  const files = fs.globSync(FILES, { cwd: root }).flatMap(file => {
    const [, name, revision] = RECORD.exec(file.replaceAll(path.sep, '/')) ?? [];
    return name === undefined || LEFT_OUT.test(name) ? [] : [{ file, name, revision: Number(revision) }];
  });
  for (const revisions of Map.groupBy(files, ({ name }) => name).values())
    for (const { file, name } of revisions.sort((a, b) => b.revision - a.revision))
      try {
        const text = fs.readFileSync(path.join(root, file), 'utf8');
        const { id, version, value, deleted } = JSON.parse(text) as Partial<OldRecord & { deleted: boolean }>;
        if (deleted === true) break;
        if (typeof id !== 'string' || typeof version !== 'number' || value === undefined)
          throw new Error('It is not a record.');
        // What bytes other than `a-z 0-9 - _` were spelt as `%XX` for.
        const names = path.posix.dirname(name).split('/');
        const collection = names.map(each => (each === '%' ? '' : decodeURIComponent(each))).join('/');
        yield { collection, id, version, value };
        break;
      } catch (error) {
        onProblem(`A stored record cannot be read and stays in ${file}`, error);
      }
}

/** What a record becomes. Messages were stored a hundred a record; hidden ones without their content. */
function partsOf(record: OldRecord): readonly OldRecord[] {
  const { collection, version, value } = record;
  if (WRITTEN.test(collection)) return [];
  if (SESSIONS.test(collection)) return [{ ...record, text: titleOf(objectOf(value)) }];
  if (!TRANSCRIPT.test(collection)) return [record];
  return objectsIn(objectOf(value)['entries']).flatMap(entry => {
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
function titleOf({ local, session, firstText, addedAt }: Old): OldRecord['text'] {
  const { name, removedAt } = objectOf(local);
  const { title, updatedAt } = objectOf(session);
  const titles = [name, title, firstText].filter(each => typeof each === 'string');
  const text = removedAt === undefined ? titles.find(each => each.trim() !== '') : undefined;
  return text === undefined ? undefined : { text, at: Number(updatedAt ?? addedAt) || undefined };
}

/** One record a session: what is being written, and what was sent or waits, in the order it was. */
function outboxesOf(
  records: readonly OldRecord[],
  onProblem: DatabaseOptions['onProblem'],
): readonly OldRecord[] {
  const parts = records.flatMap(({ collection, id, value }) => {
    const [, service, kind] = WRITTEN.exec(collection) ?? [];
    const record = objectOf(value);
    const messages = kind === 'queue' ? objectsIn(record['items']) : kind === undefined ? [] : [record];
    return messages.flatMap(old => {
      if (typeof old['text'] === 'string' && Array.isArray(old['attachments']))
        return {
          collection: `${service}/outbox`,
          id: kind === 'sends' ? String(old['sessionId']) : id,
          kind,
          old,
        };
      onProblem('A stored message cannot be read', new Error(collection));
      return [];
    });
  });
  const bySession = Map.groupBy(parts, ({ collection, id }) => `${collection} ${id}`);
  return [...bySession.values()].map(parts => {
    const of = (kind: string): readonly Old[] =>
      parts.filter(part => part.kind === kind).map(({ old }) => old);
    const sent = of('sends').map(old => entryOf(old, { id: old['sendId'], at: old['startedAt'] }));
    const queued = of('queue').map(old => entryOf(old, { state: 'queued', at: old['queuedAt'] }));
    const all = [
      ...sent.sort((a, b) => Number(a['at']) - Number(b['at'])),
      ...queued.filter(({ id }) => !sent.some(entry => entry['id'] === id)),
    ];
    const { sendId, ...draft }: Old = of('drafts')[0] ?? { text: '', attachments: [] };
    const refused = all.find(({ id, state }) => id === sendId && state === 'refused');
    // A text stayed in the composer until its message was accepted, or where the window died.
    const isSent = sendId !== undefined || all.some(({ text }) => text === draft['text']);
    const left = isSent ? { ...draft, text: draft['stash'] ?? '', stash: undefined, attachments: [] } : draft;
    const value = {
      draft: refused === undefined ? left : { ...draft, refused },
      entries: all.filter(entry => entry !== refused),
      writes: [],
    };
    return { collection: parts[0]?.collection ?? '', id: parts[0]?.id ?? '', version: 1, value };
  });
}

function entryOf({ computerId, computerName, problem, id, ...old }: Old, more: Old): Old {
  const target = computerId === undefined ? undefined : { computerId, name: computerName ?? computerId };
  return { sentence: problem, ...old, id: String(id), target, ...more };
}

function objectsIn(list: unknown): readonly Old[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function objectOf(value: unknown): Old {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Old {
  return typeof value === 'object' && value !== null;
}
