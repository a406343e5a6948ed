import { find, MOST_OWN } from './branches';
import { HASH, type Mentions, type Voice, type Written } from './mentions';
import type { Branch, BranchName, Claim, Evidence, OwnCommit, RepositoryFacts, SessionFacts } from './model';

/** Clocks differ, and commands take a while, ms. */
const SKEW = 10 * 60_000;

/** What speaks for a branch, how strongly, and when it was last seen. */
interface Found {
  readonly evidence: Evidence;
  readonly detail?: string | undefined;
  readonly strength: number;
  readonly at: number;
}

/** A branch that may hold a session's work, with the strongest that speaks for it. */
interface Candidate extends Found {
  readonly branch: BranchName & Partial<Branch>;
  /** Hashes and commits that the default branch has not, the tip first. */
  readonly own: ReadonlyMap<string, OwnCommit>;
  readonly isSure: boolean;
  /** The remote of the default branch. */
  readonly usual: string | undefined;
  /** How much speaks for it together. */
  readonly weight: number;
}

/**
 * Which branch holds a session's work. `certain` is said only where it cannot be another's: where Git answered the session itself with
 * a commit that just this branch has by that name, or where each of its commits bears the session's id. A name alone never is, since
 * anybody's branch can be spoken of.
 */
export function claimOf(
  session: SessionFacts,
  repositories: readonly RepositoryFacts[],
  mentions: Mentions,
): Claim {
  const { named, last } = session;
  if (named !== undefined) return { sure: 'certain', branch: named, evidence: 'named' };
  const found = repositories.flatMap(facts => candidatesIn(facts, session, mentions)).sort(stronger);
  const ranked = found.filter((one, n) => !found.slice(0, n).some(other => isSameWork(other, one)));
  const sure = ranked.filter(({ isSure }) => isSure);
  const [best] = ranked;
  const isLost = last !== undefined && !repositories.some(facts => find(facts, last));
  if (isLost && (best === undefined || (best.strength < WROTE && !best.own.has(last.tip))))
    return { sure: 'likely', branch: nameOf(last), evidence: 'lastSeen' };
  if (best === undefined) return { sure: 'unknown' };
  const { branch, evidence, detail } = best;
  return { sure: sure.length === 1 ? 'certain' : 'likely', branch: nameOf(branch), evidence, detail };
}

/** How strong evidence is: what Git answered, the session's id, what was to be made, what was spoken of, and the rest. */
const [WROTE, ID, MADE, SAID, MINE, AUTHOR, CHECKED_OUT] = [64, 48, 40, 16, 8, 4, 2];

function stronger(a: Candidate, b: Candidate): number {
  return (
    Number(b.isSure) - Number(a.isSure) ||
    b.strength - a.strength ||
    b.weight - a.weight ||
    b.at - a.at ||
    // That of the usual remote is most often what an agent elsewhere has pushed.
    closeness(b) - closeness(a)
  );
}

function closeness({ branch: { remote }, usual }: Candidate): number {
  return remote === undefined ? 0 : remote === usual ? 2 : 1;
}

/** A branch in two folders of one repository, or one of a remote and the one of this repository that it was pushed from. */
function isSameWork(one: Candidate, other: Candidate): boolean {
  const [a, b] = [one.branch, other.branch];
  const [tip = '', otherTip = ''] = [a.tip, b.tip];
  if (a.name !== b.name) return false;
  if (a.repository !== b.repository) return a.remote === b.remote && tip === otherTip;
  if (!isPair(a, b)) return tip === '' && a.remote === b.remote;
  return tip === otherTip || one.own.has(otherTip) || other.own.has(tip);
}

/** One of a remote and one of this repository, of one name. */
function isPair(a: BranchName, b: BranchName): boolean {
  return a.name === b.name && (a.remote === undefined) !== (b.remote === undefined);
}

