import * as vscode from 'vscode';
import type { OpenRepository } from './sampleHost';

/** The first open folder that is a git repository with a remote; reads files only. */
export async function openRepository(): Promise<OpenRepository | undefined> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    const read = async (...parts: readonly string[]): Promise<string> => {
      const file = vscode.Uri.joinPath(uri, '.git', ...parts);
      return Buffer.from(await vscode.workspace.fs.readFile(file)).toString('utf8');
    };
    try {
      const url = remoteUrl(await read('config'));
      if (url === undefined) continue;
      const log = await read('logs', 'HEAD').catch(() => '');
      return { url, commits: commitsIn(log) };
    } catch {
      // No repository, or one whose folder is elsewhere.
    }
  }
  return undefined;
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
