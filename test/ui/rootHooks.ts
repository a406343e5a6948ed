import type Mocha from 'mocha';
import { windows } from './workbench';

/** Saves what was to be seen when a test failed, and closes windows that a test left open. */
export const rootHooks: Mocha.RootHookObject = {
  async afterEach(this: Mocha.Context) {
    const test = this.currentTest;
    if (test?.state !== 'failed') return;
    const name = test
      .fullTitle()
      .replace(/[^a-z0-9]+/gi, '-')
      .slice(0, 80);
    for (const [index, window] of windows().entries()) await window.capture(`failed/${name}-${index + 1}`);
  },
  async afterAll() {
    for (const window of windows()) await window.close();
  },
};
