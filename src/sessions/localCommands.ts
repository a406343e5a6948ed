import * as vscode from 'vscode';
import type { Formatter } from '../util/format';
import { forNotification, forQuickPick } from '../util/text';
import { isSession, keyOf, type SessionAccess } from './access';
import { isUnread, type Overlay } from './overlay';
import type { SessionRecord } from './record';
import type { SessionIndex } from './sessionIndex';
import { sessionTitle } from './text';
import { Undo, type Tell } from './undo';

export interface LocalCommandsDeps {
  readonly index: SessionIndex;
  readonly access: SessionAccess;
  readonly format: Formatter;
  readonly onFailure: (error: unknown) => void;
  /** Takes the keyboard from a session's row to one that stays when these go elsewhere: a row that goes takes the focus with it. */
  readonly stepAside?: (sessionId: string, leaving: ReadonlySet<string>) => Thenable<unknown>;
  /** Takes the keyboard to where a session's row is now: in another group it would be lost. */
  readonly follow?: (sessionId: string) => Thenable<unknown>;
  /** How what was done is told; by a notification unless a test listens. */
  readonly tell?: Tell;
}

type Changed = 'name' | 'pinned' | 'archivedAt' | 'tags' | 'readCount';

/** A mark that sessions have or have not. */
interface Mark<K extends Changed> {
  readonly field: K;
  readonly has: (record: SessionRecord) => boolean;
  readonly on: (record: SessionRecord) => Overlay[K];
  readonly off: () => Overlay[K];
}

const PIN: Mark<'pinned'> = {
  field: 'pinned',
  has: ({ local }) => local.pinned === true,
  on: () => true,
  off: () => undefined,
};
const ARCHIVE: Mark<'archivedAt'> = {
  field: 'archivedAt',
  has: ({ local }) => local.archivedAt !== undefined,
  on: () => Date.now(),
  off: () => undefined,
};
const READ: Mark<'readCount'> = {
  field: 'readCount',
  has: ({ local, session }) => !isUnread(local, session?.messageCount),
  on: ({ session }) => session?.messageCount ?? 0,
  off: () => -1,
};

/** What people do with sessions on this machine alone: the service has no call for any of it (interface-notes 3). */
export class LocalCommands {
  readonly #deps: LocalCommandsDeps;
  readonly #undo: Undo;

