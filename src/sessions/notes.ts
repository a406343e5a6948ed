import * as vscode from 'vscode';
import { documents, type TextFiles } from '../contributions';
import { Disposable } from '../util/disposable';
import { oneLine } from '../util/text';
import type { SessionRecord } from './record';
import type { SessionIndex } from './sessionIndex';
import { sessionTitle } from './text';

/** Notes are for people; a program's output belongs elsewhere. */
const LONGEST = 100_000;

/**
 * The notes of sessions as files that the editor opens and saves: several lines, its own undo, nothing lost over a reload. They
 * are kept in the records of the sessions, on this machine only. Address: `/SERVICE/SESSION/TITLE.md`.
 */
export class NotesFiles extends Disposable implements TextFiles {
  readonly #index: SessionIndex;
  readonly #opened = new Map<string, vscode.Uri>();
  readonly #changed = this.register(new vscode.EventEmitter<readonly vscode.Uri[]>());

  constructor(index: SessionIndex) {
    super();
    this.#index = index;
    this.register(index.onDidChange(ids => this.#tell(ids)));
  }

  readonly onDidChange = this.#changed.event;

  /** The file with the notes of a session of the current service. */
  uriOf(record: SessionRecord): vscode.Uri {
    const title = oneLine(sessionTitle(record), 60).replace(/[/\\?#:]/g, '_');
    const name = vscode.l10n.t('Notes about {0}', title);
    const folder = `/${this.#index.serviceId ?? ''}/${encodeURIComponent(record.sessionId)}`;
    return vscode.Uri.from({ scheme: documents.notes, path: `${folder}/${name}.md` });
  }

  async read(uri: vscode.Uri): Promise<{ readonly text: string; readonly at: number } | undefined> {
    const { serviceId, sessionId } = placeOf(uri);
    const record = await this.#index.read(serviceId, sessionId);
    if (record === undefined) return undefined;
    this.#opened.set(uri.toString(), uri);
    return { text: record.local.notes ?? '', at: record.local.notesAt ?? record.addedAt };
  }

  /** Rejects when the session is not in the list any more: its notes would go nowhere. */
  async write(uri: vscode.Uri, text: string): Promise<void> {
    const { serviceId, sessionId } = placeOf(uri);
    if (text.length > LONGEST) throw new Error(vscode.l10n.t('This is longer than {0} characters.', LONGEST));
    const notes = text.trim() === '' ? undefined : text;
    const isKept = await this.#index.keep(serviceId, sessionId, local => {
      const now = Date.now();
      return local.notes === notes ? local : { ...local, notes, notesAt: now, changedAt: now };
    });
    if (!isKept)
      throw new Error(vscode.l10n.t('The session is not in the list any more. Put it back to keep notes.'));
  }

  #tell(ids: readonly string[]): void {
    const changed = [...this.#opened.values()].filter(uri => {
      const { serviceId, sessionId } = placeOf(uri);
      return serviceId === this.#index.serviceId && (ids.length === 0 || ids.includes(sessionId));
    });
    if (changed.length > 0) this.#changed.fire(changed);
  }
}

function placeOf({ path }: vscode.Uri): { readonly serviceId: string; readonly sessionId: string } {
  const [, serviceId = '', session = ''] = path.split('/');
  try {
    return { serviceId, sessionId: decodeURIComponent(session) };
  } catch {
    return { serviceId, sessionId: '' };
  }
}
