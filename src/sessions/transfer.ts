import * as vscode from 'vscode';
import type { Service } from '../connection';
import { saveText } from '../ui/saveText';
import { forNotification, oneLine } from '../util/text';
import { isSessionId } from './links';
import { migrateRecord, RECORD_VERSION, sessionRecordSchema, type SessionRecord } from './store/record';
import type { SessionIndex } from './store/sessionIndex';

const FORMAT = 'agent-console-sessions';
/** A list of sessions is far smaller; anything larger is another file. */
const LARGEST_BYTES = 100 * 1024 * 1024;

/** What a file of exported sessions holds; entries that could not be read are named by their place. */
interface ImportedSessions {
  /** Host of the service the sessions are of. */
  readonly host: string;
  readonly records: readonly SessionRecord[];
  readonly bad: { readonly place: string; readonly reason: string }[];
}

/** Writes the list of sessions to a file, to keep or to carry to another machine. */
export async function exportSessions(
  index: SessionIndex,
  { service }: { readonly service: Service },
): Promise<void> {
  const records = [...index.records.values()];
  const target = await saveText({
    name: 'agent-sessions.json',
    content: exportText(records, service.host, Date.now()),
    title: vscode.l10n.t('Export the list of sessions'),
  });
  if (target === undefined) return;
  const name = forNotification(target.path.split('/').at(-1) ?? '');
  void vscode.window.showInformationMessage(
    records.length === 1
      ? vscode.l10n.t('Exported 1 session to {0}.', name)
      : vscode.l10n.t('Exported {0} sessions to {1}.', records.length, name),
  );
}

/** Brings in what a file of such a list holds. Nothing newer is overwritten. */
export async function importSessions(
  index: Pick<SessionIndex, 'merge'>,
  { service }: { readonly service: Service },
): Promise<void> {
  const [source] =
    (await vscode.window.showOpenDialog({
      filters: { JSON: ['json'] },
      title: vscode.l10n.t('Import a list of sessions'),
      openLabel: vscode.l10n.t('Import'),
    })) ?? [];
  if (source === undefined) return;
  const { size } = await vscode.workspace.fs.stat(source);
  if (size > LARGEST_BYTES)
    throw new Error(vscode.l10n.t('This file is too large to be a list of sessions.'));
  const { host, records, bad } = readImport(
    new TextDecoder().decode(await vscode.workspace.fs.readFile(source)),
  );
  if (host !== service.host && !(await isMeant(host, service.host))) return;
  const outcomes = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Importing sessions…') },
    () =>
      Promise.all(
        records.map(record =>
          index.merge(service.id, record).catch((error: unknown) => {
            bad.push({ place: record.sessionId, reason: reasonOf(error) });
          }),
        ),
      ),
  );
  const [added, updated, kept] = (['added', 'updated', 'kept'] as const).map(
    outcome => outcomes.filter(each => each === outcome).length,
  );
  const sentence =
    added === 1
      ? vscode.l10n.t('1 session added, {0} brought up to date, {1} left unchanged.', updated ?? 0, kept ?? 0)
      : vscode.l10n.t(
          '{0} sessions added, {1} brought up to date, {2} left unchanged.',
          added ?? 0,
          updated ?? 0,
          kept ?? 0,
        );
  const [first] = bad;
  if (first === undefined) {
    void vscode.window.showInformationMessage(sentence);
    return;
  }
  const why = vscode.l10n.t('{0} ({1})', oneLine(first.place, 80), oneLine(first.reason, 80));
  const unread =
    bad.length === 1
      ? vscode.l10n.t('One entry could not be taken in: {0}.', why)
      : vscode.l10n.t('{0} entries could not be taken in, the first of them: {1}.', bad.length, why);
  void vscode.window.showWarningMessage(forNotification(`${sentence} ${unread}`, 500));
}

/** The text of a file that `readImport` reads back: what is kept and known, not how sessions stand just now. `now` is Unix ms. */
export function exportText(records: Iterable<SessionRecord>, host: string, now: number): string {
  const sessions = [...records].map(lasting).sort((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
  const exportedAt = new Date(now).toISOString();
  return `${JSON.stringify({ format: FORMAT, version: RECORD_VERSION, exportedAt, service: host, sessions }, undefined, 2)}\n`;
}

function lasting(record: SessionRecord): SessionRecord {
  return { ...record, check: undefined, signal: undefined, work: undefined };
}

/** What a clock that was ahead has dated in the future would count as newer than whatever is learnt here. */
function inThePast(record: SessionRecord, now: number): SessionRecord {
  const { addedAt, checkedAt, local } = record;
  const past = (at: number | undefined): number | undefined => at && Math.min(at, now);
  return {
    ...record,
    addedAt: Math.min(addedAt, now),
    checkedAt: past(checkedAt),
    local: { ...local, changedAt: past(local.changedAt) },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Reads an exported file of this or an older version. Throws a sentence for anything else. */
export function readImport(text: string): ImportedSessions {
  const { format, version, service: host, sessions } = parse(text);
  if (
    format !== FORMAT ||
    typeof version !== 'number' ||
    typeof host !== 'string' ||
    !Array.isArray(sessions)
  )
    throw new Error(vscode.l10n.t('This file is not an exported list of sessions. Nothing was changed.'));
  if (version > RECORD_VERSION)
    throw new Error(
      vscode.l10n.t(
        'This file was exported by a newer version of Agent Console. Update it first; nothing was changed.',
      ),
    );
  const records: SessionRecord[] = [];
  const bad: { place: string; reason: string }[] = [];
  sessions.forEach((entry: { readonly sessionId?: unknown } | null | undefined, at) => {
    try {
      const record = sessionRecordSchema.parse(migrateRecord(entry, version));
      if (!isSessionId(record.sessionId)) throw new Error('sessionId is not an id');
      records.push(inThePast(lasting(record), Date.now()));
    } catch (error) {
      const id = typeof entry?.sessionId === 'string' ? ` ${entry.sessionId}` : '';
      bad.push({ place: `sessions[${at}]${id}`, reason: reasonOf(error) });
    }
  });
  return { host, records, bad };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text.replace(/^\ufeff/, '')) ?? {}) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    const sentence = vscode.l10n.t(
      'This file is not JSON, so it is no list of sessions. Nothing was changed.',
    );
    throw new Error(sentence, { cause });
  }
}

async function isMeant(of: string, current: string): Promise<boolean> {
  const question = vscode.l10n.t(
    'These sessions are of {0}, and you are signed in to {1}. Import them here anyway?',
    forNotification(of, 80),
    forNotification(current, 80),
  );
  const go = vscode.l10n.t('Import anyway');
  return (await vscode.window.showWarningMessage(question, { modal: true }, go)) === go;
}
