import * as vscode from 'vscode';
import type { Connection } from '../connection';
import { commands, type CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import { outline } from '../util/details';
import type { DetailsDocuments } from '../util/detailsDocuments';
import type { Formatter } from '../util/format';
import { forNotification, oneLine } from '../util/text';
import type { SessionAccess } from './access';
import type { CreateFlow } from './createFlow';
import { sectionsOf } from './facts';
import { elsewhereText, isSessionId, linkTo, readLink } from './links';
import { LocalCommands, type LocalCommandsDeps } from './localCommands';
import type { SessionMonitor } from './monitor';
import { askSessionId } from './pickers';
import type { SessionRecord } from './record';
import type { ComputerFacts } from './row';
import type { SessionIndex } from './sessionIndex';
import { sessionTitle } from './text';
import { TransferCommands } from './transferCommands';

export interface SessionCommandsDeps {
  readonly connection: Connection;
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  readonly access: SessionAccess;
  readonly flow: CreateFlow;
  readonly viewOptions: () => Promise<void>;
  readonly format: Formatter;
  readonly log: Logger;
  readonly details: Pick<DetailsDocuments, 'show'>;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  /** What the editor calls links to this extension. */
  readonly linkBase: Pick<vscode.Uri, 'scheme' | 'authority'>;
  readonly stepAside: NonNullable<LocalCommandsDeps['stepAside']>;
}

/** What people do with sessions. */
export class SessionCommands {
  readonly #deps: SessionCommandsDeps;
  readonly handlers: CommandHandlers<'sessions'>;

  constructor(deps: SessionCommandsDeps) {
    this.#deps = deps;
    const { index, access, format } = deps;
    const onFailure = (error: unknown): void => deps.log.error('What was undone could not be stored', error);
    this.handlers = {
      ...deps.flow.handlers,
      ...new LocalCommands({
        index,
        access,
        format,
        onFailure,
        stepAside: deps.stepAside,
      }).handlers,
      ...new TransferCommands({ index, access }).handlers,
      viewOptions: () => deps.viewOptions(),
      add: argument => this.#add(argument),
      copyId: (node, nodes) => this.#copy(node, nodes, ({ sessionId }) => sessionId),
      copyLink: (node, nodes) => this.#copy(node, nodes, record => this.#link(record)),
      showDetails: node => this.#showDetails(node),
    };
  }

  /** Asks for a session: a known one, a new one, or one by its id. Resolves to `undefined` when cancelled. */
  async pick(placeHolder: string, first: 'known' | 'new' = 'known'): Promise<string | undefined> {
    const { connection, access, flow } = this.#deps;
    if ((await connection.ready()).kind === 'signedOut') await access.signedIn(true);
    const choice = await access.choose(placeHolder, first);
    if (choice === undefined) return undefined;
    switch (choice.kind) {
      case 'known':
        return choice.sessionId;
      case 'new':
        return flow.createForPerson();
      case 'add': {
        const { service } = await access.signedIn(true);
        const sessionId = await askSessionId(service.host);
        return sessionId === undefined ? undefined : access.learn(sessionId, true);
      }
    }
  }

  /** Puts a session into the index that may not be there yet; rejects when the service does not know it. */
  async ensure(sessionId: string): Promise<void> {
    await this.#deps.access.ready();
    if (this.#deps.index.get(sessionId) === undefined) await this.#deps.access.learn(sessionId, false);
  }

  /** Opens the session that a link names, after the person has agreed. Nothing is asked of any service before that. */
  async openLink(uri: Pick<vscode.Uri, 'path' | 'query'>): Promise<void> {
    const link = readLink(uri);
    if (link === undefined) throw new Error(vscode.l10n.t('This link names no session of Agent Console.'));
    const { service } = await this.#deps.access.signedIn(true);
    const id = forNotification(link.sessionId, 80);
    if (link.host !== undefined && link.host !== service.host) {
      throw new Error(elsewhereText(link.host, service.host));
    }
    const open = vscode.l10n.t('Open session');
    const answer = await vscode.window.showInformationMessage(
      vscode.l10n.t('Open session “{0}” at {1}?', id, service.host),
      {
        modal: true,
        detail: vscode.l10n.t('A link from outside asks for it. Go on only if you trust who gave it to you.'),
      },
      open,
    );
    if (answer === open) await vscode.commands.executeCommand(commands.chat.open, link.sessionId);
  }

  async #add(argument: unknown): Promise<string | undefined> {
    const { access } = this.#deps;
    // A button of the view passes the selected row along.
    const byPerson = typeof argument !== 'string';
    const sessionId = byPerson ? await askSessionId((await access.signedIn(true)).service.host) : argument;
    if (sessionId === undefined) return undefined;
    if (!isSessionId(sessionId)) {
      throw new Error(vscode.l10n.t('“{0}” is not a session id.', oneLine(sessionId, 60)));
    }
    const known = await access.learn(sessionId, byPerson);
    if (byPerson && known !== undefined) await vscode.commands.executeCommand(commands.chat.open, known);
    return known;
  }

  async #copy(node: unknown, nodes: unknown, text: (record: SessionRecord) => string): Promise<void> {
    const records = await this.#deps.access.recordsOf(node, nodes);
    if (records.length > 0) await vscode.env.clipboard.writeText(records.map(text).join('\n'));
  }

  #link({ sessionId }: SessionRecord): string {
    const { connection, linkBase } = this.#deps;
    const state = connection.state.current;
    return linkTo(linkBase, { sessionId, host: state.kind === 'signedOut' ? undefined : state.service.host });
  }

  async #showDetails(node: unknown): Promise<void> {
    const shown = await this.#deps.access.recordOf(node);
    if (shown === undefined) return;
    const { sessionId } = shown;
    const { details, index, format } = this.#deps;
    await details.show(sessionId, sessionTitle(shown), () =>
      outline(this.#detailsOf(index.get(sessionId) ?? shown), format),
    );
  }

  /** Everything in words, then the service's own answer with all its fields. */
  #detailsOf(record: SessionRecord): unknown {
    const { monitor, computer, format } = this.#deps;
    const status = monitor.statusOf(record.sessionId);
    const sections = sectionsOf(record, { status, computer, format, now: Date.now() });
    return {
      ...Object.fromEntries(
        sections
          .map(({ heading, facts }) => [heading, known(facts)] as const)
          .filter(([, facts]) => Object.keys(facts).length > 0),
      ),
      [vscode.l10n.t('Answer of the service')]: record.session ?? vscode.l10n.t('none so far'),
    };
  }
}

function known(facts: readonly (readonly [string, string | undefined])[]): Record<string, string> {
  return Object.fromEntries(
    facts.filter((fact): fact is readonly [string, string] => fact[1] !== undefined && fact[1] !== ''),
  );
}
