import * as vscode from 'vscode';
import { Emitter, unhandled } from '../util/lifecycle';
import { OpenRepositories, remoteUrls, type GitCommit, type GitRepository } from '../util/git';
import { identify, isCommit, type Repository } from './model';

/**
 * How many commits of HEAD a report has not seen, `MOST` at most, and whether HEAD has its commit. `unnamed`: it names none; `undefined`
 * where nothing is known yet or nothing can be.
 */
export type Staleness =
  { readonly behind: number; readonly isInHead: boolean } | 'unnamed' | 'unknown' | undefined;

/** `undefined` when Git does not know one of the two commits. */
export type Commits = readonly GitCommit[] | undefined;

/** More commits than this are not counted. */
export const MOST = 1000;

/** The repositories of this window, and how old reports about them are. */
export class LocalGit extends OpenRepositories {
  readonly #answered = this.register(new Emitter<void>());
  /** What lies between two commits, asked once. */
  readonly #logs = new Map<string, Commits | Promise<Commits>>();

  /** Git has told what lies between two commits. */
  readonly onDidAnswer = this.#answered.event;

  constructor() {
    super();
    this.register(
      this.onDidRefresh(() => {
        // What was fetched may bring a commit that was not known.
        for (const [key, commits] of this.#logs) if (commits === undefined) this.#logs.delete(key);
      }),
    );
    this.register(this.onDidChange(() => this.#logs.clear()));
  }

  /** How old a report is, as far as Git has answered. */
  staleness(commit: string | undefined, local: GitRepository | undefined): Staleness {
    const head = local?.state.HEAD?.commit;
    if (head === undefined) return undefined;
    if (commit === undefined) return 'unnamed';
    if (isCommit(commit) && head.startsWith(commit.toLowerCase())) return { behind: 0, isInHead: true };
    const [ahead, behind] = [this.between(local, head, commit, 1), this.between(local, commit, head)];
    if (ahead instanceof Promise || behind instanceof Promise) return undefined;
    return ahead && behind ? { behind: behind.length, isInHead: ahead.length === 0 } : 'unknown';
  }

  /** The same, when Git has answered. */
  async counted(...asked: Parameters<LocalGit['staleness']>): Promise<Staleness> {
    this.staleness(...asked);
    for (const log of this.#logs.values()) await log;
    return this.staleness(...asked);
  }

  /** Commits of `to` that `from` does not have, the newest first; `onDidAnswer` tells when a promise is kept. */
  between(
    local: GitRepository | undefined,
    from: string | undefined,
    to: string | undefined,
    maxEntries = MOST,
  ): Commits | Promise<Commits> {
    if (local === undefined || !isCommit(from) || !isCommit(to)) return undefined;
    const range = `${from}..${to}`;
    const key = `${local.rootUri.toString()} ${range} ${maxEntries}`;
    const ask = async (): Promise<Commits> => {
      const commits = await local.log({ range, maxEntries }).catch(notKnown);
      this.#logs.set(key, commits);
      this.#answered.fire();
      return commits;
    };
    if (!this.#logs.has(key)) this.#logs.set(key, ask());
    return this.#logs.get(key);
  }
}

/** Git ends with 128 where it does not know a commit; what else goes wrong is logged. */
function notKnown(error: unknown): undefined {
  const isOfCommit = error instanceof Error && 'exitCode' in error && error.exitCode === 128;
  if (!isOfCommit) unhandled(error);
}

/** A repository with reports, and where it is open in this window. */
interface Match {
  readonly repository: Repository;
  readonly local: GitRepository;
}

export class Matches {
  /** Two clones of one repository are two, and so are a fork and its parent. */
  readonly #pairs: readonly Match[];
  readonly #locals: readonly GitRepository[];

  constructor(repositories: ReadonlyMap<string, Repository>, open: readonly GitRepository[]) {
    // A repository before those inside of it.
    this.#locals = open.toSorted((a, b) => (a.rootUri.path < b.rootUri.path ? -1 : 1));
    this.#pairs = this.#locals.flatMap(local => {
      const found = new Set(remoteUrls(local).map(url => repositories.get(identify(url).key)));
      return [...found].flatMap(repository => (repository === undefined ? [] : { repository, local }));
    });
  }

  /** Each repository once, where it comes first. */
  get all(): readonly Match[] {
    return this.#pairs.filter(({ repository, local }) => local === this.local(repository.key));
  }

  get unreported(): readonly GitRepository[] {
    return this.#locals.filter(local => !this.#pairs.some(pair => pair.local === local));
  }

  local(key: string): GitRepository | undefined {
    return this.#pairs.find(({ repository }) => repository.key === key)?.local;
  }

  /** Of the active editor's file, the innermost repository; without a file in one, the first of this window. */
  get here(): Match | undefined {
    const file = vscode.window.activeTextEditor?.document.uri;
    const around = file && this.#around(file);
    return around === undefined ? this.#pairs[0] : this.#pairs.find(({ local }) => local === around);
  }

  #around({ scheme, path }: vscode.Uri): GitRepository | undefined {
    const around = this.#locals.filter(
      ({ rootUri: root }) =>
        root.scheme === scheme && `${path}/`.startsWith(`${root.path.replace(/\/$/, '')}/`),
    );
    return around.sort((a, b) => b.rootUri.path.length - a.rootUri.path.length)[0];
  }
}
