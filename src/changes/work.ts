import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { Logger } from '../log';
import type { KnownSession, SessionsFor } from '../shared';
import type { Collection, Storage } from '../storage';
import { restriction } from '../ui/window';
import { depthIn } from '../util/files';
import { Disposable, Emitter, type Event, type IDisposable } from '../util/lifecycle';
import type { GitRepository, OpenRepositories } from '../util/git';
import { serially } from '../util/promises';
import { changesOf, find, isSameBranch, readRepository } from './git/branches';
import { claimOf } from './git/evidence';
import { Mentions } from './git/mentions';
import { Git } from './git/run';
import type { BranchName, Changes, Claim, RepositoryFacts, Said } from './git/model';
import { workRecords, type WorkRecord } from './records';

/** A session as this feature sees it. */
export type ChangesSession = Pick<KnownSession, 'sessionId' | 'title' | 'lastAt' | 'isArchived'> &
  Partial<Pick<KnownSession, 'createdAt' | 'messageCount' | 'finished'>>;

export type ChangesSessions = SessionsFor<'serviceId' | 'onDidChange' | 'ready' | 'pick'> & {
  get(sessionId: string): ChangesSession | undefined;
  all(): readonly ChangesSession[];
};

/** What is known of a session's work. */
export interface Work {
  readonly claim: Claim;
  /** Missing where no branch is known, or nothing of it is left. */
  readonly changes?: Changes | undefined;
  /** When the remotes were last fetched. */
  readonly fetchedAt?: number | undefined;
}

export interface WorkDeps {
  readonly storage: Storage;
  readonly log: Logger;
  readonly sessions: ChangesSessions;
  readonly repositories: OpenRepositories;
  /** What is stored of a session's transcript; `onDidChange` fires where this process has stored more. */
  readonly transcript: (
    serviceId: string,
    sessionId: string,
  ) => { readonly onDidChange: Event<unknown>; readonly texts: () => Promise<readonly Said[]> };
}

/** Changes that come together are looked at together, ms. */
const TOGETHER_MS = 500;
/** Sessions whose work is looked for without being asked: the latest, this young. */
const MOST = 200;
const YOUNG_MS = 60 * 24 * 60 * 60_000;
/** A hook tells of the branch that is checked out now only while it is fresh. */
const FRESH_MS = 60_000;
/** Others get their turn after so many characters of a transcript. */
const SLICE = 64 * 1024;

interface Known {
  readonly git: Git;
  readonly facts: RepositoryFacts;
}

/** What is known of one session. Each `of` says what something was found in: it holds as long as that is the same. */
interface Seen {
  readonly hearing: IDisposable;
  /** How often something was heard of its transcript. */
  heard: number;
  of: string;
  work: Work;
  mentions?: { readonly of: string; readonly are: Mentions };
  changed?: { readonly of: string; readonly to: Changes | undefined };
}

/** Which branch holds a session's work and what it changes. */
export class SessionWork extends Disposable {
  readonly #deps: WorkDeps;
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly #seen = new Map<string, Seen>();
  #known: readonly Known[] = [];
  /** Counts the times that `#known` has changed. */
  #edition = 0;
  #serviceId: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isBegun = false;
  #isWanted = false;
  /** No look is at what another one is reading anew. */
  readonly #inTurn = serially();

  /** The sessions whose work is known anew. */
  readonly onDidChange = this.#changed.event;

  constructor(deps: WorkDeps) {
    super();
    this.#deps = deps;
    const soon = (): void => this.#soon();
    this.register(deps.repositories.onDidRefresh(soon));
    this.register(deps.sessions.onDidChange(soon));
    this.register(vscode.workspace.onDidGrantWorkspaceTrust(soon));
  }

  /** Looks for the work of the latest sessions from now on; until then only for that of a session that is asked for. */
  begin(): void {
    this.#isBegun = true;
    this.#soon();
  }

  /**
   * As far as it is known; `undefined` before anybody has looked. What merely came about in the time of a session is not its work where
   * it certainly is another's.
   */
  get(sessionId: string): Work | undefined {
    const work = this.#seen.get(sessionId)?.work;
    if (work?.claim.sure !== 'likely' || !['coAuthor', 'checkedOut'].includes(work.claim.evidence))
      return work;
    const { branch } = work.claim;
    const isTaken = [...this.#seen.values()].some(
      ({ work: { claim } }) => claim.sure === 'certain' && isSameBranch(claim.branch, branch),
    );
    return isTaken ? UNKNOWN : work;
  }

