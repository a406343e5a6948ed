import * as fs from 'node:fs/promises';
import * as path from 'node:path';

/** Whether the sample service is in use: a look at the records under `root`, without loading what connects. */
export async function isSampleChosen(root: string): Promise<boolean> {
  const folder = path.join(root, 'connection');
  const names = await fs.readdir(folder).catch(() => [] as string[]);
  const revisions = names.map(name => Number(/^sample\.(\d+)\.json$/.exec(name)?.[1] ?? 0));
  const newest = Math.max(0, ...revisions);
  if (newest === 0) return false;
  const record = await fs.readFile(path.join(folder, `sample.${newest}.json`), 'utf8').catch(() => '');
  return /"chosen":\s*true/.test(record);
}
