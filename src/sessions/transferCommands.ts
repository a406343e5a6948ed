import * as vscode from 'vscode';
import { withSignal } from '../util/cancellation';
import { saveText } from '../util/saveText';
import { forNotification, oneLine } from '../util/text';
import type { SessionAccess } from './access';
import type { SessionIndex } from './store/sessionIndex';
import { exportText, ImportError, readImport, type ImportedSessions } from './store/transfer';

/** A list of sessions is far smaller; anything larger is another file. */
const LARGEST_BYTES = 100 * 1024 * 1024;

export interface TransferCommandsDeps {
  readonly index: SessionIndex;
  readonly access: SessionAccess;
}

/** The list of sessions as a file, to keep or to carry to another machine. */
export class TransferCommands {
  readonly #deps: TransferCommandsDeps;

  constructor(deps: TransferCommandsDeps) {
    this.#deps = deps;
  }

  readonly handlers = {
    export: () => this.#export(),
    import: () => this.#import(),
  } as const;

  async #export(): Promise<void> {
    const { index, access } = this.#deps;
    const { service } = await access.signedIn(true);
    const records = [...index.records.values()];
    const text = exportText(records, service.host, Date.now());
    const title = vscode.l10n.t('Export the list of sessions');
    const target = await saveText({ name: 'agent-sessions.json', content: text, title });
    if (target === undefined) return;
    const name = forNotification(target.path.split('/').at(-1) ?? '');
    void vscode.window.showInformationMessage(
      records.length === 1
        ? vscode.l10n.t('Exported 1 session to {0}.', name)
        : vscode.l10n.t('Exported {0} sessions to {1}.', records.length, name),
    );
  }

  async #import(): Promise<void> {
    const { service } = await this.#deps.access.signedIn(true);
    const [source] =
      (await vscode.window.showOpenDialog({
        filters: { JSON: ['json'] },
        title: vscode.l10n.t('Import a list of sessions'),
        openLabel: vscode.l10n.t('Import'),
      })) ?? [];
    if (source === undefined) return;
    const imported = await read(source);
    if (imported.host !== service.host && !(await isMeant(imported.host, service.host))) return;
    const title = vscode.l10n.t('Importing sessions…');
    const done = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (_, token) => withSignal(token, signal => this.#merge(service.id, imported, signal)),
    );
    const sentence = importedText(done);
    const unreadable = [...imported.bad, ...done.bad];
    const [bad] = unreadable;
    if (bad === undefined) {
      void vscode.window.showInformationMessage(sentence);
      return;
    }
    const first = vscode.l10n.t('{0} ({1})', oneLine(bad.place, 80), oneLine(bad.reason, 80));
    const unread =
      unreadable.length === 1
        ? vscode.l10n.t('One entry could not be taken in: {0}.', first)
        : vscode.l10n.t(
            '{0} entries could not be taken in, the first of them: {1}.',
            unreadable.length,
            first,
          );
    void vscode.window.showWarningMessage(forNotification(`${sentence} ${unread}`, 500));
  }

  async #merge(
    serviceId: string,
    { records }: ImportedSessions,
    signal: AbortSignal,
  ): Promise<Record<'added' | 'updated' | 'kept', number> & Pick<ImportedSessions, 'bad'>> {
    const counts = { added: 0, updated: 0, kept: 0 };
    const bad: ImportedSessions['bad'][number][] = [];
    const waiting = [...records];
    const work = async (): Promise<void> => {
      for (let record = waiting.shift(); record !== undefined && !signal.aborted; record = waiting.shift())
        await this.#deps.index.merge(serviceId, record).then(
          outcome => counts[outcome]++,
          (error: unknown) =>
            bad.push({
              place: record.sessionId,
              reason: error instanceof Error ? error.message : String(error),
            }),
        );
    };
    await Promise.all(Array.from({ length: 16 }, work));
    return { ...counts, bad };
  }
}

/** What an import did to this list. */
function importedText({ added, updated, kept }: Record<'added' | 'updated' | 'kept', number>): string {
  return added === 1
    ? vscode.l10n.t('1 session added, {0} brought up to date, {1} left unchanged.', updated, kept)
    : vscode.l10n.t('{0} sessions added, {1} brought up to date, {2} left unchanged.', added, updated, kept);
}

async function read(source: vscode.Uri): Promise<ImportedSessions> {
  const { size } = await vscode.workspace.fs.stat(source);
  if (size > LARGEST_BYTES)
    throw new Error(vscode.l10n.t('This file is too large to be a list of sessions.'));
  const bytes = await vscode.workspace.fs.readFile(source);
  try {
    return readImport(new TextDecoder().decode(bytes));
  } catch (error) {
    throw error instanceof ImportError ? new Error(problemText(error)) : error;
  }
}

function problemText({ problem }: ImportError): string {
  switch (problem) {
    case 'notJson':
      return vscode.l10n.t('This file is not JSON, so it is no list of sessions. Nothing was changed.');
    case 'notOurs':
      return vscode.l10n.t('This file is not an exported list of sessions. Nothing was changed.');
    case 'newer':
      return vscode.l10n.t(
        'This file was exported by a newer version of Agent Console. Update it first; nothing was changed.',
      );
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
