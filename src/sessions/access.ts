import * as vscode from 'vscode';
import { isApiError, type ApiClient } from '../api';
import type { Service } from '../connection';
import { commands } from '../contributions';
import { joined, themeIcon } from '../ui/text';
import { errorSentence } from '../util/errorSentence';
import { withSignal } from '../util/promises';
import { forQuickPick } from '../util/text';
import { type SessionsContext, contextOf, currentWorkspace } from './context';
import { typedSession } from './links';
import { activityOf, type SessionRecord } from './store/record';
import { wordsOf } from './view/words';

/** What a person chose when asked for a session. */
export type SessionChoice = { readonly sessionId: string } | 'new' | 'add';

interface Choice extends vscode.QuickPickItem {
  readonly value?: SessionChoice;
}

/** How commands come to a service and to sessions. A person who is not signed in is asked to; another program is told. */
export class SessionAccess {
  readonly #context: SessionsContext;

  constructor(context: SessionsContext) {
    this.#context = context;
  }

  /** The client and its service. Rejects where there is none: with the sentence, or as cancelled by a person. */
  async signedIn(byPerson: boolean): Promise<{ readonly api: ApiClient; readonly service: Service }> {
    const { connection, ready } = this.#context;
    if ((await connection.ready()).kind !== 'signedIn' && byPerson)
      await vscode.commands.executeCommand(commands.connection.signIn);
    const state = await connection.ready();
    const { api } = connection;
    if (state.kind === 'signedIn' && api !== undefined) {
      await ready();
      return { api, service: state.service };
    }
    if (byPerson) throw new vscode.CancellationError();
    throw new Error(vscode.l10n.t('Sign in first: Agent Console is not connected to a service.'));
  }

  /** Reads a session and puts it in the index (section 4.6). Resolves to `undefined` when cancelled. */
  async learn(sessionId: string, byPerson: boolean): Promise<string | undefined> {
    const { api, service } = await this.signedIn(byPerson);
    const session = await inProgress(vscode.l10n.t('Looking for the session…'), signal =>
      api.one('session', { ids: { sessionId }, signal }),
    );
    if (session === undefined) return undefined;
    const learnt = { session, origin: 'added', at: Date.now(), workspace: currentWorkspace() } as const;
    await this.#context.index.learn(service.id, learnt);
    return session.sessionId;
  }

  /** Puts a session into the index that may not be there yet; rejects when the service does not know it. */
  async ensure(sessionId: string): Promise<void> {
    await this.#context.ready();
    if (this.#context.index.get(sessionId) === undefined) await this.learn(sessionId, false);
  }

  /** The record of a row or of an id; without any argument, of a known session that the person picks. */
  async recordOf(node: unknown): Promise<SessionRecord | undefined> {
    const [focused] = Array.isArray(node) ? (node as unknown[]) : [];
    const [record] = await this.recordsOf(isSession(focused) ? focused : node);
    return record;
  }

  /** The records of the selected rows, or of the one that was clicked, each once. */
  async recordsOf(node: unknown, nodes?: unknown): Promise<readonly SessionRecord[]> {
    const { index, ready } = this.#context;
    await ready();
    const meant = this.#meant(node, nodes) ?? [
      await this.choose(vscode.l10n.t('Choose a session'), 'only known'),
    ];
    const ids = meant.map(row =>
      typeof row === 'object' && row !== null && 'sessionId' in row ? row.sessionId : row,
    );
    return [...new Set(ids)].flatMap(id => (typeof id === 'string' ? (index.get(id) ?? []) : []));
  }

  /**
   * What a command is meant for. A key passes a list, and VS Code puts the row with the focus in front of it: as in the Explorer, a key
   * is meant for the selected rows, or for the row with the focus where it is none of them.
   */
  #meant(node: unknown, nodes: unknown): readonly unknown[] | undefined {
    if (!Array.isArray(node)) {
      if (Array.isArray(nodes) && nodes.length > 0) return nodes as unknown[];
      return node === undefined || node === null ? undefined : [node];
    }
    const [focused] = node as unknown[];
    const selection = (this.#context.view.selection as readonly unknown[]).filter(isSession);
    if (!isSession(focused)) return focused === undefined || focused === null ? selection : [];
    return selection.some(({ sessionId }) => sessionId === focused.sessionId) ? selection : [focused];
  }

  /** Asks for one of the known sessions, or also for a new one, which may come `first`, or one that is not known yet. */
  async choose(
    placeHolder: string,
    first: 'known' | 'new' | 'only known',
  ): Promise<SessionChoice | undefined> {
    await this.#context.ready();
    const isArchived = ({ local }: SessionRecord): number => Number(local.archivedAt !== undefined);
    const known = [...this.#context.index.records.values()]
      .sort((a, b) => isArchived(a) - isArchived(b) || activityOf(b) - activityOf(a))
      .map((record): Choice => this.#choice(record));
    const line: Choice = { label: '', kind: vscode.QuickPickItemKind.Separator };
    const other = (icon: string, label: string, value: SessionChoice): Choice => ({
      label: `$(${icon}) ${label}`,
      value,
      alwaysShow: true,
    });
    const fresh = other('add', vscode.l10n.t('New session…'), 'new');
    const byId = other('link', vscode.l10n.t('Open a session by its id…'), 'add');
    const items = {
      known: [...known, line, fresh, byId],
      new: [fresh, line, ...known, line, byId],
      'only known': known,
    }[first];
    // Often asked from a page, which would close it by getting the focus back late.
    const options = { placeHolder, matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true };
    return (await vscode.window.showQuickPick(items, options))?.value;
  }

  /** Asks for a session's id, or a link to one; resolves to the id. */
  async askId(): Promise<string | undefined> {
    const { host } = (await this.signedIn(true)).service;
    const value = await vscode.window.showInputBox({
      title: vscode.l10n.t('Open a session by its id'),
      prompt: vscode.l10n.t(
        'The id is shown in the web application and in the command-line client. A link to a session works, too.',
      ),
      ignoreFocusOut: true,
      validateInput: text => {
        try {
          if (text.trim() !== '') typedSession(text, host);
          return undefined;
        } catch (error) {
          return errorSentence(error);
        }
      },
    });
    return value === undefined || value.trim() === '' ? undefined : typedSession(value, host);
  }

  #choice(record: SessionRecord): Choice {
    const { title, icon, agedState, computer } = wordsOf(record, contextOf(record, this.#context));
    return {
      label: forQuickPick(title),
      description: forQuickPick(joined([agedState, computer])),
      iconPath: themeIcon(icon),
      detail: forQuickPick(record.sessionId),
      value: record,
    };
  }
}

/** Shows that something is going on, which a person may cancel: `undefined` then. */
export async function inProgress<T>(
  title: string,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, (_, token) =>
    withSignal(token, ask).catch((error: unknown) => {
      if (isApiError(error) && error.kind === 'cancelled') return undefined;
      throw error;
    }),
  );
}

export function isSession(row: unknown): row is { readonly sessionId: string } {
  const { kind, sessionId } = (row ?? {}) as { readonly kind?: unknown; readonly sessionId?: unknown };
  return kind === 'session' && typeof sessionId === 'string';
}
