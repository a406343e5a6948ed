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
}

export interface MochaRun {
  /** Searched, with all below it, for files that end in `.test.js`. */
  readonly folder: string;
  /** For one test, in ms. */
  readonly timeoutMs: number;
  /** How often a test that fails is tried again; each time is told. */
  readonly retries?: number;
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
  const { timeoutMs, retries = 0 } = run;
  const mocha = new Mocha({ ui: 'bdd', timeout: timeoutMs, retries, reporter: 'spec', slow: timeoutMs / 4 });
  if (run.grep !== undefined && run.grep !== '') mocha.fgrep(run.grep);
  if (run.rootHooks) mocha.rootHooks(run.rootHooks);
  for (const file of testFiles(run.folder)) mocha.addFile(file);
  const tally = await new Promise<Tally>(resolve => {
    const runner = mocha.run(failed => {
      const { passes = 0, pending = 0 } = runner.stats ?? {};
      resolve({ passed: passes, failed, skipped: pending });
    });
    runner.on('retry', (test: Mocha.Test, error: Error) =>
      process.stdout.write(`    tried again: ${test.fullTitle()}: ${error.message}\n`),
    );
  });
  if (run.resultFile !== undefined) fs.writeFileSync(run.resultFile, JSON.stringify(tally));
  return tally;
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
