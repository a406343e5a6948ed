import { find } from './branches';
import { GitError, isHash, lines, orNothing, records, timeOf, type Git } from './run';
import type { BranchName, ChangedFile, Changes, Commit, RepositoryFacts, SessionFacts } from './model';

const MOST_COMMITS = 500;
/** Commits of the default branch that are compared with a branch, to see whether it was squashed or rebased into it. */
const MOST_COMPARED = 200;
const MOST_PATHS = 50;
const MOST_BYTES = 64 * 1024 * 1024;
/** As in Git's own setting, whatever the person's is. */
export const RENAMES = ['-M50%', '-l1000'];
/** Nothing of the repository's settings shows in a difference. */
export const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color'];

/** What a branch changes; `undefined` where neither it nor what was last known of it is here. */
export async function changesOf(
  git: Git,
  branch: BranchName,
  facts: RepositoryFacts,
  last?: SessionFacts['last'],
  signal?: AbortSignal,
): Promise<Changes | undefined> {
  const here = find(facts, branch);
  const before =
    last?.repository === branch.repository && last.remote === branch.remote && last.name === branch.name
      ? last
      : undefined;
  const tip = here?.tip ?? before?.tip;
  if (tip === undefined || (here === undefined && !(await isHere(git, tip, signal)))) return undefined;
  const main = facts.defaultBranch?.tip ?? tip;
  const [fork, behind, isStillIn] = await Promise.all([
    mergeBase(git, main, tip, signal),
    git.read(['rev-list', '--count', `${tip}..${main}`, '--'], { signal }),
    isAncestor(git, before?.tip ?? tip, tip, signal),
  ]);
  const isWithin = fork === tip;
  const base = isWithin ? await baseBefore(git, main, tip, before?.base, signal) : fork;
  const files = await filesBetween(git, base, tip, signal);
  const since = facts.commits.get(tip)?.authoredAt ?? 0;
  const isMerged = isWithin
    ? base !== tip
    : Number(behind) > 0 && files.length > 0 && (await isContained(git, { base, tip, main, since }, signal));
  const sum = (count: (file: ChangedFile) => number | undefined): number =>
    files.reduce((total, file) => total + (count(file) ?? 0), 0);
  return {
    branch,
    base,
    tip,
    files,
    added: sum(({ added }) => added),
    removed: sum(({ removed }) => removed),
    behind: Number(behind),
    state: isMerged ? 'merged' : here === undefined ? 'gone' : 'open',
    isRewritten: !isStillIn,
    fetchedAt: facts.fetchedAt,
  };
}

/** The commits from base to tip, the newest first; at most 500. */
export async function commitsOf(
  git: Git,
  { base, tip }: Pick<Changes, 'base' | 'tip'>,
  signal?: AbortSignal,
): Promise<readonly Commit[]> {
  // What people have written comes last: it may hold what separates.
  const format = '--format=%H%x1f%P%x1f%ct%x1f%an%x1f%s';
  const args = ['log', '-z', '--encoding=UTF-8', `--max-count=${MOST_COMMITS}`, format];
  return records(await git.read([...args, `${base}..${tip}`, '--'], { signal })).map(record => {
    const [hash = '', parents = '', seconds, author = '', ...subject] = record.split('\x1f');
    const parent = parents.split(' ', 1)[0] || undefined;
    return { hash, parent, subject: subject.join(' '), author, at: timeOf(seconds) };
  });
}

/** A file as a commit has it: empty where there is none, the target of a symbolic link, one line for a submodule. */
export async function contentOf(
  git: Git,
  commit: string,
  file: string,
  signal?: AbortSignal,
): Promise<Buffer> {
  if (!isHash(commit)) throw new GitError('This is no commit.', undefined);
  // No tree has such a path.
  if (file.includes('\0') || file.split('/').some(part => ['', '.', '..'].includes(part)))
    return Buffer.alloc(0);
  const listed = records(await git.read(['ls-tree', '-z', '--full-tree', commit, '--', file], { signal }));
  const entry = listed.find(line => line.endsWith(`\t${file}`));
  const [, kind, hash = ''] = /^\d+ (\w+) (\w+)\t/.exec(entry ?? '') ?? [];
  if (kind === 'commit') return Buffer.from(`Subproject commit ${hash}\n`);
  return kind === 'blob' ? git.read(['cat-file', 'blob', hash], { signal }) : Buffer.alloc(0);
}

