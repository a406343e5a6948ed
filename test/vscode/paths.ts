import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

/** The checkout. */
export const root = process.env.AGENT_CONSOLE_ROOT ?? process.cwd();

/** Where everything that is installed or made for runs lives; ignored by git, safe to delete. */
export const cacheFolder = path.join(root, '.vscode-test');

/** The built tests; see esbuild.js. */
export const testOutput = path.join(root, '.test-out');

/** Pictures of failures and of `npm run shots`. */
export const shotsFolder = path.join(root, '.shots');

const temporary = new Set<string>();
// Each of the test files, which are bundled one by one, listens.
process.setMaxListeners(0).once('exit', () => temporary.forEach(removeFolder));

/** A new folder, its name short because sockets are made below it; it goes by `removeFolder`, and else when this process ends. */
export function temporaryFolder(name: string): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `ac-${name}-`)));
  temporary.add(folder);
  return folder;
}

/** Removes a folder with all that is in it; a folder that is still being written to is tried again for a second. */
export function removeFolder(folder: string): void {
  temporary.delete(folder);
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
