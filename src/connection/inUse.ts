import type { Storage } from '../storage';

/** Whether the sample service was chosen, without loading what connects. */
export async function isSampleChosen(storage: Storage): Promise<boolean> {
  const records = (await storage.peek('connection')) as readonly ({
    kind?: unknown;
    chosen?: unknown;
  } | null)[];
  return records.some(record => record?.kind === 'sample' && record.chosen === true);
}
