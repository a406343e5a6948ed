import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { repositoryAround } from '../../../src/connection/repository';
import { removeFolder, temporaryFolder } from '../../vscode/paths';

const read = (file: string): Promise<string> => fs.promises.readFile(file, 'utf8');

describe('the repository of an open folder', () => {
  let root: string;
  const git = (folder: string, ...args: readonly string[]): void => {
    execFileSync('git', [
      ...['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always'],
      ...['-C', path.join(root, folder), ...args],
    ]);
  };
  const make = (folder: string, remote?: string): void => {
    fs.mkdirSync(path.join(root, folder), { recursive: true });
    git(folder, 'init', '--quiet');
    git(folder, 'commit', '--quiet', '--allow-empty', '--no-gpg-sign', '--message', 'First');
    if (remote !== undefined) git(folder, 'remote', 'add', 'origin', remote);
  };
  const urlAt = async (folder: string): Promise<string | undefined> =>
    (await repositoryAround(path.join(root, folder), read))?.url;

  before(() => {
    root = temporaryFolder('open-repository');
    make('parts', 'https://git.example.com/acme/parts-source.git');
    make('shop', 'git@git.example.com:acme/shop.git');
    git('shop', 'submodule', '--quiet', 'add', path.join(root, 'parts'), 'libs/parts');
    git('shop', 'worktree', 'add', '--quiet', path.join(root, 'fix'));
    fs.mkdirSync(path.join(root, 'shop', 'apps', 'web'), { recursive: true });
    make('alone');
  });
  after(() => removeFolder(root));

  it('is found from its folder, from one inside, and from a worktree', async () => {
    for (const folder of ['shop', 'shop/apps/web', 'fix']) {
      assert.equal(await urlAt(folder), 'git@git.example.com:acme/shop.git', folder);
    }
    const { commits } = (await repositoryAround(path.join(root, 'fix'), read)) ?? { commits: [] };
    assert.ok(commits.length > 0);
  });

  it('is the submodule inside of one, and none without a remote or without git', async () => {
    assert.equal(await urlAt('shop/libs/parts'), path.join(root, 'parts'));
    assert.equal(await urlAt('alone'), undefined);
    assert.equal(await repositoryAround('/', read), undefined);
  });
});
