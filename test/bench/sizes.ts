import * as fs from 'node:fs';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { root } from '../vscode/paths';
import { packageExtension } from '../vscode/server';
import { atMost, bytes, type Row } from './rows';

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
