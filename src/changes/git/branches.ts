import { lstat } from 'node:fs/promises';
import * as path from 'node:path';
import { ifThere } from '../../util/files';
import { GitError, isHash, lines, orNothing, records, timeOf, type Git } from './run';
import type {
  Branch,
  BranchName,
  ChangedFile,
  Changes,
  Commit,
  OwnCommit,
  RepositoryFacts,
  SessionFacts,
} from './model';

/** Commits and merges that are read at most. */
const MOST_COMMITS = 5_000;
const MOST_MERGES = 500;
const MOST_LISTED = 500;
/** Commits of one branch that are looked at. */
export const MOST_OWN = 500;
/** A command has room for so many. */
const MOST_PATHS = 50;
/** As in Git's own setting, whatever the person's is. */
export const RENAMES = ['-M50%', '-l1000'];
/** Nothing of the repository's settings shows in a difference. */
export const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color'];
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
  const own = new Map(branches.map(({ tip }) => [tip, ownOf(commits, tip)]));
  const isWhole = commits.size < MOST_COMMITS;
  const { folder: repository } = git;
  return { repository, version, branches, defaultBranch, remotes, own, isWhole, pullRequests, fetchedAt };
}

/** Those of these commits that a tip has, the nearest first. */
function ownOf(commits: ReadonlyMap<string, OwnCommit>, tip: string): ReadonlyMap<string, OwnCommit> {
  const own = new Map<string, OwnCommit>();
  const queue = [tip];
  for (let n = 0; n < queue.length && own.size < MOST_OWN; n++) {
    const hash = queue[n] ?? '';
    const commit = own.has(hash) ? undefined : commits.get(hash);
    if (commit === undefined) continue;
    own.set(hash, commit);
    queue.push(...commit.parents);
  }
  return own;
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
  const fields = ['refname', 'objectname', 'symref', 'committerdate:unix'];
  const format = fields.map(field => `%(${field})`).join('%00');
  const kinds = ['refs/heads', 'refs/remotes', 'refs/pull', 'refs/merge-requests'];
  return lines(await git.read(['for-each-ref', `--format=${format}`, ...kinds])).map(line => {
    const [ref = '', tip = '', symref = '', seconds] = line.split('\0');
    return { ref, tip, symref, at: timeOf(seconds) };
  });
}

