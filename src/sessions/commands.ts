import * as vscode from 'vscode';
import { isApiError, type ApiClient, type ApiError, type Computer } from '../api';
import type { Connection, Service } from '../connection';
import { commands, type CommandHandlers } from '../contributions';
import { withSignal } from '../util/cancellation';
import { outline } from '../util/details';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { forNotification, oneLine } from '../util/text';
import { createSession, readCreateRequest, type CreateRequest } from './create';
import type { SessionMonitor } from './monitor';
import { askSessionId, isSessionId, pickSession, type SessionChoice } from './pickers';
import { goOnInSpiteOf, stateWarnings, type SessionPolicy } from './policy';
import type { SessionRecord } from './record';
import type { ComputerFacts } from './row';
import type { SessionIndex } from './sessionIndex';
import { sessionTitle } from './text';

export interface SessionCommandsDeps {
  readonly connection: Connection;
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  readonly format: Formatter;
  readonly details: Pick<DetailsDocuments, 'show'>;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly policy?: SessionPolicy | undefined;
  /** Resolves when the index of the current service has been read. */
  readonly ready: () => Promise<void>;
  readonly refresh: () => Promise<void>;
}

/** What people do with sessions. A person who is not signed in is asked to; another program is told. */
export class SessionCommands extends Disposable {
  readonly #deps: SessionCommandsDeps;
  #lastComputerId: string | undefined;

  constructor(deps: SessionCommandsDeps) {
    super();
    this.#deps = deps;
  }

  readonly handlers: CommandHandlers<'sessions'> = {
    refresh: () => this.#deps.refresh(),
    create: argument => this.#create(argument),
    add: argument => this.#add(argument),
    remove: (node, nodes) => this.#remove(node, nodes),
    copyId: async node => {
      const record = await this.#recordOf(node);
      if (record !== undefined) await vscode.env.clipboard.writeText(record.sessionId);
    },
    showDetails: node => this.#showDetails(node),
  };

  /** Asks for a session: a known one, a new one, or one by its id. Resolves to `undefined` when cancelled. */
  async pick(placeHolder: string): Promise<string | undefined> {
    if ((await this.#deps.connection.ready()).kind === 'signedOut') await this.#signedIn(true);
    await this.#deps.ready();
    const choice = await this.#choose(placeHolder, true);
    if (choice === undefined) return undefined;
    switch (choice.kind) {
      case 'known':
        return choice.sessionId;
      case 'new':
        return this.#createFrom({}, true);
      case 'add': {
        const sessionId = await askSessionId();
        return sessionId === undefined ? undefined : this.#learn(sessionId, true);
      }
    }
  }

  /** Puts a session into the index that may not be there yet; rejects when the service does not know it. */
  async ensure(sessionId: string): Promise<void> {
    await this.#deps.connection.ready();
    await this.#deps.ready();
    if (this.#deps.index.get(sessionId) === undefined) await this.#learn(sessionId, false);
  }

  async #create(argument: unknown): Promise<string | undefined> {
    const request = readCreateRequest(argument);
    // A person gets the session opened; another extension that names everything gets its id.
    const byPerson =
      argument === undefined || argument === null || (typeof argument === 'object' && 'kind' in argument);
    const sessionId = await this.#createFrom(request, byPerson);
    if (byPerson && sessionId !== undefined)
      await vscode.commands.executeCommand(commands.chat.open, sessionId);
    return sessionId;
  }

  async #createFrom(request: Partial<CreateRequest>, byPerson: boolean): Promise<string | undefined> {
    const { api, service } = await this.#signedIn(byPerson);
    const created = await createSession(api, request, {
      lastComputerId: this.#lastComputerId,
      host: service.host,
      agree: computer => (byPerson ? this.#agree(request, computer) : Promise.resolve(true)),
    });
    if (created === undefined) return undefined;
    const { session, computer } = created;
    this.#lastComputerId = session.computerId ?? computer?.id ?? request.computerId;
    const learnt = { session, origin: 'created', at: Date.now() } as const;
    await this.#deps.index
      .learn(service.id, computer === undefined ? learnt : { ...learnt, computerName: computer.name })
      .catch((error: unknown) => {
        // The id is the only way back to the session: it must not go with the error.
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(
          vscode.l10n.t(
            'Session {0} was created, but this machine could not store it: {1}',
            session.sessionId,
            why,
          ),
        );
      });
    return session.sessionId;
  }

  /** Tells what speaks against a session before it is made: the state of its computer, the organization's rules. */
  async #agree({ computerId, sessionSettings }: Partial<CreateRequest>, picked?: Computer): Promise<boolean> {
    const known = picked ?? (computerId === undefined ? undefined : this.#deps.computer(computerId));
    const { model, autonomyLevel } = sessionSettings ?? {};
    const warnings = await this.#deps.policy?.warnings({
      ...(model === undefined ? {} : { model }),
      ...(autonomyLevel === undefined ? {} : { autonomyLevel }),
      ...(known?.providerType === undefined ? {} : { computerProvider: known.providerType }),
    });
    return goOnInSpiteOf([...stateWarnings(known), ...(warnings ?? [])]);
  }

