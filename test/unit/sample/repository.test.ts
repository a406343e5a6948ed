import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type * as vscode from 'vscode';
import { openSampleWorkspace } from '../../../src/changes';
import { sampleRecord } from '../../../src/sample';
import { makeSampleRepository, SHOP, SHOP_REMOTE } from '../../../src/sample/repository';
import { idOf, STORIES } from '../../../src/sample/stories';
import { readRepository } from '../../../src/changes/git/branches';
import { claimOf } from '../../../src/changes/git/evidence';
import { Git } from '../../../src/changes/git/run';
import type { SessionFacts } from '../../../src/changes/git/model';
import { cleanUp, later, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { executed } from '../../fakes/vscode';

const NOW = Date.UTC(2026, 10, 21, 9, 30);

/** What a session's transcript says, and how long it lasted. */
const factsOf = ({ title, minutesAgo, exchanges }: (typeof STORIES)[number]): SessionFacts => ({
  sessionId: idOf('agent-console', { title }),
  createdAt: NOW - minutesAgo * 60_000,
  lastAt: NOW - (minutesAgo - 2) * 60_000,
  said: exchanges.flatMap(({ ask, lines }) => [
    { text: ask, by: 'me' as const },
    ...lines.map(line => ({
      text: line.kind === 'use' ? `${JSON.stringify(line.input)}\n${line.result}` : line.text,
      by: 'agent' as const,
    })),
  ]),
});

describe('the sample repository', () => {
  let folder: string;
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim();

  beforeEach(async () => {
    folder = path.join(temporaryFolder(), 'a shop');
    await makeSampleRepository(folder, 'git', NOW);
  });
  afterEach(cleanUp);

  it('has the files of the shop, a clean tree, and the branches that the sessions speak of, made while they lasted', () => {
    for (const [name, content] of SHOP)
      assert.deepEqual(fs.readFileSync(path.join(folder, name)), Buffer.from(content), name);
    assert.equal(git('status', '--porcelain=v2', '--branch', '--untracked-files=all').match(/^[^#]/m), null);
    const branches = git(
      'for-each-ref',
      '--format=%(refname:lstrip=3) %(committerdate:unix)',
      'refs/remotes',
    );
    const talk = JSON.stringify(STORIES);
    for (const line of branches.split('\n').filter(each => !/^(HEAD|main) /.test(each))) {
      const [name = '', seconds] = line.split(' ');
      assert.equal(talk.includes(`Pushed to \`${name}\``), name.startsWith('agent/'), name);
      const minutes = (NOW / 1000 - Number(seconds)) / 60;
      assert.ok(
        STORIES.some(({ minutesAgo }) => minutes < minutesAgo && minutes > minutesAgo - 2),
        `${name} is of no session`,
      );
    }
    assert.equal(branches.split('\n').length, 6);
  });

  it('has one branch that is merged and one that conflicts with what is checked out', () => {
    assert.match(git('branch', '--remotes', '--merged', 'HEAD'), /agent\/extract-button/);
    const conflicts = (branch: string) => {
      try {
        return git('merge-tree', '--write-tree', '--name-only', 'HEAD', `origin/${branch}`) === '';
      } catch (error) {
        return String((error as { stdout: unknown }).stdout).split('\n')[1];
      }
    };
    assert.equal(conflicts('agent/confirm-timeout'), 'services/checkout/src/total.ts');
    assert.equal(conflicts('agent/flaky-total-test'), false);
    assert.equal(conflicts('returns-rate'), false);
  });

  it('shows whose work its branches are: certain, only likely, or nobody can tell', async () => {
    const facts = await readRepository(new Git('git', folder));
    const claims = STORIES.map(story => {
      const claim = claimOf(factsOf(story), [facts]);
      return [
        story.title,
        claim.sure,
        ...(claim.sure === 'unknown' ? [] : [claim.branch.name, claim.evidence]),
      ];
    });
    assert.deepEqual(claims.sort(), [
      ['Are returns really going up?', 'likely', 'returns-rate', 'coAuthor'],
      ['Cover the checkout with tests', 'unknown'],
      ['Extract the button into packages/ui', 'likely', 'agent/extract-button', 'branchInTranscript'],
      ['Find out why the total test is flaky', 'certain', 'agent/flaky-total-test', 'branchInTranscript'],
      ['How a checkout works, end to end', 'unknown'],
      ['Move the workspace to TypeScript 5.9', 'unknown'],
      ['Review of the price check', 'certain', 'agent/confirm-timeout', 'branchInTranscript'],
      ['Round the tax once per cart', 'unknown'],
    ]);
  });

  it('is the same for the same moment, is fetched without a network, and stays as a person leaves it', async () => {
    const tips = git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/remotes');
    assert.equal(git('config', 'remote.origin.url'), SHOP_REMOTE);
    execFileSync('git', ['-C', path.join(folder, '.git/pushed.git'), 'branch', 'pushed-later', 'main']);
    assert.match(git('ls-remote', 'origin'), /pushed-later/);
    fs.writeFileSync(path.join(folder, 'mine.txt'), 'mine');
    await makeSampleRepository(folder, 'git', NOW + 1);
    assert.equal(git('status', '--porcelain'), '?? mine.txt');

    fs.rmSync(folder, { recursive: true });
    // Nothing of the person's settings counts.
    const hostile = path.join(path.dirname(folder), 'gitconfig');
    fs.writeFileSync(
      hostile,
      `[init]\n\ttemplateDir = /none\n[commit]\n\tgpgSign = true\n[core]\n\tautocrlf = true\n`,
    );
    process.env['GIT_CONFIG_GLOBAL'] = hostile;
    try {
      await Promise.all([NOW, NOW].map(now => makeSampleRepository(folder, 'git', now)));
    } finally {
      delete process.env['GIT_CONFIG_GLOBAL'];
    }
    assert.equal(git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/remotes'), tips);
    assert.deepEqual(fs.readdirSync(path.dirname(folder)).sort(), ['a shop', 'gitconfig']);
  });

  it('is made once, when the sample was first used, and opened in a window of its own', async () => {
    const root = temporaryFolder();
    const storage = openStorage({ root, log: silentLog() });
    later(() => storage.settled().finally(() => storage.dispose()));
    const records = storage.collection({ path: 'sample', version: 1, schema: sampleRecord });
    await records.put('used', { kind: 'first', at: NOW });
    const uri = { fsPath: root } as unknown as vscode.Uri;
    await assert.rejects(
      openSampleWorkspace(uri, undefined, storage),
      /^Error: The sample workspace needs Git/,
    );
    const tip = git('rev-parse', 'origin/agent/flaky-total-test');
    folder = path.join(root, 'sample/shop');
    for (const times of [1, 2]) {
      await openSampleWorkspace(uri, 'git', storage);
      assert.deepEqual(executed, Array(times).fill(`vscode.openFolder file://${folder} [object Object]`));
      assert.equal(git('rev-parse', 'origin/agent/flaky-total-test'), tip);
    }
  });

  it('says what Git says where it cannot be made, and leaves nothing', async () => {
    const other = path.join(temporaryFolder(), 'shop');
    await assert.rejects(makeSampleRepository(other, 'no-such-git', NOW), /ENOENT/);
    fs.mkdirSync(other);
    fs.writeFileSync(path.join(other, 'mine.txt'), 'mine');
    await assert.rejects(makeSampleRepository(other, 'git', NOW), /ENOTEMPTY|EEXIST/);
    assert.deepEqual(fs.readdirSync(other), ['mine.txt']);
  });
});