  constructor(deps: LocalCommandsDeps) {
    this.#deps = deps;
    this.#undo = new Undo(
      deps.tell ?? ((text, button) => vscode.window.showInformationMessage(text, button)),
    );
  }

  readonly handlers = {
    remove: (node: unknown, nodes: unknown) => this.#remove(node, nodes),
    undo: () => this.#undo.last(),
    restore: () => this.#restore(),
    rename: (node: unknown) => this.#rename(node),
    pin: (node: unknown, nodes: unknown) => this.#mark(node, nodes, PIN),
    unpin: (node: unknown, nodes: unknown) => this.#set(node, nodes, 'pinned', PIN.off),
    archive: (node: unknown, nodes: unknown) => this.#mark(node, nodes, ARCHIVE),
    unarchive: (node: unknown, nodes: unknown) => this.#set(node, nodes, 'archivedAt', ARCHIVE.off),
    markRead: (node: unknown, nodes: unknown) => this.#mark(node, nodes, READ),
    markUnread: (node: unknown, nodes: unknown) => this.#set(node, nodes, 'readCount', READ.off),
    editTags: (node: unknown) => this.#editTags(node),
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
    await this.#stepAside(node, records);
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

  async #stepAside(node: unknown, records: readonly SessionRecord[]): Promise<void> {
    const focused = focusedOf(node, records);
    const leaving = new Set(records.map(({ sessionId }) => sessionId));
    if (focused !== undefined) await this.#deps.stepAside?.(focused, leaving);
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

  /** Marks the sessions; a key of the tree turns a mark round that all of them have. */
  async #mark<K extends Changed>(
    node: unknown,
    nodes: unknown,
    { field, has, on, off }: Mark<K>,
  ): Promise<void> {
    const isOff = keyOf(node)?.toggle === true && (await this.#deps.access.recordsOf(node, nodes)).every(has);
    await this.#set(node, nodes, field, isOff ? off : on);
  }

  /** Changes one field of each selected session; several are asked about once, and what is hidden by it can be taken back. */
  async #set<K extends Changed>(
    node: unknown,
    nodes: unknown,
    field: K,
    value: (record: SessionRecord) => Overlay[K],
  ): Promise<void> {
    const records = await this.#deps.access.recordsOf(node, nodes);
    const [first] = records;
    if (first === undefined) return;
    const isArchiving = field === 'archivedAt' && value(first) !== undefined;
    if (isArchiving && records.length > 1) {
      const question = vscode.l10n.t('Archive {0} sessions?', records.length);
      const detail = vscode.l10n.t(
        'They go to the group “Archived” on this machine. The service keeps them as they are.',
      );
      if (!(await confirmed(question, detail, vscode.l10n.t('Archive')))) return;
    }
    if (field === 'archivedAt') await this.#stepAside(node, records);
    const takeBack = await this.#change(records, field, value);
    const focused = focusedOf(node, records);
    if (field === 'pinned' && focused !== undefined) await this.#deps.follow?.(focused);
    const sentence = doneText(field, isArchiving, records, first);
    if (sentence === undefined) this.#undo.add(takeBack);
    else this.#offer(sentence, takeBack);
  }

  /** Resolves to what takes the change back, and only this change: what was changed anew since stays as it is. */
  async #change<K extends Changed>(
    records: readonly SessionRecord[],
    field: K,
    value: (record: SessionRecord) => Overlay[K],
  ): Promise<() => Promise<void>> {
    const { index } = this.#deps;
    const { serviceId } = index;
    if (serviceId === undefined) return () => Promise.resolve();
    const changes: { readonly sessionId: string; readonly from: Overlay[K]; readonly to: Overlay[K] }[] = [];
    for (const record of records) {
      const { sessionId } = record;
      let from: Overlay[K] | undefined;
      const to = value(record);
      await index.keep(serviceId, sessionId, local => {
        from = local[field];
        return { ...local, [field]: to, changedAt: Date.now() };
      });
      changes.push({ sessionId, from: from, to });
    }
    return async () => {
      for (const { sessionId, from, to } of changes)
        await index.keep(serviceId, sessionId, local =>
          isSame(local[field], to) ? { ...local, [field]: from, changedAt: Date.now() } : local,
        );
    };
  }

  async #rename(node: unknown): Promise<void> {
    const record = await this.#deps.access.recordOf(node);
    if (record === undefined) return;
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
    this.#undo.add(await this.#change([record], 'name', () => (isOwn ? undefined : given)));
  }

  async #editTags(node: unknown): Promise<void> {
    const record = await this.#deps.access.recordOf(node);
    if (record === undefined) return;
    const text = await vscode.window.showInputBox({
      title: vscode.l10n.t('Tags of “{0}”', forNotification(sessionTitle(record), 60)),
      prompt: vscode.l10n.t(
        'Separated by commas. Kept on this machine only, beside the tags of the service.',
      ),
      value: record.local.tags?.join(', ') ?? '',
      validateInput: tooLong(1_000),
    });
    if (text === undefined) return;
    const tags = [...new Set(text.split(',').map(tag => tag.trim()))].filter(tag => tag !== '');
    this.#undo.add(await this.#change([record], 'tags', () => (tags.length === 0 ? undefined : tags)));
  }

  #offer(sentence: string, takeBack: () => Promise<void>): void {
    this.#undo.offer(sentence, takeBack, this.#deps.onFailure);
  }
}

function doneText(
  field: Changed,
  isArchiving: boolean,
  records: readonly SessionRecord[],
  first: SessionRecord,
): string | undefined {
  const count = records.length;
  if (isArchiving)
    return count === 1
      ? vscode.l10n.t('Archived “{0}” on this machine.', sessionTitle(first))
      : vscode.l10n.t('Archived {0} sessions on this machine.', count);
  if (count === 1) return undefined;
  switch (field) {
    case 'pinned':
      return vscode.l10n.t('Changed the pins of {0} sessions.', count);
    case 'archivedAt':
      return vscode.l10n.t('Took {0} sessions out of the archive.', count);
    case 'readCount':
      return vscode.l10n.t('Changed the read marks of {0} sessions.', count);
    default:
      return undefined;
  }
}

/** The row with the focus, where it is one of these and a key asked. */
function focusedOf(node: unknown, records: readonly SessionRecord[]): string | undefined {
  const { focused } = keyOf(node) ?? {};
  const isAmong = isSession(focused) && records.some(({ sessionId }) => sessionId === focused.sessionId);
  return isAmong ? focused.sessionId : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

async function confirmed(question: string, detail: string, act: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, act)) === act;
}

function tooLong(limit: number): (text: string) => string | undefined {
  return text =>
    text.length > limit ? vscode.l10n.t('This is longer than {0} characters.', limit) : undefined;
}
