import * as vscode from 'vscode';
import type { Formatter } from '../util/format';
import { forNotification, forQuickPick } from '../util/text';
import { isSession, keyOf, type SessionAccess } from './access';
import type { Overlay } from './store/record';
import type { SessionRecord } from './store/record';
import type { SessionIndex } from './store/sessionIndex';
import { sessionTitle } from './view/words';

export interface LocalCommandsDeps {
  readonly index: SessionIndex;
  readonly access: SessionAccess;
  readonly format: Formatter;
  readonly onFailure: (error: unknown) => void;
  /** Takes the keyboard from a session's row to one that stays when these go: a row that goes takes the focus with it. */
  readonly stepAside?: (sessionId: string, leaving: ReadonlySet<string>) => Thenable<unknown>;
  /** How what was done is told; by a notification unless a test listens. */
  readonly tell?: Tell;
}

/** Tells something with a button to go with it; resolves to the button when it was pressed. */
type Tell = (sentence: string, button: string) => Thenable<string | undefined>;

/** What people do with sessions on this machine alone: the service has no call for any of it (interface-notes 3). */
export class LocalCommands {
  readonly #deps: LocalCommandsDeps;

  constructor(deps: LocalCommandsDeps) {
    this.#deps = deps;
  }

  readonly handlers = {
    remove: (node: unknown, nodes: unknown) => this.#remove(node, nodes),
    restore: () => this.#restore(),
    rename: (node: unknown) => this.#rename(node),
    pin: (node: unknown, nodes: unknown) => this.#keep(node, nodes, { pinned: true }),
    unpin: (node: unknown, nodes: unknown) => this.#keep(node, nodes, { pinned: undefined }),
    archive: (node: unknown, nodes: unknown) => this.#archive(node, nodes),
    unarchive: (node: unknown, nodes: unknown) => this.#keep(node, nodes, { archivedAt: undefined }),
  } as const;

