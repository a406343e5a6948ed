import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { contributes } from '../../package.json';
import { root } from '../vscode/paths';
import { packageExtension } from '../vscode/server';
import { atMost, bytes, type Row } from './rows';

/** The small house: what there is to read, and what people meet. */
export function houseRows(): Row[] {
  const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const there = files.filter(file => fs.existsSync(path.join(root, file)));
  const product = there.filter(file => /^(src|media)\/.*\.(tsx?|css|sh|ps1)$/.test(file));
  const tests = there.filter(file => /^test\/.*\.ts$/.test(file));
  const lines = (among: readonly string[]) =>
    among.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0);
  const folders = Object.values(Object.groupBy(product, file => path.dirname(file)));
  const { commands, menus, configuration, keybindings } = contributes;
  const shown = (never: RegExp) =>
    commands.length - menus.commandPalette.filter(({ when }) => never.test(when)).length;
  const settings = configuration.flatMap(({ properties }) => Object.keys(properties));
  return [
    atMost('product, lines', lines(product), 30_000, String),
    atMost('tests, lines', lines(tests), 26_000, String),
    atMost('files in the repository', there.length, 430, String),
    atMost('largest folder, source files', Math.max(...folders.map(each => each?.length ?? 0)), 15, String),
    atMost('commands', commands.length, 54, String),
    atMost('commands in the palette', shown(/^false$/), 25, String),
    atMost('commands before sign-in', shown(/^false$|connection (== signedIn|!= signedOut)/), 6, String),
    atMost('settings', settings.length, 20, String),
    atMost('keys', keybindings.length, 4, String),
  ];
}

/** Sizes of the production build in `dist` and of the package. */
export function sizeRows(dist: string): Row[] {
  const host = fs.readdirSync(dist).filter(file => /\.m?js$/.test(file));
  const page = ['pages/chat.js', 'pages/chat.css'];
  const of = (...files: string[]) => Buffer.concat(files.map(file => fs.readFileSync(path.join(dist, file))));
  const gzipped = page.map(file => gzipSync(of(file), { level: 9 }));
  return [
    atMost('all code of the extension host, minified', of(...host).length, 450 * 1024, bytes),
    atMost('.vsix', fs.statSync(packageExtension()).size, 390 * 1024, bytes),
    atMost('chat page, script and style, minified', of(...page).length, 220 * 1024, bytes),
    atMost('chat page, script and style, gzipped', Buffer.concat(gzipped).length, 80 * 1024, bytes),
  ];
}

/** What asking the service loads, minified as one file. */
export function interfaceRows(): Row[] {
  const { outputFiles } = buildSync({
    ...{ entryPoints: [path.join(root, 'src/api/index.ts')], bundle: true, minify: true, platform: 'node' },
    ...{ format: 'esm', target: 'node22', mainFields: ['module', 'main'], write: false },
  });
  const size = outputFiles[0]?.contents.length ?? NaN;
  return [atMost('the interface with ky and zod, minified', size, 70 * 1024, bytes)];
}
