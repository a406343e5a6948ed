import * as path from 'node:path';
import { runInHost } from './hostRun';
import { ensureVsCode } from './install';
import { endAll, endWithParent } from './processes';

/**
 * Stands in for the desktop VS Code where there is none: takes the arguments that `@vscode/test-electron` gives to an
 * executable, runs the tests in a VS Code server shown in a headless browser, and exits with their exit code.
 */
async function main(): Promise<number> {
  endWithParent();
  const args = process.argv.slice(2);
  const values = (name: string) =>
    args.filter(arg => arg.startsWith(`--${name}=`)).map(arg => path.resolve(arg.slice(name.length + 3)));
  const installation = await ensureVsCode();
  if (args.includes('--version')) {
    console.log(installation.version);
    return 0;
  }
  const [testsPath] = values('extensionTestsPath');
  if (testsPath === undefined) throw new Error('--extensionTestsPath= is missing.');
  const folder = args.find(arg => !arg.startsWith('-'));
  console.log(`VS Code ${installation.version} (server of the npm registry, in a headless browser)`);
  return runInHost({
    extensions: values('extensionDevelopmentPath'),
    testsPath,
    folder: folder === undefined ? undefined : path.resolve(folder),
    workspaceTrust: !args.includes('--disable-workspace-trust'),
    env: { AGENT_CONSOLE_LAUNCHER: '1' },
    print: line => console.log(line),
  });
}

main().then(
  code => endAll(code),
  (error: unknown) => {
    console.error(error);
    return endAll(1);
  },
);
