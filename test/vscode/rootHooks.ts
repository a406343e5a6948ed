import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import type Mocha from 'mocha';
import type { Workbench } from '../ui/workbench';

// The check says the same of the same code each time. To look for more: AGENT_CONSOLE_TEST_SEED=any, or a number that was told.
const { AGENT_CONSOLE_TEST_SEED: seed = '1', AGENT_CONSOLE_TEST_RUNNING: folder } = process.env;
if (seed !== 'any') fc.configureGlobal({ seed: Number(seed) });

/** In which each process of a run names its test, so that a run that is ended from outside can say what it was at. */
const note = folder === undefined ? undefined : path.join(folder, String(process.pid));

const windows = (): readonly Workbench[] => [
  ...((globalThis as { agentConsoleWindows?: Set<Workbench> }).agentConsoleWindows ?? []),
];

/** Saves what was to be seen when a test failed and clears the windows for the next one; closes windows that were left open. */
export const mochaHooks: Mocha.RootHookObject = {
  beforeEach(this: Mocha.Context) {
    if (note !== undefined) fs.writeFileSync(note, this.currentTest?.fullTitle() ?? '');
  },
  async afterEach(this: Mocha.Context) {
    if (note !== undefined) fs.rmSync(note, { force: true });
    if (this.currentTest?.state !== 'failed') return;
    const name = this.currentTest
      .fullTitle()
      .replace(/[^a-z0-9]+/gi, '-')
      .slice(0, 80);
    for (const [index, window] of windows().entries()) {
      await window.capture(`failed/${name}-${index + 1}`);
      await window.clear();
    }
  },
  async afterAll() {
    for (const window of windows()) await window.close();
  },
};
