import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import type Mocha from 'mocha';

// The check says the same of the same code each time. To look for more: AGENT_CONSOLE_TEST_SEED=any, or a number that was told.
const { AGENT_CONSOLE_TEST_SEED: seed = '1' } = process.env;
if (seed !== 'any') fc.configureGlobal({ seed: Number(seed) });

/** The folder in which each process of a run names its test, so that a run that is ended from outside can say what it was at. */
const folder = process.env['AGENT_CONSOLE_TEST_RUNNING'];

/** Names the test of this process. */
export function began(test: Mocha.Test | undefined): void {
  if (folder !== undefined) fs.writeFileSync(path.join(folder, String(process.pid)), test?.fullTitle() ?? '');
}

/** This process has no test any more. */
export function ended(): void {
  if (folder !== undefined) fs.rmSync(path.join(folder, String(process.pid)), { force: true });
}

/** The tests that are running in a run with this folder. */
export function runningTests(of: string): string[] {
  return fs.readdirSync(of).map(name => fs.readFileSync(path.join(of, name), 'utf8'));
}

export const mochaHooks: Mocha.RootHookObject = {
  beforeEach(this: Mocha.Context) {
    began(this.currentTest);
  },
  afterEach: ended,
};
