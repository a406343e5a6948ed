import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { bring, previewOf, Refused, removeWorktree } from '../../../src/changes/bring';
import { Git, GitError } from '../../../src/changes/git/run';
import type { Preview, Way } from '../../../src/changes/git/model';
import { temporaryFolder } from '../../fakes/cleanUp';
import { changesIn, file, filesOf, History, run, treeOf, type Tree } from './repository';

const UNSAVED = '1 of its commits is on no branch. Push or merge it first.';
const ten = (): string => Array.from({ length: 10 }, (_, n) => `line ${n}\n`).join('');

const BASE = treeOf({
  ...{ 'a.txt': ten(), 'dir/b.txt': 'b\n', '.gitignore': 'ignored\n' },
  ...{ 'run.sh': file('#!/bin/sh\n', '100755'), link: file('../outside', '120000') },
});
const FITS = treeOf({
  ...Object.fromEntries([...BASE].filter(([name]) => name !== 'dir/b.txt' && name !== 'link')),
  ...{
    'link/x': 'y',
    'moved/b.txt': 'b\n',
    'new/ü c.txt': 'c\r\n',
    'ignored/x': 'x',
    'a.txt': `${ten()}end`,
  },
});
const COME = new Set(['a.txt', 'ignored/x', 'link', 'link/x', 'moved/b.txt', 'new/ü c.txt']);
const FILTERED = treeOf({ '.gitattributes': '*.bin filter=big\n', 'new/z.bin': 'z', '0.bin': '0' });
const TREES: Readonly<Record<string, Tree>> = {
  fits: FITS,
  conflicts: new Map([...BASE, ...treeOf({ 'a.txt': `other\n${ten()}`, 'dir/b.txt': 'other\n' })]),
  filtered: new Map([...FITS, ...FILTERED]),
};

/** A checkout of main, and branches of a remote: one that fits, one in conflict, one with what a filter cannot write. */
async function checkout(): Promise<{ readonly folder: string; readonly mine: Git }> {
  const history = new History();
  const first = history.commit(BASE);
  const main = history.commit(new Map(BASE).set('a.txt', file(`top\n${ten()}`)), [first]);
  for (const [name, tree] of Object.entries(TREES))
    history.put(`agent/${name}`, history.commit(tree, [first], { message: name }));
  return history.checkOut(main, '[filter "big"]\n\tsmudge = false\n\trequired = true\n');
}

async function previewIn(mine: Git, way: Way, name = 'fits'): Promise<Preview> {
  return previewOf(mine, await changesIn(mine, `agent/${name}`), way);
}

const whyNot = async (act: Promise<unknown>): Promise<string> => {
  const error = await act.catch((reason: unknown) => reason);
  if (error instanceof Error && !(error instanceof Refused)) throw error;
  return error instanceof Refused ? error.message : '';
};

/** A program in the place of Git: `cases` are those of a shell, by the words of the command. */
function insteadOfGit(cases: string): string {
  const program = path.join(temporaryFolder(), 'git');
  const script = `#!/bin/sh\ncase "$*" in ${cases} esac\nexec git "$@"\n`;
  fs.writeFileSync(program, script, { mode: 0o755 });
  return program;
}

/** Everything that is a person's: files, index, what is checked out, refs, settings and worktrees. */
async function stateOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const [name, { mode, content }] of [...filesOf(folder)].sort())
    hash.update(`${name}\0${mode}\0`).update(content);
  for (const command of ['ls-files -s -v -z', 'for-each-ref', 'worktree list', 'status --porcelain -z'])
    hash.update(await run(folder, command));
  for (const name of ['HEAD', 'config']) hash.update(fs.readFileSync(path.join(folder, '.git', name)));
  return hash.update(fs.readdirSync(path.dirname(folder)).join('\0')).digest('hex');
}

async function commitAside(folder: string): Promise<void> {
  await run(folder, 'checkout -q --detach');
  await run(folder, 'commit -q --allow-empty -m x');
}

