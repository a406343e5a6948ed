import type { Storage } from '../storage';

/** Whether hooks are installed from this machine, without loading what installs them. */
export async function hasInstalledHooks(storage: Storage): Promise<boolean> {
  const records = (await storage.peek('hook-files')) as readonly ({ written?: unknown } | null)[];
  return records.some(record => typeof record?.written === 'string');
}