  async #remove(node: unknown, nodes: unknown): Promise<void> {
    const { index, access } = this.#deps;
    const records = await access.recordsOf(node, nodes);
    const { serviceId } = index;
    if (serviceId === undefined || records.length === 0) return;
    if (records.length > 1) {
      const question = vscode.l10n.t('Remove {0} sessions from this list?', records.length);
      const detail = vscode.l10n.t(
        'The sessions themselves stay with the service. It has no list of them: without their ids they cannot be found again.',
      );
      if (!(await confirmed(question, detail, vscode.l10n.t('Remove')))) return;
    }
    const { focused } = keyOf(node) ?? {};
    if (isSession(focused) && records.some(({ sessionId }) => sessionId === focused.sessionId))
      await this.#deps.stepAside?.(focused.sessionId, new Set(records.map(({ sessionId }) => sessionId)));
    const removed: SessionRecord[] = [];
    for (const { sessionId } of records) {
      const record = await index.remove(serviceId, sessionId);
      if (record !== undefined) removed.push(record);
    }
    const [first] = removed;
    if (first === undefined) return;
    const sentence =
      removed.length === 1
        ? vscode.l10n.t(
            'Removed “{0}” from this list. The session itself stays with the service.',
            sessionTitle(first),
          )
        : vscode.l10n.t(
            'Removed {0} sessions from this list. The sessions themselves stay with the service.',
            removed.length,
          );
    this.#offer(sentence, async () => {
      for (const record of removed) await index.restore(serviceId, record);
    });
  }

  /** Puts back what was removed, in whichever window and however long ago. */
  async #restore(): Promise<void> {
    const { index, access, format } = this.#deps;
    await access.ready();
    const { serviceId } = index;
    const removed = serviceId === undefined ? [] : await index.removed(serviceId);
    if (serviceId === undefined || removed.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('No session was removed from this list.'));
      return;
    }
    const now = Date.now();
    const items = removed.map(({ at, record }) => ({
      label: forQuickPick(sessionTitle(record)),
      description: vscode.l10n.t('removed {0} ago', format.span(now - at)),
      detail: forQuickPick(record.sessionId),
      record,
    }));
    const chosen = await vscode.window.showQuickPick(items, {
      canPickMany: true,
      matchOnDetail: true,
      placeHolder: vscode.l10n.t('Put which sessions back into the list?'),
    });
    for (const { record } of chosen ?? []) await index.restore(serviceId, record);
  }

  /** Several are asked about once, and the notice takes it back for those that nobody has touched since. */
  async #archive(node: unknown, nodes: unknown): Promise<void> {
    const { index, access } = this.#deps;
    const { serviceId } = index;
    const records = (await access.recordsOf(node, nodes)).filter(
      ({ local }) => local.archivedAt === undefined,
    );
    const [first] = records;
    if (serviceId === undefined || first === undefined) return;
    const count = records.length;
    if (count > 1) {
      const question = vscode.l10n.t('Archive {0} sessions?', count);
      const detail = vscode.l10n.t(
        'They go to the group “Archived” on this machine. The service keeps them as they are.',
      );
      if (!(await confirmed(question, detail, vscode.l10n.t('Archive')))) return;
    }
    const archivedAt = Date.now();
    for (const { sessionId } of records)
      await index.keep(serviceId, sessionId, local => ({ ...local, archivedAt, changedAt: archivedAt }));
    const sentence =
      count === 1
        ? vscode.l10n.t('Archived “{0}” on this machine.', sessionTitle(first))
        : vscode.l10n.t('Archived {0} sessions on this machine.', count);
    this.#offer(sentence, async () => {
      for (const { sessionId } of records)
        await index.keep(serviceId, sessionId, local =>
          local.archivedAt === archivedAt
            ? { ...local, archivedAt: undefined, changedAt: Date.now() }
            : local,
        );
    });
  }

  /** Changes what is kept about each selected session. */
  async #keep(node: unknown, nodes: unknown, change: Overlay): Promise<void> {
    const { index, access } = this.#deps;
    const { serviceId } = index;
    const records = await access.recordsOf(node, nodes);
    if (serviceId === undefined) return;
    for (const { sessionId } of records)
      await index.keep(serviceId, sessionId, local => ({ ...local, ...change, changedAt: Date.now() }));
  }

  async #rename(node: unknown): Promise<void> {
    const { index, access } = this.#deps;
    const record = await access.recordOf(node);
    const { serviceId } = index;
    if (record === undefined || serviceId === undefined) return;
    const name = await vscode.window.showInputBox({
      title: vscode.l10n.t('Rename session on this machine'),
      prompt: vscode.l10n.t(
        'The service has no call to rename, so it does not learn this name. Empty: its own title.',
      ),
      value: record.local.name ?? sessionTitle(record),
      validateInput: tooLong(200),
      // Asked from the page of a chat, which may take the focus back.
      ignoreFocusOut: true,
    });
    if (name === undefined) return;
    const given = name.trim();
    const isOwn = given === '' || (record.local.name === undefined && given === sessionTitle(record));
    await index.keep(serviceId, record.sessionId, local => ({
      ...local,
      name: isOwn ? undefined : given,
      changedAt: Date.now(),
    }));
  }

  /** Tells what was done and offers to take it back, without waiting for an answer. */
  #offer(sentence: string, takeBack: () => Promise<void>): void {
    const { onFailure, tell = notice } = this.#deps;
    const button = vscode.l10n.t('Undo');
    void tell(forNotification(sentence), button).then(answer => {
      if (answer === button) takeBack().catch(onFailure);
    });
  }
}

const notice: Tell = (sentence, button) => vscode.window.showInformationMessage(sentence, button);

async function confirmed(question: string, detail: string, act: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, act)) === act;
}

function tooLong(limit: number): (text: string) => string | undefined {
  return text =>
    text.length > limit ? vscode.l10n.t('This is longer than {0} characters.', limit) : undefined;
}
