import * as vscode from 'vscode';
import type { Service } from '../connection';
import { confirmed, saveText } from '../ui/window';
import { forNotification, oneLine } from '../util/text';
import { isSessionId } from './access';
import { migrateRecord, RECORD_VERSION, sessionRecordSchema, type SessionRecord } from './record';
import type { SessionIndex } from './sessionIndex';

const FORMAT = 'agent-console-sessions';

export async function exportSessions(index: SessionIndex, { host }: Service): Promise<void> {
  const records = [...index.records.values()];
  const target = await saveText({
    name: 'agent-sessions.json',
    content: exportText(records, host),
    title: vscode.l10n.t('Export the list of sessions'),
  });
  if (target === undefined) return;
  const name = forNotification(target.path.split('/').at(-1) ?? '');
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Sessions exported to {0}: {1}.', name, records.length),
  );
}

export async function importSessions(
  index: Pick<SessionIndex, 'add'>,
  service: Pick<Service, 'id' | 'host'>,
): Promise<void> {
  const [source] =
    (await vscode.window.showOpenDialog({
      filters: { JSON: ['json'] },
      title: vscode.l10n.t('Import a list of sessions'),
      openLabel: vscode.l10n.t('Import'),
    })) ?? [];
  if (source === undefined) return;
  const bytes = await vscode.workspace.fs.readFile(source);
  const { host, records, bad } = readImport(new TextDecoder().decode(bytes));
  const question = vscode.l10n.t(
    'These sessions are from {0}, but you are signed in to {1}. Import them here anyway?',
    forNotification(host, 80),
    forNotification(service.host, 80),
  );
  if (host !== service.host && !(await confirmed(question, '', vscode.l10n.t('Import anyway')))) return;
  const added = (await Promise.all(records.map(record => index.add(service.id, record)))).filter(
    Boolean,
  ).length;
  const sentence = vscode.l10n.t(
    'Sessions imported: {0} added, {1} already there.',
    added,
    records.length - added,
  );
  const unread = vscode.l10n.t(
    'Entries that could not be imported: {0}, the first of them {1}.',
    bad.length,
    bad[0] ?? '',
  );
  if (bad.length === 0) void vscode.window.showInformationMessage(sentence);
  else void vscode.window.showWarningMessage(forNotification(`${sentence} ${unread}`, 500));
}

/** The text of a file that `readImport` reads back: what is kept and known, not how sessions stand just now. */
export function exportText(records: Iterable<SessionRecord>, host: string): string {
  const sessions = [...records].map(lasting).sort((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
  const exportedAt = new Date().toISOString();
  const file = { format: FORMAT, version: RECORD_VERSION, exportedAt, service: host, sessions };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

function lasting(record: SessionRecord): SessionRecord {
  return { ...record, check: undefined, signal: undefined, work: undefined };
}

/** Reads an exported file of this or an older version; `bad` says which entries could not be read, and why. */
export function readImport(text: string): {
  readonly host: string;
  readonly records: readonly SessionRecord[];
  readonly bad: string[];
} {
  const { format, version, service: host, sessions } = parsed(text);
  const isList = format === FORMAT && typeof version === 'number' && Array.isArray(sessions);
  if (!isList || typeof host !== 'string')
    throw new Error(vscode.l10n.t('This file is not an exported list of sessions. Nothing was changed.'));
  if (version > RECORD_VERSION)
    throw new Error(
      vscode.l10n.t(
        'This file was exported by a newer version of Agent Console. Update it first; nothing was changed.',
      ),
    );
  const records: SessionRecord[] = [];
  const bad: string[] = [];
  for (const [at, entry] of (sessions as unknown[]).entries())
    try {
      const record = sessionRecordSchema.parse(migrateRecord(entry, version));
      if (!isSessionId(record.sessionId)) throw new Error('sessionId is not an id');
      records.push(lasting(record));
    } catch (error) {
      bad.push(`sessions[${at}] (${oneLine(String(error instanceof Error ? error.message : error), 80)})`);
    }
  return { host, records, bad };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text.replace(/^\ufeff/, '')) ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