/** What differs between two commits or trees, renamed files as such. */
export async function filesBetween(
  git: Git,
  base: string,
  tip: string,
  signal?: AbortSignal,
): Promise<readonly ChangedFile[]> {
  const form = ['-z', '--raw', '--numstat', '--ignore-submodules=none', ...RENAMES, ...PLAIN];
  return filesIn(await git.read(['diff-tree', '-r', ...form, base, tip, '--'], { signal }));
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

export async function isHere(git: Git, commit: string, signal?: AbortSignal): Promise<boolean> {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${commit}^{commit}`];
  return isHash(commit) && (await orNothing(git.read(args, { signal }))).length > 0;
}

/** `false` also where the commit is not here any more. */
export async function isAncestor(
  git: Git,
  commit: string,
  of: string,
  signal?: AbortSignal,
): Promise<boolean> {
  if (commit === of) return true;
  if (!(await isHere(git, commit, signal))) return false;
  return (await mergeBase(git, commit, of, signal)) === commit;
}

/** Where two commits have parted; the empty tree where they never were one. */
async function mergeBase(git: Git, a: string, b: string, signal?: AbortSignal): Promise<string> {
  const [base] = lines(await orNothing(git.read(['merge-base', a, b], { signal })));
  return base ?? emptyTree(git, signal);
}

export async function emptyTree(git: Git, signal?: AbortSignal): Promise<string> {
  return (await git.read(['hash-object', '-t', 'tree', '--stdin'], { signal })).toString().trim();
}

/** Where a branch that is part of the default branch had left it: before the merge, or as was last known. */
async function baseBefore(
  git: Git,
  main: string,
  tip: string,
  last: string | undefined,
  signal?: AbortSignal,
): Promise<string> {
  const since = (...how: readonly string[]): Promise<Buffer> =>
    git.read(['rev-list', ...how, `${tip}..${main}`, '--'], { signal });
  const [path, after] = await Promise.all([since('--first-parent', '--parents'), since('--ancestry-path')]);
  const later = new Set(lines(after));
  const merge = lines(path).findLast(line => later.has(line.slice(0, tip.length)));
  const before = merge?.split(' ')[1];
  const base = before === undefined ? tip : await mergeBase(git, before, tip, signal);
  const isKnown = base === tip && last !== undefined && (await isAncestor(git, last, tip, signal));
  return isKnown ? last : base;
}

/** Whether the default branch has gained what a branch changes, as one commit or as the same commits once more. */
async function isContained(
  git: Git,
  { base, tip, main, since }: { base: string; tip: string; main: string; since: number },
  signal?: AbortSignal,
): Promise<boolean> {
  const list = (...args: readonly string[]): Promise<Buffer> =>
    git.read(['rev-list', '--no-merges', ...args], { signal });
  const own = await list(`--max-count=${MOST_COMPARED + 1}`, `${base}..${tip}`, '--');
  const names = ['-z', '--root', '--name-only', '--no-renames', '--no-commit-id'];
  const changed = await git.read(['diff-tree', '--stdin', '-r', ...names], { input: own, signal });
  const paths = [...new Set(records(changed))];
  const limits = [`--max-count=${MOST_COMPARED}`, `--max-age=${Math.floor(since / 1000)}`];
  // A command has room for so many.
  const within = paths.length > MOST_PATHS ? [] : paths;
  const candidates = await list(...limits, main, `^${tip}`, '--', ...within);
  if (candidates.length === 0) return false;
  const [there, here, whole] = await Promise.all([
    patchIds(git, ['--stdin'], candidates, signal),
    patchIds(git, ['--stdin'], own, signal),
    patchIds(git, [base, tip], undefined, signal),
  ]);
  const isIn = (ids: readonly string[]): boolean => ids.length > 0 && ids.every(id => there.includes(id));
  return isIn(whole) || (lines(own).length <= MOST_COMPARED && isIn(here));
}

/** What commits change, each as one word: the same for the same change elsewhere. None where it is too much to compare. */
async function patchIds(
  git: Git,
  args: readonly string[],
  input: Buffer | undefined,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const form = ['-p', '--root', '--full-index', '--binary', '--no-renames', ...PLAIN];
  try {
    const limits = { input, signal, maxBytes: MOST_BYTES };
    const patch = await git.read(['diff-tree', '-r', ...form, ...args], limits);
    const ids = await git.read(['patch-id', '--stable'], { input: patch, signal });
    return lines(ids).map(line => line.split(' ')[0] ?? '');
  } catch (error) {
    if (error instanceof GitError && error.isTooMuch) return [];
    throw error;
  }
}
