import { spawn, spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { packageExtension } from './package';
import { cacheFolder } from './paths';
import { endAll } from './processes';
import { makeSampleWorkspace } from './sampleWorkspace';
import { environment } from './server';
import { useSample } from './useSample';

/**
 * `npm run start:desktop`: opens the sample workspace in the VS Code whose `code` is on PATH, with the packaged extension in
 * a profile of its own, with sample data.
 */
async function main(): Promise<void> {
  const shell = process.platform === 'win32';
  if (spawnSync('code', ['--version'], { stdio: 'ignore', shell }).status !== 0) {
    throw new Error(
      '`code` is not on PATH: install VS Code and its shell command, or use npm start, which needs neither.',
    );
  }
  const vsix = packageExtension();
  // A profile of its own: a VS Code that runs already would keep the environment it was started with.
  const data = path.join(cacheFolder, 'desktop');
  const folders = [
    '--user-data-dir',
    path.join(data, 'user'),
    '--extensions-dir',
    path.join(data, 'extensions'),
  ];
  const installed = spawnSync('code', [...folders, '--install-extension', vsix, '--force'], {
    stdio: 'inherit',
    shell,
  });
  if (installed.status !== 0) throw new Error('`code` did not install the extension.');
  const folder = path.join(cacheFolder, 'workspaces', 'shop');
  makeSampleWorkspace(folder);
  await useSample(path.join(data, 'user'));
  const editor = spawn('code', [...folders, '--new-window', '--wait', folder], {
    env: environment(),
    stdio: 'ignore',
    shell,
  });
  console.log(
    'VS Code opens with the sample workspace and sample data. Close its window or press Ctrl+C to end.',
  );
  await new Promise((resolve, reject) => {
    editor.once('exit', resolve);
    editor.once('error', reject);
  });
}

main().then(
  () => endAll(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return endAll(1);
  },
);
