import * as vscode from 'vscode';

/** Address of the remote of the first open folder that is a git repository; reads files only. */
export async function openRepositoryUrl(): Promise<string | undefined> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    try {
      const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(uri, '.git', 'config'));
      const url = remoteUrl(Buffer.from(bytes).toString('utf8'));
      if (url !== undefined) return url;
    } catch {
      // No repository, or one whose folder is elsewhere.
    }
  }
  return undefined;
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
