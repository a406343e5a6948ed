import * as fs from 'node:fs';
import * as path from 'node:path';
import { format } from 'node:util';
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { lineMarker } from './mochaRun';
import { root, temporaryFolder, testOutput } from './paths';
import { runProgram } from './processes';
import { startServer } from './server';

const testsPath = path.join(testOutput, 'host', 'run');
const { VSCODE_EXECUTABLE_PATH: named = '', AGENT_CONSOLE_DESKTOP, AGENT_CONSOLE_VERBOSE } = process.env;

/**
 * Runs the host tests: with `@vscode/test-electron` in the desktop VS Code that VSCODE_EXECUTABLE_PATH names, or in a downloaded one
 * with AGENT_CONSOLE_DESKTOP=1, and otherwise in the VS Code server of this folder.
 */
async function main(): Promise<number> {
  const folder = temporaryFolder('workspace');
  fs.writeFileSync(path.join(folder, 'readme.txt'), 'A folder for tests.\n');
  if (named === '' && AGENT_CONSOLE_DESKTOP !== '1') return runInServer(folder);
  return runTests({
    vscodeExecutablePath: named === '' ? await downloadAndUnzipVSCode('stable') : named,
    extensionDevelopmentPath: root,
    extensionTestsPath: testsPath,
    launchArgs: [folder],
  });
}

/** Runs them in a window in a headless browser and prints the lines of their report; resolves with the exit code. */
async function runInServer(folder: string): Promise<number> {
  const server = await startServer({ extensions: [root], env: { AGENT_CONSOLE_MARKED: '1' } });
  console.log(`VS Code ${server.version} (server of the npm registry, in a headless browser)`);
  try {
    return await server.runInside(folder, [['extensionTestsPath', testsPath]], print);
  } catch (error) {
    console.log(server.logs());
    throw error;
  } finally {
    await server.close();
  }
}

function print(values: readonly unknown[]): void {
  const [first] = values;
  if (typeof first === 'string' && first.startsWith(lineMarker)) console.log(first.slice(lineMarker.length));
  else if (AGENT_CONSOLE_VERBOSE === '1') console.log(format(...values));
}

runProgram(main);
