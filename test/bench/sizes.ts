import * as fs from 'node:fs';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageExtension } from '../vscode/server';
import { atMost, bytes, type Row } from './rows';

/** Sizes of the production build in `dist` and of the package. */
export function sizeRows(dist: string): Row[] {
  const host = fs.readdirSync(dist).filter(file => /\.m?js$/.test(file));
  const size = (file: string) => fs.statSync(path.join(dist, file)).size;
  const page = ['pages/chat.js', 'pages/chat.css'].filter(file => fs.existsSync(path.join(dist, file)));
  const gzipped = page.map(file => gzipSync(fs.readFileSync(path.join(dist, file)), { level: 9 }).length);
  return [
    atMost('code loaded at activation, minified', size('extension.js'), 15 * 1024, bytes),
    atMost('all code of the extension host, minified', sum(host.map(size)), 450 * 1024, bytes),
    atMost('.vsix', fs.statSync(packageExtension()).size, 330 * 1024, bytes),
    ...(page.length === 0
      ? []
      : [
          atMost('chat page, script and style, minified', sum(page.map(size)), 220 * 1024, bytes),
          atMost('chat page, script and style, gzipped', sum(gzipped), 80 * 1024, bytes),
        ]),
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
