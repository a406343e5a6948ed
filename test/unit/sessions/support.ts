import type { Session } from '../../../src/api';
import type { SessionStatus, SessionRecord } from '../../../src/sessions/store/record';
import { SessionIndex } from '../../../src/sessions/store/sessionIndex';
import type { OpenStorageOptions } from '../../../src/storage';
import { later } from '../../fakes/cleanUp';
import { openStorage } from '../../fakes/storage';
import { silentLog } from '../../fakes/log';
export { until } from '../../until';

export function sessionOf(fields: Partial<Session> = {}): Session {
  return { sessionId: 's1', status: 'idle', messageCount: 2, createdAt: 100, updatedAt: 200, ...fields };
}

export function recordOf(fields: Partial<SessionRecord> = {}): SessionRecord {
  return { sessionId: 's1', origin: 'created', addedAt: 50, local: {}, ...fields };
}

export const idle: SessionStatus = { value: 'idle', at: 100 };

/** Takes a session out of the list, as a person does. */
export function remove(index: SessionIndex, sessionId: string): Promise<void> {
  return index.keep(sessionId, local => ({ ...local, removedAt: Date.now() }));
}

/** The index of a window on a folder of records, gone after the test. */
export async function openIndex(
  root: string,
  options: Partial<OpenStorageOptions> = {},
): Promise<SessionIndex> {
  const storage = openStorage({ root, log: silentLog(), ...options });
  const index = new SessionIndex(storage);
  later(async () => {
    index.dispose();
    await storage.settled();
    storage.dispose();
  });
  await index.use('service');
  return index;
}
