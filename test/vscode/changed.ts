import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { root, testOutput } from './paths';

/** The files that are not as where this branch left main; on main, as in its last commit. */
export function changedFiles(): readonly string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  const isMainKnown = git('branch', '--list', 'main').length > 0;
  const [base = 'HEAD'] = isMainKnown ? git('merge-base', 'HEAD', 'main') : [];
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
}

/** Of the built tests, those that a change can break: their bundles hold one of the files, or they are about its feature. */
export function testsOf(changed: readonly string[]): Readonly<Record<'unit' | 'ui', readonly string[]>> {
  const meta = JSON.parse(fs.readFileSync(path.join(testOutput, 'meta.json'), 'utf8')) as Readonly<
    Record<string, { readonly inputs: object }>
  >;
  const built = Object.entries(meta).map(([output, { inputs }]) => ({
    file: path.relative(testOutput, path.join(root, output)).replaceAll(path.sep, '/'),
    isAffected: changed.some(file => file in inputs),
  }));
  const pages = changed.flatMap(file => /^media\/([^/]+)\//.exec(file)?.[1] ?? []);
  // Programs that a test starts, and files that are part of no bundle, concern all tests of their folder.
  const started = built.filter(({ file, isAffected }) => isAffected && /[.C]hild\.js$/.test(file));
  const folders = [...pages.map(page => `unit/${page}`), ...started.map(({ file }) => path.dirname(file))];
  const chosen = (isChosen: (test: (typeof built)[number]) => boolean): string[] =>
    built
      .filter(each => each.file.endsWith('.test.js') && isChosen(each))
      .map(({ file }) => path.join(testOutput, file));
  return {
    // What stands above the folders looks at the whole checkout.
    unit: chosen(({ file, isAffected }) => {
      const folder = path.dirname(file);
      return file.startsWith('unit/') && (isAffected || folder === 'unit' || folders.includes(folder));
    }),
    // Windows take their time: only the tests that changed themselves, and those of a page that did.
    ui: chosen(({ file }) => {
      const isOfPage = pages.some(page => file.startsWith(`ui/${page}`));
      return isOfPage || (file.startsWith('ui/') && changed.includes(`test/${file.replace(/js$/, 'ts')}`));
    }),
  };
}
