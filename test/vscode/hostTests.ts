import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { cacheFolder, root, temporaryFolder, testOutput } from './paths';
import { endAll, onEnd } from './processes';

/**
 * Runs the host tests with `@vscode/test-electron`: in the desktop VS Code that VSCODE_EXECUTABLE_PATH names, in a
 * downloaded one with AGENT_CONSOLE_DESKTOP=1, and otherwise in the VS Code server of this folder.
 */
async function main(): Promise<void> {
  const folder = temporaryFolder('workspace');
  fs.writeFileSync(path.join(folder, 'readme.txt'), 'A folder for tests.\n');
  const run = runTests({
    vscodeExecutablePath: await executable(),
    extensionDevelopmentPath: root,
    extensionTestsPath: path.join(testOutput, 'host', 'run'),
    launchArgs: [folder],
  });
  // The executable is in our process group and was told to end as we were: leave it the time.
  onEnd(async () => {
    await run.catch(() => undefined);
  });
  await run;
}

async function executable(): Promise<string> {
  const named = process.env['VSCODE_EXECUTABLE_PATH'];
  if (named !== undefined && named !== '') return desktop(named);
  if (process.env['AGENT_CONSOLE_DESKTOP'] === '1') return desktop(await downloadAndUnzipVSCode('stable'));
  return launcher();
}

function desktop(file: string): string {
  const version = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 20_000 }).stdout.split('\n')[0];
  console.log(
    `VS Code ${version === undefined || version === '' ? 'of unknown version' : version} (desktop, ${file})`,
  );
  return file;
}

/** An executable file around code.ts, which an executable path can name. */
function launcher(): string {
  const script = path.join(testOutput, 'vscode', 'code.js');
  const windows = process.platform === 'win32';
  const file = path.join(cacheFolder, windows ? 'code.cmd' : 'code');
  fs.mkdirSync(cacheFolder, { recursive: true });
  fs.writeFileSync(
    file,
    windows
      ? `@"${process.execPath}" --enable-source-maps "${script}" %*\r\n`
      : `#!/bin/sh\nexec "${process.execPath}" --enable-source-maps "${script}" "$@"\n`,
    { mode: 0o755 },
  );
  return file;
}

main().then(
  () => endAll(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return endAll(1);
  },
);