describe('bringing a branch home', () => {
  const write = (folder: string, name: string, text = 'mine'): void => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  };
  const here: readonly Way[] = ['checkout', 'apply'];
  const branches: readonly Way[] = ['worktree', 'checkout'];
  const all: readonly Way[] = ['worktree', ...here];
  const branch = 'refs/remotes/origin/agent/fits';
  const dirty = (file: string): string => `Commit or stash your changes first: ${file}`;
  const inTheWay = (file: string): string => `These untracked files are in the way: ${file}`;
  const elsewhere = 'worktree add -q -b agent/fits ../shop-2 origin/agent/fits';
  /** By what is wrong: the ways that are refused, a command of Git or an act by which it is, and how the reason begins. */
  type Case = readonly [readonly Way[], string | ((folder: string) => unknown), string];
  const cases: Readonly<Record<string, Case>> = {
    'changed files': [here, folder => write(folder, 'run.sh'), dirty('run.sh')],
    'staged files': [here, 'rm -q --cached dir/b.txt', dirty('dir/b.txt')],
    'deleted files': [here, folder => fs.rmSync(path.join(folder, 'link')), dirty('link')],
    'an untracked file': [here, folder => write(folder, 'new/ü c.txt'), inTheWay('new/ü c.txt')],
    'an ignored file': [here, folder => write(folder, 'ignored/x'), inTheWay('ignored/x')],
    'a file for a folder': [here, folder => write(folder, 'new'), inTheWay('new')],
    'a folder for a file': [here, folder => write(folder, 'new/ü c.txt/x'), inTheWay('new/ü c.txt/x')],
    'a link for a folder': [here, folder => fs.symlinkSync('dir', `${folder}/new`), inTheWay('new')],
    conflicts: [['apply'], 'status', 'It conflicts with your commits in a.txt. Merge it in a worktree.'],
    'a merge that has begun': [here, 'update-ref MERGE_HEAD HEAD', 'A merge or rebase is under way.'],
    'a branch of the name': [['worktree'], 'branch agent/fits', 'Another branch here is called agent/fits.'],
    'the folder': [
      ['worktree'],
      folder => fs.mkdirSync(`${folder}-agent-fits`),
      'The folder …/shop-agent-fits',
    ],
    'other commits': [['checkout'], 'branch agent/fits main', 'Your branch agent/fits has commits'],
    'another worktree': [branches, elsewhere, 'agent/fits is checked out in …/shop-2.'],
    'commits of no branch': [['checkout'], commitAside, UNSAVED],
    'a deleted branch': [all, `update-ref -d ${branch}`, 'The branch is no longer here.'],
    'a branch that has moved': [all, `update-ref ${branch} main`, 'Something has changed in the meantime.'],
    'work that is here already': [['apply'], 'merge -q origin/agent/fits', 'All of its changes'],
  };
  for (const [what, [ways, spoil, wanted]] of Object.entries(cases))
    it(`refuses for ${what} and leaves all as it is, before and after a preview`, async () => {
      for (const way of ways) {
        const { folder, mine } = await checkout();
        const changes = await changesIn(mine, `agent/${what === 'conflicts' ? what : 'fits'}`);
        const preview = what === 'conflicts' ? undefined : await previewOf(mine, changes, way);
        await (typeof spoil === 'string' ? run(folder, spoil) : spoil(folder));
        const before = await stateOf(folder);
        const refused = await whyNot(previewOf(mine, changes, way));
        const said = refused.replace(path.dirname(folder), '…');
        assert.ok(`${said} `.startsWith(`${wanted} `), `${way}: ${said}`);
        if (preview !== undefined) assert.equal(await whyNot(bring(mine, preview)), refused);
        assert.equal(await stateOf(folder), before);
      }
    });

  it('needs a Git that merges without files only for applying', async () => {
    const { folder } = await checkout();
    const old = '*merge-tree*) exit 129;; *"worktree list"*-z*) exit 129;;';
    const mine = new Git(insteadOfGit(old), folder);
    assert.equal(await whyNot(previewIn(mine, 'apply')), 'This needs Git 2.38 or newer.');
    const endless = new Git(insteadOfGit('*) exec yes;;'), folder);
    await assert.rejects(endless.read([]), { message: 'Git’s output is too large to read.' });
    for (const way of branches) await previewIn(mine, way);
  });

  it('knows a branch as merged whose commits were made once more, also those that take something back', async () => {
    const { folder, mine } = await checkout();
    await run(folder, 'checkout -q --detach');
    for (const [name, isGone] of [['x'], ['x', true], ['y'], ['z']] as const) {
      if (isGone) fs.rmSync(path.join(folder, name));
      else write(folder, name);
      await run(folder, 'add -A');
      await run(folder, 'commit -q -m x');
    }
    await run(folder, 'update-ref refs/remotes/origin/agent/again HEAD');
    await run(folder, 'checkout -q main');
    await run(folder, 'commit -q --allow-empty -m x');
    await run(folder, 'cherry-pick HEAD~1..origin/agent/again');
    await run(folder, 'update-ref refs/remotes/origin/main HEAD');
    assert.equal((await changesIn(mine, 'agent/again')).state, 'merged');
  });

  it('is open where nothing can be written to find out whether it is merged', async () => {
    const { folder } = await checkout();
    const full = new Git(insteadOfGit('*commit-tree*) exit 128;;'), folder);
    assert.equal((await changesIn(full, 'agent/fits')).state, 'open');
  });

  it('stays where it was when it fails midway, and leaves the files of the person alone', async () => {
    for (const way of all) {
      const { folder, mine } = await checkout();
      write(folder, 'mine.txt');
      const before = await stateOf(folder);
      const failing = await previewIn(mine, way, 'filtered');
      await assert.rejects(bring(mine, failing), /smudge filter big failed/);
      if (way === 'worktree') assert.equal(await stateOf(folder), before);
      assert.equal(await run(folder, 'symbolic-ref HEAD'), 'refs/heads/main');
      assert.equal(await run(folder, 'for-each-ref refs/heads/agent'), '');
      assert.equal(fs.readFileSync(path.join(folder, 'mine.txt'), 'utf8'), 'mine');
    }
  });

  it('leaves alone what comes between the check and the change, and what it hides from the check', async () => {
    for (const [way, name] of [
      ['worktree', 'in the folder of the worktree'],
      ['checkout', 'ignored/x'],
      ['apply', 'new/ü c.txt'],
      ['checkout', undefined],
      ['apply', undefined],
    ] as const) {
      const { folder } = await checkout();
      const there = `${folder}-agent-fits`;
      const arrives = name === undefined ? 'true' : `mkdir -p ${path.dirname(name)}; echo mine > '${name}'`;
      const made = `mkdir -p ${there}; echo mine > ${there}/mine; git branch agent/fits main`;
      const changing = '*"worktree add"*|*"branch --quiet"*|*"checkout --quiet"*|*"read-tree -m"*';
      const mine = new Git(insteadOfGit(`${changing}) ${way === 'worktree' ? made : arrives};;`), folder);
      write(folder, '../outside/x');
      if (name === undefined) {
        await run(folder, 'update-index --assume-unchanged a.txt');
        write(folder, 'a.txt');
      }
      const preview = await previewIn(mine, way);
      const after = new Map(filesOf(folder));
      await assert.rejects(bring(mine, preview), GitError);
      if (way !== 'worktree' && name !== undefined) after.set(name, file('mine\n'));
      assert.deepEqual(filesOf(folder), after, way);
      assert.equal(fs.readFileSync(path.join(folder, '../outside/x'), 'utf8'), 'mine');
      if (way !== 'worktree') continue;
      assert.equal(fs.readFileSync(path.join(there, 'mine'), 'utf8'), 'mine\n');
      await run(folder, 'rev-parse --verify refs/heads/agent/fits');
    }
  });

  it('takes no submodule away for a file of its name', async () => {
    const { folder, mine } = await checkout();
    const inner = path.join(folder, 'inner');
    fs.mkdirSync(inner);
    await run(inner, 'init -q');
    await run(inner, 'commit -q --allow-empty -m x');
    write(inner, 'mine');
    await run(folder, `update-index --add --cacheinfo 160000,${await run(inner, 'rev-parse HEAD')},inner`);
    await run(folder, 'commit -q -m Inner');
    const blob = await run(folder, 'hash-object -w run.sh');
    await run(folder, `update-index --cacheinfo 100644,${blob},inner`);
    const tip = await run(folder, `commit-tree -p HEAD -m x ${await run(folder, 'write-tree')}`);
    await run(folder, `update-ref ${branch} ${tip}`);
    await run(folder, 'read-tree HEAD');
    for (const way of here) assert.equal(await whyNot(previewIn(mine, way)), inTheWay('inner'));
  });

  for (const isUnborn of [false, true])
    it(`comes ${isUnborn ? 'into a folder that has no commit yet' : 'home'} in each way`, async () => {
      for (const way of all) {
        const { folder, mine } = await checkout();
        if (isUnborn) {
          await run(folder, 'rm -r -q -f .');
          await run(folder, 'symbolic-ref HEAD refs/heads/unborn');
        } else if (way === 'checkout') await run(folder, 'branch agent/fits main~1');
        write(folder, 'mine.txt');
        const before = await stateOf(folder);
        const preview = await previewIn(mine, way);
        assert.equal(preview.isNew, way !== 'apply' && (way === 'worktree' || isUnborn));
        if (way === 'checkout' && !isUnborn)
          assert.deepEqual(new Set(preview.files.map(each => each.path)), COME);
        await bring(mine, preview);
        const wanted = new Map(FITS);
        if (way === 'apply' && !isUnborn) wanted.set('a.txt', file(`top\n${ten()}end`));
        if (way !== 'worktree') wanted.set('mine.txt', file('mine'));
        assert.deepEqual(filesOf(preview.folder ?? folder), wanted, way);
        if (way === 'checkout') {
          assert.equal(await run(folder, 'symbolic-ref HEAD'), 'refs/heads/agent/fits');
          assert.equal(await whyNot(previewIn(mine, way)), 'All of its changes are already here.');
        }
        if (isUnborn || way === 'checkout') continue;
        if (way === 'apply') await run(folder, 'reset -q --hard');
        else await run(folder, `worktree remove ${preview.folder!}`);
        if (way === 'worktree') await run(folder, 'branch -q -D agent/fits');
        assert.equal(await stateOf(folder), before, way);
      }
    });

  it('goes again with its worktree, which follows the branch, where nothing is lost', async () => {
    const { folder, mine } = await checkout();
    const before = await stateOf(folder);
    const preview = await previewIn(mine, 'worktree');
    await bring(mine, preview);
    const there = `${folder}-agent-fits`;
    assert.equal(await run(there, 'rev-parse --abbrev-ref @{upstream}'), 'origin/agent/fits');
    write(there, 'untracked');
    const removing = (from = there): Promise<string> => whyNot(removeWorktree(mine, from));
    assert.equal(await removing(), dirty('untracked'));
    fs.rmSync(path.join(there, 'untracked'));
    await commitAside(there);
    assert.equal(await removing(), UNSAVED);
    await run(there, 'checkout -q agent/fits');
    assert.equal(await removing(), '');
    assert.equal(await stateOf(folder), before);
    assert.match(await removing(folder), /shop is not a worktree that can be removed/);
    // As it is after a checkout.
    await run(folder, 'branch -q agent/fits origin/agent/fits');
    await bring(mine, await previewIn(mine, 'worktree'));
    assert.equal(await run(there, 'symbolic-ref HEAD'), 'refs/heads/agent/fits');
  });
});
