import type { ApiClient } from '../../api';
import type { SessionSignal } from './record';
import type { SessionIndex } from './sessionIndex';

/** What the index is to hold of a session besides what the service says, when it enters. */
export interface Seed {
  readonly sessionId: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  /** Messages that have been read. */
  readonly read?: number;
  readonly signal?: Pick<SessionSignal, 'kind' | 'message' | 'reason'>;
}

/**
 * Sessions an index begins with. Each enters once: one that is in the index is left as people have made it since, and one that was
 * taken out stays out.
 */
export async function plant(
  seeds: readonly Seed[],
  serviceId: string,
  index: SessionIndex,
  api: Pick<ApiClient, 'sessions'> | undefined,
): Promise<void> {
  const known = new Set([...index.records.values(), ...index.removed].map(({ sessionId }) => sessionId));
  await Promise.all(
    seeds.map(async ({ sessionId, pinned, archived, read, signal }) => {
      const session = known.has(sessionId) ? undefined : await api?.sessions.get(sessionId);
      if (session === undefined) return;
      const { updatedAt: at = Date.now() } = session;
      await index.learn(serviceId, { session, origin: 'listed', at: Date.now() });
      const archivedAt = archived === true ? at : undefined;
      await index.keep(sessionId, () => ({ pinned, archivedAt, readCount: read }));
      if (signal !== undefined) await index.signal(serviceId, { sessionId, ...signal, at }, undefined);
    }),
  );
}
