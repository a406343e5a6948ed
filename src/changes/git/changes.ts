import { find, isSameBranch } from './branches';
import { GitError, isHash, lines, orNothing, records, timeOf, type Git } from './run';
import type { BranchName, ChangedFile, Changes, Commit, RepositoryFacts, SessionFacts } from './model';

const MOST_COMMITS = 500;
/** Commits of the default branch that are compared with a branch, to see whether it was squashed or rebased into it. */
const MOST_COMPARED = 200;
/** A command has room for so many. */
const MOST_PATHS = 50;
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
): Promise<Changes | undefined> {
  const here = find(facts, branch);
  const before = last && isSameBranch(last, branch) ? last : undefined;
  const tip = here?.tip ?? before?.tip;
  if (tip === undefined || (here === undefined && !(await isHere(git, tip)))) return undefined;
  const main = facts.defaultBranch?.tip ?? tip;
  const [fork, behind, isStillIn] = await Promise.all([
    mergeBase(git, main, tip),
    git.read(['rev-list', '--count', `${tip}..${main}`, '--']),
    isAncestor(git, before?.tip ?? tip, tip),
  ]);
  const isWithin = fork === tip;
  const base = isWithin ? await baseBefore(git, main, tip, before?.base) : fork;
  const [files, commits] = await Promise.all([filesBetween(git, base, tip), commitsBetween(git, base, tip)]);
  const since = facts.commits.get(tip)?.authoredAt ?? 0;
  const isMerged = isWithin
    ? base !== tip
    : Number(behind) > 0 && (await isContained(git, { base, tip, files }, main, since));
  return {
    ...{ branch, base, tip, files },
    added: files.reduce((sum, { added = 0 }) => sum + added, 0),
    removed: files.reduce((sum, { removed = 0 }) => sum + removed, 0),
    behind: Number(behind),
    state: isMerged ? 'merged' : here === undefined ? 'gone' : 'open',
    isRewritten: !isStillIn,
    commits,
  };
}

async function commitsBetween(git: Git, base: string, tip: string): Promise<readonly Commit[]> {
  // What people have written comes last: it may hold what separates.
  const format = '--format=%H%x1f%P%x1f%ct%x1f%an%x1f%s';
  const args = ['log', '-z', '--encoding=UTF-8', `--max-count=${MOST_COMMITS}`, format];
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

async function isHere(git: Git, commit: string): Promise<boolean> {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${commit}^{commit}`];
  return isHash(commit) && (await orNothing(git.read(args))).length > 0;
}

/** `false` also where the commit is not here any more. */
async function isAncestor(git: Git, commit: string, of: string): Promise<boolean> {
  if (commit === of) return true;
  return (await isHere(git, commit)) && (await mergeBase(git, commit, of)) === commit;
}

/** Where two commits have parted; the empty tree where they never were one. */
async function mergeBase(git: Git, a: string, b: string): Promise<string> {
  const [base] = lines(await orNothing(git.read(['merge-base', a, b])));
  return base ?? emptyTree(git);
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
  const base = before === undefined ? tip : await mergeBase(git, before, tip);
  const isKnown = base === tip && last !== undefined && (await isAncestor(git, last, tip));
  return isKnown ? last : base;
}

/** Whether the default branch has gained since then what a branch changes, as one commit or as the same commits once more. */
async function isContained(
  git: Git,
  { base, tip, files }: Pick<Changes, 'base' | 'tip' | 'files'>,
  main: string,
  since: number,
): Promise<boolean> {
  const list = (...args: readonly string[]): Promise<Buffer> =>
    git.read(['rev-list', '--no-merges', ...args]);
  const paths = files.flatMap(({ path, oldPath = path }) => [path, oldPath]);
  const within = paths.length > MOST_PATHS ? [] : paths;
  const limits = [`--max-count=${MOST_COMPARED}`, `--max-age=${Math.floor(since / 1000)}`];
  const [own, candidates] = await Promise.all([
    list(`--max-count=${MOST_COMPARED + 1}`, `${base}..${tip}`, '--'),
    list(...limits, main, `^${tip}`, '--', ...within),
  ]);
  if (files.length === 0 || candidates.length === 0) return false;
  const [there, here, whole] = await Promise.all([
    patchIds(git, ['--stdin'], candidates),
    patchIds(git, ['--stdin'], own),
    patchIds(git, [base, tip]),
  ]);
  const isIn = (ids: readonly string[]): boolean => ids.length > 0 && ids.every(id => there.includes(id));
  return isIn(whole) || (lines(own).length <= MOST_COMPARED && isIn(here));
}

/** What commits change, each as one word: the same for the same change elsewhere. None where it is too much to compare. */
async function patchIds(git: Git, args: readonly string[], commits?: Buffer): Promise<readonly string[]> {
  const form = ['-p', '--root', '--full-index', '--binary', '--no-renames', ...PLAIN];
  try {
    const input = await git.read(['diff-tree', '-r', ...form, ...args], { input: commits });
    const ids = await git.read(['patch-id', '--stable'], { input });
    return lines(ids).map(line => line.split(' ')[0] ?? '');
  } catch (error) {
    if (error instanceof GitError && error.code === undefined) return [];
    throw error;
  }
}
