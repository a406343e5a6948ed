import { spawn, spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { startSampleService } from '../../src/sample';
import { packageExtension } from './package';
import { cacheFolder } from './paths';
import { endAll, onEnd } from './processes';
import { makeSampleWorkspace, sampleCommits, sampleRemote } from './sampleWorkspace';
import { environment } from './server';

/**
 * `npm run start:desktop`: opens the sample workspace in the VS Code whose `code` is on PATH, with the packaged extension in
 * a profile of its own, signed in to a sample service that lives as long as this program.
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
  const service = await startSampleService({
    openRepositoryUrl: sampleRemote,
    openRepositoryCommits: sampleCommits(folder),
  });
  onEnd(() => service.close());
  const editor = spawn('code', [...folders, '--new-window', '--wait', folder], {
    env: {
      ...environment(),
      AGENT_CONSOLE_BASE_URL: service.baseUrl,
      AGENT_CONSOLE_APP_URL: service.appUrl,
      AGENT_CONSOLE_API_KEY: service.apiKey,
    },
    stdio: 'ignore',
    shell,
  });
  console.log(
    'VS Code opens with the sample workspace; it is signed in until its window is closed or you press Ctrl+C.',
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
