import * as path from 'node:path';
import type { Session } from '../../src/api';
import { serviceAt } from '../../src/connection/decide';
import type { SampleService } from '../fakes/sampleService';
import { hookPlace, Installation, installedFile } from '../../src/hooks/installation';
import { SessionIndex } from '../../src/sessions/sessionIndex';
import type { Overlay, SessionSignal } from '../../src/sessions/record';
import { openStorage } from '../fakes/storage';
import { silentLog } from '../fakes/log';
import type { Workbench } from './workbench';

/** A session that the index is to know. `ageMs` is since its last activity. */
export interface Seed {
  readonly sessionId: string;
  readonly ageMs?: number;
  readonly session?: Partial<Session>;
  readonly local?: Overlay;
  readonly signal?: Omit<SessionSignal, 'sessionId' | 'at'>;
  readonly workspace?: { readonly uri: string; readonly name: string };
}

/** Where the extension of a window keeps its records. */
export function storageOf(workbench: Workbench): string {
  return path.join(workbench.server.userDataFolder, 'User', 'globalStorage', 'agent-console.agent-console');
}

/** With these settings, hooks are followed from the beginning. */
export const FOLLOWING_HOOKS = { 'agentConsole.hooks.outgoing': { SubagentStop: [] } };

/** Installs hooks as another window would: one that follows them listens from then on. */
export async function installHooks(workbench: Workbench): Promise<void> {
  const root = storageOf(workbench);
  const storage = openStorage({ root, log: silentLog() });
  const files = storage.collection({ path: 'hook-files', version: 1, schema: installedFile });
  const place = hookPlace(path.join(root, 'hooks'), process.env['AGENT_CONSOLE_ROOT'] ?? '');
  const installation = new Installation(place, files);
  const file = path.join(workbench.server.userDataFolder, 'hooked.json');
  try {
    await installation.carryOut(await installation.planInstall(file, ['Stop']));
    await storage.settled();
  } finally {
    storage.dispose();
  }
}

/** The service's folder below the records. */
export function serviceIdOf({ baseUrl, appUrl }: SampleService): string {
  return serviceAt({ baseUrl, appUrl }, 'environment').id;
}

/** Does something to the index as another window would, while the windows of the test look on. */
export async function change<T>(
  workbench: Workbench,
  service: SampleService,
  act: (index: SessionIndex, serviceId: string) => Promise<T>,
): Promise<T> {
  const storage = openStorage({ root: storageOf(workbench), log: silentLog() });
  const index = new SessionIndex(storage);
  const id = serviceIdOf(service);
  try {
    await index.use(id);
    return await act(index, id);
  } finally {
    await storage.settled();
    index.dispose();
    storage.dispose();
  }
}

/** Writes sessions as another window would. */
export async function seed(
  workbench: Workbench,
  service: SampleService,
  seeds: readonly Seed[],
): Promise<void> {
  await change(workbench, service, async (index, id) => {
    for (const { sessionId, ageMs = 0, session, local, signal, workspace } of seeds) {
      const at = Date.now() - ageMs;
      const told: Session = {
        sessionId,
        status: 'idle',
        messageCount: 4,
        createdAt: at - 60_000,
        updatedAt: at,
        ...session,
      };
      await index.learn(id, { session: told, origin: 'created', at: Date.now(), workspace });
      if (local !== undefined) await index.keep(sessionId, () => local);
      if (signal !== undefined) await index.signal(id, { sessionId, at, ...signal }, workspace);
    }
  });
}

/** Creates a session at the service and gives its agent something to do. */
export async function working(service: SampleService, computerId: string, text: string): Promise<Session> {
  const { sessionId } = await service.ask<Session>('/api/v0/sessions', { computerId });
  await service.ask(`/api/v0/sessions/${sessionId}/messages`, { text });
  return service.ask(`/api/v0/sessions/${sessionId}`);
}
