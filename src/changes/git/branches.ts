import * as path from 'node:path';
import { isHash, lines, orNothing, records, statOf, timeOf, type Git } from './run';
import type { Branch, BranchName, OwnCommit, RepositoryFacts } from './model';

/** Commits and merges that are read at most. */
const MOST_COMMITS = 5_000;
const MOST_MERGES = 500;
/** Where no remote tells which branch is the default. */
const USUAL = ['main', 'master', 'trunk', 'develop'];
/** What the names and addresses of agents look like. */
const AGENT = /\b(?:ai|agents?|assistant)\b/i;
const PULL_REQUEST = /(?:^|\/)(?:pull|pr|pull-requests|merge-requests)\/(\d{1,9})(?:\/(?:head|from))?$/;

/**
 * Reads a repository by a few short programs, whatever its size; `before` is still true where nothing has changed. Branches and merges
 * older than `since` (Unix ms, no later than the sessions began) are not looked into. Rejects with a `GitError` where there is none.
 */
export async function readRepository(
  git: Git,
  since = 0,
  before?: RepositoryFacts,
): Promise<RepositoryFacts> {
  const [remotes, refs, fetchedAt] = await Promise.all([remotesOf(git), refsOf(git), fetchTime(git)]);
  const version = JSON.stringify([remotes, refs, fetchedAt]);
  if (version === before?.version) return before;
  const names = remotes.map(({ name }) => name).sort((a, b) => b.length - a.length);
  const branches = refs.flatMap(ref => (ref.symref === '' ? (branchOf(ref, git.folder, names) ?? []) : []));
  const defaultBranch = defaultOf(branches, refs);
  const tips = branches.filter(({ at }) => at >= since).map(({ tip }) => tip);
  const [commits, merged] = await Promise.all([
    commitsBeyond(git, tips, defaultBranch?.tip),
    defaultBranch === undefined ? [] : mergedRequests(git, defaultBranch.tip, since),
  ]);
  const numbered = refs.flatMap(({ ref, tip }): [number, string][] => {
    const [, number] = PULL_REQUEST.exec(ref) ?? [];
    return number === undefined ? [] : [[Number(number), tip]];
  });
  const pullRequests = new Map([...merged, ...numbered]);
  const isWhole = commits.size < MOST_COMMITS;
  const { folder: repository } = git;
  return { repository, version, branches, defaultBranch, remotes, commits, isWhole, pullRequests, fetchedAt };
}

export function isSameBranch(a: BranchName, b: BranchName): boolean {
  return a.repository === b.repository && a.remote === b.remote && a.name === b.name;
}

/** The branch of that name; `undefined` where it is not here. */
export function find({ branches }: RepositoryFacts, name: BranchName): Branch | undefined {
  return branches.find(branch => isSameBranch(branch, name));
}

type Ref = Awaited<ReturnType<typeof refsOf>>[number];

async function refsOf(git: Git) {
  const fields = ['refname', 'objectname', 'symref', 'committerdate:unix', 'upstream'];
  const format = fields.map(field => `%(${field})`).join('%00');
  const kinds = ['refs/heads', 'refs/remotes', 'refs/pull', 'refs/merge-requests'];
  return lines(await git.read(['for-each-ref', `--format=${format}`, ...kinds])).map(line => {
    const [ref = '', tip = '', symref = '', seconds, upstream = ''] = line.split('\0');
    return { ref, tip, symref, at: timeOf(seconds), upstream };
  });
}

function branchOf(
  { ref, tip, at, upstream }: Ref,
  repository: string,
  remotes: readonly string[],
): Branch | undefined {
  const [, kind, rest = ''] = /^refs\/(heads|remotes)\/(.+)$/s.exec(ref) ?? [];
  if (kind === undefined) return undefined;
  const follows = upstream === '' ? {} : { upstream };
  if (kind === 'heads') return { repository, name: rest, ref, tip, at, ...follows };
  const remote = remotes.find(name => rest.startsWith(`${name}/`)) ?? rest.slice(0, rest.indexOf('/'));
  return { repository, remote, name: rest.slice(remote.length + 1), ref, tip, at };
}

