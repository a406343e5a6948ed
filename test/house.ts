import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { contributes } from '../package.json';
import { root } from './vscode/paths';

const listed = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const files = listed.filter(file => fs.existsSync(path.join(root, file)));

/** The files of the product. */
export const product = files.filter(file => /^(src|media)\/.*\.(tsx?|css|sh|ps1)$/.test(file));

/** The small house: what there is to read, and what people meet; how much of it, and how much it should be at most. */
export function house(): readonly (readonly [what: string, figure: number, target: number])[] {
  const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');
  const lines = (among: readonly string[]) =>
    among.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0);
  const folders = Object.values(Object.groupBy(product, file => path.dirname(file)));
  const { commands, menus, configuration, keybindings } = contributes;
  const shown = (never: RegExp) =>
    commands.length - menus.commandPalette.filter(({ when }) => never.test(when)).length;
  return [
    ['product, lines', lines(product), 30_000],
    ['tests, lines', lines(files.filter(file => /^test\/.*\.ts$/.test(file))), 26_000],
    ['files in the repository', files.length, 430],
    ['largest folder, source files', Math.max(...folders.map(each => each?.length ?? 0)), 15],
    ['commands', commands.length, 54],
    ['commands in the palette', shown(/^false$/), 25],
    ['commands before sign-in', shown(/^false$|connection (== signedIn|!= signedOut)/), 6],
    ['settings', configuration.flatMap(({ properties }) => Object.keys(properties)).length, 20],
    ['keys', keybindings.length, 4],
  ];
}