  /** Looks at everything of one session anew, now. */
  async find(sessionId: string): Promise<Work> {
    await this.#deps.sessions.ready();
    return this.#inTurn(async () => {
      await this.#readRepositories();
      const seen = this.#seen.get(sessionId);
      if (seen !== undefined) seen.heard++;
      await this.#look(sessionId);
      return this.get(sessionId) ?? UNKNOWN;
    });
  }

  get repositories(): readonly RepositoryFacts[] {
    return this.#known.map(({ facts }) => facts);
  }

  /** Git in a repository of this window, which may have just opened. */
  async git(root: string): Promise<Git> {
    if (this.#in(root) === undefined) {
      await this.#deps.repositories.looked();
      await this.#inTurn(() => this.#readRepositories());
    }
    const known = this.#in(root);
    if (known === undefined) throw new Error(vscode.l10n.t('Open the repository {0} first.', root));
    return known.git;
  }

  /** Keeps the branch that a person has named, or forgets it. */
  async name(sessionId: string, branch: BranchName | undefined): Promise<void> {
    const records = await this.#records();
    await records?.update(sessionId, record => ({ ...record, sessionId, named: branch }));
    await this.find(sessionId);
  }

  override dispose(): void {
    clearTimeout(this.#timer);
    for (const { hearing } of this.#seen.values()) hearing.dispose();
    super.dispose();
  }

  /** Of the service in use; what was seen of another one's sessions is forgotten. */
  async #records(): Promise<Collection<WorkRecord> | undefined> {
    const { sessions, storage } = this.#deps;
    const { serviceId } = sessions;
    if (this.#serviceId !== serviceId) this.#forget(this.#seen.keys());
    this.#serviceId = serviceId;
    if (serviceId === undefined) return undefined;
    const records = storage.collection(workRecords(serviceId));
    await records.load();
    return records;
  }

  #forget(sessionIds: Iterable<string>): void {
    const gone = [...sessionIds].filter(id => {
      this.#seen.get(id)?.hearing.dispose();
      return this.#seen.delete(id);
    });
    if (gone.length > 0) this.#changed.fire(gone);
  }

  #soon(): void {
    this.#isWanted = true;
    if (!this.#isBegun || this.isDisposed) return;
    this.#timer ??= setTimeout(() => {
      this.#isWanted = false;
      this.#round()
        .catch((error: unknown) => this.#warn('What agents changed cannot be looked for', error))
        .finally(() => {
          this.#timer = undefined;
          if (this.#isWanted) this.#soon();
        });
    }, TOGETHER_MS);
  }

  #warn(what: string, error: unknown): void {
    if (!this.isDisposed) this.#deps.log.warn(`${what}: ${String(error)}`);
  }

  async #round(): Promise<void> {
    const { sessions } = this.#deps;
    if (restriction() !== undefined) return;
    await this.#inTurn(() => this.#readRepositories());
    await sessions.ready();
    if (this.#known.length === 0) {
      this.#forget(this.#seen.keys());
      return;
    }
    const now = Date.now();
    const young = sessions.all().filter(each => !each.isArchived && now - each.lastAt < YOUNG_MS);
    young.sort((a, b) => b.lastAt - a.lastAt);
    const latest = young.slice(0, MOST).map(({ sessionId }) => sessionId);
    for (const sessionId of new Set([...latest, ...this.#seen.keys()])) {
      if (this.isDisposed) return;
      try {
        await this.#inTurn(async () => {
          await this.#note(sessionId);
          await this.#look(sessionId);
        });
      } catch (error) {
        this.#warn(`What the agent of ${sessionId} changed cannot be read`, error);
      }
      await setImmediate();
    }
  }

  #in(root: string): Known | undefined {
    return this.#known.find(({ facts }) => facts.repository === root);
  }

  /** Reads what has changed of the repositories of this window. */
  async #readRepositories(): Promise<void> {
    const { repositories } = this.#deps;
    await repositories.ready();
    const { program, all } = repositories;
    const read = async ({ rootUri }: GitRepository): Promise<readonly Known[]> => {
      if (rootUri.scheme !== 'file' || program === undefined || restriction() !== undefined) return [];
      const root = rootUri.fsPath;
      const before = this.#in(root);
      const git = before?.git ?? new Git(program, root);
      try {
        const facts = await readRepository(git, Date.now() - YOUNG_MS, before?.facts);
        return [facts === before?.facts ? before : { git, facts }];
      } catch (error) {
        this.#warn(`The branches of ${root} cannot be read`, error);
        return before === undefined ? [] : [before];
      }
    };
    const known = (await Promise.all(all.map(read))).flat();
    if (known.length !== this.#known.length || known.some((each, n) => each !== this.#known[n]))
      this.#edition++;
    this.#known = known;
  }

  /** Keeps what is checked out where a hook has just told that the agent has finished. */
  async #note(sessionId: string): Promise<void> {
    const { finished } = this.#deps.sessions.get(sessionId) ?? {};
    if (finished === undefined || Date.now() - finished.at > FRESH_MS) return;
    const depth = ({ rootUri }: GitRepository) => depthIn(rootUri.fsPath, finished.cwd);
    const [around] = this.#deps.repositories.all
      .filter(each => depth(each) !== undefined)
      .sort((a, b) => (depth(a) ?? 0) - (depth(b) ?? 0));
    const branch = around?.state.HEAD?.name;
    if (around === undefined || branch === undefined) return;
    const stopped = { repository: around.rootUri.fsPath, branch, at: finished.at };
    const records = await this.#records();
    await records?.update(sessionId, record =>
      record?.stopped?.at === stopped.at ? record : { ...record, sessionId, stopped },
    );
  }

  async #look(sessionId: string): Promise<Work> {
    const { sessions, transcript } = this.#deps;
    const { serviceId } = sessions;
    const records = await this.#records();
    const session = sessions.get(sessionId);
    if (serviceId === undefined || records === undefined || session === undefined) {
      this.#forget([sessionId]);
      return UNKNOWN;
    }
    const { onDidChange, texts } = transcript(serviceId, sessionId);
    const seen = this.#seen.get(sessionId) ?? {
      ...{ heard: 0, of: '', work: UNKNOWN },
      hearing: onDidChange(() => {
        const now = this.#seen.get(sessionId);
        if (now !== undefined) now.heard++;
        this.#soon();
      }),
    };
    this.#seen.set(sessionId, seen);
    const { createdAt, lastAt, messageCount } = session;
    const { named, stopped, last } = records.get(sessionId) ?? {};
    const saidIn = [lastAt, messageCount, seen.heard].join();
    const of = JSON.stringify([saidIn, this.#edition, named, stopped]);
    if (seen.of === of) return seen.work;
    // What fails is not done again before something has changed.
    seen.of = of;
    if (seen.mentions?.of !== saidIn) seen.mentions = { of: saidIn, are: await read(await texts()) };
    // That of another clone in another window is not lost here.
    const lastHere = last && this.#in(last.repository) && last;
    const facts = { sessionId, createdAt, lastAt, named, stopped, last: lastHere };
    const claim = claimOf(facts, this.repositories, seen.mentions.are);
    const work = await this.#workOf(claim, seen, last);
    if (this.#seen.get(sessionId) !== seen) return work;
    const { base = '', tip = '', state = 'gone' } = work.changes ?? {};
    if (claim.sure !== 'unknown' && state !== 'gone')
      await records.update(sessionId, now =>
        now?.last?.tip === tip && now.last.base === base
          ? now
          : { ...now, sessionId, last: { ...claim.branch, base, tip } },
      );
    const isSame = isDeepStrictEqual(seen.work, work);
    seen.work = work;
    // What is certain now may be taken from others.
    if (!isSame) this.#changed.fire(claim.sure === 'certain' ? [...this.#seen.keys()] : [sessionId]);
    return work;
  }

  async #workOf(claim: Claim, seen: Seen, last: WorkRecord['last']): Promise<Work> {
    if (claim.sure === 'unknown') return UNKNOWN;
    const known = this.#in(claim.branch.repository);
    if (known === undefined) return { claim };
    const { git, facts } = known;
    const here = find(facts, claim.branch)?.tip;
    const of = JSON.stringify([claim.branch, here, facts.defaultBranch?.tip]);
    if (here === undefined || seen.changed?.of !== of)
      seen.changed = { of, to: await changesOf(git, claim.branch, facts, last) };
    return { claim, changes: seen.changed.to, fetchedAt: facts.fetchedAt };
  }
}

const UNKNOWN: Work = { claim: { sure: 'unknown' } };

/** Reads a transcript, a slice at a time. */
async function read(said: readonly Said[]): Promise<Mentions> {
  const mentions = new Mentions();
  let size = 0;
  for (const each of said) {
    mentions.add(each);
    size += each.text.length;
    if (size > SLICE) {
      await setImmediate();
      size = 0;
    }
  }
  return mentions;
}
