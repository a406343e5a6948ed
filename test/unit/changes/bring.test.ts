import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { readRepository } from '../../../src/changes/git/branches';
import { bring, previewOf, removeWorktree } from '../../../src/changes/git/bring';
import { changesOf } from '../../../src/changes/git/changes';
import { Git, GitError } from '../../../src/changes/git/run';
import type { Changes, Preview, Refusal, Way } from '../../../src/changes/git/model';
import { cleanUp, temporaryFolder } from '../../fakes/cleanUp';
import { file, filesOf, git, gitOf, History, putFiles, type Tree } from './repository';

const ten = (change = ''): string =>
  Array.from({ length: 10 }, (_, n) => `line ${n}${n === 4 ? change : ''}\n`).join('');

/** A checkout of main, and branches of a remote: one that fits, one in conflict, one with what a filter cannot write. */
async function checkout(): Promise<{ folder: string; trees: Readonly<Record<string, Tree>> }> {
  const history = new History();
  const at = (hours: number) => ({
    author: 'Agent <agent@example.com>',
    at: 1_750_000_000_000 + hours * 3_600_000,
    message: `At ${hours}`,
  });
  const base: Tree = new Map([
    ...([
      ['a.txt', file(ten())],
      ['dir/b.txt', file('b\n')],
      ['run.sh', file('#!/bin/sh\n', '100755')],
    ] as const),
    ...([
      ['.gitignore', file('ignored\n')],
      ['link', file('../outside', '120000')],
    ] as const),
  ]);
  const first = history.commit(base, [], at(0));
  const main = history.commit(new Map(base).set('a.txt', file(`top\n${ten()}`)), [first], at(1));
  const fits = new Map([...base].filter(([name]) => name !== 'dir/b.txt' && name !== 'link'))
    .set('link/x', file('y'))
    .set('moved/b.txt', file('b\n'))
    .set('new/ü c.txt', file('c\r\n'))
    .set('ignored/x', file('x'))
    .set('a.txt', file(`${ten()}end`));
  const trees: Record<string, Tree> = {
    fits,
    conflicts: new Map(base).set('a.txt', file(`other\n${ten()}`)).set('dir/b.txt', file('other\n')),
    filtered: new Map(fits)
      .set('.gitattributes', file('*.bin filter=big\n'))
      .set('new/z.bin', file('z'))
      .set('0.bin', file('0')),
  };
  for (const [name, tree] of Object.entries(trees))
    history.refs.set(`refs/remotes/origin/agent/${name}`, history.commit(tree, [first], at(2)));
  history.refs.set('refs/remotes/origin/main', main).set('refs/heads/main', main);
  const folder = path.join(temporaryFolder(), 'shop');
  const remote =
    '[remote "origin"]\n\turl = https://git.example.com/acme/shop.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n';
  await history.write(folder, `${remote}[filter "big"]\n\tsmudge = false\n\trequired = true\n`);
  await git(folder, ['checkout', '--quiet', '--force', 'main']);
  return { folder, trees };
}

async function changesIn(mine: Git, name = 'fits'): Promise<Changes> {
  const facts = await readRepository(mine);
  return (await changesOf(
    mine,
    { repository: mine.folder, remote: 'origin', name: `agent/${name}` },
    facts,
  ))!;
}

/** Everything that is a person's: files, index, what is checked out, refs, settings and worktrees. */
async function stateOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const [name, { mode, content }] of [...filesOf(folder)].sort())
    hash.update(`${name}\0${mode}\0`).update(content);
  for (const args of [
    ['ls-files', '-s', '-v', '-z'],
    ['for-each-ref'],
    ['worktree', 'list'],
    ['status', '--porcelain', '-z'],
  ])
    hash.update(await git(folder, args));
  for (const name of ['HEAD', 'config']) hash.update(fs.readFileSync(path.join(folder, '.git', name)));
  return hash.update(fs.readdirSync(path.dirname(folder)).join('\0')).digest('hex');
}

const refusedIn = (result: Preview | Refusal | undefined): Refusal | undefined =>
  result !== undefined && 'refused' in result ? result : undefined;

