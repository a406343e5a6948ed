import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type * as vscode from 'vscode';
import type { ChangesFeature } from '../../../src/changes';
import { cleanUp } from '../../fakes/cleanUp';
import { acts, answers, calls, choices, executed, shown, told, Uri, workspace } from '../../fakes/vscode';
import { until } from '../../until';
import { changesScene } from './scene';

describe('what an agent changed', () => {
  let scene: ReturnType<typeof changesScene>;
  beforeEach(() => {
    scene = changesScene();
    for (const list of [acts, calls, choices, executed, shown, told]) list.length = 0;
  });
  afterEach(async () => {
    answers.clear();
    workspace.isTrusted = true;
    await cleanUp();
  });

  const FIX = { 'total.ts': 'one\n2\nthree\nfour\n', 'new.ts': 'new\n', 'old.ts': undefined };
  /** Everything of the person's folder: files, index, branches. */
  const everything = (): unknown =>
    ['status --porcelain --ignored', 'diff HEAD', 'ls-files --stage', 'show-ref', 'worktree list']
      .concat('symbolic-ref HEAD')
      .map(command => scene.git(...command.split(' ')));
  const answer = (message: string, button?: string): unknown =>
    answers.set(message, Promise.resolve(button as unknown as undefined));
  /** What a person sees of it on the session's row. */
  const row = async (feature: ChangesFeature, sessionId: string): Promise<string | undefined> => {
    await until(() => feature.of(sessionId) !== undefined);
    return feature.of(sessionId)?.short;
  };

  const bring = async (feature: ChangesFeature, sessionId: string, choice?: string): Promise<void> => {
    if (choice !== undefined) choices.push(choice);
    await feature.commands.bringHome(sessionId);
    assert.equal(choices.length, 0);
  };

  it('stands on the row of its session with where that is known from, and follows the repository', async () => {
    const tip = scene.push('agent/fix', FIX);
    scene.say('s1', 'I pushed the fix to the branch `agent/fix`.');
    const feature = scene.open();
    assert.equal(await row(feature, 's1'), 'likely agent/fix · 3 files +3 −2');
    assert.equal(feature.of('s1')?.lines[0], 'The transcript names this branch.');
    scene.say('s1', `[agent/fix ${tip.slice(0, 7)}] Fix the total\n 3 files changed`);
    await until(() => feature.of('s1')?.short === 'agent/fix · 3 files +3 −2');
    const lines = feature.of('s1')?.lines ?? [];
    assert.equal(lines[0], 'In the transcript, Git confirms a commit or push to this branch.');
    assert.match(lines.join('\n'), /^Fetched from origin .+ ago\.$/m);
    assert.match(lines.join('\n'), /^• agent\/fix$/m);
    scene.git('merge', '--quiet', '--no-edit', 'origin/agent/fix');
    scene.git('push', '--quiet', 'origin', 'main');
    scene.state.changed.fire();
    await until(() => feature.of('s1')?.short.endsWith(' · merged') === true);
  });

  it('is not looked for before a row or a chat asks', async () => {
    scene.push('agent/fix', FIX);
    for (const id of ['s1', 's2']) scene.say(id, 'Pushed to `agent/fix`.');
    const unasked = scene.open({ isAsked: false });
    await unasked.commands.show('s1');
    assert.deepEqual(scene.readTexts, ['s1'], 'only that of the session that is meant');
    scene.state.changed.fire();
    await row(scene.open(), 's2');
    assert.equal(unasked.of('s2'), undefined);
    unasked.begin();
    await row(unasked, 's2');
  });

  it('follows the transcript and the last fetch, and reads again only what has changed', async () => {
    scene.push('agent/fix', FIX);
    scene.say('s1', 'Done.');
    scene.say('s2', 'Done.');
    const feature = scene.open();
    await feature.commands.show('s1');
    await until(() => scene.readTexts.includes('s2'));
    scene.said.set('s1', ['Pushed to `agent/fix`.']);
    scene.stored.fire('s1');
    assert.equal(await row(feature, 's1'), 'likely agent/fix · 3 files +3 −2');
    scene.push('agent/fix', { 'total.ts': 'other\n' });
    scene.state.changed.fire();
    await until(() => feature.of('s1')?.short === 'likely agent/fix · 1 file +1 −3');
    const read = scene.readTexts.length;
    scene.git('commit', '--quiet', '--allow-empty', '-m', 'Mine');
    scene.push('agent/other', { 'other.ts': 'other\n' });
    fs.utimesSync(path.join(scene.root, '.git', 'FETCH_HEAD'), 1_000, 1_000);
    scene.state.changed.fire();
    await until(() => /Fetched from origin [^<]*y/.test(feature.of('s1')?.lines.join() ?? ''));
    assert.equal(scene.readTexts.length, read, 'no transcript has changed');
    assert.match(feature.of('s1')?.lines.join() ?? '', /was rewritten/, 'other branches do not unsay it');
    scene.said.set('s2', ['Pushed to `agent/other`.']);
    told.length = 0;
    await feature.commands.show('s2');
    assert.deepEqual(told, [], 'who asks is told what is stored by now, whoever has stored it');
  });

  it('of one session does not hide that of others, and nothing stays of a repository that is closed', async () => {
    scene.push('agent/fix', FIX);
    const broken = scene.push('agent/broken', { 'new.ts': 'lost\n' });
    const lost = scene.git('rev-parse', `${broken}:new.ts`);
    fs.rmSync(path.join(scene.root, '.git', 'objects', lost.slice(0, 2), lost.slice(2)));
    scene.say('s1', 'Pushed to `agent/fix`.');
    scene.say('s2', 'Pushed to `agent/broken`.');
    const feature = scene.open();
    await assert.rejects(Promise.resolve(feature.commands.show('s2')));
    assert.equal(await row(feature, 's1'), 'likely agent/fix · 3 files +3 −2');
    scene.sessions.set('s1', { ...scene.sessions.get('s1')!, isArchived: true });
    scene.git('push', '--quiet', 'origin', 'origin/agent/fix:main');
    scene.state.changed.fire();
    await until(() => feature.of('s1')?.short.endsWith('merged') === true);
    scene.close();
    await until(() => feature.of('s1') === undefined);
  });

  it('is not guessed for one session where it certainly is another’s', async () => {
    const tip = scene.push('agent/fix', FIX, 'Fix\n\nCo-authored-by: Coding agent <agent@example.com>');
    scene.say('s1', 'Nothing yet.');
    const feature = scene.open();
    assert.match((await row(feature, 's1')) ?? '', /^likely agent\/fix/);
    scene.say('s2', `[agent/fix ${tip.slice(0, 7)}] Fix`);
    assert.match((await row(feature, 's2')) ?? '', /^agent\/fix/);
    assert.equal(feature.of('s1'), undefined);
  });

  it('opens as the editor’s own diff of all its files, with the content of both commits', async () => {
    const tip = scene.push('agent/fix', FIX);
    scene.say('s1', 'Pushed to `agent/fix`.');
    const feature = scene.open();
    await feature.commands.show({ kind: 'session', sessionId: 's1' });
    const [command, title, files] = calls.at(-1) as [string, string, (vscode.Uri | undefined)[][]];
    assert.deepEqual([command, title], ['vscode.changes', 'agent/fix · +3 −2']);
    const read = async (uri: vscode.Uri | undefined): Promise<string | undefined> =>
      uri && Buffer.from(await feature.readFile(uri)).toString();
    const rows = files.map(async ([file, ...sides]) => {
      return [path.basename(file?.path ?? ''), await Promise.all(sides.map(read))] as const;
    });
    assert.deepEqual(Object.fromEntries(await Promise.all(rows)), {
      'new.ts': [undefined, 'new\n'],
      'old.ts': ['gone soon\n', undefined],
      'total.ts': ['one\ntwo\nthree\n', 'one\n2\nthree\nfour\n'],
    });
    assert.ok(files.flat().some(uri => uri?.query.includes(tip)));
    assert.deepEqual(scene.fetched, [], 'nothing is fetched without being asked for');
    const root = scene.git('commit-tree', 'origin/main^{tree}', '-m', 'Anew');
    scene.git('push', '--quiet', 'origin', `${root}:refs/heads/agent/anew`);
    scene.say('s2', 'Pushed to `agent/anew`.');
    choices.push('Anew');
    await feature.commands.chooseBranch('s2');
    assert.equal((calls.at(-1) as unknown[])[1], 'Anew', 'the first commit of all, too');
    const elsewhere = { scheme: 'agentconsole-changes', path: '/total.ts' };
    const others = [`root=/etc&commit=${tip}`, `root=${scene.root}&commit=--help`, `commit=${tip}`];
    for (const query of ['', '%', ...others])
      await assert.rejects(feature.readFile(Uri.from({ ...elsewhere, query }) as unknown as vscode.Uri));
  });

  it('says so where no branch is known, fetches when asked, and keeps the branch a person chooses', async () => {
    scene.push('feature/total', FIX);
    scene.git('update-ref', '-d', 'refs/remotes/origin/feature/total');
    scene.say('s1', 'Done.');
    const feature = scene.open();
    await feature.commands.show('s1');
    assert.deepEqual(told, ['No branch in this window is known to be this session’s.']);
    choices.push('Fetch from origin');
    await feature.commands.chooseBranch('s1');
    assert.deepEqual(scene.fetched, [{ remote: 'origin', prune: true }]);
    scene.say('s2', `To ${scene.remote}\n * [new branch]      HEAD -> feature/away`);
    assert.equal(await row(feature, 's2'), 'likely feature/away · not in this window');
    await feature.commands.show('s2');
    assert.match(told.at(-1) ?? '', /feature\/away is not in this window\. Fetch it/);
    choices.push('origin/feature/total');
    await feature.commands.chooseBranch('s1');
    assert.equal(feature.of('s1')?.short, 'feature/total · 3 files +3 −2');
    const again = scene.open();
    assert.equal(await row(again, 's1'), 'feature/total · 3 files +3 −2');
    assert.equal(again.of('s1')?.lines[0], 'You chose this branch.');
    choices.push('Find it automatically');
    await again.commands.chooseBranch('s1');
    assert.equal(again.of('s1'), undefined);
  });

  it('comes home into a worktree, which opens in a new window and goes again', async () => {
    scene.push('agent/fix', FIX);
    scene.say('s1', 'Pushed to `agent/fix`.');
    const feature = scene.open();
    const before = everything();
    const there = path.join(path.dirname(scene.root), 'shop-agent-fix');
    answer('showWarningMessage', 'Continue');
    answer('showInformationMessage', 'Open in New Window');
    await bring(feature, 's1', 'Open in a new worktree');
    assert.equal(fs.readFileSync(path.join(there, 'new.ts'), 'utf8'), 'new\n');
    await until(() => executed.some(each => each.startsWith(`vscode.openFolder file://${there}`)));
    answer('showWarningMessage', 'Remove');
    await bring(feature, 's1', 'Remove Worktree');
    assert.equal(fs.existsSync(there), false);
    assert.deepEqual(everything(), before);
  });

  it('is checked out or applied where the person chooses and agrees, but never over work that is not committed', async () => {
    scene.push('agent/fix', FIX);
    scene.say('s1', 'Pushed to `agent/fix`.');
    const feature = scene.open();
    const ways = ['Open in a new worktree', 'Check out the branch', 'Apply as uncommitted changes'];
    const before = everything();
    for (const choice of [undefined, ...ways]) {
      await bring(feature, 's1', choice);
      assert.deepEqual(everything(), before, choice);
    }
    answer('showWarningMessage', 'Continue');
    scene.write('total.ts', 'mine\n');
    const mine = everything();
    const why = /Commit or stash your changes first: total\.ts/;
    for (const choice of ways.slice(1)) await assert.rejects(bring(feature, 's1', choice), why);
    assert.match(shown.join('\n'), why, 'the list says so already');
    assert.deepEqual(everything(), mine);
    scene.git('reset', '--quiet', '--hard');
    await bring(feature, 's1', ways[2]);
    assert.equal(scene.git('diff', '--stat', 'origin/agent/fix'), '');
    assert.match(told.at(-1) ?? '', /in your files, not committed/);
    scene.git('reset', '--quiet', '--hard');
    await bring(feature, 's1', ways[1]);
    assert.equal(scene.git('rev-parse', 'HEAD'), scene.git('rev-parse', 'origin/agent/fix'));
  });

  it('is not looked for in Restricted Mode, which is said', async () => {
    workspace.isTrusted = false;
    scene.push('agent/fix', FIX);
    scene.say('s1', 'Pushed to `agent/fix`.');
    const feature = scene.open();
    for (const command of ['show', 'chooseBranch', 'bringHome'] as const)
      await assert.rejects(Promise.resolve(feature.commands[command]('s1')), /Trust this workspace/);
    assert.equal(feature.of('s1'), undefined);
  });
});
