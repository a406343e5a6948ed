import * as vscode from 'vscode';
import type { Service } from '../connection';
import { commands, type CommandHandlers } from '../contributions';
import { confirmed, notify } from '../ui/window';
import { pickSeveral } from '../ui/pick';
import { format } from '../ui/text';
import { forNotification, oneLine } from '../util/text';
import type { SessionsContext } from '.';
import {
  askSessionId,
  chooseSession,
  contextOf,
  learnSession,
  linkedSession,
  linkTo,
  recordOf,
  recordsOf,
  signedIn,
  typedSession,
} from './access';
import { createForPerson, createSession } from './create';
import type { Overlay, SessionRecord } from './record';
import { exportSessions, importSessions } from './transfer';
import type { SessionsView } from './view';
import { sessionDocument, sessionTitle } from './words';

/** What people do with sessions. What is kept of one stays on this machine: the service has no call for it (interface-notes 3). */
export function sessionCommands(context: SessionsContext, view: SessionsView): CommandHandlers<'sessions'> {
  const { index, connection, log, ready } = context;

  const keep = async (
    records: readonly SessionRecord[],
    change: Overlay,
    serviceId = index.serviceId,
  ): Promise<void> => {
    for (const { sessionId } of records)
      await index.keep(sessionId, local => ({ ...local, ...change }), serviceId);
  };

  /** Whose list this is, also where its key is refused: nothing is asked of the service. */
  const serviceInUse = async (): Promise<Service> => {
    const state = await connection.ready();
    if (state.kind === 'signedOut') throw new Error(vscode.l10n.t('Sign in first.'));
    await ready();
    return state.service;
  };

  const copy = async (node: unknown, nodes: unknown, text: (sessionId: string) => string): Promise<void> => {
    const records = await recordsOf(context, node, nodes);
    if (records.length === 0) return;
    await vscode.env.clipboard.writeText(records.map(({ sessionId }) => text(sessionId)).join('\n'));
  };

  /** Takes sessions out of the list or into the archive; a notice offers to take it back. */
  const take = async (what: 'removedAt' | 'archivedAt', node: unknown, nodes: unknown): Promise<void> => {
    const all = await recordsOf(context, node, nodes);
    // A person may have gone to another service when they take it back.
    const { serviceId } = index;
    const records = all.filter(({ local }) => local[what] === undefined);
    const [first] = records;
    if (first === undefined) return;
    await view.stepAside(node, records);
    const at = Date.now();
    await keep(records, { [what]: at }, serviceId);
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
  };

  return {
    create: argument => createSession(context, argument),

    add: async argument => {
      // A button of the view passes the selected row along.
      const byPerson = typeof argument !== 'string';
      const { host } = (await signedIn(context, byPerson)).service;
      const sessionId = byPerson ? await askSessionId(context) : typedSession(argument, host);
      if (sessionId === undefined) return undefined;
      const known = await learnSession(context, sessionId, byPerson);
      if (byPerson && known !== undefined) await vscode.commands.executeCommand(commands.chat.open, known);
      return known;
    },

    remove: (node, nodes) => take('removedAt', node, nodes),

    restore: async () => {
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
      const question = vscode.l10n.t('Which sessions do you want to restore?');
      const chosen = await pickSeveral(choices, question, () => false);
      await keep(chosen ?? [], { removedAt: undefined }, serviceId);
    },

    rename: async node => {
      const record = await recordOf(context, node);
      if (record === undefined) return;
      const { serviceId } = index;
      const before = oneLine(record.local.name ?? sessionTitle(record), 200);
      const name = await vscode.window.showInputBox({
        title: vscode.l10n.t('Rename session on this machine'),
        prompt: vscode.l10n.t(
          'The name stays on this machine; the service cannot rename sessions. Leave it empty for the session’s own title.',
        ),
        value: before,
        validateInput: text =>
          text.length > 200 ? vscode.l10n.t('This is longer than {0} characters.', 200) : undefined,
        // Asked from the page of a chat, which may take the focus back.
        ignoreFocusOut: true,
      });
      const given = name?.trim();
      if (given === undefined || given === before) return;
      await keep([record], { name: given === '' ? undefined : given }, serviceId);
    },

    /** Pins them, or where all of them are pinned lets them go. */
    pin: async (node, nodes) => {
      const records = await recordsOf(context, node, nodes);
      const isOff = records.every(({ local }) => local.pinned === true);
      await keep(records, { pinned: isOff ? undefined : true });
    },

    archive: (node, nodes) => take('archivedAt', node, nodes),
    unarchive: async (node, nodes) => keep(await recordsOf(context, node, nodes), { archivedAt: undefined }),
    viewOptions: () => view.pickOptions(),
    export: async () => exportSessions(index, await serviceInUse()),
    import: async () => importSessions(index, await serviceInUse()),
    copyId: (node, nodes) => copy(node, nodes, sessionId => sessionId),
    copyLink: (node, nodes) =>
      copy(node, nodes, sessionId =>
        linkTo(context.linkBase, sessionId, connection.state.current.service?.host),
      ),

    showDetails: async node => {
      const shown = await recordOf(context, node);
      if (shown === undefined) return;
      const { sessionId } = shown;
      await context.details.show(sessionId, sessionTitle(shown), () => {
        const record = index.get(sessionId) ?? shown;
        return sessionDocument(record, contextOf(record, context));
      });
    },
  };
}

/** Asks for a session: a known one, a new one, or one by its id. Resolves to `undefined` when cancelled. */
export async function pickSession(
  context: SessionsContext,
  placeHolder: string,
  first: 'known' | 'new' = 'known',
): Promise<string | undefined> {
  if ((await context.connection.ready()).kind === 'signedOut') await signedIn(context, true);
  const choice = await chooseSession(context, placeHolder, first);
  if (choice === 'new') return createForPerson(context);
  if (choice !== 'add') return choice?.sessionId;
  const sessionId = await askSessionId(context);
  return sessionId === undefined ? undefined : learnSession(context, sessionId, true);
}

/** Opens the session that a link names, after the person has agreed. Nothing is asked of any service before that. */
export async function openLink(
  context: SessionsContext,
  uri: Pick<vscode.Uri, 'path' | 'query'>,
): Promise<void> {
  const { service } = await signedIn(context, true);
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
