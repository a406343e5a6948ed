import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { changesOf, contentOf, find, readRepository } from '../../../src/changes/git/branches';
import { bring, previewOf } from '../../../src/changes/bring';
import { claimOf } from '../../../src/changes/git/evidence';
import { Git, isBranchName } from '../../../src/changes/git/run';
import { Mentions } from '../../../src/changes/git/mentions';
import type { RepositoryFacts } from '../../../src/changes/git/model';
import { patchOf, uncommitted } from '../../../src/changes/git/patch';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { growsEvenly } from '../../growth';
import { changesIn, file, git, History, run, treeOf } from './repository';

const BEGUN = 1_750_000_000_000;
const GONE = /^Refused: The branch is no longer here/;
const WAYS = ['worktree', 'checkout', 'apply'] as const;
const ODD = [
  ...['$(touch${IFS}x)', 'a;touch', '`x`', '"x"', "it's", 'ü/日本', '&&x', '-x/--upload-pack=x'],
  ...['#1', 'a%2fb', 'x|y', '<x>', '!x', '{x}', '@'],
  ...[`long/${'ü'.repeat(100)}/${'ü'.repeat(100)}`],
];
const HOSTILE = [
  ...['--upload-pack=touch x', '-x', '../../x', 'a..b', 'a\nb', 'a b', 'x.lock', 'a//b', '/a'],
  ...['a/', '.a', 'a/.b', 'HEAD', '@{-1}', 'a^', ':/x', '*', '', 'a\0b', 'a~1'],
];

/** A repository whose settings name a program wherever Git would run one; `ran` tells which did. */
async function trap(): Promise<{ folder: string; ran: () => string }> {
  const [folder, hooks] = [temporaryFolder(), temporaryFolder()];
  const [log, canary] = [path.join(hooks, 'log'), path.join(hooks, 'canary')];
  fs.writeFileSync(canary, `#!/bin/sh\necho "$0 $*" >> ${log}\n`, { mode: 0o755 });
  const others = ['reference-transaction', 'pre-commit', 'post-merge', 'fsmonitor-watchman'];
  for (const hook of ['post-checkout', 'post-index-change', ...others])
    fs.copyFileSync(canary, path.join(hooks, hook));
  const history = new History();
  const attributes = '* diff=x filter=x merge=x\n';
  const base = history.commit(treeOf({ '.gitattributes': attributes, a: '1\n2\n3\n', b: 'b\n' }));
  const main = history.commit(new Map(base.tree).set('a', file('1\n2\n3\n4\n')), [base]);
  const changed = new Map(base.tree).set('a', file('0\n1\n2\n3\n')).set('b', file('c\n'));
  const tip = history.commit(changed, [base], { at: BEGUN + 1_000 });
  history.refs.set('refs/heads/main', main);
  history.put('main', main);
  history.put('agent/x', tip);
  const keys = (names: string): string => names.replace(/\w+/g, name => `\n\t${name} = ${canary}`);
  const driver = `${keys('command textconv driver clean smudge process')}\n\trequired = true\n`;
  await history.write(
    folder,
    [
      `\thooksPath = ${hooks}${keys('fsmonitor pager editor sshCommand gitProxy askPass alternateRefsCommand')}`,
      `[remote "origin"]\n\turl = ext::${canary}\n\tpromisor = true\n\tpartialclonefilter = blob:none${keys('uploadpack')}\n\tfetch = +refs/heads/*:refs/remotes/origin/*`,
      '[protocol "ext"]\n\tallow = always\n[extensions]\n\tpartialClone = origin',
      `[diff]${keys('external')}\n[diff "x"]${driver}[filter "x"]${driver}[merge "x"]${driver}[merge]\n\trenormalize = true`,
      `[gpg]${keys('program')}\n[log]\n\tshowSignature = true\n[credential]${keys('helper')}\n[sequence]${keys('editor')}`,
      `[trailer "x"]${keys('command')}\n[pager]${keys('log diff')}\n[submodule]\n\trecurse = true\n[alias]\n\tlog = !${canary}\n`,
    ].join('\n'),
  );
  const safely = async (args: readonly string[], input = ''): Promise<string> => {
    const safe = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];
    return (await git(folder, [...safe, ...args], input)).toString().trim();
  };
  await safely(['read-tree', 'main']);
  for (const [name, { content }] of main.tree) fs.writeFileSync(path.join(folder, name), content);
  // A signed commit of odd words and times, and one more repository in this one, with a program of its own.
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----';
  const signed = (await safely(['cat-file', 'commit', tip.hash]))
    .replace('\n\n', `\n${signature}\n\nodd\x1fwords\x1f`)
    .replace(/(?<=committer .*> )\d+/, '99999999999999999');
  const commit = await safely(['hash-object', '-t', 'commit', '-w', '--stdin'], `${signed}\n`);
  await safely(['update-ref', 'refs/remotes/origin/agent/x', commit]);
  const inner = path.join(folder, 'inner');
  fs.mkdirSync(inner);
  await run(inner, 'init -q');
  await run(inner, 'commit -q --allow-empty -m x');
  const link = await run(inner, 'rev-parse HEAD');
  await safely(['update-index', '--add', '--cacheinfo', `160000,${link},inner`]);
  const tree = await safely(['write-tree']);
  await safely(['update-ref', 'HEAD', await safely(['commit-tree', '-p', 'main', tree], 'inner')]);
  fs.writeFileSync(path.join(inner, 'x'), 'x');
  await run(inner, `config core.fsmonitor ${canary}`);
  fs.rmSync(log, { force: true });
  return { folder, ran: () => (fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '') };
}