/** Everything that speaks for a branch of a repository. */
function candidatesIn(facts: RepositoryFacts, session: SessionFacts, mentions: Mentions): Candidate[] {
  const { name: main, remote: usual } = facts.defaultBranch ?? {};
  const branches = facts.branches.filter(({ name }) => name !== main);
  const hashes = new Set([...facts.own].flatMap(([tip, own]) => [tip, ...own.keys()]));
  const starts = Map.groupBy(hashes, hash => hash.slice(0, HASH));
  const written = mentions.written.map((each): Answer => {
    const { hash = '' } = each;
    const begun = starts.get(hash.slice(0, HASH))?.filter(other => other.startsWith(hash)) ?? [];
    // One that begins like another may have been made to.
    return { ...each, commit: begun.length === 1 ? begun[0] : undefined };
  });
  const byName = Map.groupBy(written, ({ name }) => name);
  const byCommit = Map.groupBy(written, ({ commit }) => commit);
  const found = branches.flatMap((branch): readonly Candidate[] => {
    const own = facts.own.get(branch.tip) ?? new Map<string, OwnCommit>();
    const commits = new Set([branch.tip, ...own.keys()]);
    const answers = new Set([
      ...(byName.get(branch.name) ?? []),
      ...[...commits].flatMap(hash => byCommit.get(hash) ?? []),
    ]);
    const mine = [...answers].map(({ commit = '', ...answer }): Answer => {
      return { ...answer, commit: commits.has(commit) ? commit : undefined };
    });
    const look = new Look(facts, session, mentions, branch, own, mine);
    const evidence = look.found().toSorted((a, b) => b.strength - a.strength || b.at - a.at);
    const [best] = evidence;
    if (best === undefined) return [];
    const weight = evidence.reduce((sum, { strength }) => sum + strength, 0);
    const others = (): readonly ReadonlyMap<string, OwnCommit>[] =>
      branches.flatMap(other => (isPair(branch, other) ? [] : (facts.own.get(other.tip) ?? [])));
    const isSure = look.isPushedHere() && (look.isWritten() || look.isMarked(others));
    return [{ ...best, branch, own, weight, isSure, usual }];
  });
  return [...found, ...pushedElsewhere(facts, mentions, session)];
}

interface Answer extends Written {
  /** The whole hash, where the commit is here and of the branch in question. */
  readonly commit: string | undefined;
}

/** One branch under the eyes of one session. */
class Look {
  readonly #start: number;
  readonly #end: number;
  readonly #id: RegExp | undefined;

  constructor(
    readonly facts: RepositoryFacts,
    readonly session: SessionFacts,
    readonly mentions: Mentions,
    readonly branch: Branch,
    readonly own: ReadonlyMap<string, OwnCommit>,
    /** Those that may be of this branch. */
    readonly answers: readonly Answer[],
  ) {
    this.#start = (session.createdAt ?? 0) - SKEW;
    this.#end = (session.lastAt ?? Infinity) + SKEW;
    const { sessionId } = session;
    // A short one may be a word of its own.
    const escaped = sessionId.replace(/[^\w-]/g, '\\$&');
    if (sessionId.length >= 8) this.#id = new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, 'i');
  }

