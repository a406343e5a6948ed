import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { isApiError } from '../api';
import { errorSentence, type Connection } from '../connection';
import { setContext, type CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable, type IDisposable } from '../util/disposable';
import type { Observable } from '../util/event';
import type { Formatter } from '../util/format';
import { oneLine, plain } from '../util/text';
import { setMessage } from '../util/viewMessage';
import { OrganizationCommands } from './commands';
import { settingsOf } from './changes';
import { OrganizationData } from './data';
import { ControlDocuments } from './documents';
import type { ListingFailure } from './listing';
import { nameOf, timeOf, whoOf, type UsageOfPeople } from './model';
import { warningsOf, type SessionPolicy } from './policy';
import { Rows } from './rows';
import { Shown } from './shown';
import { OrganizationTree, type OrganizationTreeNode } from './tree';
import { Calendar, filterText, notSignedIn } from './words';

export type { OrganizationTreeNode } from './tree';
export type { SessionChoice, SessionPolicy } from './policy';
export type { PersonUsage, UsageOfPeople } from './model';

/** Lists on the screen that are older than this are read again, ms. */
const FRESH_MS = 15 * 60_000;
/** Controls older than this are read again before a session is created. */
const POLICY_FRESH_MS = 60 * 60_000;
/** Longest that a person waits for what is only asked to make an answer better, ms. */
const ASK_MS = 2_000;

export interface OrganizationDeps {
  readonly connection: Connection;
  readonly storage: Storage;
  readonly log: Logger;
  readonly view: vscode.TreeView<OrganizationTreeNode>;
  readonly focused: Observable<boolean>;
  readonly format: Formatter;
  readonly details: Pick<DetailsDocuments, 'show'>;
  readonly inactiveDays: () => number;
  /** Who was active lately, where the key may read that. */
  readonly usage?: () => Promise<UsageOfPeople | undefined>;
}

/** Somebody of the organization, for parts that show people. */
export interface DirectoryPerson {
  readonly id: string;
  readonly email?: string;
  readonly name?: string;
  /** Unix ms. */
  readonly lastSignInAt?: number;
}

/** A revision of the controls, for marks in charts. */
export interface ControlMark {
  readonly revision: number;
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string;
  readonly who?: string;
  /** Paths of the changed settings. */
  readonly changed: readonly string[];
}

export interface OrganizationFeature extends IDisposable {
  readonly tree: vscode.TreeDataProvider<OrganizationTreeNode>;
  readonly commands: CommandHandlers<'organization'>;
  /** Warns of sessions the newest controls known forbid. Never rejects. */
  readonly policy: SessionPolicy;
  /** Everybody, as last read; reads if that is long ago. Rejects when nothing is known and nothing can be read. */
  people(signal?: AbortSignal): Promise<readonly DirectoryPerson[]>;
  /** Revisions with a day, newest first. Rejects as `people` does. */
  revisions(): Promise<readonly ControlMark[]>;
  refresh(): Promise<void>;
  /** The text of a document of the scheme `agentconsole-controls`. */
  documentText(uri: { readonly path: string }): Promise<string>;
}

/** Users and control history (sections 2.11, 2.12, 4.3, 4.4). */
export function registerOrganization(deps: OrganizationDeps): OrganizationFeature {
  return new Organization(deps);
}

class Organization extends Disposable implements OrganizationFeature {
  readonly #deps: OrganizationDeps;
  readonly #data: OrganizationData;
  readonly #shown: Shown;
  readonly #documents: ControlDocuments;
  readonly #calendar = new Calendar(vscode.env.language);
  #serviceId: string | undefined;
  #storageFailure: unknown;
  /** What people use, joined last. Nobody waits or pays for it before somebody looks at people. */
  #used: Promise<void> | undefined;
  readonly tree: OrganizationTree;
  readonly commands: CommandHandlers<'organization'>;
  readonly policy: SessionPolicy;

