import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type * as vscode from 'vscode';
import { ChangesFeature } from '../../../src/changes';
import { standings } from '../../../src/chat';
import type { ChangesSession } from '../../../src/changes/work';
import type { ConnectionState } from '../../../src/connection';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { installed, Uri } from '../../fakes/vscode';
import { memoryOf } from '../chat/support';

const ENVIRONMENT = {
  PATH: process.env['PATH'],
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  ...{ GIT_AUTHOR_NAME: 'Robin', GIT_AUTHOR_EMAIL: 'robin@example.com' },
  ...{ GIT_COMMITTER_NAME: 'Robin', GIT_COMMITTER_EMAIL: 'robin@example.com' },
};

/** A clone of a repository with one commit, as a window has it open, and the service's sessions. */
export function changesScene() {
  const folder = temporaryFolder();
  const [root, remote] = [path.join(folder, 'shop'), path.join(folder, 'shop.git')];
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, env: ENVIRONMENT, encoding: 'utf8' }).trim();
  const write = (file: string, text: string): void => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
  };
  fs.mkdirSync(root);
  git('init', '--quiet', '--initial-branch=main');
  write('total.ts', 'one\ntwo\nthree\n');
  write('old.ts', 'gone soon\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'First');
  git('clone', '--quiet', '--bare', '.', remote);
  git('remote', 'add', 'origin', remote);
  git('fetch', '--quiet', 'origin');
  git('remote', 'set-head', 'origin', 'main');

  /** What an agent pushes: files by name, `undefined` for one that goes; the folder stays as it is. */
  const push = (
    branch: string,
    files: Readonly<Record<string, string | undefined>>,
    message = branch,
  ): string => {
    const worktree = path.join(folder, 'agent');
    git('worktree', 'add', '--quiet', '--detach', worktree, 'origin/main');
    const inside = (...args: string[]): string => git('-C', worktree, ...args);
    for (const [file, text] of Object.entries(files))
      if (text === undefined) fs.rmSync(path.join(worktree, file));
      else fs.writeFileSync(path.join(worktree, file), text);
    inside('add', '--all');
    inside('commit', '--quiet', '-m', message);
    inside('push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${branch}`);
    const tip = inside('rev-parse', 'HEAD');
    git('worktree', 'remove', '--force', worktree);
    return tip;
  };

  const state = {
    HEAD: { name: 'main', commit: git('rev-parse', 'HEAD') },
    remotes: [{ name: 'origin', fetchUrl: remote }],
    changed: new Emitter<void>(),
    get onDidChange() {
      return this.changed.event;
    },
  };
  const fetched: unknown[] = [];
  const repository = {
    rootUri: Uri.file(root),
    state,
    fetch: (options: unknown): Promise<void> => {
      fetched.push(options);
      git('fetch', '--quiet', '--prune', 'origin');
      state.changed.fire();
      return Promise.resolve();
    },
  };
  const never = new Emitter<unknown>().event;
  const closed = new Emitter<unknown>();
  const api = {
    git: { path: 'git' },
    state: 'initialized',
    repositories: [repository],
    ...{ onDidChangeState: never, onDidOpenRepository: never, onDidCloseRepository: closed.event },
  };
  const close = (): void => {
    api.repositories = [];
    closed.fire(undefined);
  };
  const exported = { enabled: true, onDidChangeEnablement: never, getAPI: () => api };
  installed.set('vscode.git', { activate: () => Promise.resolve(exported) });
  later(() => installed.clear());

  const sessions = new Map<string, ChangesSession>();
  const said = new Map<string, string[]>();
  const listed = new Emitter<readonly string[]>();
  const storage = openStorage({ root: path.join(folder, 'data'), log: silentLog() });
  later(async () => {
    await storage.settled();
    storage.dispose();
  });
  /** Says that more of a session's transcript is stored, and each session whose texts were read. */
  const stored = new Emitter<string>();
  const readTexts: string[] = [];
  /** What an agent says in a session, the first time from a minute ago on. */
  const say = (sessionId: string, ...texts: string[]): void => {
    said.set(sessionId, [...(said.get(sessionId) ?? []), ...texts]);
    const createdAt = sessions.get(sessionId)?.createdAt ?? Date.now() - 60_000;
    const messageCount = said.get(sessionId)?.length;
    const title = `Session ${sessionId}`;
    const session = { sessionId, title, createdAt, lastAt: Date.now(), messageCount, isArchived: false };
    sessions.set(sessionId, session);
    listed.fire([sessionId]);
  };
  const log = silentLog();
  const prefilled: unknown[] = [];
  /** A window; its rows ask for what agents changed, unless they are told not to. */
  const open = ({ isAsked = true } = {}): ChangesFeature => {
    const signedOut: ConnectionState = { kind: 'signedOut' };
    const feature = new ChangesFeature({
      connection: { ready: () => Promise.resolve(signedOut), state: new ObservableValue(signedOut) },
      storageUri: Uri.file(folder) as unknown as vscode.Uri,
      limit: () => 1_000_000,
      storage,
      log,
      format: new Formatter('en'),
      transcript: (_service, id) => ({
        onDidChange: heard => stored.event(each => each === id && heard(undefined)),
        texts: () => {
          readTexts.push(id);
          return Promise.resolve((said.get(id) ?? []).map(text => ({ text, by: 'agent', at: Date.now() })));
        },
      }),
      memory: memoryOf(),
      messages: id => standings(storage, id),
      prefill: message => Promise.resolve(prefilled.push(message) > 0),
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
    if (isAsked) feature.begin();
    return feature;
  };
  return {
    ...{ root, remote, git, write, push, say, open, close, said, sessions, stored, readTexts },
    ...{ fetched, prefilled, state, log },
  };
}
