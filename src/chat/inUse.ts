import type { Storage } from '../storage';

/** Whether any window has left messages in a queue, without loading what sends them. */
export async function hasQueued(storage: Storage): Promise<boolean> {
  const records = (await storage.peek('services/*/outbox')) as readonly ({ entries?: unknown } | null)[];
  return records.some(
    record =>
      Array.isArray(record?.entries) &&
      record.entries.some((entry: { state?: unknown } | null) => entry?.state === 'queued'),
  );
}
