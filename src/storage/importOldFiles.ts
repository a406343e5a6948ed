import * as fs from 'node:fs';
import * as path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/** Until version 0.1 each record was a file `<encoded id>.<revision>.json` in a folder a collection. */
const RECORD = /^([^.]+)\.([1-9]\d{0,14})\.json$/;
const ROOTS = ['connection', 'hook-files', 'hook-stops', 'services'];
/** Lists of the service are read anew. */
const LISTS = /^services\/[^/]+\/(computers|people|controls|readiness)(\/|$)/;
/** Below these a person's own files may lie. */
const NOT_RECORDS = /\/attachments(\/|$)/;

/** Who asked or told something last: of no use to whoever starts now. */
const CLAIMS = /^(connection\/notice |services\/[^/]+\/(usage\/state\/claim |checks\/))/;

interface OldRecord {
  readonly id: string;
  readonly version: number;
  readonly value: unknown;
}

/**
 * Takes the records of the files before there was a database into its tables, in the caller's transaction, so that an import that
 * dies is done again as a whole. The files stay. What cannot be read is told and left out. Throws when a record got lost on the way.
 */
export function importOldFiles(
  root: string,
  db: DatabaseSync,
  {
    now,
    onProblem,
  }: { readonly now: () => number; readonly onProblem: (message: string, error: unknown) => void },
): void {
  const insert = db.prepare(
    'INSERT INTO documents (collection, id, seq, version, at, value) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  let seq = 0;
  for (const { collection, files } of collectionsBelow(root)) {
    for (const revisions of files.values()) {
      const record = newestReadable(revisions, onProblem);
      for (const { id, version, value } of record === undefined ? [] : split(collection, record)) {
        if (CLAIMS.test(`${collection}/${id}`)) continue;
        seq += Number(insert.run(collection, id, seq + 1, version, now(), JSON.stringify(value)).changes);
      }
    }
  }
  db.prepare('UPDATE counter SET seq = ?').run(seq);
  const stored = Number(db.prepare('SELECT count(*) AS n FROM documents').get()?.['n']);
  if (stored !== seq) throw new Error(`${seq} records were to be imported, ${stored} were.`);
}

/** Every folder with records, and the files of each record by its name, the newest revision first. */
function* collectionsBelow(root: string) {
  const folders = ROOTS.filter(name => fs.existsSync(path.join(root, name)));
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const files = new Map<string, { readonly file: string; readonly revision: number }[]>();
    for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const place = `${folder}/${entry.name}`;
      const isSkipped = entry.name.startsWith('.') || NOT_RECORDS.test(place) || LISTS.test(place);
      if (entry.isDirectory() && !isSkipped) folders.push(place);
      const [, stem, revision] = (entry.isFile() && RECORD.exec(entry.name)) || [];
      if (stem === undefined) continue;
      const others = files.get(stem) ?? [];
      files.set(stem, [...others, { file: path.join(root, place), revision: Number(revision) }]);
    }
    for (const revisions of files.values()) revisions.sort((a, b) => b.revision - a.revision);
    if (files.size > 0) yield { collection: folder.split('/').map(decodeName).join('/'), files };
  }
}

/** What bytes other than `a-z 0-9 - _` were spelt as `%XX` for. */
function decodeName(name: string): string {
  return name === '%' ? '' : decodeURIComponent(name);
}

/** `undefined` where the record was removed, or no revision of it can be read. */
function newestReadable(
  revisions: readonly { readonly file: string }[],
  onProblem: (message: string, error: unknown) => void,
): OldRecord | undefined {
  for (const { file } of revisions) {
    try {
      const record = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<OldRecord & { deleted: boolean }>;
      if (record.deleted === true) return undefined;
      const { id, version, value } = record;
      if (typeof id !== 'string' || typeof version !== 'number') throw new Error('It is not a record.');
      return { id, version, value };
    } catch (error) {
      onProblem(`A stored record cannot be read and stays in ${file}`, error);
    }
  }
  return undefined;
}

/** Messages were stored a hundred a record. */
function split(collection: string, record: OldRecord): readonly OldRecord[] {
  const entries = (record.value as { entries?: unknown } | null)?.entries;
  if (!/^services\/[^/]+\/transcripts\/[^/]+$/.test(collection) || !Array.isArray(entries)) return [record];
  const messages = entries.filter(
    (entry): entry is { id: string } => typeof (entry as { id?: unknown } | null)?.id === 'string',
  );
  return messages.map(value => ({ id: value.id, version: record.version, value }));
}
