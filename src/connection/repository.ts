import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { OpenRepository } from './sampleHost';

/** Reads a text file by its absolute path, written with `/`; rejects where there is none. */
type ReadText = (path: string) => Promise<string>;

/** The repository of the first open folder that lies in one with a remote; reads files only. */
export async function openRepository(): Promise<OpenRepository | undefined> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    const read: ReadText = async path =>
      Buffer.from(await vscode.workspace.fs.readFile(uri.with({ path }))).toString('utf8');
    const found = await repositoryAround(uri.path, read);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The repository that a folder lies in, worktrees and submodules too; `undefined` without one, or without a remote. */
export async function repositoryAround(folder: string, read: ReadText): Promise<OpenRepository | undefined> {
  const readIf = (path: string): Promise<string> => read(path).catch(() => '');
  for (let at = folder; ; at = posix.dirname(at)) {
    const own = await gitFolderOf(at, readIf);
    // The configuration of a worktree is that of the repository it belongs to.
    const shared = posix.resolve(own, (await readIf(posix.join(own, 'commondir'))).trim());
    const config = await readIf(posix.join(shared, 'config'));
    const url = remoteUrl(config);
    if (url !== undefined) return { url, commits: commitsIn(await readIf(posix.join(own, 'logs', 'HEAD'))) };
    if (config !== '' || at === posix.dirname(at)) return undefined;
  }
}

/** Where git keeps what belongs to a folder: in `.git`, or where a file of that name leads. */
async function gitFolderOf(folder: string, readIf: ReadText): Promise<string> {
  const here = posix.join(folder, '.git');
  const target = /^gitdir: (.+)$/m.exec(await readIf(here))?.[1]?.trim();
  if (target === undefined) return here;
  return posix.resolve(folder, /^[a-z]:/i.test(target) ? `/${target}` : target);
}

/** What was checked out when, from the log git keeps of HEAD. */
export function commitsIn(log: string): OpenRepository['commits'] {
  const lines = log.matchAll(/^[0-9a-f]+ ([0-9a-f]{40,64}) [^\n\t]*> (\d{1,12}) [+-]\d{4}(?:\t|$)/gm);
  return [...lines].map(([, hash = '', seconds]) => ({ hash, at: Number(seconds) * 1000 }));
}

/** The address of `origin`, or else of the first remote, in a git configuration file. */
export function remoteUrl(config: string): string | undefined {
  const remotes = new Map<string, string>();
  let remote: string | undefined;
  for (const line of config.split('\n').map(text => text.trim())) {
    if (line.startsWith('[')) remote = /^\[remote "(.+)"\]/.exec(line)?.[1];
    const url = /^url\s*=\s*(\S+)/.exec(line)?.[1];
    if (remote !== undefined && url !== undefined && !remotes.has(remote)) remotes.set(remote, url);
  }
  return remotes.get('origin') ?? remotes.values().next().value;
}
