import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { ChangesFeature } from '../../../src/changes';
import type { ChangesSession } from '../../../src/changes/work';
import { standings } from '../../../src/chat';
import type { ConnectionState } from '../../../src/connection';
import { Emitter, ObservableValue } from '../../../src/util/lifecycle';
import { later } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { answers, calls, choices, executed, installed, shown, told, workspace } from '../../fakes/vscode';
import { openWindow } from '../storage/support';
import { until } from '../../until';
import { file, History, run, treeOf, type Made } from './repository';

const FIX = { 'total.ts': 'one\n2\nthree\nfour\n', 'new.ts': 'new\n', 'old.ts': undefined };
const never = new Emitter<unknown>().event;

describe('what an agent changed', () => {
  /** A clone of a repository with one commit, as a window has it open. */
  let root: string;
  let remote: string;
  let history: History;
  let changed: Emitter<void>;
  let closed: Emitter<unknown>;
  let api: { repositories: object[] };
  let fetched: unknown[];
  /** The service's sessions, what was said in each, and those whose texts were read. */
  let sessions: Map<string, ChangesSession>;
  let said: Map<string, readonly string[]>;
  let listed: Emitter<readonly string[]>;
  let stored: Emitter<string>;
  let readTexts: string[];

  const git = (command: string): Promise<string> => run(root, command);
  const write = (name: string, text: string): void => fs.writeFileSync(path.join(root, name), text);

  beforeEach(async () => {
    [changed, closed, listed, stored] = [new Emitter(), new Emitter(), new Emitter(), new Emitter()];
    [fetched, readTexts] = [[], []];
    [sessions, said] = [new Map<string, ChangesSession>(), new Map<string, readonly string[]>()];
    for (const list of [calls, choices, executed, shown, told]) list.length = 0;
    history = new History();
    const first = history.commit(treeOf({ 'total.ts': 'one\ntwo\nthree\n', 'old.ts': 'gone soon\n' }));
    const { folder } = await history.checkOut(first);
    [root, remote] = [folder, `${folder}.git`];
    await history.write(remote);
    for (const command of [`remote set-url origin ${remote}`, 'remote set-head origin main'])
      await git(command);
    const HEAD = { name: 'main', commit: await git('rev-parse HEAD') };
    const state = { HEAD, remotes: [{ name: 'origin', fetchUrl: remote }], onDidChange: changed.event };
    const fetch = async (options: unknown): Promise<void> => {
      fetched.push(options);
      await git('fetch --quiet --prune origin');
      changed.fire();
    };
    api = {
      ...{ git: { path: 'git' }, state: 'initialized', onDidChangeState: never },
      ...{ onDidOpenRepository: never, onDidCloseRepository: closed.event },
      repositories: [{ rootUri: vscode.Uri.file(root), state, fetch }],
    };
    const exported = { enabled: true, onDidChangeEnablement: never, getAPI: () => api };
    installed.set('vscode.git', { activate: () => Promise.resolve(exported) });
  });
  afterEach(() => {
    installed.clear();
    answers.clear();
    workspace.isTrusted = true;
  });

  /** What an agent pushes: files by name, `undefined` for one that goes; the folder stays as it is. */
  const push = async (branch: string, files: Record<string, string | undefined>, message = branch) => {
    const [first] = history.commits as [Made];
    const tree = new Map(first.tree);
    for (const [name, text] of Object.entries(files))
      if (text === undefined) tree.delete(name);
      else tree.set(name, file(text));
    history.refs.set(`refs/heads/${branch}`, history.commit(tree, [first], { at: Date.now(), message }));
    await history.write(remote);
    await git('fetch --quiet origin');
    return git(`rev-parse origin/${branch}`);
  };
  /** What an agent says in a session, the first time from a minute ago on. */
  const say = (sessionId: string, text: string): void => {
    const texts = [...(said.get(sessionId) ?? []), text];
    said.set(sessionId, texts);
    const createdAt = sessions.get(sessionId)?.createdAt ?? Date.now() - 60_000;
    const known = { sessionId, title: `Session ${sessionId}`, createdAt, isArchived: false };
    sessions.set(sessionId, { ...known, lastAt: Date.now(), messageCount: texts.length });
    listed.fire([sessionId]);
  };
  /** A window; its rows do not ask for what agents changed before `begin`. */
  const open = (): ChangesFeature => {
    const signedOut: ConnectionState = { kind: 'signedOut' };
    const folder = path.dirname(root);
    const storage = openWindow(path.join(folder, 'data'));
    const feature = new ChangesFeature({
      ...{ storage, log: silentLog() },
      connection: { ready: () => Promise.resolve(signedOut), state: new ObservableValue(signedOut) },
      storageUri: vscode.Uri.file(folder),
      transcript: (_service, id) => ({
        onDidChange: heard => stored.event(each => each === id && heard(undefined)),
        texts: () => {
          readTexts.push(id);
          return Promise.resolve((said.get(id) ?? []).map(text => ({ text, by: 'agent', at: Date.now() })));
        },
      }),
      messages: id => standings(storage, id),
      prefill: () => Promise.resolve(true),
      sessions: {
        serviceId: 'service',
        onDidChange: listed.event,
        ready: () => Promise.resolve(),
        get: id => sessions.get(id),
        all: () => [...sessions.values()],
        pick: () => Promise.resolve([...sessions.keys()][0]),
      },
    });
    later(() => feature.dispose());
    return feature;
  };
  const begun = (): ChangesFeature => {
    const feature = open();
    feature.begin();
    return feature;
  };
  /** A window that knows of a session which has pushed a fix. */
  const fixed = async (): Promise<ChangesFeature> => {
    await push('agent/fix', FIX);
    say('s1', 'Pushed to `agent/fix`.');
    return begun();
  };
  const LOOKS = [
    'status --porcelain --ignored',
    'diff HEAD',
    'ls-files --stage',
    'show-ref',
    'worktree list',
  ];
  const everything = (): Promise<unknown> => Promise.all([...LOOKS, 'symbolic-ref HEAD'].map(git));
  const answer = (message: string, button: string): unknown =>
    answers.set(message, Promise.resolve(button as never));
  const row = async (feature: ChangesFeature, sessionId: string): Promise<string | undefined> => {
    await until(() => feature.of(sessionId) !== undefined);
    return feature.of(sessionId)?.short;
  };
  const bring = async (feature: ChangesFeature, choice?: string): Promise<void> => {
    if (choice !== undefined) choices.push(choice);
    await feature.commands.bringHome('s1');
    assert.equal(choices.length, 0);
  };

  it('stands on the row of its session with where that is known from, and follows the repository', async () => {
    const tip = await push('agent/fix', FIX);
    say('s1', 'I pushed the fix to the branch `agent/fix`.');
    const feature = begun();
    assert.equal(await row(feature, 's1'), 'likely agent/fix · 3 files +3 −2');
    assert.equal(feature.of('s1')?.lines[0], 'The transcript names this branch.');
    say('s1', `[agent/fix ${tip.slice(0, 7)}] Fix the total\n 3 files changed`);
    await until(() => feature.of('s1')?.short === 'agent/fix · 3 files +3 −2');
    const lines = feature.of('s1')?.lines ?? [];
    assert.equal(lines[0], 'In the transcript, Git confirms a commit or push to this branch.');
    assert.match(lines.join('\n'), /^Fetched from origin .+ ago\.$/m);
    assert.match(lines.join('\n'), /^• agent\/fix$/m);
    await git('push --quiet origin origin/agent/fix:main');
    changed.fire();
    await until(() => feature.of('s1')?.short.endsWith(' · merged') === true);
  });

  it('is not looked for before a row or a chat asks', async () => {
    await push('agent/fix', FIX);
    for (const id of ['s1', 's2']) say(id, 'Pushed to `agent/fix`.');
    const unasked = open();
    await unasked.commands.show('s1');
    assert.deepEqual(readTexts, ['s1'], 'only that of the session that is meant');
    changed.fire();
    await row(begun(), 's2');
    assert.equal(unasked.of('s2'), undefined);
    unasked.begin();
    await row(unasked, 's2');
  });

  it('follows the transcript and the last fetch, and reads again only what has changed', async () => {
    await push('agent/fix', FIX);
    for (const id of ['s1', 's2']) say(id, 'Done.');
    const feature = begun();
    await feature.commands.show('s1');
    await until(() => readTexts.includes('s2'));
    said.set('s1', ['Pushed to `agent/fix`.']);
    stored.fire('s1');
    assert.equal(await row(feature, 's1'), 'likely agent/fix · 3 files +3 −2');
    await push('agent/fix', { 'total.ts': 'other\n' });
    changed.fire();
    await until(() => feature.of('s1')?.short === 'likely agent/fix · 1 file +1 −3');
    const read = readTexts.length;
    await git('commit --quiet --allow-empty -m Mine');
    await push('agent/other', { 'other.ts': 'other\n' });
    fs.utimesSync(path.join(root, '.git', 'FETCH_HEAD'), 1_000, 1_000);
    changed.fire();
    await until(() => /Fetched from origin [^<]*y/.test(feature.of('s1')?.lines.join() ?? ''));
    assert.equal(readTexts.length, read, 'no transcript has changed');
    assert.match(feature.of('s1')?.lines.join() ?? '', /was rewritten/, 'other branches do not unsay it');
    said.set('s2', ['Pushed to `agent/other`.']);
    told.length = 0;
    await feature.commands.show('s2');
    assert.deepEqual(told, [], 'who asks is told what is stored by now, whoever has stored it');
  });

  it('of one session does not hide that of others, and nothing stays of a repository that is closed', async () => {
    const broken = await push('agent/broken', { 'new.ts': 'lost\n' });
    const lost = await git(`rev-parse ${broken}:new.ts`);
    fs.rmSync(path.join(root, '.git', 'objects', lost.slice(0, 2), lost.slice(2)));
    const feature = await fixed();
    say('s2', 'Pushed to `agent/broken`.');
    await assert.rejects(Promise.resolve(feature.commands.show('s2')));
    assert.equal(await row(feature, 's1'), 'likely agent/fix · 3 files +3 −2');
    sessions.set('s1', { ...sessions.get('s1')!, isArchived: true });
    await git('push --quiet origin origin/agent/fix:main');
    changed.fire();
    await until(() => feature.of('s1')?.short.endsWith('merged') === true);
    api.repositories = [];
    closed.fire(undefined);
    await until(() => feature.of('s1') === undefined);
  });

  it('is not guessed for one session where it certainly is another’s', async () => {
    const tip = await push('agent/fix', FIX, 'Fix\n\nCo-authored-by: Coding agent <agent@example.com>');
    say('s1', 'Nothing yet.');
    const feature = begun();
    assert.match((await row(feature, 's1')) ?? '', /^likely agent\/fix/);
    say('s2', `[agent/fix ${tip.slice(0, 7)}] Fix`);
    assert.match((await row(feature, 's2')) ?? '', /^agent\/fix/);
    assert.equal(feature.of('s1'), undefined);
  });

  it('opens as the editor’s own diff of all its files, with the content of both commits', async () => {
    const feature = await fixed();
    const tip = await git('rev-parse origin/agent/fix');
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
    assert.deepEqual(fetched, [], 'nothing is fetched without being asked for');
    const first = await git('commit-tree origin/main^{tree} -m Anew');
    await git(`push --quiet origin ${first}:refs/heads/agent/anew`);
    say('s2', 'Pushed to `agent/anew`.');
    choices.push('Anew');
    await feature.commands.chooseBranch('s2');
    assert.equal((calls.at(-1) as unknown[])[1], 'Anew', 'the first commit of all, too');
    const elsewhere = { scheme: 'agentconsole-changes', path: '/total.ts' };
    const others = [`root=/etc&commit=${tip}`, `root=${root}&commit=--help`, `commit=${tip}`];
    for (const query of ['', '%', ...others])
      await assert.rejects(feature.readFile(vscode.Uri.from({ ...elsewhere, query })));
  });

  it('says so where no branch is known, fetches when asked, and keeps the branch a person chooses', async () => {
    await push('feature/total', FIX);
    await git('update-ref -d refs/remotes/origin/feature/total');
    say('s1', 'Done.');
    const feature = begun();
    await feature.commands.show('s1');
    assert.deepEqual(told, ['No branch in this window is known to be this session’s.']);
    choices.push('Fetch from origin');
    await feature.commands.chooseBranch('s1');
    assert.deepEqual(fetched, [{ remote: 'origin' }]);
    say('s2', `To ${remote}\n * [new branch]      HEAD -> feature/away`);
    assert.equal(await row(feature, 's2'), 'likely feature/away · not in this window');
    await feature.commands.show('s2');
    assert.match(told.at(-1) ?? '', /feature\/away is not in this window\. Fetch it/);
    choices.push('origin/feature/total');
    await feature.commands.chooseBranch('s1');
    assert.equal(feature.of('s1')?.short, 'feature/total · 3 files +3 −2');
    const again = begun();
    assert.equal(await row(again, 's1'), 'feature/total · 3 files +3 −2');
    assert.equal(again.of('s1')?.lines[0], 'You chose this branch.');
    choices.push('Find it automatically');
    await again.commands.chooseBranch('s1');
    assert.equal(again.of('s1'), undefined);
  });

  it('comes home as the person chooses and agrees, into a worktree that goes again, but never over work that is not committed', async () => {
    const feature = await fixed();
    const ways = ['Open in a new worktree', 'Check out the branch', 'Apply as uncommitted changes'];
    const before = await everything();
    for (const choice of [undefined, ...ways]) {
      await bring(feature, choice);
      assert.deepEqual(await everything(), before, choice);
    }
    answer('showWarningMessage', 'Continue');
    answer('showInformationMessage', 'Open in new window');
    await bring(feature, ways[0]);
    const there = `${root}-agent-fix`;
    assert.equal(fs.readFileSync(path.join(there, 'new.ts'), 'utf8'), 'new\n');
    await until(() => executed.some(each => each.startsWith(`vscode.openFolder file://${there}`)));
    answer('showWarningMessage', 'Remove');
    await bring(feature, 'Remove worktree');
    assert.equal(fs.existsSync(there), false);
    assert.deepEqual(await everything(), before);
    answer('showWarningMessage', 'Continue');
    shown.length = 0;
    write('total.ts', 'mine\n');
    const mine = await everything();
    const why = /Commit or stash your changes first: total\.ts/;
    for (const choice of ways.slice(1)) await assert.rejects(bring(feature, choice), why);
    assert.match(shown.join('\n'), why, 'the list says so already');
    assert.deepEqual(await everything(), mine);
    await git('reset --quiet --hard');
    await git('checkout --quiet origin/agent/fix -- new.ts');
    await git('commit --quiet -m Mine');
    await bring(feature, ways[2]);
    assert.match(shown.join('\n'), /^2 files \+2 −2 by a three-way merge/m, 'what is not here yet');
    assert.equal(await git('diff --stat origin/agent/fix'), '');
    assert.match(told.at(-1) ?? '', /in your files, not committed/);
    await git('reset --quiet --hard');
    await bring(feature, ways[1]);
    assert.equal(await git('rev-parse HEAD'), await git('rev-parse origin/agent/fix'));
  });

  it('is not looked for in Restricted Mode, which is said', async () => {
    workspace.isTrusted = false;
    const feature = await fixed();
    for (const command of ['show', 'chooseBranch', 'bringHome'] as const)
      await assert.rejects(Promise.resolve(feature.commands[command]('s1')), /Trust this workspace/);
    assert.equal(feature.of('s1'), undefined);
  });
});