const pathsOf = (files: readonly { readonly path: string }[]): string[] => files.map(each => each.path);

describe('a hostile repository', () => {
  it('runs nothing while it is read, whatever its settings and the environment say', async () => {
    const { folder, ran } = await trap();
    const variables = {
      ...{ GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere', GIT_TRACE: '/nowhere' },
      ...{ GIT_EXTERNAL_DIFF: 'false', GIT_PAGER: 'false', GIT_CONFIG_COUNT: '1' },
      ...{ GIT_CONFIG_KEY_0: 'diff.external', GIT_CONFIG_VALUE_0: 'false' },
    };
    for (const [name, value] of Object.entries(variables)) {
      process.env[name] = value;
      later(() => Reflect.deleteProperty(process.env, name));
    }
    const mine = new Git('git', folder);
    for (const isDirty of [false, true]) {
      if (isDirty) fs.writeFileSync(path.join(folder, 'b'), 'changed\n');
      else fs.utimesSync(path.join(folder, 'a'), 1, 1);
      const changes = await changesIn(mine, 'agent/x');
      assert.deepEqual(pathsOf(changes.files), ['a', 'b']);
      const [only, ...others] = changes.commits;
      assert.partialDeepStrictEqual(only, { subject: 'odd words x', author: 'Robin Vale' });
      assert.deepEqual([new Date(only!.at).getFullYear(), others], [275_760, []]);
      assert.equal((await contentOf(mine, changes.tip, 'a')).toString(), '0\n1\n2\n3\n');
      const { files, untracked } = await uncommitted(mine);
      assert.deepEqual(pathsOf(files), isDirty ? ['b', 'inner'] : ['inner']);
      await patchOf(mine, changes.base, pathsOf(untracked));
      const dirty = isDirty ? /^Commit or stash/ : undefined;
      const refused = { worktree: undefined, checkout: dirty, apply: dirty ?? /^It conflicts/ };
      for (const way of WAYS) {
        const preview = previewOf(mine, changes, way);
        await (refused[way] ? assert.rejects(preview, { message: refused[way] }) : preview);
      }
      // A blob that is not here is not fetched either.
      await assert.rejects(mine.read(['cat-file', 'blob', '1'.repeat(40)]));
      await assert.rejects(mine.read(['ls-remote', 'origin']), /transport 'ext' not allowed/);
    }
    assert.equal(ran(), '');
    // What is brought home goes through filters, which are the person's own; nothing else runs.
    const preview = await previewOf(mine, await changesIn(mine, 'agent/x'), 'worktree');
    await assert.rejects(bring(mine, preview));
    assert.match(ran(), /^(?:\S+\/canary \n)+$/);
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
    await assert.rejects(git(folder, ['diff', 'main']));
    assert.notEqual(ran(), '', 'the trap works');
  });

  it('has branches of any name, and none that Git would take for something else', async () => {
    const history = new History();
    const main = history.commit(treeOf({ a: 'a' }));
    const tip = history.commit(treeOf({ a: 'b' }), [main]);
    for (const name of ODD) history.put(name, tip);
    const { folder, mine } = await history.checkOut(main);
    const facts = await readRepository(mine);
    for (const name of ODD) {
      assert.ok(find(facts, { repository: folder, remote: 'origin', name }), name);
      const changes = await changesIn(mine, name);
      assert.deepEqual(pathsOf(changes.files), ['a']);
      if (!isBranchName(name)) {
        await assert.rejects(previewOf(mine, changes, 'worktree'), GONE);
        continue;
      }
      const preview = await previewOf(mine, changes, 'worktree');
      const there = preview.folder!;
      assert.equal(path.dirname(there), path.dirname(folder));
      await bring(mine, preview);
      assert.equal(fs.readFileSync(path.join(there, 'a'), 'utf8'), 'b');
      assert.equal(await run(there, 'symbolic-ref HEAD'), `refs/heads/${name}`);
      await git(folder, ['worktree', 'remove', there]);
    }
    for (const name of HOSTILE) {
      assert.equal(isBranchName(name), false, name);
      const named = { repository: folder, remote: 'origin', name };
      const answers = `[${name} ${tip.hash.slice(0, 7)}] x\nTo https://git.example.com/acme/shop.git\n * [new branch] x -> ${name}`;
      const said = { text: `git push origin '${name}'\n${answers}`, by: 'agent' } as const;
      const claim = claimOf({ sessionId: 'x' }, [facts], new Mentions([said]));
      assert.ok(claim.sure === 'unknown' || isBranchName(claim.branch.name), name);
      assert.equal(await changesOf(mine, named, facts), undefined);
      assert.equal(await changesOf(mine, named, facts, { ...named, base: name, tip: name }), undefined);
      const changes = { ...(await changesIn(mine, 'ü/日本')), branch: named };
      for (const way of WAYS) await assert.rejects(previewOf(mine, changes, way), GONE);
      assert.equal((await contentOf(mine, tip.hash, name)).length, 0);
      await assert.rejects(async () => contentOf(mine, name, 'a'));
      await assert.rejects(async () => patchOf(mine, name, []));
    }
    assert.deepEqual(fs.readdirSync(path.dirname(folder)), ['shop']);
  });

  it('has no commit that passes for one of a session by the beginning of its hash; of two that are its own neither is certain', () => {
    const made = { parents: [], authoredAt: BEGUN, committedAt: BEGUN, agent: undefined, trailers: '' };
    const tips = ['f', '0'].map(end => `1234567${end.repeat(33)}`);
    const own = new Map(tips.map(tip => [tip, new Map([[tip, made]])]));
    const shop = { repository: '/shop', remote: 'origin', at: BEGUN };
    const branches = tips.map((tip, n) => {
      const name = ['other', 'mine'][n]!;
      return { ...shop, name, ref: `refs/remotes/origin/${name}`, tip };
    });
    const facts: RepositoryFacts = {
      ...{ repository: '/shop', branches, version: '', defaultBranch: undefined, own, isWhole: true },
      ...{ remotes: [{ name: 'origin', urls: ['x'] }], pullRequests: new Map(), fetchedAt: undefined },
    };
    const session = { sessionId: 'x', createdAt: BEGUN };
    for (const answer of ['[mine 1234567] x', '[detached HEAD 1234567] x']) {
      const mentions = new Mentions([{ text: answer, at: BEGUN }]);
      const claim = claimOf(session, [facts], mentions);
      assert.ok(claim.sure !== 'certain' || claim.branch.name === 'mine', answer);
      const alone = { ...facts, branches: branches.slice(1), own: new Map([...own].slice(1)) };
      assert.equal(claimOf(session, [alone], mentions).sure, 'certain');
    }
    const text = branches.map(({ name, tip }) => `[${name} ${tip}] x`).join('\n');
    const both = claimOf(session, [facts], new Mentions([{ text, at: BEGUN }]));
    assert.partialDeepStrictEqual(both, { sure: 'likely', evidence: 'branchInTranscript' });
  });

  it('is looked for in time that grows with the transcript', async () => {
    const branches = ['git git push checkout -b ', 'To x\n', '* [new branch] ', 'branch ', '...a/b', 'a/'];
    const others = ['[x ', "Switched to a new branch '", '0123456789abcdef', '/pull/1', '\\n"'];
    for (const part of [...branches, ...others])
      await growsEvenly(
        part,
        65_536,
        size => new Mentions([{ by: 'agent', text: part.repeat(size / part.length) }]),
      );
  });
});
