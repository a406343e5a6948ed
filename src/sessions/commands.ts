import * as vscode from 'vscode';
import { commands, type CommandHandlers } from '../contributions';
import { confirmed, notify } from '../ui/notify';
import { pickSeveral } from '../ui/pick';
import { forNotification } from '../util/text';
import { isSession, type SessionAccess } from './access';
import { contextOf, type SessionsContext } from './context';
import { NewSessions } from './create/newSessions';
import { linkedSession, linkTo, typedSession } from './links';
import type { Overlay, SessionRecord } from './store/record';
import { exportSessions, importSessions } from './transfer';
import { sessionDocument } from './view/document';
import type { SessionsView } from './view/view';
import { sessionTitle } from './view/words';

/** What people do with sessions. What is kept of one stays on this machine: the service has no call for it (interface-notes 3). */
export class SessionCommands {
  readonly #context: SessionsContext;
  readonly #view: SessionsView;
  readonly #access: SessionAccess;
  readonly #newSessions: NewSessions;

  constructor(context: SessionsContext, access: SessionAccess, view: SessionsView) {
    this.#context = context;
    this.#view = view;
    this.#access = access;
    this.#newSessions = new NewSessions(context, access);
  }

  readonly handlers: CommandHandlers<'sessions'> = {
    create: argument => this.#newSessions.create(argument),
    add: argument => this.#add(argument),
    remove: (node, nodes) => this.#take('removedAt', node, nodes),
    restore: () => this.#restore(),
    rename: node => this.#rename(node),
    pin: (node, nodes) => this.#pin(node, nodes),
    archive: (node, nodes) => this.#take('archivedAt', node, nodes),
    unarchive: async (node, nodes) =>
      this.#keep(await this.#access.recordsOf(node, nodes), { archivedAt: undefined }),
    viewOptions: () => this.#view.pickOptions(),
    export: async () => exportSessions(this.#context.index, (await this.#access.signedIn(true)).service),
    import: async () => importSessions(this.#context.index, (await this.#access.signedIn(true)).service),
    copyId: (node, nodes) => this.#copy(node, nodes, ({ sessionId }) => sessionId),
    copyLink: (node, nodes) => this.#copy(node, nodes, record => this.#link(record)),
    showDetails: node => this.#showDetails(node),
  };

  /** Asks for a session: a known one, a new one, or one by its id. Resolves to `undefined` when cancelled. */
  async pick(placeHolder: string, first: 'known' | 'new' = 'known'): Promise<string | undefined> {
    if ((await this.#context.connection.ready()).kind === 'signedOut') await this.#access.signedIn(true);
    const choice = await this.#access.choose(placeHolder, first);
    if (choice === 'new') return this.#newSessions.createForPerson();
    if (choice !== 'add') return choice?.sessionId;
    const sessionId = await this.#access.askId();
    return sessionId === undefined ? undefined : this.#access.learn(sessionId, true);
  }

  /** Opens the session that a link names, after the person has agreed. Nothing is asked of any service before that. */
  async openLink(uri: Pick<vscode.Uri, 'path' | 'query'>): Promise<void> {
    const { service } = await this.#access.signedIn(true);
    const sessionId = linkedSession(uri, service.host);
    const isMeant = await confirmed(
      vscode.l10n.t('Open session “{0}” at {1}?', forNotification(sessionId, 80), service.host),
      vscode.l10n.t(
        'A link from outside asked to open it. Continue only if you trust where the link came from.',
      ),
      vscode.l10n.t('Open session'),
    );
    if (isMeant) await vscode.commands.executeCommand(commands.chat.open, sessionId);
  }

  async #add(argument: unknown): Promise<string | undefined> {
    // A button of the view passes the selected row along.
    const byPerson = typeof argument !== 'string';
    const { host } = (await this.#access.signedIn(byPerson)).service;
    const sessionId = byPerson ? await this.#access.askId() : typedSession(argument, host);
    if (sessionId === undefined) return undefined;
    const known = await this.#access.learn(sessionId, byPerson);
    if (byPerson && known !== undefined) await vscode.commands.executeCommand(commands.chat.open, known);
    return known;
  }

  async #copy(node: unknown, nodes: unknown, text: (record: SessionRecord) => string): Promise<void> {
    const records = await this.#access.recordsOf(node, nodes);
    if (records.length > 0) await vscode.env.clipboard.writeText(records.map(text).join('\n'));
  }

  #link({ sessionId }: SessionRecord): string {
    const { connection, linkBase } = this.#context;
    return linkTo(linkBase, { sessionId, host: connection.state.current.service?.host });
  }

  async #showDetails(node: unknown): Promise<void> {
    const shown = await this.#access.recordOf(node);
    if (shown === undefined) return;
    const { sessionId } = shown;
    await this.#context.details.show(sessionId, sessionTitle(shown), () => {
      const record = this.#context.index.get(sessionId) ?? shown;
      return sessionDocument(record, contextOf(record, this.#context));
    });
  }

  /** Takes sessions out of the list or into the archive; a notice offers to take it back. */
  async #take(what: 'removedAt' | 'archivedAt', node: unknown, nodes: unknown): Promise<void> {
    const all = await this.#access.recordsOf(node, nodes);
    const { index, log } = this.#context;
    // A person may have gone to another service when they take it back.
    const { serviceId } = index;
    const records = all.filter(({ local }) => local[what] === undefined);
    const [first] = records;
    if (first === undefined) return;
    const [focused] = Array.isArray(node) ? (node as unknown[]) : [];
    // A row that goes takes the focus with it.
    if (isSession(focused)) await this.#view.stepAside(focused.sessionId, records);
    const at = Date.now();
    await this.#keep(records, { [what]: at }, serviceId);
    const which =
      records.length === 1 ? `“${sessionTitle(first)}”` : vscode.l10n.t('{0} sessions', records.length);
    const done =
      what === 'archivedAt'
        ? vscode.l10n.t('Archived {0} on this machine.', which)
        : vscode.l10n.t('Removed {0} from this list. Nothing was removed from the service.', which);
    const undo = async (): Promise<void> => {
      for (const { sessionId } of records)
        // Unless somebody has touched it since.
        await index.keep(
          sessionId,
          local => (local[what] === at ? { ...local, [what]: undefined } : local),
          serviceId,
        );
    };
    notify(log, 'info', forNotification(done), [vscode.l10n.t('Undo'), undo]);
  }