  constructor(deps: OrganizationDeps) {
    super();
    const { connection, storage, log, view, focused, format, details, inactiveDays } = deps;
    const language = vscode.env.language;
    const now = Date.now;
    this.#deps = deps;
    const data = (this.#data = this.register(
      new OrganizationData({
        connection,
        storage,
        log,
        failureOf: (error, what) => this.#failure(error, what),
        now,
      }),
    ));
    const shown = (this.#shown = this.register(new Shown({ data, language, inactiveDays, now })));
    const calendar = this.#calendar;
    const rows = new Rows({ data, shown, format, calendar, inactiveDays, now });
    const documents = (this.#documents = new ControlDocuments(data, calendar));
    const tree = (this.tree = this.register(
      new OrganizationTree({
        data,
        shown,
        rows,
        ready: () => this.#ready(),
        peopleAsked: () => void this.#askUsage(),
      }),
    ));
    const host = (): string | undefined => this.#host();
    const listed = (): Promise<void> => data.freshen(FRESH_MS);
    const used = (): Promise<void> => this.#askUsage();
    const usedSoon = (): Promise<unknown> =>
      Promise.race([this.#askUsage(), delay(ASK_MS, undefined, { ref: false })]);
    const refresh = (): Promise<void> => this.refresh();
    const acts = { data, shown, tree, view, documents, details, format, calendar, inactiveDays, now };
    this.commands = new OrganizationCommands({ ...acts, host, listed, used, usedSoon, refresh }).handlers;
    this.policy = { warnings: async choice => warningsOf(choice, await this.#controls(), calendar) };
    const look = (): void => {
      if (view.visible && focused.current) this.#freshen();
    };
    this.register(view.onDidChangeVisibility(look));
    this.register(focused.onDidChange(look));
    this.register(shown.onDidChange(() => this.#showState()));
    this.register(connection.state.onDidChange(() => this.#onConnection()));
    this.register(connection.onDidBecomeReady(look));
    this.#serviceId = this.#currentServiceId();
  }

  async people(signal?: AbortSignal): Promise<readonly DirectoryPerson[]> {
    await this.#data.freshen(FRESH_MS, signal);
    const { items, failure, at } = this.#data.people.state.current;
    if (items.length === 0 && at === undefined) throw new Error(failure?.sentence ?? notSignedIn());
    return items.map(person => {
      const lastSignInAt = timeOf(person.lastSignInAt);
      const name = nameOf(person);
      return {
        id: person.id,
        ...(person.email === undefined ? {} : { email: person.email }),
        ...(name === person.id || name === person.email ? {} : { name }),
        ...(lastSignInAt === undefined ? {} : { lastSignInAt }),
      };
    });
  }

  async revisions(): Promise<readonly ControlMark[]> {
    await this.#data.freshen(FRESH_MS);
    const { failure, at } = this.#data.controls.state.current;
    if (this.#data.revisions.length === 0 && at === undefined) {
      throw new Error(failure?.sentence ?? notSignedIn());
    }
    return this.#data.revisions.flatMap(revision => {
      const time = timeOf(revision.updatedAt);
      const who = whoOf(revision);
      if (time === undefined) return [];
      return {
        revision: revision.revision,
        day: new Date(time).toISOString().slice(0, 10),
        ...(who === undefined ? {} : { who }),
        changed: settingsOf(this.#data.changesOf(revision)),
      };
    });
  }

  async refresh(): Promise<void> {
    await this.#data.refresh();
    await this.#askUsageAgain();
  }

  documentText(uri: { readonly path: string }): Promise<string> {
    return this.#documents.text(uri);
  }

  /** Resolves at once when something is known: what is read arrives later. */
  async #ready(): Promise<boolean> {
    try {
      await this.#data.ready();
      this.#storageFailure = undefined;
    } catch (error) {
      this.#storageFailure = error;
    }
    this.#freshen();
    this.#showState();
    return this.#deps.connection.state.current.kind !== 'signedOut';
  }

  #freshen(): void {
    const { log } = this.#deps;
    this.#data
      .freshen(FRESH_MS)
      .then(() => this.#askUsageAgain())
      .catch((error: unknown) => log.error('The organization cannot be read', error));
  }

  /** Resolves when the usage of people is there, or cannot be had. */
  #askUsage(): Promise<void> {
    return (this.#used ??= this.#joinUsage());
  }

  async #askUsageAgain(): Promise<void> {
    if (this.#used !== undefined) await (this.#used = this.#joinUsage());
  }

  async #joinUsage(): Promise<void> {
    const { usage, log } = this.#deps;
    if (usage === undefined) return;
    try {
      this.#shown.setUsage(await usage());
    } catch (error) {
      log.warn(`Usage of people is not known: ${errorSentence(error)}`);
    }
  }

  async #controls(): Promise<OrganizationData['revisions']> {
    try {
      return await this.#data.revisionsWithin(POLICY_FRESH_MS, ASK_MS);
    } catch (error) {
      this.#deps.log.warn(`The controls are not known: ${errorSentence(error)}`);
      return this.#data.revisions;
    }
  }

  #onConnection(): void {
    const serviceId = this.#currentServiceId();
    if (serviceId !== this.#serviceId) {
      this.#serviceId = serviceId;
      this.#shown.reset();
    }
    this.#showState();
    this.tree.redraw();
  }

  /** What the view says above its rows: one sentence for each thing that is wrong, the same one only once. */
  #showState(): void {
    const { people, controls } = this.#data;
    const { connection, view } = this.#deps;
    const state = connection.state.current;
    const sentences = new Set<string>();
    if (this.#storageFailure !== undefined) sentences.add(errorSentence(this.#storageFailure));
    if (state.kind === 'keyRejected') {
      sentences.add(state.reason);
    } else if (state.kind === 'signedIn') {
      for (const sentence of this.#failures()) sentences.add(sentence);
    }
    setMessage(view, sentences.size === 0 ? undefined : plain([...sentences].join(' '), 1_000));
    const reading = [people, controls].some(({ state: { current } }) => current.reading !== undefined);
    const { peopleFilter, historyFilter } = this.#shown;
    view.description = filterText(peopleFilter, historyFilter, this.#data.revisions);
    setContext('agentConsole.organizationReading', reading);
    setContext(
      'agentConsole.organizationFiltered',
      this.#shown.isPeopleFiltered || this.#shown.isHistoryFiltered,
    );
  }

  /** Why lists are old or missing; a right that is lacking altogether is told once. */
  #failures(): string[] {
    const { people, controls } = this.#data;
    const [first, second] = [people.state.current, controls.state.current];
    if (first.failure?.forbidden === true && second.failure?.forbidden === true) {
      return [
        vscode.l10n.t(
          'This key may read neither users nor control history at {0} ({1}). Ask an administrator for the right. Everything else works.',
          this.#host() ?? '',
          first.failure.facts ?? '403',
        ),
      ];
    }
    const again = second.failure?.gist !== undefined && second.failure.gist === first.failure?.gist;
    return [first, again ? { ...second, failure: undefined } : second].flatMap(({ failure, at }) => {
      if (failure === undefined) return [];
      const age = this.#deps.format.span(Date.now() - (at ?? 0));
      return at === undefined
        ? [failure.sentence]
        : [failure.sentence, vscode.l10n.t('Shown as of {0} ago.', age)];
    });
  }

  #failure(error: unknown, what: 'people' | 'controls'): Omit<ListingFailure, 'at'> {
    const host = this.#host() ?? '';
    if (!isApiError(error) || error.kind !== 'forbidden') {
      const sentence = errorSentence(error, host === '' ? {} : { host });
      const gist = isApiError(error) ? `${error.kind} ${error.reason ?? ''} ${error.status ?? ''}` : sentence;
      return { sentence, forbidden: false, gist };
    }
    const { status, requestId } = error;
    const facts =
      requestId === undefined
        ? String(status ?? 403)
        : vscode.l10n.t('{0}, request {1}', status ?? 403, oneLine(requestId, 100));
    const sentence =
      what === 'people'
        ? vscode.l10n.t(
            'This key may not read the users at {0} ({1}). Ask an administrator for the right. Everything else works.',
            host,
            facts,
          )
        : vscode.l10n.t(
            'This key may not read the control history at {0} ({1}). Ask an administrator for the right. Everything else works.',
            host,
            facts,
          );
    return { sentence, forbidden: true, facts };
  }

  #host(): string | undefined {
    const state = this.#deps.connection.state.current;
    return state.kind === 'signedOut' ? undefined : state.service.host;
  }

  #currentServiceId(): string | undefined {
    return this.#deps.connection.state.current.service?.id;
  }
}
