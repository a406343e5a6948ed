import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LocalGit } from '../../src/readiness/git';
import { until } from '../until';
import { openRepository, remoteUrls, type GitRepository } from '../../src/util/git';

const COMMITTED = '2026-02-03T14:05:00Z';

/** What the built-in Git extension tells of a real repository, and what it must never be asked. */
describe('the repositories of this window', () => {
  let folder: string;
  let git: LocalGit;

  const run = (...args: readonly string[]): string => {
    const env = { ...process.env, GIT_AUTHOR_DATE: COMMITTED, GIT_COMMITTER_DATE: COMMITTED };
    const as = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    return execFileSync('git', [...as, ...args], { cwd: folder, env, encoding: 'utf8' }).trim();
  };
  const commit = (message: string): string => {
    run('commit', '--quiet', '--allow-empty', '--no-gpg-sign', '--message', message);
    return run('rev-parse', 'HEAD');
  };
  const at = async (head: string): Promise<GitRepository> => {
    // A window without the focus does not look by itself.
    await vscode.commands.executeCommand('git.refresh');
    const look = (): GitRepository | undefined =>
      git.repositories.find(each => each.state.HEAD?.commit === head && remoteUrls(each).length === 2);
    await until(() => look() !== undefined);
    return look()!;
  };

  before(async () => {
    const [workspace] = vscode.workspace.workspaceFolders ?? [];
    folder = path.join(workspace!.uri.fsPath, 'with-git');
    fs.mkdirSync(folder);
    run('init', '--quiet', '--initial-branch=main');
    run('remote', 'add', 'upstream', 'ssh://git@git.example.com/acme/shop.git');
    run('remote', 'add', 'origin', 'https://git.example.com/me/shop.git');
    git = new LocalGit();
    await git.ready();
  });
  after(() => {
    git.dispose();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it('have all their remotes, count commits, and know the ones between two', async () => {
    const first = commit('first');
    await vscode.commands.executeCommand('git.openRepository', folder);
    const local = await at(first);
    assert.deepEqual(remoteUrls(local), [
      'https://git.example.com/me/shop.git',
      'ssh://git@git.example.com/acme/shop.git',
    ]);
    for (const same of [first, first.slice(0, 10)])
      assert.deepEqual(await git.counted(same, local), { behind: 0, isInHead: true });
    run('checkout', '--quiet', '-b', 'other');
    const beside = commit('beside');
    run('checkout', '--quiet', 'main');
    commit('second');
    const last = commit('third');
    const now = await at(last);
    assert.deepEqual(await git.counted(first, now), { behind: 2, isInHead: true });
    assert.deepEqual(await git.counted(beside, now), { behind: 2, isInHead: false });
    assert.equal(await git.counted(undefined, now), 'unnamed');
    const between = await git.between(now, first, last);
    const told = between?.map(({ message, authorName }) => `${message} by ${authorName ?? ''}`);
    assert.deepEqual(told, ['third by A', 'second by A']);
    assert.deepEqual(await git.between(now, last, first), []);

    const open = await openRepository();
    assert.equal(open?.url, 'https://git.example.com/me/shop.git');
    assert.deepEqual([open.commits[0]?.hash, open.commits.at(-1)?.hash], [first, last]);
    assert.ok(open.commits.every(({ at: time }) => time === Date.parse(COMMITTED)));
  });

  it('do not know other commits, and are asked for nothing that is no commit id', async () => {
    const head = run('rev-parse', 'HEAD');
    const local = await at(head);
    const target = path.join(folder, 'written');
    for (const evil of ['f'.repeat(40), `--output=${target}`, 'HEAD', 'main', '']) {
      assert.equal(await git.counted(evil, local), 'unknown');
      assert.equal(await git.between(local, evil, head), undefined);
    }
    assert.equal(fs.existsSync(target), false);
    assert.equal(git.staleness('f'.repeat(40), undefined), undefined);
  });
});