  /** Puts back what was removed, in whichever window and however long ago. */
  async #restore(): Promise<void> {
    const { index, format, ready, log } = this.#context;
    await ready();
    const { serviceId } = index;
    const now = Date.now();
    const choices = index.removed.map(record => ({
      label: sessionTitle(record),
      description: vscode.l10n.t('removed {0} ago', format.span(now - (record.local.removedAt ?? now))),
      detail: record.sessionId,
      value: record,
    }));
    if (choices.length === 0) {
      notify(log, 'info', vscode.l10n.t('No session was removed from this list.'));
      return;
    }
    const chosen = await pickSeveral(
      choices,
      vscode.l10n.t('Restore which sessions to the list?'),
      () => false,
    );
    await this.#keep(chosen ?? [], { removedAt: undefined }, serviceId);
  }

  /** Pins them, or where all of them are pinned lets them go. */
  async #pin(node: unknown, nodes: unknown): Promise<void> {
    const records = await this.#access.recordsOf(node, nodes);
    const isOff = records.every(({ local }) => local.pinned === true);
    await this.#keep(records, { pinned: isOff ? undefined : true });
  }

  /** Changes what is kept about sessions of a service. */
  async #keep(
    records: readonly SessionRecord[],
    change: Overlay,
    serviceId = this.#context.index.serviceId,
  ): Promise<void> {
    for (const { sessionId } of records)
      await this.#context.index.keep(sessionId, local => ({ ...local, ...change }), serviceId);
  }

  async #rename(node: unknown): Promise<void> {
    const record = await this.#access.recordOf(node);
    if (record === undefined) return;
    const { serviceId } = this.#context.index;
    const title = sessionTitle(record);
    const name = await vscode.window.showInputBox({
      title: vscode.l10n.t('Rename session on this machine'),
      prompt: vscode.l10n.t(
        'The name stays on this machine; the service cannot rename sessions. Leave it empty for the session’s own title.',
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
}
