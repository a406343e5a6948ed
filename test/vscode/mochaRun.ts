import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import Mocha from 'mocha';

/** Begins each line of a report that is written inside VS Code, so that it is found among what VS Code logs. */
export const lineMarker = 'test report | ';

/** Ends a test that hangs, so that the report can name it; no test is expected to be done in any time. */
const longestTestMs = 10 * 60_000;

/** A test that takes longer is told with its time. */
const slowMs = 4_000;

/** How many of the slowest files and tests are told at the end. */
const slowestTold = 12;

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Of each failure the full title, and what went wrong. */
  readonly failures: readonly string[];
  /** In ms, by name. */
  readonly took: {
    readonly files: Readonly<Record<string, number>>;
    readonly tests: Readonly<Record<string, number>>;
  };
}

export interface MochaRun {
  /** Of the built tests. */
  readonly files: readonly string[];
  /** How many processes share the files; 1 is this process. */
  readonly jobs?: number;
  /** Only tests whose full title contains this. */
  readonly grep?: string | undefined;
  /** Where the tally is written as JSON when the run is over. */
  readonly resultFile?: string | undefined;
  /** A file that exports the `mochaHooks` of every process. */
  readonly hooks?: string;
  /** Begin each line of the report with `lineMarker`. */
  readonly marked?: boolean;
}

/** Runs every test file of a folder with the `spec` reporter; a hook that fails counts as a failed test. */
export async function runMocha(run: MochaRun): Promise<Tally> {
  process.setSourceMapsEnabled(true);
  if (run.marked === true) markLines();
  Mocha.reporters.Base.useColors = process.stdout.isTTY && run.marked !== true;
  const { jobs = 1 } = run;
  const options = { ui: 'bdd', timeout: longestTestMs, reporter: 'spec', slow: 2 * slowMs } as const;
  const mocha = new Mocha({ ...options, parallel: jobs > 1, jobs, require: run.hooks ? [run.hooks] : [] });
  if (run.grep !== undefined && run.grep !== '') mocha.fgrep(run.grep);
  // Other processes load them by themselves.
  if (run.hooks !== undefined && jobs === 1) {
    const module = (await import(pathToFileURL(run.hooks).href)) as {
      readonly mochaHooks: Mocha.RootHookObject;
    };
    mocha.rootHooks(module.mochaHooks);
  }
  for (const file of run.files) mocha.addFile(file);
  const took = { files: {} as Record<string, number>, tests: {} as Record<string, number> };
  const tally = { passed: 0, failed: 0, skipped: 0, failures: [] as string[], took };
  const count = (what: Mocha.Runnable): void => {
    const { duration = 0, file = '' } = what;
    add(took.files, path.basename(file, '.test.js'), duration);
    if (!('type' in what) || what.type !== 'hook') add(took.tests, what.titlePath().join(' › '), duration);
  };
  await new Promise<void>(resolve => {
    const runner = mocha.run(() => resolve());
    runner.on('pass', () => tally.passed++);
    // From another process an error comes as an object without its class.
    runner.on('fail', (test, { stack, message = 'no reason given' }: Partial<Error>) => {
      tally.failed++;
      tally.failures.push(`${test.titlePath().join(' › ')}\n${stack ?? message}`);
    });
    runner.on('pending', () => tally.skipped++);
    runner.on('test end', count);
    runner.on('hook end', count);
  });
  if (run.resultFile !== undefined) fs.writeFileSync(run.resultFile, JSON.stringify(tally));
  return tally;
}

function add(times: Record<string, number>, name: string, ms: number): void {
  times[name] = (times[name] ?? 0) + ms;
}

/** Prints which files and tests took longest. */
export function tellSlowest({ took }: Tally): void {
  for (const [what, times] of Object.entries(took)) {
    const slow = Object.entries(times)
      .filter(([, ms]) => ms >= slowMs / 2)
      .sort(([, a], [, b]) => b - a);
    if (slow.length === 0) continue;
    const all = Object.values(times).reduce((sum, ms) => sum + ms, 0);
    console.log(`\n  slowest ${what}, s, of ${(all / 1000).toFixed(1)} in all`);
    for (const [name, ms] of slow.slice(0, slowestTold))
      console.log(`  ${(ms / 1000).toFixed(1).padStart(6)}  ${name.slice(0, 120)}`);
  }
}

/** The built test files of a folder and all below it. */
export function testFiles(folder: string): string[] {
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
