import * as fs from 'node:fs';
import * as path from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';

/** Begins each line of a report that is written inside VS Code, so that it is found among what VS Code logs. */
export const lineMarker = 'test report | ';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Each failure of the first try and of the second: the full title, and what went wrong. */
  readonly failures: readonly string[];
}

export interface MochaRun {
  /** Searched, with all below it, for files that end in `.test.js`. */
  readonly folder: string;
  /** For one test, in ms. */
  readonly timeoutMs: number;
  /** Run a file with a failing test once more, from its start, when all others are through; the report tells of it. */
  readonly secondTry?: boolean;
  /** Only tests whose full title contains this. */
  readonly grep?: string | undefined;
  /** Where the tally is written as JSON when the run is over. */
  readonly resultFile?: string | undefined;
  readonly rootHooks?: Mocha.RootHookObject | undefined;
  /** Begin each line of the report with `lineMarker`. */
  readonly marked?: boolean;
}

/** Runs every test file of a folder with the `spec` reporter in this process. */
export async function runMocha(run: MochaRun): Promise<Tally> {
  process.setSourceMapsEnabled(true);
  if (run.marked === true) markLines();
  Mocha.reporters.Base.useColors = process.stdout.isTTY && run.marked !== true;
  const failures: string[] = [];
  const tallies = await runFiles(run, testFiles(run.folder), failures);
  const failing = [...tallies].filter(([, { failed }]) => failed > 0).map(([file]) => file);
  if (run.secondTry === true && failing.length > 0) {
    const names = failing.map(file => path.relative(run.folder, file)).join(', ');
    process.stdout.write(`\n  tried again, which is a defect: ${names}\n`);
    for (const [file, tally] of await runFiles(run, failing, failures)) tallies.set(file, tally);
  }
  const total = { passed: 0, failed: 0, skipped: 0, failures };
  for (const { passed, failed, skipped } of tallies.values()) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  if (run.resultFile !== undefined) fs.writeFileSync(run.resultFile, JSON.stringify(total));
  return total;
}

type Counts = Omit<Tally, 'failures'>;

/** What came of each file; a hook that fails counts as a failed test. What went wrong is added to `failures`. */
async function runFiles(
  run: MochaRun,
  files: readonly string[],
  failures: string[],
): Promise<Map<string, Counts>> {
  const mocha = new Mocha({ ui: 'bdd', timeout: run.timeoutMs, reporter: 'spec', slow: run.timeoutMs / 4 });
  if (run.grep !== undefined && run.grep !== '') mocha.fgrep(run.grep);
  if (run.rootHooks) mocha.rootHooks(run.rootHooks);
  for (const file of files) mocha.addFile(file);
  const tallies = new Map<string, Counts>();
  const count = (kind: keyof Counts, { file = '' }: Mocha.Runnable) => {
    const before = tallies.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
    tallies.set(file, { ...before, [kind]: before[kind] + 1 });
  };
  await new Promise<void>(resolve => {
    const runner = mocha.run(() => resolve());
    runner.on('pass', test => count('passed', test));
    runner.on('fail', (test, error: unknown) => {
      count('failed', test);
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      failures.push(`${test.titlePath().join(' › ')}\n${reason}`);
    });
    runner.on('pending', test => count('skipped', test));
  });
  mocha.unloadFiles();
  return tallies;
}

function testFiles(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true })
    .map(String)
    .filter(name => name.endsWith('.test.js'))
    .sort()
    .map(name => path.join(folder, name));
}

function markLines(): void {
  const write = Mocha.reporters.Base.consoleLog;
  Mocha.reporters.Base.consoleLog = (...values: unknown[]) => {
    for (const line of format(...values).split('\n')) write(`${lineMarker}${line}`);
  };
}
