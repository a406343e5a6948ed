import * as fs from 'node:fs';
import * as path from 'node:path';
import { format } from 'node:util';
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { lineMarker } from './mochaRun';
import { root, temporaryFolder, testOutput } from './paths';
import { runProgram } from './processes';
import { startServer } from './server';

/** Ends a run that hangs, in ms. */
const runLimitMs = 10 * 60_000;

const testsPath = path.join(testOutput, 'host', 'run');

/**
 * Runs the host tests: with `@vscode/test-electron` in the desktop VS Code that VSCODE_EXECUTABLE_PATH names, or in a downloaded one
 * with AGENT_CONSOLE_DESKTOP=1, and otherwise in the VS Code server of this folder.
 */
async function main(): Promise<number> {
  const folder = temporaryFolder('workspace');
  fs.writeFileSync(path.join(folder, 'readme.txt'), 'A folder for tests.\n');
  const { VSCODE_EXECUTABLE_PATH: named = '', AGENT_CONSOLE_DESKTOP: desktop } = process.env;
  if (named === '' && desktop !== '1') return runInServer(folder);
  return runTests({
    vscodeExecutablePath: named === '' ? await downloadAndUnzipVSCode('stable') : named,
    extensionDevelopmentPath: root,
    extensionTestsPath: testsPath,
    launchArgs: [folder],
  });
}

/**
 * Runs them in the extension host of a window in a headless browser and resolves with the exit code. The lines of the test report are
 * printed, with AGENT_CONSOLE_VERBOSE=1 everything that VS Code logs as well.
 */
async function runInServer(folder: string): Promise<number> {
  const server = await startServer({ extensions: [root], env: { AGENT_CONSOLE_MARKED: '1' } });
  console.log(`VS Code ${server.version} (server of the npm registry, in a headless browser)`);
  try {
    return await new Promise<number>((resolve, reject) => {
      const tooLong = (): void => reject(new Error(`The run took more than ${runLimitMs / 60_000} minutes.`));
      setTimeout(tooLong, runLimitMs).unref();
      server
        .openPage(folder, {
          payload: [['extensionTestsPath', testsPath]],
          prepare: async page => {
            page.once('crash', () => reject(new Error('The window of VS Code crashed.')));
            await page.exposeFunction('codeAutomationLog', (_type: string, values: unknown[]) =>
              print(values),
            );
            await page.exposeFunction('codeAutomationExit', resolve);
          },
        })
        .catch(reject);
    });
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
  else if (process.env['AGENT_CONSOLE_VERBOSE'] === '1') console.log(format(...values));
}

runProgram(main);