function branchOf({ ref, tip, at }: Ref, repository: string, remotes: readonly string[]): Branch | undefined {
  const [, kind, rest = ''] = /^refs\/(heads|remotes)\/(.+)$/s.exec(ref) ?? [];
  if (kind === undefined) return undefined;
  if (kind === 'heads') return { repository, name: rest, ref, tip, at };
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
  const files = folders.map(folder => ifThere(lstat(path.resolve(git.folder, folder, 'FETCH_HEAD'))));
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

/** What a branch changes; `undefined` where neither it nor what was last known of it is here. */
export async function changesOf(
  git: Git,
  branch: BranchName,
  facts: RepositoryFacts,
  last?: SessionFacts['last'],
): Promise<Changes | undefined> {
  const here = find(facts, branch);
  const before = last && isSameBranch(last, branch) ? last : undefined;
  const tip = here?.tip ?? before?.tip;
  if (tip === undefined || (here === undefined && !(await isHere(git, tip)))) return undefined;
  const main = facts.defaultBranch?.tip ?? tip;
  const [parted, behind, isStillIn] = await Promise.all([
    mergeBase(git, main, tip),
    git.read(['rev-list', '--count', `${tip}..${main}`, '--']),
    isAncestor(git, before?.tip ?? tip, tip),
  ]);
  const fork = parted ?? (await emptyTree(git));
  const isWithin = fork === tip;
  const base = isWithin ? await baseBefore(git, main, tip, before?.base) : fork;
  const [files, commits] = await Promise.all([filesBetween(git, base, tip), commitsBetween(git, base, tip)]);
  const canBeIn = parted !== undefined && Number(behind) > 0 && files.length > 0;
  const isMerged = isWithin ? base !== tip : canBeIn && (await isContained(git, { base, tip, files }, main));
  return {
    ...{ branch, base, tip, files },
    behind: Number(behind),
    state: isMerged ? 'merged' : here === undefined ? 'gone' : 'open',
    isRewritten: !isStillIn,
    commits,
  };
}

async function commitsBetween(git: Git, base: string, tip: string): Promise<readonly Commit[]> {
  // What people have written comes last: it may hold what separates.
  const format = '--format=%H%x1f%P%x1f%ct%x1f%an%x1f%s';
  const args = ['log', '-z', '--encoding=UTF-8', `--max-count=${MOST_LISTED}`, format];
  return records(await git.read([...args, `${base}..${tip}`, '--'])).map(record => {
    const [hash = '', parents = '', seconds, author = '', ...subject] = record.split('\x1f');
    const parent = parents.split(' ', 1)[0] || undefined;
    return { hash, parent, subject: subject.join(' '), author, at: timeOf(seconds) };
  });
}

/** A file as a commit has it: empty where there is none, the target of a symbolic link, one line for a submodule. */
export async function contentOf(git: Git, commit: string, file: string): Promise<Buffer> {
  if (!isHash(commit)) throw new GitError('This is no commit.', undefined);
  // No tree has such a path.
  if (file.includes('\0') || file.split('/').some(part => ['', '.', '..'].includes(part)))
    return Buffer.alloc(0);
  const listed = records(await git.read(['ls-tree', '-z', '--full-tree', commit, '--', file]));
  const entry = listed.find(line => line.endsWith(`\t${file}`));
  const [, kind, hash = ''] = /^\d+ (\w+) (\w+)\t/.exec(entry ?? '') ?? [];
  if (kind === 'commit') return Buffer.from(`Subproject commit ${hash}\n`);
  return kind === 'blob' ? git.read(['cat-file', 'blob', hash]) : Buffer.alloc(0);
}

/** What differs between two commits or trees, renamed files as such. */
export async function filesBetween(git: Git, base: string, tip: string): Promise<readonly ChangedFile[]> {
  const form = ['-z', '--raw', '--numstat', '--ignore-submodules=none', ...RENAMES, ...PLAIN];
  return filesIn(await git.read(['diff-tree', '-r', ...form, base, tip, '--']));
}

const STATUS = { A: 'added', D: 'deleted', M: 'modified', R: 'renamed', T: 'typeChanged' } as const;

/** Reads what `--raw --numstat -z` prints. */
export function filesIn(output: Buffer): readonly ChangedFile[] {
  const fields = output.toString('utf8').split('\0');
  const files = new Map<string, ChangedFile>();
  for (let n = 0; n < fields.length; n++) {
    const [, letter] = /^:.* ([ADMRT])\d*$/.exec(fields[n] ?? '') ?? [];
    if (letter !== undefined) {
      const oldPath = letter === 'R' ? fields[++n] : undefined;
      const path = fields[++n] ?? '';
      const status = STATUS[letter as keyof typeof STATUS];
      const renamed = oldPath === undefined ? {} : { oldPath };
      files.set(path, { status, path, added: undefined, removed: undefined, ...renamed });
      continue;
    }
    const [, added, removed, same = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(fields[n] ?? '') ?? [];
    if (added === undefined) continue;
    if (same === '') n += 2;
    const file = files.get(same === '' ? (fields[n] ?? '') : same);
    const count = (text = '-'): number | undefined => (text === '-' ? undefined : Number(text));
    if (file) files.set(file.path, { ...file, added: count(added), removed: count(removed) });
  }
  return [...files.values()];
}

/** The commit that a name stands for; empty where that is not here. */
export async function commitOf(git: Git, name: string): Promise<string> {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`];
  return (await orNothing(git.read(args))).toString().trim();
}

async function isHere(git: Git, commit: string): Promise<boolean> {
  return isHash(commit) && (await commitOf(git, commit)) !== '';
}

/** `false` also where the commit is not here any more. */
async function isAncestor(git: Git, commit: string, of: string): Promise<boolean> {
  if (commit === of) return true;
  return (await isHere(git, commit)) && (await mergeBase(git, commit, of)) === commit;
}

/** Where two commits have parted; `undefined` where they never were one. */
async function mergeBase(git: Git, a: string, b: string): Promise<string | undefined> {
  return lines(await orNothing(git.read(['merge-base', a, b])))[0];
}

export async function emptyTree(git: Git): Promise<string> {
  return (await git.read(['hash-object', '-t', 'tree', '--stdin'])).toString().trim();
}

/** Where a branch that is part of the default branch had left it: before the merge, or as was last known. */
async function baseBefore(git: Git, main: string, tip: string, last: string | undefined): Promise<string> {
  const since = async (...how: readonly string[]): Promise<readonly string[]> =>
    lines(await git.read(['rev-list', ...how, `${tip}..${main}`, '--']));
  const [path, later] = await Promise.all([since('--first-parent', '--parents'), since('--ancestry-path')]);
  const after = new Set(later);
  const merge = path.findLast(line => after.has(line.slice(0, tip.length)));
  const before = merge?.split(' ')[1];
  const base = (before && (await mergeBase(git, before, tip))) ?? tip;
  const isKnown = base === tip && last !== undefined && (await isAncestor(git, last, tip));
  return isKnown ? last : base;
}

/** The same for the same change, and later than what it comes after. */
const NOBODY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap(who => [
    [`GIT_${who}_NAME`, 'x'],
    [`GIT_${who}_EMAIL`, 'x'],
    [`GIT_${who}_DATE`, '@4000000000 +0000'],
  ]),
) as Readonly<Record<string, string>>;

/** Whether the default branch has gained what a branch changes, as one commit or as the same commits once more. */
async function isContained(
  git: Git,
  { base, tip, files }: Pick<Changes, 'base' | 'tip' | 'files'>,
  main: string,
): Promise<boolean> {
  const paths = files.flatMap(({ path, oldPath = path }) => [path, oldPath]);
  const within = paths.length > MOST_PATHS ? [] : paths;
  // All of it as one commit, which no ref leads to. Where none can be made, on a full disk, nobody knows.
  const commit = ['commit-tree', '--no-gpg-sign', '-m', 'x', '-p', base, `${tip}^{tree}`];
  const whole = (await orNothing(git.change(commit, { env: NOBODY }), 128)).toString().trim();
  if (whole === '') return false;
  const form = ['--cherry-mark', '--right-only', '--no-merges', `${main}...${tip}`, whole];
  const marked = lines(await git.read(['rev-list', ...form, '--', ...within]));
  const own = marked.filter(line => !line.endsWith(whole));
  return marked.includes(`=${whole}`) || (own.length > 0 && own.every(line => line.startsWith('=')));
}
