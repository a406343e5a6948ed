import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { errorSentence, type Connection } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { Tree, type TreeNode } from '../ui/tree';
import { problemText, setMessage, viewMessage } from '../ui/viewStatus';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import type { WindowFocus } from '../util/windowFocus';
import { settingsOf } from './changes';
import { organizationCommands } from './commands';
import { OrganizationData } from './data';
import { ControlDocuments } from './documents';
import { nameOf, timeOf, whoOf, type UsageOfPeople } from './model';
import { warningsOf, type SessionChoice } from './policy';
import { Rows } from './rows';
import { notSignedIn } from './words';

export { searchedOrganization } from './searched';
export type { TreeNode as OrganizationTreeNode } from '../ui/tree';

/** Lists on the screen that are older than this are read again, ms. */
const FRESH_MS = 15 * 60_000;
/** Controls older than this are read again before a session is created; after a failure, a minute later. */
const POLICY_PACE = { usualMs: 60 * 60_000, retryMs: 60_000 };
/** Longest that a person waits for what is only asked to make an answer better, ms. */
const ASK_MS = 2_000;

export interface OrganizationDeps {
  readonly connection: Pick<Connection, 'state' | 'api' | 'ready' | 'onDidBecomeReady'>;
  readonly storage: Storage;
  readonly log: Logger;
  readonly view: vscode.TreeView<TreeNode>;
  readonly focused: WindowFocus;
  readonly format: Formatter;
  readonly details: Pick<DetailsDocuments, 'show'>;
  /** Who was active lately, where the key may read that. */
  readonly usage?: () => Promise<UsageOfPeople | undefined>;
  /** Unix ms. */
  readonly now?: () => number;
}

