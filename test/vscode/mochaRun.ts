import * as fs from 'node:fs';
import * as path from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import { testOutput } from './paths';
import { mochaHooks } from './rootHooks';

/** Begins each line of a report that is written inside VS Code, so that it is found among what VS Code logs. */
export const lineMarker = 'test report | ';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Of each failure the full title, and what went wrong. */
  readonly failures: readonly string[];
}

/** Runs built test files in so many processes; the tally goes to AGENT_CONSOLE_TEST_RESULT, too. A hook that fails counts as a failed test. */
export async function runMocha(files: readonly string[], jobs = 1): Promise<Tally> {
  const { AGENT_CONSOLE_TEST_GREP: grep = '', AGENT_CONSOLE_TEST_RESULT: resultFile } = process.env;
  process.setSourceMapsEnabled(true);
  if (process.env['AGENT_CONSOLE_MARKED'] === '1') markLines();
  else Mocha.reporters.Base.useColors = process.stdout.isTTY;
  // The limit ends a test that hangs, so that the report can name it; no test is expected to be done in any time.
  const options = { ui: 'bdd', timeout: 10 * 60_000, reporter: 'spec', slow: 8_000 } as const;
  const require = [path.join(testOutput, 'vscode/rootHooks.js')];
  const mocha = new Mocha({ ...options, parallel: jobs > 1, jobs, require });
  if (grep !== '') mocha.fgrep(grep);
  // Other processes load them by themselves.
  if (jobs === 1) mocha.rootHooks(mochaHooks);
  for (const file of files) mocha.addFile(file);
  const failures: string[] = [];
  const { passes, pending } = await new Promise<Mocha.Stats>(resolve => {
    const runner = mocha.run(() => resolve(runner.stats!));
    // From another process an error comes as an object without its class.
    runner.on('fail', (test, { stack, message = 'no reason given' }: Partial<Error>) => {
      failures.push(`${test.titlePath().join(' › ')}\n${stack ?? message}`);
    });
  });
  const tally = { passed: passes, failed: failures.length, skipped: pending, failures };
  if (resultFile !== undefined) fs.writeFileSync(resultFile, JSON.stringify(tally));
  return tally;
}

/** The built test files of a folder and all below it. */
export function testFiles(folder: string): string[] {
  return fs
    .globSync('**/*.test.js', { cwd: folder })
    .map(name => path.join(folder, name))
    .sort();
}

function markLines(): void {
  Mocha.reporters.Base.useColors = false;
  const write = Mocha.reporters.Base.consoleLog;
  Mocha.reporters.Base.consoleLog = (...values: unknown[]) => {
    for (const line of format(...values).split('\n')) write(`${lineMarker}${line}`);
  };
}
