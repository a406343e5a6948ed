import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { cacheFolder, root } from './paths';

/** Builds and packages the extension as `npm run package` does, into `.vscode-test`; returns the .vsix file. */
export function packageExtension(): string {
  const file = path.join(cacheFolder, 'agent-console.vsix');
  fs.mkdirSync(cacheFolder, { recursive: true });
  const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  const args = [
    vsce,
    'package',
    '--no-dependencies',
    '--allow-missing-repository',
    '--no-rewrite-relative-links',
    '--out',
    file,
  ];
  const result = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (result.status !== 0)
    throw new Error(`The extension could not be packaged.\n${result.stdout}${result.stderr}`);
  return file;
}
