import * as vscode from 'vscode';
import type { Logger } from '../log';
import type { Collection, Storage } from '../storage';
import { restriction } from '../ui/restriction';
import { Disposable } from '../util/disposable';
import { Emitter, type Event } from '../util/event';
import type { GitRepository, OpenRepositories } from '../util/git';
import { readRepository } from './git/branches';
import { changesOf, commitsOf } from './git/changes';
import { claimOf } from './git/evidence';
import { Git } from './git/run';
import type { BranchName, Changes, Claim, Commit, RepositoryFacts, Said } from './git/model';
import { workRecords, type WorkRecord } from './records';

/** A session as this feature sees it. Times are Unix ms. */
export interface ChangesSession {
  readonly sessionId: string;
  readonly title: string;
  readonly createdAt?: number | undefined;
  readonly lastAt: number;
  readonly messageCount?: number | undefined;
  readonly isArchived: boolean;
  /** When a hook told that its agent has finished, and where it works. */
  readonly finished?: { readonly at: number; readonly cwd: string } | undefined;
}

/** The sessions of the service in use. */
export interface ChangesSessions {
  readonly serviceId: string | undefined;
  readonly onDidChange: Event<readonly string[]>;
  ready(): Promise<void>;
  get(sessionId: string): ChangesSession | undefined;
  all(): readonly ChangesSession[];
  pick(placeHolder: string): Promise<string | undefined>;
}

/** What is known of a session's work. */
export interface Work {
  readonly claim: Claim;
  /** Missing where no branch is known, or nothing of it is left. */
  readonly changes?: Changes | undefined;
  /** The newest first. */
  readonly commits: readonly Commit[];
}

export interface WorkDeps {
  readonly storage: Storage;
  readonly log: Logger;
  readonly sessions: ChangesSessions;
  readonly repositories: OpenRepositories;
  /** What is stored of a session's transcript. */
  readonly said: (serviceId: string, sessionId: string) => Promise<readonly Said[]>;
}

/** Changes that come together are looked at together, ms. */
const TOGETHER_MS = 500;
/** Sessions whose work is looked for without being asked: the latest, this young. */
const MOST = 200;
const YOUNG_MS = 60 * 24 * 60 * 60_000;
/** A hook tells of the branch that is checked out now only while it is fresh. */
const FRESH_MS = 60_000;

/** A repository with what is known of its branches; `version` changes with them. */
interface Known {
  readonly git: Git;
  readonly facts: RepositoryFacts;
  readonly version: string;
}

/** Which branch holds a session's work and what it changes, found in the background and kept up to date. */
export class SessionWork extends Disposable {
  readonly #deps: WorkDeps;
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly #found = new Map<string, { readonly key: string; readonly work: Work }>();
  #known: readonly Known[] = [];
  #records: { readonly serviceId: string; readonly of: Collection<WorkRecord> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  /** The sessions whose work is known anew. */
  readonly onDidChange = this.#changed.event;

  constructor(deps: WorkDeps) {
    super();
    this.#deps = deps;
    const soon = (): void => this.#soon();
    this.register(deps.repositories.onDidRefresh(soon));
    this.register(deps.sessions.onDidChange(soon));
    this.register(vscode.workspace.onDidGrantWorkspaceTrust(soon));
    soon();
  }

  /** As far as it is known; `undefined` before anybody has looked. */
  get(sessionId: string): Work | undefined {
    return this.#found.get(sessionId)?.work;
  }

  /** Looks at the work of one session now; `isAgain` after a fetch, whether it has brought something or not. */
  async find(sessionId: string, isAgain = false): Promise<Work> {
    await this.#deps.sessions.ready();
    await this.#readRepositories(isAgain);
    if (isAgain) this.#found.delete(sessionId);
    return this.#look(sessionId);
  }

  /** Resolves when the repositories of this window have been read. */
  ready(): Promise<void> {
    return this.#readRepositories();
  }

  get repositories(): readonly RepositoryFacts[] {
    return this.#known.map(({ facts }) => facts);
  }

  /** Git in a repository of this window. */
  git(root: string): Git {
    const known = this.#known.find(({ facts }) => facts.repository === root);
    if (known === undefined) throw new Error(vscode.l10n.t('Open the repository {0} first.', root));
    return known.git;
  }

