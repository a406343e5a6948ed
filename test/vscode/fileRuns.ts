import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Tally } from './mochaRun';
import { removeFolder, temporaryFolder } from './paths';
import { start } from './processes';

/**
 * Runs test files in a process each, so many at once, and prints what each has said when it is done. `command` is given to Node before
 * the file. A process that ends without a tally counts as a failed test.
 */
export async function runFiles(
  files: readonly string[],
  jobs: number,
  command: readonly string[],
): Promise<Tally> {
  const results = temporaryFolder('results');
  const left = [...files];
  const tallies: Tally[] = [];
  const work = async (): Promise<void> => {
    for (let file = left.shift(); file !== undefined; file = left.shift())
      tallies.push(await runFile(file, command, path.join(results, `${path.basename(file)}.json`)));
  };
  await Promise.all(Array.from({ length: jobs }, work));
  removeFolder(results);
  return tallies.reduce(sum, {
    passed: 0,
    failed: 0,
    skipped: 0,
    failures: [],
    took: { files: {}, tests: {} },
  });
}

async function runFile(file: string, command: readonly string[], resultFile: string): Promise<Tally> {
  const child = start(process.execPath, [...command, file], {
    env: { ...process.env, AGENT_CONSOLE_TEST_RESULT: resultFile },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    graceMs: 8_000,
  });
  let said = '';
  child.stdout?.on('data', (data: Buffer) => (said += data.toString()));
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  const code = await new Promise<number | null>(resolve => child.once('close', resolve));
  process.stdout.write(said);
  if (fs.existsSync(resultFile)) return JSON.parse(fs.readFileSync(resultFile, 'utf8')) as Tally;
  const failures = [`${path.basename(file)} ended with code ${String(code)} before all its tests had run.`];
  return { passed: 0, failed: 1, skipped: 0, failures, took: { files: {}, tests: {} } };
}

function sum(one: Tally, other: Tally): Tally {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failures: [...one.failures, ...other.failures],
    took: {
      files: { ...one.took.files, ...other.took.files },
      tests: { ...one.took.tests, ...other.took.tests },
    },
  };
}
