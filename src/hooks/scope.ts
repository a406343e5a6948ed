import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { foldCase } from './handover';
import { isInside } from './settingsFile';

/** Whom a settings file counts for, as far as its place tells. */
export type Scope =
  /** The person alone: it lies in a hidden folder of the home, and in no project. */
  | { readonly kind: 'own' }
  | { readonly kind: 'project'; readonly name: string }
  | { readonly kind: 'elsewhere'; readonly folder: string };

const VERSION_CONTROL = ['.git', '.hg', '.svn', '.jj'];

/** Looks at where the file really lies and at where it lies by its name; it need not be there yet. */
export async function scopeOf(
  file: string,
  projects: readonly { readonly name: string; readonly folder: string }[],
  home: string,
  fold: (path: string) => string = foldCase,
): Promise<Scope> {
  const real = path.join(await realOf(path.dirname(file)), path.basename(file));
  const holds = (folder: string, inner: string): boolean => isInside(fold(folder), fold(inner));
  for (const { name, folder } of projects) {
    if (holds(folder, file) || holds(await realOf(folder), real)) return { kind: 'project', name };
  }
  for (const start of new Set([path.dirname(file), path.dirname(real)])) {
    const folder = await versionedAbove(start);
    if (folder !== undefined) return { kind: 'project', name: path.basename(folder) || folder };
  }
  const [top = '', ...below] = path.relative(fold(await realOf(home)), fold(real)).split(path.sep);
  const isOwn = top.startsWith('.') && top !== '..' && below.length > 0;
  return isOwn ? { kind: 'own' } : { kind: 'elsewhere', folder: path.dirname(real) };
}

function realOf(folder: string): Promise<string> {
  return fs.realpath(folder).catch(() => path.resolve(folder));
}

async function versionedAbove(start: string): Promise<string | undefined> {
  for (let folder = start; ; folder = path.dirname(folder)) {
    for (const name of VERSION_CONTROL) {
      const isThere = await fs.access(path.join(folder, name)).then(
        () => true,
        () => false,
      );
      if (isThere) return folder;
    }
    if (path.dirname(folder) === folder) return undefined;
  }
}
