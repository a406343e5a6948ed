import * as vscode from 'vscode';
import { commands, type CommandHandlers } from '../contributions';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { notify } from '../ui/notify';
import { forNotification, forQuickPick, oneLine } from '../util/text';
import { askSessionId, isSession, type SessionAccess } from './access';
import { contextOf, type SessionsContext } from './context';
import type { NewSessions } from './create/newSessions';
import { elsewhereText, isSessionId, linkTo, readLink } from './links';
import type { Overlay, SessionRecord } from './store/record';
import { exportSessions, importSessions } from './transfer';
import { sessionDocument } from './view/document';
import type { SessionsView } from './view/view';
import { sessionTitle } from './view/words';

export interface SessionCommandsDeps {
  readonly access: SessionAccess;
  readonly newSessions: NewSessions;
  readonly view: Pick<SessionsView, 'pickOptions' | 'stepAside'>;
  readonly details: Pick<DetailsDocuments, 'show'>;
  /** What the editor calls links to this extension. */
  readonly linkBase: Pick<vscode.Uri, 'scheme' | 'authority'>;
}

/** What people do with sessions. What is kept of one stays on this machine: the service has no call for it (interface-notes 3). */
export class SessionCommands {
  readonly #context: SessionsContext;
  readonly #deps: SessionCommandsDeps;

  constructor(context: SessionsContext, deps: SessionCommandsDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  readonly handlers: CommandHandlers<'sessions'> = {
    create: argument => this.#deps.newSessions.create(argument),
    add: argument => this.#add(argument),
    remove: (node, nodes) => this.#remove(node, nodes),
    restore: () => this.#restore(),
    rename: node => this.#rename(node),
    pin: (node, nodes) => this.#pin(node, nodes),
    archive: (node, nodes) => this.#archive(node, nodes),
    unarchive: async (node, nodes) =>
      this.#keep(await this.#deps.access.recordsOf(node, nodes), { archivedAt: undefined }),
    viewOptions: () => this.#deps.view.pickOptions(),
    export: async () => exportSessions(this.#context.index, await this.#deps.access.signedIn(true)),
    import: async () => importSessions(this.#context.index, await this.#deps.access.signedIn(true)),
    copyId: (node, nodes) => this.#copy(node, nodes, ({ sessionId }) => sessionId),
    copyLink: (node, nodes) => this.#copy(node, nodes, record => this.#link(record)),
    showDetails: node => this.#showDetails(node),
  };

  /** Asks for a session: a known one, a new one, or one by its id. Resolves to `undefined` when cancelled. */
  async pick(placeHolder: string, first: 'known' | 'new' = 'known'): Promise<string | undefined> {
    const { access, newSessions } = this.#deps;
    if ((await this.#context.connection.ready()).kind === 'signedOut') await access.signedIn(true);
    const choice = await access.choose(placeHolder, first);
    if (choice === 'new') return newSessions.createForPerson();
    if (choice !== 'add') return choice?.sessionId;
    const sessionId = await askSessionId((await access.signedIn(true)).service.host);
    return sessionId === undefined ? undefined : access.learn(sessionId, true);
  }

  /** Opens the session that a link names, after the person has agreed. Nothing is asked of any service before that. */
  async openLink(uri: Pick<vscode.Uri, 'path' | 'query'>): Promise<void> {
    const link = readLink(uri);
    if (link === undefined) throw new Error(vscode.l10n.t('This link names no session of Agent Console.'));
    const { service } = await this.#deps.access.signedIn(true);
    if (link.host !== undefined && link.host !== service.host)
      throw new Error(elsewhereText(link.host, service.host));
    const isMeant = await confirmed(
      vscode.l10n.t('Open session “{0}” at {1}?', forNotification(link.sessionId, 80), service.host),
      vscode.l10n.t('A link from outside asks for it. Open it only if you trust who gave it to you.'),
      vscode.l10n.t('Open session'),
    );
    if (isMeant) await vscode.commands.executeCommand(commands.chat.open, link.sessionId);
  }

  async #add(argument: unknown): Promise<string | undefined> {
    const { access } = this.#deps;
    // A button of the view passes the selected row along.
    const byPerson = typeof argument !== 'string';
    const sessionId = byPerson ? await askSessionId((await access.signedIn(true)).service.host) : argument;
    if (sessionId === undefined) return undefined;
    if (!isSessionId(sessionId))
      throw new Error(vscode.l10n.t('“{0}” is not a session id.', oneLine(sessionId, 60)));
    const known = await access.learn(sessionId, byPerson);
    if (byPerson && known !== undefined) await vscode.commands.executeCommand(commands.chat.open, known);
    return known;
  }

  async #copy(node: unknown, nodes: unknown, text: (record: SessionRecord) => string): Promise<void> {
    const records = await this.#deps.access.recordsOf(node, nodes);
    if (records.length > 0) await vscode.env.clipboard.writeText(records.map(text).join('\n'));
  }

  #link({ sessionId }: SessionRecord): string {
    const state = this.#context.connection.state.current;
    const host = state.kind === 'signedOut' ? undefined : state.service.host;
    return linkTo(this.#deps.linkBase, { sessionId, host });
  }

  async #showDetails(node: unknown): Promise<void> {
    const shown = await this.#deps.access.recordOf(node);
    if (shown === undefined) return;
    const { sessionId } = shown;
    await this.#deps.details.show(sessionId, sessionTitle(shown), () => {
      const record = this.#context.index.get(sessionId) ?? shown;
      return sessionDocument(record, contextOf(record, this.#context));
    });
  }

  async #remove(node: unknown, nodes: unknown): Promise<void> {
    const { access, view } = this.#deps;
    const records = await access.recordsOf(node, nodes);
    const { serviceId } = this.#context.index;
    const [first] = records;
    const count = records.length;
    if (first === undefined) return;
    if (count > 1) {
      const question = vscode.l10n.t('Remove {0} sessions from this list?', count);
      const detail = vscode.l10n.t(
        'The sessions themselves stay with the service. It has no list of them: without their ids they cannot be found again.',
      );
      if (!(await confirmed(question, detail, vscode.l10n.t('Remove')))) return;
    }
    const [focused] = Array.isArray(node) ? (node as unknown[]) : [];
    // A row that goes takes the focus with it.
    if (isSession(focused)) await view.stepAside(focused.sessionId, records);
    const removedAt = Date.now();
    await this.#keep(records, { removedAt }, serviceId);
    this.#offerUndo(
      'removedAt',
      removedAt,
      records,
      serviceId,
      count === 1
        ? vscode.l10n.t(
            'Removed “{0}” from this list. The session itself stays with the service.',
            sessionTitle(first),
          )
        : vscode.l10n.t(
            'Removed {0} sessions from this list. The sessions themselves stay with the service.',
            count,
          ),
    );
  }

