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
      git.all.find(each => each.state.HEAD?.commit === head && remoteUrls(each).length === 2);
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

  it('have all their remotes and commits; others are not known, and nothing is asked that is no commit id; and none are there while Git is turned off', async () => {
    const first = commit('first');
    await vscode.commands.executeCommand('git.openRepository', folder);
    const [origin, upstream] = remoteUrls(await at(first));
    assert.equal(origin, 'https://git.example.com/me/shop.git');
    assert.equal(upstream, 'ssh://git@git.example.com/acme/shop.git');
    run('checkout', '--quiet', '-b', 'other');
    const beside = commit('beside');
    run('checkout', '--quiet', 'main');
    const last = commit('second');
    const local = await at(last);
    for (const [named, counted] of [
      [last.slice(0, 10), { behind: 0, isInHead: true }],
      [first, { behind: 1, isInHead: true }],
      [beside, { behind: 1, isInHead: false }],
      [undefined, 'unnamed'],
    ] as const)
      assert.deepEqual(await git.counted(named, local), counted);
    const between = await git.between(local, first, last);
    assert.deepEqual([between?.length, between?.[0]?.message], [1, 'second']);
    assert.deepEqual(await git.between(local, last, first), []);
    const open = await openRepository();
    assert.equal(open?.url, origin);
    assert.deepEqual(
      open.commits.map(({ hash, at: time }) => `${hash} ${String(time)}`),
      [first, last].map(hash => `${hash} ${String(Date.parse(COMMITTED))}`),
    );
    const target = path.join(folder, 'written');
    for (const evil of ['f'.repeat(40), `--output=${target}`, 'HEAD', 'main', '']) {
      assert.equal(await git.counted(evil, local), 'unknown');
      assert.equal(await git.between(local, evil, last), undefined);
    }
    assert.equal(fs.existsSync(target), false);
    const settings = vscode.workspace.getConfiguration('git');
    await settings.update('enabled', false, true);
    await until(() => git.all.length === 0);
    await settings.update('enabled', undefined, true);
  });
});
