import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Session } from '../../../src/api';
import type { SessionStatus } from '../../../src/sessions/store/model';
import type { SessionRecord } from '../../../src/sessions/store/record';
import { SessionIndex } from '../../../src/sessions/store/sessionIndex';
import type { OpenStorageOptions, Storage } from '../../../src/storage';
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

/** Windows on one folder of records. */
export class Windows {
  readonly root: string;
  readonly #open: { readonly storage: Storage; readonly index: SessionIndex }[] = [];

  private constructor(root: string) {
    this.root = root;
  }

  static async make(): Promise<Windows> {
    return new Windows(await mkdtemp(path.join(os.tmpdir(), 'sessions-')));
  }

  async open(
    serviceId = 'service',
    options: Partial<OpenStorageOptions> = {},
  ): Promise<{ readonly storage: Storage; readonly index: SessionIndex }> {
    const storage = openStorage({ root: this.root, log: silentLog(), ...options });
    const index = new SessionIndex(storage);
    this.#open.push({ storage, index });
    await index.use(serviceId);
    return { storage, index };
  }

  async close(): Promise<void> {
    for (const { index, storage } of this.#open) {
      index.dispose();
      await storage.settled();
      storage.dispose();
    }
    // A question that was given up is noted as such a little later.
    await rm(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}
