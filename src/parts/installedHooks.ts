import * as fs from 'node:fs/promises';
import * as path from 'node:path';

/** Whether hooks are installed from this machine: a look at the records under `root`, without loading what installs them. */
export async function hasInstalledHooks(root: string): Promise<boolean> {
  const folder = path.join(root, 'hook-files');
  for (const name of await fs.readdir(folder).catch(() => [] as string[])) {
    // What was removed leaves a record behind that says so.
    const record = name.endsWith('.json')
      ? await fs.readFile(path.join(folder, name), 'utf8').catch(() => '')
      : '';
    if (/"undo":\s*\[/.test(record)) return true;
  }
  return false;
}