  /** Keeps the branch that a person has named, or forgets it. */
  async name(sessionId: string, branch: BranchName | undefined): Promise<void> {
    await (await this.#open())?.update(sessionId, record => ({ ...record, sessionId, named: branch }));
    await this.find(sessionId);
  }

  override dispose(): void {
    clearTimeout(this.#timer);
    super.dispose();
  }

  async #open(): Promise<Collection<WorkRecord> | undefined> {
    const { sessions, storage } = this.#deps;
    const { serviceId } = sessions;
    if (serviceId === undefined) return undefined;
    if (this.#records?.serviceId !== serviceId) {
      this.#found.clear();
      this.#records = { serviceId, of: storage.collection(workRecords(serviceId)) };
    }
    await this.#records.of.load();
    return this.#records.of;
  }

  #soon(): void {
    if (this.isDisposed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#running = (this.#running ?? Promise.resolve())
        .then(() => this.#round())
        .catch((error: unknown) => this.#deps.log.error('What agents changed cannot be looked for', error));
    }, TOGETHER_MS);
  }

  async #round(): Promise<void> {
    const { sessions } = this.#deps;
    if (restriction() !== undefined) return;
    await this.#readRepositories();
    if (this.#known.length === 0) return;
    await sessions.ready();
    const now = Date.now();
    const young = sessions.all().filter(each => !each.isArchived && now - each.lastAt < YOUNG_MS);
    young.sort((a, b) => b.lastAt - a.lastAt);
    for (const { sessionId } of young.slice(0, MOST)) {
      if (this.isDisposed) return;
      await this.#note(sessionId);
      await this.#look(sessionId);
    }
  }

  /** Reads what has changed of the repositories of this window. */
  async #readRepositories(isAgain = false): Promise<void> {
    const { repositories } = this.#deps;
    await repositories.ready();
    const { program, all } = repositories;
    if (program === undefined || restriction() !== undefined) {
      this.#known = [];
      return;
    }
    const read = async ({ rootUri, state }: GitRepository): Promise<readonly Known[]> => {
      if (rootUri.scheme !== 'file') return [];
      const root = rootUri.fsPath;
      const before = this.#known.find(({ facts }) => facts.repository === root);
      const git = before?.git ?? new Git(program, root);
      try {
        const refs = await git.read(['for-each-ref', '--format=%(refname) %(objectname)']);
        const version = `${root}\n${state.HEAD?.name ?? ''}\n${refs.toString()}`;
        if (version === before?.version && !isAgain) return [before];
        return [{ git, facts: await readRepository(git, root, { since: Date.now() - YOUNG_MS }), version }];
      } catch (error) {
        this.#deps.log.warn(`The branches of ${root} cannot be read: ${String(error)}`);
        return before === undefined ? [] : [before];
      }
    };
    this.#known = (await Promise.all(all.map(read))).flat();
  }

  /** Keeps what is checked out where a hook has just told that the agent has finished. */
  async #note(sessionId: string): Promise<void> {
    const { finished } = this.#deps.sessions.get(sessionId) ?? {};
    if (finished === undefined || Date.now() - finished.at > FRESH_MS) return;
    const uri = vscode.Uri.file(finished.cwd);
    const [around] = this.#deps.repositories.all
      .filter(({ rootUri }) => `${uri.path}/`.startsWith(`${rootUri.path.replace(/\/$/, '')}/`))
      .sort((a, b) => b.rootUri.path.length - a.rootUri.path.length);
    const branch = around?.state.HEAD?.name;
    if (around === undefined || branch === undefined) return;
    const stopped = { repository: around.rootUri.fsPath, branch, at: finished.at };
    const records = await this.#open();
    await records?.update(sessionId, record =>
      record?.stopped?.at === stopped.at ? record : { ...record, sessionId, stopped },
    );
  }

  async #look(sessionId: string): Promise<Work> {
    const { sessions, said } = this.#deps;
    const records = await this.#open();
    const session = sessions.get(sessionId);
    const { serviceId } = sessions;
    if (records === undefined || session === undefined || serviceId === undefined) return UNKNOWN;
    const record = records.get(sessionId);
    const known = this.#known;
    const versions = known.map(({ version }) => version);
    const key = JSON.stringify([session.lastAt, session.messageCount, record, versions]);
    const before = this.#found.get(sessionId);
    if (before?.key === key) return before.work;
    const { createdAt, lastAt } = session;
    const { named, stopped, last } = record ?? {};
    const claim = claimOf(
      { sessionId, createdAt, lastAt, said: await said(serviceId, sessionId), named, stopped, last },
      known.map(({ facts }) => facts),
    );
    const work = await this.#workOf(claim, record);
    this.#found.set(sessionId, { key, work });
    if (claim.sure !== 'unknown' && work.changes !== undefined) {
      const { base, tip, state } = work.changes;
      if (state !== 'gone')
        await records.update(sessionId, now =>
          now?.last?.tip === tip && now.last.base === base
            ? now
            : { ...now, sessionId, last: { ...claim.branch, base, tip } },
        );
      // The record has changed by this look alone.
      const again = [session.lastAt, session.messageCount, records.get(sessionId), versions];
      this.#found.set(sessionId, { key: JSON.stringify(again), work });
    }
    if (JSON.stringify(before?.work) !== JSON.stringify(work)) this.#changed.fire([sessionId]);
    return work;
  }

  async #workOf(claim: Claim, record: WorkRecord | undefined): Promise<Work> {
    if (claim.sure === 'unknown') return UNKNOWN;
    const known = this.#known.find(({ facts }) => facts.repository === claim.branch.repository);
    if (known === undefined) return { claim, commits: [] };
    const { git, facts } = known;
    const changes = await changesOf(git, claim.branch, facts, record?.last);
    return { claim, changes, commits: changes === undefined ? [] : await commitsOf(git, changes) };
  }
}

const UNKNOWN: Work = { claim: { sure: 'unknown' }, commits: [] };
