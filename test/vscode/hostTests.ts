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

/** In the VS Code server; else by `@vscode/test-electron` in what VSCODE_EXECUTABLE_PATH names, or a downloaded one with AGENT_CONSOLE_DESKTOP=1. */
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
    return await server.runInside(folder, [['extensionTestsPath', testsPath]], (...values) => {
      const line = format(...values);
      if (line.startsWith(lineMarker)) console.log(line.slice(lineMarker.length));
      else if (AGENT_CONSOLE_VERBOSE === '1') console.log(line);
    });
  } catch (error) {
    console.log(server.logs());
    throw error;
  } finally {
    await server.close();
  }
}

runProgram(main);