/** Users and control history (sections 2.11, 2.12, 4.3, 4.4). */
export class Organization extends Disposable {
  readonly #deps: OrganizationDeps;
  readonly #data: OrganizationData;
  readonly #documents: ControlDocuments;
  readonly #rows: Rows;
  readonly #now: () => number;
  /** What people use, once it has come or while it is asked for. Nobody pays for it before somebody looks at people. */
  #used: Promise<void> | undefined;
  /** Unix ms. */
  #usageAskedAt = -Infinity;
  readonly tree: Tree;
  readonly commands: CommandHandlers<'organization'>;
  /** Warns of sessions the newest controls known forbid. Never rejects. */
  readonly policy = {
    warnings: async (choice: SessionChoice): Promise<readonly string[]> => {
      await soon(this.#data.controls.freshen(POLICY_PACE));
      return warningsOf(choice, this.#data.revisions[0]);
    },
  };

  constructor(deps: OrganizationDeps) {
    super();
    const { connection, storage, log, view, focused, format, details, now = Date.now } = deps;
    this.#deps = deps;
    this.#now = now;
    const language = vscode.env.language;
    const data = this.register(new OrganizationData({ connection, storage, log, language, now }));
    this.#data = data;
    this.#documents = new ControlDocuments(data, format);
    this.#rows = new Rows({ data, format, now, onPeopleSeen: () => void this.#askUsage() });
    this.tree = this.register(
      new Tree({
        view,
        ready: () => this.#ready(),
        roots: () => this.#roots(),
        onMinute: () => this.#showStatus(),
      }),
    );
    this.commands = organizationCommands({
      log,
      data,
      documents: this.#documents,
      details,
      format,
      now,
      isSignedIn: () => connection.state.current.kind !== 'signedOut',
      listed: () => data.freshen(FRESH_MS),
      used: () => this.#askUsage(),
      usedSoon: () => soon(this.#askUsage()),
    });
    this.register(data.onDidChange(() => this.#draw()));
    this.register(connection.state.onDidChange(() => void this.#onConnection()));
    this.register(connection.onDidBecomeReady(() => (this.#usageAskedAt = -Infinity)));
    for (const list of [data.people, data.controls])
      list.follow({
        pace: () => ({ usualMs: FRESH_MS }),
        isSeen: () => view.visible,
        onDidChangeSeen: [view.onDidChangeVisibility],
        focused,
      });
  }

  /** Everybody, as last read; reads if that is long ago. Rejects when nothing is known and nothing can be read. */
  async people(signal?: AbortSignal) {
    await this.#data.freshen(FRESH_MS, signal);
    const { items, failure, at } = this.#data.people.shown;
    if (items.length === 0 && at === undefined) throw new Error(failure?.sentence ?? notSignedIn());
    return items.map(person => {
      const { id, email } = person;
      const name = nameOf(person);
      const isNamed = name !== id && name !== email;
      return { id, email, name: isNamed ? name : undefined, lastSignInAt: timeOf(person.lastSignInAt) };
    });
  }

  /** Revisions with a day, newest first. Rejects as `people` does. */
  async revisions() {
    await this.#data.freshen(FRESH_MS);
    const { failure, at } = this.#data.controls.shown;
    const { revisions } = this.#data;
    if (revisions.length === 0 && at === undefined) throw new Error(failure?.sentence ?? notSignedIn());
    return revisions.flatMap(revision => {
      const time = timeOf(revision.updatedAt);
      if (time === undefined) return [];
      return {
        revision: revision.revision,
        day: new Date(time).toISOString().slice(0, 10),
        who: whoOf(revision),
        changed: settingsOf(this.#data.changesOf(revision)),
      };
    });
  }

  /** Reads both lists now; a failure is told in the view. */
  async refresh(): Promise<void> {
    await this.#data.refresh();
    if (this.#used === undefined) return;
    this.#usageAskedAt = -Infinity;
    await this.#askUsage();
  }

  /** The text of a document of the scheme `agentconsole-controls`. */
  documentText(uri: { readonly path: string }): Promise<string> {
    return this.#documents.text(uri);
  }

  /** Resolves when what is kept has been read: what is asked for arrives later. */
  async #ready(): Promise<void> {
    await this.#data.ready();
    this.#showStatus();
  }

  async #onConnection(): Promise<void> {
    const before = this.#data.serviceId;
    await this.#ready();
    if (before !== this.#data.serviceId) this.#usageAskedAt = -Infinity;
    this.#draw();
  }

  #roots(): readonly TreeNode[] {
    return this.#deps.connection.state.current.kind === 'signedOut' ? [] : this.#rows.roots();
  }

  #draw(): void {
    this.#showStatus();
    this.tree.update();
  }

  /** Resolves when the usage of people is there, or cannot be had. It is asked for again after a while, not each time a row is drawn. */
  #askUsage(): Promise<void> {
    if (this.#used !== undefined && this.#now() - this.#usageAskedAt < FRESH_MS) return this.#used;
    this.#usageAskedAt = this.#now();
    return (this.#used = this.#joinUsage());
  }

  async #joinUsage(): Promise<void> {
    const { usage, log } = this.#deps;
    try {
      await this.#data.ready();
      const { serviceId } = this.#data;
      const used = await usage?.();
      if (used !== undefined && serviceId === this.#data.serviceId) this.#data.setUsage(used);
    } catch (error) {
      log.warn(`Usage of people is not known: ${errorSentence(error)}`);
    }
  }

  /** What the view says above its rows: one sentence for each thing that is wrong, the same one only once. */
  #showStatus(): void {
    const { connection, view, format } = this.#deps;
    const lists = [this.#data.people.shown, this.#data.controls.shown];
    const message = viewMessage({
      connection: connection.state.current,
      lists,
      tellsRejection: true,
      unread: lists.flatMap(({ problems }) => problems.map(problemText)),
      format,
      now: this.#now(),
    });
    setMessage(view, message);
    // Progress stands here and in no row: a row that says something else is drawn again with all below it.
    const read = lists.flatMap(({ reading }) => reading?.count ?? []);
    view.description =
      read.length === 0 ? '' : vscode.l10n.t('{0} read so far…', format.number(read.reduce((a, b) => a + b)));
  }
}

/** Waits for what only makes an answer better, but not long: it goes on by itself. */
async function soon(work: Promise<void>): Promise<void> {
  const enough = new AbortController();
  const late = delay(ASK_MS, undefined, { signal: enough.signal }).catch(() => undefined);
  await Promise.race([work, late]).finally(() => enough.abort());
}