  async #add(argument: unknown): Promise<string | undefined> {
    // A button of the view passes the selected row along.
    const byPerson = typeof argument !== 'string';
    if (byPerson) await this.#signedIn(true);
    const sessionId = byPerson ? await askSessionId() : argument;
    if (sessionId === undefined) return undefined;
    if (!isSessionId(sessionId)) {
      throw new Error(vscode.l10n.t('“{0}” is not a session id.', oneLine(sessionId, 60)));
    }
    const known = await this.#learn(sessionId, byPerson);
    if (byPerson && known !== undefined) await vscode.commands.executeCommand(commands.chat.open, known);
    return known;
  }

  /** Reads a session and puts it in the index (section 4.6). Resolves to `undefined` when cancelled. */
  async #learn(sessionId: string, byPerson: boolean): Promise<string | undefined> {
    const { api, service } = await this.#signedIn(byPerson);
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
    await this.#deps.index.learn(service.id, { session, origin: 'added', at: Date.now() });
    return session.sessionId;
  }

  async #remove(node: unknown, nodes: unknown): Promise<void> {
    const { index } = this.#deps;
    const chosen = Array.isArray(nodes) && nodes.length > 0 ? (nodes as unknown[]) : [node];
    const records = await Promise.all(chosen.map(each => this.#recordOf(each)));
    const { serviceId } = index;
    if (serviceId === undefined) return;
    const removed: SessionRecord[] = [];
    for (const record of records) {
      if (record !== undefined && (await index.remove(serviceId, record.sessionId)) !== undefined)
        removed.push(record);
    }
    const [first] = removed;
    if (first === undefined) return;
    const undo = vscode.l10n.t('Undo');
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
    if ((await vscode.window.showInformationMessage(forNotification(sentence), undo)) !== undo) return;
    for (const record of removed) await index.restore(serviceId, record);
  }

  async #showDetails(node: unknown): Promise<void> {
    const shown = await this.#recordOf(node);
    if (shown === undefined) return;
    const { sessionId } = shown;
    const { details, index, monitor, format } = this.#deps;
    await details.show(sessionId, sessionTitle(shown), () =>
      outline({ ...(index.get(sessionId) ?? shown), status: monitor.statusOf(sessionId) }, format),
    );
  }

  /** The record of a row or of an id; without any argument, of a known session that the person picks. */
  async #recordOf(node: unknown): Promise<SessionRecord | undefined> {
    await this.#deps.ready();
    if (node === undefined || node === null) {
      const choice = await this.#choose(vscode.l10n.t('Choose a session'), false);
      return choice?.kind === 'known' ? this.#deps.index.get(choice.sessionId) : undefined;
    }
    const sessionId = typeof node === 'object' && 'sessionId' in node ? node.sessionId : node;
    return typeof sessionId === 'string' ? this.#deps.index.get(sessionId) : undefined;
  }

  #choose(placeHolder: string, offerOthers: boolean): Promise<SessionChoice | undefined> {
    const { index, monitor, format } = this.#deps;
    const records = [...index.records.values()];
    return pickSession({
      records,
      statusOf: record => monitor.statusOf(record.sessionId),
      format,
      placeHolder,
      offerOthers,
    });
  }

  /** The client and its service. Rejects where there is none: with the sentence, or as cancelled by a person. */
  async #signedIn(byPerson: boolean): Promise<{ readonly api: ApiClient; readonly service: Service }> {
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
