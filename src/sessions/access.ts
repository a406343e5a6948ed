import * as vscode from 'vscode';
import { isApiError, type ApiClient, type ApiError } from '../api';
import type { Connection, Service } from '../connection';
import { commands } from '../contributions';
import { withSignal } from '../util/cancellation';
import type { Formatter } from '../util/format';
import { forNotification, oneLine } from '../util/text';
import type { SessionMonitor } from './monitor';
import { pickSession, type SessionChoice } from './pickers';
import type { SessionRecord } from './record';
import type { ComputerFacts } from './row';
import type { SessionIndex } from './sessionIndex';
import { currentWorkspace } from './workspaces';

export interface AccessDeps {
  readonly connection: Connection;
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  readonly format: Formatter;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  /** What is selected in the Sessions view, for keys, which name no row. */
  readonly selection: () => readonly unknown[];
  /** Resolves when the index of the current service has been read. */
  readonly ready: () => Promise<void>;
}

/** How commands come to a service and to sessions. A person who is not signed in is asked to; another program is told. */
export class SessionAccess {
  readonly #deps: AccessDeps;

  constructor(deps: AccessDeps) {
    this.#deps = deps;
  }

  /** Resolves when it is known where things stand and the sessions have been read. */
  async ready(): Promise<void> {
    await this.#deps.connection.ready();
    await this.#deps.ready();
  }

  /** The client and its service. Rejects where there is none: with the sentence, or as cancelled by a person. */
  async signedIn(byPerson: boolean): Promise<{ readonly api: ApiClient; readonly service: Service }> {
    const { connection } = this.#deps;
    if ((await connection.ready()).kind !== 'signedIn' && byPerson) {
      await vscode.commands.executeCommand(commands.connection.signIn);
    }
    const state = await connection.ready();
    const { api } = connection;
    if (state.kind === 'signedIn' && api !== undefined) {
      await this.#deps.ready();
      return { api, service: state.service };
    }
    if (byPerson) throw new vscode.CancellationError();
    throw new Error(vscode.l10n.t('Sign in first: Agent Console is not connected to a service.'));
  }

  /** Reads a session and puts it in the index (section 4.6). Resolves to `undefined` when cancelled. */
  async learn(sessionId: string, byPerson: boolean): Promise<string | undefined> {
    const { api, service } = await this.signedIn(byPerson);
    const title = vscode.l10n.t('Looking for the session…');
    const session = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (_, token) =>
        withSignal(token, signal => api.sessions.get(sessionId, { signal })).catch((error: unknown) => {
          if (isApiError(error) && error.kind === 'cancelled') return undefined;
          if (isApiError(error) && error.kind === 'notFound')
            throw new Error(unknownSession(error, sessionId, service));
          throw error;
        }),
    );
    if (session === undefined) return undefined;
    const learnt = { session, origin: 'added', at: Date.now(), workspace: currentWorkspace() } as const;
    await this.#deps.index.learn(service.id, learnt);
    return session.sessionId;
  }

  /** The record of a row or of an id; without any argument, of a known session that the person picks. */
  async recordOf(node: unknown): Promise<SessionRecord | undefined> {
    await this.#deps.ready();
    const key = keyOf(node);
    if (key !== undefined)
      return this.recordOf(isSession(key.focused) ? key.focused : (this.#rowsOf(key)[0] ?? ''));
    if (node === undefined || node === null) {
      const choice = await this.choose(vscode.l10n.t('Choose a session'), 'only known');
      return choice?.kind === 'known' ? this.#deps.index.get(choice.sessionId) : undefined;
    }
    const sessionId = typeof node === 'object' && 'sessionId' in node ? node.sessionId : node;
    return typeof sessionId === 'string' ? this.#deps.index.get(sessionId) : undefined;
  }

  /** The records of the selected rows, or of the one that was clicked, each once. */
  async recordsOf(node: unknown, nodes: unknown): Promise<readonly SessionRecord[]> {
    const key = keyOf(node);
    const selected: unknown = key === undefined ? nodes : this.#rowsOf(key);
    const chosen = key !== undefined || (Array.isArray(selected) && selected.length > 0) ? selected : [node];
    const records = new Map<string, SessionRecord>();
    for (const each of chosen as unknown[]) {
      const record = await this.recordOf(each);
      if (record !== undefined) records.set(record.sessionId, record);
    }
    return [...records.values()];
  }

  /** The rows a key is meant for, as in the Explorer: the selected ones, or the one with the focus where it is none of them. */
  #rowsOf({ focused }: Key): readonly unknown[] {
    const selection = this.#deps.selection();
    if (isSession(focused)) {
      const isSelected = selection.some(row => isSession(row) && row.sessionId === focused.sessionId);
      return isSelected ? selection.filter(isSession) : [focused];
    }
    return isRow(focused) ? [] : selection.filter(isSession);
  }

  async choose(
    placeHolder: string,
    first: 'known' | 'new' | 'only known',
  ): Promise<SessionChoice | undefined> {
    await this.#deps.ready();
    const { index, monitor, format, computer } = this.#deps;
    return pickSession({
      records: [...index.records.values()],
      statusOf: record => monitor.statusOf(record.sessionId),
      computer,
      format,
      placeHolder,
      first,
    });
  }
}

/** What keys pass instead of a row. */
interface Key {
  /** The row with the focus, which need not be selected. */
  readonly focused: unknown;
}

/** VS Code puts the row with the focus in the place of the first of the arguments in package.json. */
export function keyOf(argument: unknown): Key | undefined {
  const [focused, asked] = Array.isArray(argument) ? (argument as unknown[]) : [undefined, argument];
  return isRow(asked) && asked.kind === 'selection' ? { focused } : undefined;
}

function isRow(value: unknown): value is { readonly kind: unknown } {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

export function isSession(row: unknown): row is { readonly sessionId: string } {
  return isRow(row) && row.kind === 'session' && 'sessionId' in row && typeof row.sessionId === 'string';
}

function unknownSession({ status, requestId }: ApiError, sessionId: string, { host }: Service): string {
  const code = String(status ?? 404);
  const facts =
    requestId === undefined ? code : vscode.l10n.t('{0}, request {1}', code, forNotification(requestId, 100));
  return vscode.l10n.t(
    '{0} knows no session “{1}” ({2}). Check the id.',
    host,
    oneLine(sessionId, 60),
    facts,
  );
}
