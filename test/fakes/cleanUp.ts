import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

const cleanups: (() => unknown)[] = [];

/** Runs at the end of the test. */
export function later(run: () => unknown): void {
  cleanups.push(run);
}

/** Ends everything a test has opened, in the opposite order. */
export async function cleanUp(): Promise<void> {
  const problems: unknown[] = [];
  for (const run of cleanups.splice(0).reverse()) {
    try {
      await run();
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length > 0) throw problems[0];
}

// Processes that a test starts load this, too.
if ('afterEach' in globalThis) afterEach(cleanUp);

/** A folder of this test, gone after it. */
export function temporaryFolder(parent = os.tmpdir()): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(parent, 'agent-console-')));
  later(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));
  return folder;
}

/** Takes errors nobody waits for away from the test runner, which would fail the test, until it is disposed of. */
export function catchUnhandled(): { readonly errors: readonly unknown[]; dispose(): void } {
  const errors: unknown[] = [];
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', error => errors.push(error));
  return {
    errors,
    dispose: () => {
      process.removeAllListeners('unhandledRejection');
      for (const other of others) process.on('unhandledRejection', other);
    },
  };
}
