import type Mocha from 'mocha';
import { ended, began } from '../vscode/runningTest';
import { windows } from './workbench';

/**
 * Saves what was to be seen when a test failed and clears the windows for the next one; closes windows that were left open.
 */
export const mochaHooks: Mocha.RootHookObject = {
  beforeEach(this: Mocha.Context) {
    began(this.currentTest);
  },
  async afterEach(this: Mocha.Context) {
    ended();
    const test = this.currentTest;
    if (test?.state !== 'failed') return;
    const name = test
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