  found(): readonly Found[] {
    const { branch, mentions } = this;
    // A branch that ended before the session began does not hold its work.
    if (branch.at < this.#start) return [];
    const spoken = (manner: Parameters<Mentions['of']>[1]): number | undefined =>
      mentions.of(branch.name, manner) ??
      (branch.remote === undefined ? undefined : mentions.of(`${branch.remote}/${branch.name}`, manner));
    const all: Found[] = [];
    const add = (evidence: Evidence, strength: number, at: number | undefined, detail?: string): void => {
      if (at !== undefined) all.push({ evidence, detail, strength, at });
    };
    for (const answer of this.answers) {
      const { name, commit, at = 0 } = answer;
      const isOwn = this.#isFresh(answer);
      if (name === branch.name && this.#goesTo(answer) !== false) {
        // A commit that is not here may have been written anew; one that is older was another's.
        add('branchInTranscript', isOwn ? WROTE + 3 : commit === undefined ? MADE - 1 : SAID, at);
      } else if (isOwn && commit !== undefined) add('commitInTranscript', WROTE + 2, at, commit);
    }
    add('branchInTranscript', MADE, spoken('made'));
    const ids = [...this.own].find(([, { trailers }]) => this.#id?.test(trailers));
    if (ids !== undefined) add('sessionIdInCommit', ID, ids[1].committedAt, ids[0]);
    if (!this.#lived()) return all;
    if (this.#id?.test(branch.name)) add('sessionIdInBranch', MADE - 2, branch.at);
    add('branchInTranscript', SAID + 2, spoken('called'));
    add('branchInTranscript', SAID, spoken('said'));
    add('branchInTranscript', MINE, spoken('mine'));
    const voiced = (evidence: Evidence, voices: readonly Voice[], detail: string): void => {
      for (const { isMine, at = 0 } of voices) add(evidence, isMine ? MINE : SAID + 1, at, detail);
    };
    for (const [hash, commit] of this.own)
      if (this.#isInLife(commit.authoredAt)) voiced('commitInTranscript', mentions.ofCommit(hash), hash);
    if (this.own.size === 0) voiced('commitInTranscript', mentions.ofCommit(branch.tip), branch.tip);
    for (const link of mentions.pullRequests) {
      const isHere = this.facts.remotes.some(remote => isAt(remote, link.address));
      if (isHere && this.facts.pullRequests.get(link.number) === branch.tip)
        voiced('pullRequestInTranscript', [link], String(link.number));
    }
    const made = [...this.own.values()].find(each => each.agent && this.#isInLife(each.authoredAt));
    add('coAuthor', AUTHOR, made?.authoredAt, made?.agent);
    const { stopped } = this.session;
    const isStopped = stopped?.repository === branch.repository && stopped.branch === branch.name;
    if (isStopped) add('checkedOut', CHECKED_OUT, stopped.at);
    return all;
  }

  /** Git answered this session with a commit of this branch: by its name, or as the tip where all is of the session's life. */
  isWritten(): boolean {
    const { branch } = this;
    return this.answers.some(answer => {
      if (!this.#isFresh(answer)) return false;
      if (answer.name === branch.name) return true;
      return answer.commit === branch.tip && this.#isEach(({ authoredAt }) => this.#isInLife(authoredAt));
    });
  }

  /** Each commit bears the session's id since it was made, and no other branch has such commits. */
  isMarked(others: () => readonly ReadonlyMap<string, OwnCommit>[]): boolean {
    const bears = ({ trailers }: OwnCommit): boolean => this.#id?.test(trailers) === true;
    const isHere = (commit: OwnCommit): boolean =>
      bears(commit) &&
      this.#isInLife(commit.authoredAt) &&
      Math.abs(commit.committedAt - commit.authoredAt) <= SKEW;
    return this.#isEach(isHere) && !others().some(own => own !== this.own && [...own.values()].some(bears));
  }

  /** It was pushed to the remote of this branch, or there is but one: forks have branches of the same name and commits. */
  isPushedHere(): boolean {
    const pushes = this.answers.filter(({ to }) => to !== undefined);
    const isOnly = pushes.length === 0 && this.facts.remotes.length <= 1;
    return this.branch.remote === undefined || isOnly || pushes.some(push => this.#goesTo(push) === true);
  }

  /** So is each commit that this branch has and the default branch has not, of which there are some. */
  #isEach(is: (commit: OwnCommit) => boolean): boolean {
    const { own, facts } = this;
    return facts.isWhole && own.size > 0 && own.size < MOST_OWN && [...own.values()].every(is);
  }

  /** The commit was made when Git spoke of it: an answer to another session that is read later shows older ones. */
  #isFresh({ commit, at, to }: Answer): boolean {
    const made = this.own.get(commit ?? '')?.committedAt ?? this.branch.at;
    const isTimed = at !== undefined || this.session.createdAt !== undefined;
    if (commit === undefined || !this.#isInLife(made) || !isTimed) return false;
    return at === undefined || (made <= at + SKEW && (to !== undefined || made >= at - SKEW));
  }

  /** Whether a push went to the remote of this branch; `undefined` where nothing tells. */
  #goesTo({ to }: Written): boolean | undefined {
    const remote = this.facts.remotes.find(({ name }) => name === this.branch.remote);
    return to === undefined || remote === undefined ? undefined : isAt(remote, to);
  }

  /** Something on the branch was written while the session lived; where all is merged, its tip. */
  #lived(): boolean {
    if (this.own.size === 0) return this.#isInLife(this.branch.at);
    return [...this.own.values()].some(({ authoredAt }) => this.#isInLife(authoredAt));
  }

  #isInLife(at: number): boolean {
    return at >= this.#start && at <= this.#end;
  }
}

/** Branches that were pushed to a remote of this repository and are not here: not fetched yet, or deleted. */
function pushedElsewhere(
  facts: RepositoryFacts,
  mentions: Mentions,
  { createdAt = 0 }: SessionFacts,
): Candidate[] {
  return mentions.written.flatMap(({ name, to, at = createdAt }) => {
    const remote = facts.remotes.find(each => to !== undefined && isAt(each, to));
    if (remote === undefined || name === undefined || name === facts.defaultBranch?.name) return [];
    const branch = { repository: facts.repository, remote: remote.name, name };
    if (find(facts, branch)) return [];
    const [strength, usual] = [MADE - 10, facts.defaultBranch?.remote];
    const evidence = 'branchInTranscript';
    return [{ evidence, branch, own: new Map(), strength, weight: strength, at, isSure: false, usual }];
  });
}

function nameOf({ repository, remote, name }: BranchName): BranchName {
  return remote === undefined ? { repository, name } : { repository, remote, name };
}

/** Whether an address is that of a remote, as far as owner and name tell: pushes may go through a door of another name. */
function isAt({ urls }: RepositoryFacts['remotes'][number], address: string): boolean {
  return urls.some(url => tail(url) === tail(address));
}

function tail(address: string): string {
  const parts = address.replace(/(?:\.git)?\/*$/i, '').split(/[/:\\]+/);
  return parts.slice(-2).join('/').toLowerCase();
}
