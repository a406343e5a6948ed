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

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Of each failure the full title, and what went wrong. */
  readonly failures: readonly string[];
  /** By file. */
  readonly tookMs: Readonly<Record<string, number>>;
}

export interface MochaRun {
  /** Of the built tests. */
  readonly files: readonly string[];
  /** How many processes share the files; 1 is this process. */
  readonly jobs?: number;
  /** A file that exports the `mochaHooks` of every process. */
  readonly hooks?: string;
  /** Begin each line of the report with `lineMarker`. */
  readonly marked?: boolean;
}

/**
 * Runs test files with the `spec` reporter; a hook that fails counts as a failed test. The environment says which: only tests whose
 * full title contains AGENT_CONSOLE_TEST_GREP, and the tally goes as JSON to the file AGENT_CONSOLE_TEST_RESULT.
 */
export async function runMocha({ files, jobs = 1, hooks, marked = false }: MochaRun): Promise<Tally> {
  const { AGENT_CONSOLE_TEST_GREP: grep = '', AGENT_CONSOLE_TEST_RESULT: resultFile } = process.env;
  process.setSourceMapsEnabled(true);
  if (marked) markLines();
  Mocha.reporters.Base.useColors = process.stdout.isTTY && !marked;
  const options = { ui: 'bdd', timeout: longestTestMs, reporter: 'spec', slow: 2 * slowMs } as const;
  const mocha = new Mocha({ ...options, parallel: jobs > 1, jobs, require: hooks ? [hooks] : [] });
  if (grep !== '') mocha.fgrep(grep);
  // Other processes load them by themselves.
  if (hooks !== undefined && jobs === 1) {
    const module: unknown = await import(pathToFileURL(hooks).href);
    mocha.rootHooks((module as { readonly mochaHooks: Mocha.RootHookObject }).mochaHooks);
  }
  for (const file of files) mocha.addFile(file);
  const tookMs: Record<string, number> = {};
  const tally = { passed: 0, failed: 0, skipped: 0, failures: [] as string[], tookMs };
  const count = ({ duration = 0, file = '' }: Mocha.Runnable): void => {
    const name = path.basename(file, '.test.js');
    tookMs[name] = (tookMs[name] ?? 0) + duration;
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
  if (resultFile !== undefined) fs.writeFileSync(resultFile, JSON.stringify(tally));
  return tally;
}

/** The built test files of a folder and all below it. */
export function testFiles(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder, { recursive: true }).map(String);
  const tests = names.filter(name => name.endsWith('.test.js')).sort();
  return tests.map(name => path.join(folder, name));
}

function markLines(): void {
  const write = Mocha.reporters.Base.consoleLog;
  Mocha.reporters.Base.consoleLog = (...values: unknown[]) => {
    for (const line of format(...values).split('\n')) write(`${lineMarker}${line}`);
  };
}
