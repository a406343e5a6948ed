import * as path from 'node:path';
import { ConnectionRecords } from '../../src/connection/records';
import { openStorage } from '../fakes/storage';
import { silentLog } from '../fakes/log';

/** Chooses the extension's own sample, as *Try with sample data* does, for an editor with this user data that is yet to start. */
export async function useSample(userDataFolder: string): Promise<void> {
  const root = path.join(userDataFolder, 'User', 'globalStorage', 'agent-console.agent-console');
  const storage = openStorage({ root, log: silentLog() });
  await new ConnectionRecords(storage, silentLog()).chooseSample(true);
  await storage.settled();
  storage.dispose();
}
