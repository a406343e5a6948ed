import * as path from 'node:path';
import type * as vscode from 'vscode';
import { PLAIN } from './git/changes';
import { withoutPrograms } from './git/run';
import { needGit, type OpenFolder } from './takeAlong';

const DIFF = ['diff', '--src-prefix=a/', '--dst-prefix=b/', '--ignore-submodules=dirty', ...PLAIN];
/** A command line takes only so many paths. */
const AT_ONCE = 200;

/**
 * What changed in files since the last commit, as one diff. `rest` are those it does not show: untracked, or in no repository of
 * this window. Rejects with a sentence.
 */
export async function diffOf(
  files: readonly vscode.Uri[],
  repositories: () => Promise<readonly OpenFolder[]>,
): Promise<{ readonly diff: Uint8Array; readonly rest: readonly vscode.Uri[] }> {
  needGit();
  const found: Buffer[] = [];
  let rest = files;
  // The innermost repository first: a submodule lies in another one.
  for (const { root, git } of (await repositories()).toSorted((a, b) => b.root.length - a.root.length)) {
    const own = rest.flatMap(uri => {
      const name = path.relative(root, uri.fsPath).replaceAll('\\', '/');
      return uri.scheme !== 'file' || /^(?:\.\.(?:\/|$)|$)/.test(name) || path.isAbsolute(name)
        ? []
        : [{ uri, name }];
    });
    if (own.length === 0) continue;
    const env = await withoutPrograms(git);
    const others = new Set<string>();
    for (let from = 0; from < own.length; from += AT_ONCE) {
      const names = own.slice(from, from + AT_ONCE).map(({ name }) => name);
      found.push(await git.read([...DIFF, 'HEAD', '--', ...names], { env }));
      const untracked = await git.read(['ls-files', '-z', '--others', '--', ...names]);
      for (const name of untracked.toString('utf8').split('\0')) others.add(name);
    }
    const shown = new Set(own.filter(({ name }) => !others.has(name)).map(({ uri }) => uri));
    rest = rest.filter(uri => !shown.has(uri));
  }
  return { diff: Buffer.concat(found), rest };
}