  /** Puts back what was removed, in whichever window and however long ago. */
  async #restore(): Promise<void> {
    const { index, format, ready } = this.#context;
    await ready();
    const { serviceId } = index;
    const items = index.removed.map(record => ({
      label: forQuickPick(sessionTitle(record)),
      description: vscode.l10n.t(
        'removed {0} ago',
        format.span(Date.now() - (record.local.removedAt ?? Date.now())),
      ),
      detail: forQuickPick(record.sessionId),
      record,
    }));
    if (items.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('No session was removed from this list.'));
      return;
    }
    const placeHolder = vscode.l10n.t('Put which sessions back into the list?');
    const options = { canPickMany: true, matchOnDetail: true, placeHolder } as const;
    const chosen = (await vscode.window.showQuickPick(items, options)) ?? [];
    await this.#keep(
      chosen.map(({ record }) => record),
      { removedAt: undefined },
      serviceId,
    );
  }

  /** Pins them, or where all of them are pinned lets them go. */
  async #pin(node: unknown, nodes: unknown): Promise<void> {
    const records = await this.#deps.access.recordsOf(node, nodes);
    const isOff = records.every(({ local }) => local.pinned === true);
    await this.#keep(records, { pinned: isOff ? undefined : true });
  }

  /** Several are asked about once. */
  async #archive(node: unknown, nodes: unknown): Promise<void> {
    const all = await this.#deps.access.recordsOf(node, nodes);
    const { serviceId } = this.#context.index;
    const records = all.filter(({ local }) => local.archivedAt === undefined);
    const [first] = records;
    const count = records.length;
    if (first === undefined) return;
    if (count > 1) {
      const question = vscode.l10n.t('Archive {0} sessions?', count);
      const detail = vscode.l10n.t(
        'They go to the group “Archived” on this machine. The service keeps them as they are.',
      );
      if (!(await confirmed(question, detail, vscode.l10n.t('Archive')))) return;
    }
    const archivedAt = Date.now();
    await this.#keep(records, { archivedAt }, serviceId);
    this.#offerUndo(
      'archivedAt',
      archivedAt,
      records,
      serviceId,
      count === 1
        ? vscode.l10n.t('Archived “{0}” on this machine.', sessionTitle(first))
        : vscode.l10n.t('Archived {0} sessions on this machine.', count),
    );
  }

  /** Changes what is kept about sessions of a service; a person may have gone to another one since they were chosen. */
  async #keep(
    records: readonly SessionRecord[],
    change: Overlay,
    serviceId = this.#context.index.serviceId,
  ): Promise<void> {
    const changedAt = Date.now();
    for (const { sessionId } of records)
      await this.#context.index.keep(sessionId, local => ({ ...local, ...change, changedAt }), serviceId);
  }

  async #rename(node: unknown): Promise<void> {
    const record = await this.#deps.access.recordOf(node);
    if (record === undefined) return;
    const { serviceId } = this.#context.index;
    const title = sessionTitle(record);
    const name = await vscode.window.showInputBox({
      title: vscode.l10n.t('Rename session on this machine'),
      prompt: vscode.l10n.t(
        'The service has no call to rename, so it does not learn this name. Empty: its own title.',
      ),
      value: record.local.name ?? title,
      validateInput: text =>
        text.length > 200 ? vscode.l10n.t('This is longer than {0} characters.', 200) : undefined,
      // Asked from the page of a chat, which may take the focus back.
      ignoreFocusOut: true,
    });
    if (name === undefined) return;
    const given = name.trim();
    const isOwn = given === '' || (record.local.name === undefined && given === title);
    await this.#keep([record], { name: isOwn ? undefined : given }, serviceId);
  }

  /** Tells what was done and offers to take it back, where nobody has touched it since. */
  #offerUndo(
    what: 'removedAt' | 'archivedAt',
    at: number,
    records: readonly SessionRecord[],
    serviceId: string | undefined,
    sentence: string,
  ): void {
    const { index, log } = this.#context;
    const undo = async (): Promise<void> => {
      for (const { sessionId } of records)
        await index.keep(
          sessionId,
          local => (local[what] === at ? { ...local, [what]: undefined, changedAt: Date.now() } : local),
          serviceId,
        );
    };
    notify(log, 'info', forNotification(sentence), [vscode.l10n.t('Undo'), undo]);
  }
}

async function confirmed(question: string, detail: string, act: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, act)) === act;
}
