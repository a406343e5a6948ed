import * as path from 'node:path';
import { serviceAt } from '../../src/connection/decide';
import { SessionIndex } from '../../src/sessions/sessionIndex';
import { silentLog } from '../fakes/log';
import type { SampleService } from '../fakes/sampleService';
import { openStorage } from '../fakes/storage';
import type { Workbench } from './workbench';

export function storageOf(workbench: Workbench): string {
  return path.join(workbench.server.userDataFolder, 'User', 'globalStorage', 'agent-console.agent-console');
}

export function serviceIdOf({ baseUrl, appUrl }: SampleService): string {
  return serviceAt({ baseUrl, appUrl }, 'environment').id;
}

/** Does something to the index as another window would, while the windows of the test look on. */
export async function change(
  workbench: Workbench,
  service: SampleService,
  act: (index: SessionIndex, serviceId: string) => Promise<void>,
): Promise<void> {
  const storage = openStorage({ root: storageOf(workbench), log: silentLog() });
  const index = new SessionIndex(storage);
  const id = serviceIdOf(service);
  try {
    await index.use(id);
    await act(index, id);
  } finally {
    await storage.settled();
    index.dispose();
    storage.dispose();
  }
}
