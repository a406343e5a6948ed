import * as path from 'node:path';
import { isHash, lines, orNothing, records, statOf, timeOf, type Git } from './run';
import type { Branch, BranchName, OwnCommit, RepositoryFacts } from './model';

/** Commits and merges that are read at most. */
const MOST_COMMITS = 5_000;
const MOST_MERGES = 500;
/** Where no remote tells which branch is the default. */
const USUAL = ['main', 'master', 'trunk', 'develop'];
const AGENT = /\b(?:ai|agents?|assistant)\b/i;
const PULL_REQUEST = /(?:^|\/)(?:pull|pr|pull-requests|merge-requests)\/(\d{1,9})(?:\/(?:head|from))?$/;

interface ReadOptions {
  /** Branches and merges before it are not looked into, Unix ms: no later than the sessions began. */
  readonly since?: number | undefined;
  /** What the names and addresses of agents look like. */
  readonly agents?: RegExp | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads a repository: four short programs, whatever its size. Rejects with a `GitError` where there is none. */
export async function readRepository(
  git: Git,
  repository: string,
  { since = 0, agents = AGENT, signal }: ReadOptions = {},
): Promise<RepositoryFacts> {
  const [remotes, refs, fetchedAt] = await Promise.all([
    remotesOf(git, signal),
    refsOf(git, signal),
    fetchTime(git, signal),
  ]);
  const names = remotes.map(({ name }) => name).sort((a, b) => b.length - a.length);
  const branches = refs.flatMap(ref => (ref.symref === '' ? (branchOf(ref, repository, names) ?? []) : []));
  const defaultBranch = defaultOf(branches, refs);
  const tips = branches.filter(({ at }) => at >= since).map(({ tip }) => tip);
  const [commits, pullRequests] = await Promise.all([
    commitsBeyond(git, tips, defaultBranch?.tip, agents, signal),
    defaultBranch === undefined ? [] : mergedRequests(git, defaultBranch.tip, since, signal),
  ]);
  const numbered = refs.flatMap(({ ref, tip }): [number, string][] => {
    const [, number] = PULL_REQUEST.exec(ref) ?? [];
    return number === undefined ? [] : [[Number(number), tip]];
  });
  return {
    repository,
    branches,
    defaultBranch,
    head: refs.find(({ isHead }) => isHead)?.ref.slice('refs/heads/'.length),
    remotes,
    commits,
    isWhole: commits.size < MOST_COMMITS,
    pullRequests: new Map([...pullRequests, ...numbered]),
    fetchedAt,
  };
}

/** The branch of that name; `undefined` where it is not here. */
export function find(facts: RepositoryFacts, { repository, remote, name }: BranchName): Branch | undefined {
  return facts.branches.find(
    branch => branch.repository === repository && branch.remote === remote && branch.name === name,
  );
}

interface Ref {
  readonly ref: string;
  readonly tip: string;
  readonly symref: string;
  readonly at: number;
  readonly upstream: string;
  readonly isHead: boolean;
}

async function refsOf(git: Git, signal?: AbortSignal): Promise<readonly Ref[]> {
  const fields = ['refname', 'objectname', 'symref', 'committerdate:unix', 'upstream', 'HEAD'];
  const format = fields.map(field => `%(${field})`).join('%00');
  const kinds = ['refs/heads', 'refs/remotes', 'refs/pull', 'refs/merge-requests'];
  const output = await git.read(['for-each-ref', `--format=${format}`, ...kinds], { signal });
  return lines(output).map(line => {
    const [ref = '', tip = '', symref = '', seconds, upstream = '', head] = line.split('\0');
    return { ref, tip, symref, at: timeOf(seconds), upstream, isHead: head === '*' };
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
  const told = branches.find(({ ref }) => ref === head?.symref);
  const usual = ['origin', undefined].flatMap(remote =>
    USUAL.map(name => branches.find(branch => branch.remote === remote && branch.name === name)),
  );
  return told ?? usual.find(branch => branch !== undefined);
}

async function remotesOf(git: Git, signal?: AbortSignal): Promise<RepositoryFacts['remotes']> {
  const args = ['config', '-z', '--get-regexp', '^remote\\..*\\.(url|pushurl)$'];
  const output = await orNothing(git.read(args, { signal }));
  const remotes = new Map<string, string[]>();
  for (const entry of records(output)) {
    const [, name = '', url = ''] = /^remote\.(.*)\.[a-z]+\n(.*)$/s.exec(entry) ?? [];
    remotes.set(name, [...(remotes.get(name) ?? []), url]);
  }
  return [...remotes].map(([name, urls]) => ({ name, urls }));
}

async function fetchTime(git: Git, signal?: AbortSignal): Promise<number | undefined> {
  const folders = await git.read(['rev-parse', '--git-dir', '--git-common-dir'], { signal });
  const times = lines(folders).map(async folder => {
    return (await statOf(path.resolve(git.folder, folder, 'FETCH_HEAD')))?.mtimeMs ?? 0;
  });
  return Math.max(...(await Promise.all(times))) || undefined;
}

async function commitsBeyond(
  git: Git,
  tips: readonly string[],
  main: string | undefined,
  agents: RegExp,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, OwnCommit>> {
  if (tips.length === 0) return new Map();
  const format = ['%H', '%P', '%at', '%ct', '%an %ae', '%cn %ce', '%(trailers:only=true,unfold=true)'];
  const args = ['log', '-z', '--encoding=UTF-8', `--max-count=${MOST_COMMITS}`, '--stdin'];
  const input = [...tips, ...(main === undefined ? [] : [`^${main}`])].join('\n');
  const output = await git.read([...args, `--format=${format.join('%x1f')}`], {
    input: `${input}\n`,
    signal,
  });
  return new Map(
    records(output).map(record => {
      const [hash = '', parents = '', authored, committed, author, committer, trailers = ''] =
        record.split('\x1f');
      const coAuthors = [...trailers.matchAll(/^co-authored-by:(.*)$/gim)].map(([, who]) => who?.trim());
      const commit = {
        parents: parents.split(' ').filter(isHash),
        authoredAt: timeOf(authored),
        committedAt: timeOf(committed),
        agent: [...coAuthors, author, committer].find(who => who !== undefined && agents.test(who)),
        trailers,
      };
      return [hash, commit];
    }),
  );
}

/** Tips of pull requests by number, from the merges of the default branch. */
async function mergedRequests(
  git: Git,
  main: string,
  since: number,
  signal?: AbortSignal,
): Promise<readonly (readonly [number, string])[]> {
  const limits = ['--merges', '--first-parent', `--max-count=${MOST_MERGES}`];
  const age = `--max-age=${Math.floor(since / 1000)}`;
  const args = ['log', '-z', '--encoding=UTF-8', ...limits, age, '--format=%P%x1f%s', main];
  return records(await git.read(args, { signal })).flatMap(record => {
    const [, tip, number] = /^\w+ (\w+)[\w ]*\x1f[^\n]*?[#!](\d{1,9})\b/.exec(record) ?? [];
    return tip === undefined ? [] : [[Number(number), tip]];
  });
}