function defaultOf(branches: readonly Branch[], refs: readonly Ref[]): Branch | undefined {
  const heads = refs.filter(({ ref, symref }) => symref !== '' && ref.endsWith('/HEAD'));
  const head = heads.find(({ ref }) => ref === 'refs/remotes/origin/HEAD') ?? heads[0];
  const usual = ['origin', undefined].flatMap(remote =>
    USUAL.map(name => branches.find(branch => branch.remote === remote && branch.name === name)),
  );
  return branches.find(({ ref }) => ref === head?.symref) ?? usual.find(branch => branch !== undefined);
}

async function remotesOf(git: Git): Promise<RepositoryFacts['remotes']> {
  const args = ['config', '-z', '--get-regexp', '^remote\\..*\\.(url|pushurl)$'];
  const remotes = new Map<string, string[]>();
  for (const entry of records(await orNothing(git.read(args)))) {
    const [, name = '', url = ''] = /^remote\.(.*)\.[a-z]+\n(.*)$/s.exec(entry) ?? [];
    remotes.set(name, [...(remotes.get(name) ?? []), url]);
  }
  return [...remotes].map(([name, urls]) => ({ name, urls }));
}

/** When something was last fetched, whether it has brought something or not. */
async function fetchTime(git: Git): Promise<number | undefined> {
  const folders = lines(await git.read(['rev-parse', '--git-dir', '--git-common-dir']));
  const files = folders.map(folder => statOf(path.resolve(git.folder, folder, 'FETCH_HEAD')));
  return Math.max(...(await Promise.all(files)).map(file => file?.mtimeMs ?? 0)) || undefined;
}

async function commitsBeyond(
  git: Git,
  tips: readonly string[],
  main: string | undefined,
): Promise<ReadonlyMap<string, OwnCommit>> {
  if (tips.length === 0) return new Map();
  const fields = ['%H', '%P', '%at', '%ct', '%an %ae', '%cn %ce', '%(trailers:only=true,unfold=true)'];
  const limits = [`--max-count=${MOST_COMMITS}`, '--stdin', `--format=${fields.join('%x1f')}`];
  const input = [...tips, ...(main === undefined ? [] : [`^${main}`]), ''].join('\n');
  const output = await git.read(['log', '-z', '--encoding=UTF-8', ...limits], { input });
  return new Map(
    records(output).map(record => {
      const [hash = '', parents = '', authored, committed, author, committer, trailers = ''] =
        record.split('\x1f');
      const coAuthors = [...trailers.matchAll(/^co-authored-by:(.*)$/gim)].map(([, who]) => who?.trim());
      const commit = {
        parents: parents.split(' ').filter(isHash),
        authoredAt: timeOf(authored),
        committedAt: timeOf(committed),
        agent: [...coAuthors, author, committer].find(who => who !== undefined && AGENT.test(who)),
        trailers,
      };
      return [hash, commit];
    }),
  );
}

/** Tips of pull requests by number, from the merges of the default branch. */
async function mergedRequests(git: Git, main: string, since: number): Promise<readonly [number, string][]> {
  const limits = [`--max-count=${MOST_MERGES}`, `--max-age=${Math.floor(since / 1000)}`];
  const args = ['log', '-z', '--encoding=UTF-8', '--merges', '--first-parent', ...limits];
  return records(await git.read([...args, '--format=%P%x1f%s', main])).flatMap(record => {
    const [, tip, number] = /^\w+ (\w+)[\w ]*\x1f[^\n]*?[#!](\d{1,9})\b/.exec(record) ?? [];
    return tip === undefined ? [] : [[Number(number), tip]];
  });
}