describe('bringing a branch home', () => {
  afterEach(cleanUp);

  const write = (folder: string, name: string, text = 'mine'): void => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  };
  type Case = readonly [ways: readonly Way[], spoil: (folder: string) => unknown, wanted: object];
  const here: readonly Way[] = ['checkout', 'apply'];
  const all: readonly Way[] = ['worktree', ...here];
  const dirty = (name: string): object => ({ refused: 'dirty', files: [name] });
  const inTheWay = (name: string): object => ({ refused: 'inTheWay', files: [name] });
  const elsewhere = ['worktree', 'add', '-q', '-b', 'agent/fits'];
  const cases: Readonly<Record<string, Case>> = {
    'changed files': [here, folder => write(folder, 'run.sh'), dirty('run.sh')],
    'staged files': [here, folder => git(folder, ['rm', '-q', '--cached', 'dir/b.txt']), dirty('dir/b.txt')],
    'deleted files': [here, folder => fs.rmSync(path.join(folder, 'link')), dirty('link')],
    'an untracked file': [here, folder => write(folder, 'new/ü c.txt'), inTheWay('new/ü c.txt')],
    'an ignored file': [here, folder => write(folder, 'ignored/x'), inTheWay('ignored/x')],
    'a file for a folder': [here, folder => write(folder, 'new'), inTheWay('new')],
    'a folder for a file': [here, folder => write(folder, 'new/ü c.txt/mine'), inTheWay('new/ü c.txt/mine')],
    'a link for a folder': [here, folder => fs.symlinkSync('dir', path.join(folder, 'new')), inTheWay('new')],
    conflicts: [['apply'], () => undefined, { refused: 'conflicts', files: ['a.txt'] }],
    'a merge that has begun': [
      here,
      folder => git(folder, ['update-ref', 'MERGE_HEAD', 'HEAD']),
      { refused: 'busy' },
    ],
    'a branch of the name': [
      ['worktree'],
      folder => git(folder, ['branch', 'agent/fits']),
      { refused: 'branchExists', name: 'agent/fits' },
    ],
    'a branch in its way': [
      ['worktree', 'checkout'],
      folder => git(folder, ['branch', 'agent']),
      { refused: 'branchExists', name: 'agent' },
    ],
    'the folder': [['worktree'], folder => fs.mkdirSync(`${folder}-agent-fits`), { refused: 'folderExists' }],
    'other commits': [
      ['checkout'],
      folder => git(folder, ['branch', 'agent/fits', 'main']),
      { refused: 'otherCommits', name: 'agent/fits', count: 1 },
    ],
    'another worktree': [
      ['worktree', 'checkout'],
      folder => git(folder, [...elsewhere, `${folder}-2`, 'origin/agent/fits']),
      { refused: 'checkedOutElsewhere' },
    ],
    'commits of no branch': [
      ['checkout'],
      async folder => {
        await git(folder, ['checkout', '-q', '--detach']);
        await git(folder, ['commit', '-q', '--allow-empty', '-m', 'x']);
      },
      { refused: 'unsaved', count: 1 },
    ],
    'a deleted branch': [
      all,
      folder => git(folder, ['update-ref', '-d', 'refs/remotes/origin/agent/fits']),
      { refused: 'gone' },
    ],
    'a branch that has moved': [
      all,
      folder => git(folder, ['update-ref', 'refs/remotes/origin/agent/fits', 'main']),
      { refused: 'moved' },
    ],
    'work that is here already': [
      ['apply'],
      folder => git(folder, ['merge', '-q', 'origin/agent/fits']),
      { refused: 'nothing' },
    ],
  };
  for (const [what, [ways, spoil, wanted]] of Object.entries(cases))
    it(`refuses for ${what} and leaves all as it is, before and after a preview`, async () => {
      for (const way of ways) {
        const { folder } = await checkout();
        const mine = gitOf(folder);
        const changes = await changesIn(mine, what === 'conflicts' ? what : undefined);
        const preview = await previewOf(mine, changes, way);
        await spoil(folder);
        const before = await stateOf(folder);
        const refused = refusedIn(await previewOf(mine, changes, way));
        assert.deepEqual({ ...refused, ...wanted }, refused, way);
        if (!('refused' in preview)) assert.deepEqual(await bring(mine, preview), refused);
        assert.equal(await stateOf(folder), before);
      }
    });

  it('needs a Git that merges without files only for applying', async () => {
    const { folder } = await checkout();
    const program = path.join(temporaryFolder(), 'git');
    fs.writeFileSync(
      program,
      '#!/bin/sh\ncase "$*" in *version) echo git version 2.34.1;; *"worktree list"*-z*) exit 129;; *) exec git "$@";; esac\n',
      { mode: 0o755 },
    );
    const mine = new Git(program, folder);
    const changes = await changesIn(mine);
    assert.deepEqual(await previewOf(mine, changes, 'apply'), {
      refused: 'gitTooOld',
      version: '2.34.1',
      needed: '2.38',
    });
    for (const way of ['worktree', 'checkout'] as const)
      assert.equal(refusedIn(await previewOf(mine, changes, way)), undefined);
  });

  it('shows what changes where there is too much to tell whether it was merged', async () => {
    const { folder } = await checkout();
    write(folder, 'a.txt', 'later');
    await git(folder, ['commit', '-q', '-a', '-m', 'x']);
    await git(folder, ['update-ref', 'refs/remotes/origin/main', 'HEAD']);
    const program = path.join(temporaryFolder(), 'git');
    const script =
      '#!/bin/sh\ncase "$*" in *" -p --root "*) exec head -c 300000000 /dev/zero;; *) exec git "$@";; esac\n';
    fs.writeFileSync(program, script, { mode: 0o755 });
    const { state, files } = await changesIn(new Git(program, folder));
    assert.deepEqual([state, files.length], ['open', 6]);
  });

  it('puts all back when it fails midway', async () => {
    const { folder } = await checkout();
    write(folder, 'mine.txt');
    const before = await stateOf(folder);
    const mine = gitOf(folder);
    for (const way of all) {
      const failing = (await previewOf(mine, await changesIn(mine, 'filtered'), way)) as Preview;
      await assert.rejects(bring(mine, failing), /smudge filter big failed/);
      assert.equal(await stateOf(folder), before, way);
    }
  });

  it('leaves alone what comes between the check and the change, and what it hides from the check', async () => {
    for (const way of ['worktree', 'checkout', 'apply'] as const) {
      const { folder } = await checkout();
      const [there, program] = [`${folder}-agent-fits`, path.join(temporaryFolder(), 'git')];
      const meanwhile =
        way === 'worktree'
          ? `mkdir -p ${there}; echo mine > ${there}/mine; git branch agent/fits main`
          : `mkdir -p new; echo mine > 'new/ü c.txt'`;
      const script = `#!/bin/sh\ncase "$*" in *"worktree add"*|*"update-ref refs"*|*"checkout --quiet"*|*"read-tree -m"*) ${meanwhile};; esac\nexec git "$@"\n`;
      fs.writeFileSync(program, script, { mode: 0o755 });
      write(folder, '../outside/x');
      await git(folder, ['update-index', '--assume-unchanged', 'a.txt']);
      write(folder, 'a.txt');
      const mine = new Git(program, folder);
      const preview = (await previewOf(mine, await changesIn(mine), way)) as Preview;
      const before = filesOf(folder);
      await assert.rejects(bring(mine, preview), GitError);
      const after = new Map(before);
      if (way !== 'worktree') after.set('new/ü c.txt', file('mine\n'));
      assert.deepEqual(filesOf(folder), after, way);
      assert.equal(fs.readFileSync(path.join(folder, '../outside/x'), 'utf8'), 'mine');
      if (way !== 'worktree') continue;
      assert.equal(fs.readFileSync(path.join(there, 'mine'), 'utf8'), 'mine\n');
      await git(folder, ['rev-parse', '--verify', 'refs/heads/agent/fits']);
    }
  });

  it('takes no submodule away for a file of its name', async () => {
    const { folder } = await checkout();
    const inner = path.join(folder, 'inner');
    fs.mkdirSync(inner);
    await git(inner, ['init', '--quiet']);
    await git(inner, ['commit', '--quiet', '--allow-empty', '--message', 'x']);
    write(inner, 'mine');
    const link = (await git(inner, ['rev-parse', 'HEAD'])).toString().trim();
    await git(folder, ['update-index', '--add', '--cacheinfo', `160000,${link},inner`]);
    await git(folder, ['commit', '--quiet', '--message', 'Inner']);
    const blob = (await git(folder, ['hash-object', '-w', 'run.sh'])).toString().trim();
    await git(folder, ['update-index', '--cacheinfo', `100644,${blob},inner`]);
    const tree = (await git(folder, ['write-tree'])).toString().trim();
    const tip = await git(folder, ['commit-tree', '-p', 'HEAD', '-m', 'x', tree]);
    await git(folder, ['update-ref', 'refs/remotes/origin/agent/fits', tip.toString().trim()]);
    await git(folder, ['read-tree', 'HEAD']);
    const mine = gitOf(folder);
    for (const way of ['checkout', 'apply'] as const)
      assert.deepEqual(await previewOf(mine, await changesIn(mine), way), {
        refused: 'inTheWay',
        files: ['inner'],
      });
  });

  it('comes into a folder that has no commit yet', async () => {
    for (const way of ['worktree', 'checkout', 'apply'] as const) {
      const { folder, trees } = await checkout();
      await git(folder, ['symbolic-ref', 'HEAD', 'refs/heads/unborn']);
      await git(folder, ['read-tree', '--empty']);
      putFiles(folder, new Map());
      const mine = gitOf(folder);
      const preview = (await previewOf(mine, await changesIn(mine), way)) as Preview;
      assert.equal(await bring(mine, preview), undefined);
      assert.deepEqual(filesOf(preview.folder ?? folder), trees.fits);
    }
  });

  it('opens a worktree beside the folder, and removes it where nothing is lost', async () => {
    const { folder, trees } = await checkout();
    const mine = gitOf(folder);
    write(folder, 'run.sh', 'uncommitted');
    const before = await stateOf(folder);
    const preview = (await previewOf(mine, await changesIn(mine), 'worktree')) as Preview;
    const there = preview.folder!;
    assert.equal(there, `${folder}-agent-fits`);
    assert.equal(await bring(mine, preview), undefined);
    assert.deepEqual(filesOf(there), trees.fits);
    assert.equal(
      (await git(there, ['rev-parse', '--abbrev-ref', '@{upstream}'])).toString().trim(),
      'origin/agent/fits',
    );
    write(there, 'untracked');
    assert.deepEqual(await removeWorktree(mine, there), { refused: 'dirty', files: ['untracked'] });
    fs.rmSync(path.join(there, 'untracked'));
    await git(there, ['checkout', '-q', '--detach']);
    await git(there, ['commit', '-q', '--allow-empty', '-m', 'x']);
    assert.deepEqual(await removeWorktree(mine, there), { refused: 'unsaved', count: 1 });
    await git(there, ['checkout', '-q', 'agent/fits']);
    assert.equal(await removeWorktree(mine, there), undefined);
    assert.equal(await stateOf(folder), before);
    assert.deepEqual(await removeWorktree(mine, folder), { refused: 'gone' });
  });

  it('checks out, and moves a local branch forward', async () => {
    const { folder, trees } = await checkout();
    const mine = gitOf(folder);
    write(folder, 'mine.txt');
    await git(folder, ['branch', 'agent/fits', 'main~1']);
    const preview = (await previewOf(mine, await changesIn(mine), 'checkout')) as Preview;
    assert.deepEqual(preview.local, { name: 'agent/fits', isNew: false });
    assert.equal(await bring(mine, preview), undefined);
    assert.deepEqual(filesOf(folder), new Map(trees.fits).set('mine.txt', file('mine')));
    assert.equal((await git(folder, ['symbolic-ref', 'HEAD'])).toString(), 'refs/heads/agent/fits\n');
    assert.deepEqual(await previewOf(mine, await changesIn(mine), 'checkout'), { refused: 'nothing' });
  });

  it('applies as changes on top of what is checked out', async () => {
    const { folder, trees } = await checkout();
    const mine = gitOf(folder);
    write(folder, 'mine.txt');
    const head = await git(folder, ['rev-parse', 'HEAD']);
    const preview = (await previewOf(mine, await changesIn(mine), 'apply')) as Preview;
    assert.deepEqual(preview.files.map(({ path: name }) => name).sort(), [
      'a.txt',
      'ignored/x',
      'link',
      'link/x',
      'moved/b.txt',
      'new/ü c.txt',
    ]);
    assert.equal(await bring(mine, preview), undefined);
    const merged = new Map(trees.fits).set('a.txt', file(`top\n${ten()}end`)).set('mine.txt', file('mine'));
    assert.deepEqual(filesOf(folder), merged);
    assert.deepEqual(await git(folder, ['rev-parse', 'HEAD']), head);
    putFiles(folder, new Map());
  });
});
