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

/** Temporary folders that are still there, and what removes them; shared by the test files, which are bundled one by one. */
const temporary = ((globalThis as { agentConsoleFolders?: Temporary }).agentConsoleFolders ??= {
  folders: new Set(),
  removeAll: () => temporary.folders.forEach(removeFolder),
});
interface Temporary {
  readonly folders: Set<string>;
  readonly removeAll: () => void;
}

/**
 * A new empty folder outside the checkout, with a short name because sockets are made below it. It is removed by
 * `removeFolder`, and else when this process ends.
 */
export function temporaryFolder(name: string): string {
  process.removeListener('exit', temporary.removeAll).once('exit', temporary.removeAll);
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `ac-${name}-`)));
  temporary.folders.add(folder);
  return folder;
}

/** Removes a folder with all that is in it; a folder that is still being written to is tried again for a second. */
export function removeFolder(folder: string): void {
  temporary.folders.delete(folder);
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
