import type { ApiClient } from '../../api';
import type { Service } from '../../connection';
import type { Logger } from '../../log';
import type { SessionIndex } from './sessionIndex';
import type { SessionSignal } from './signal';

/** What the index is to hold of a session besides what the service says, when it enters. */
export interface Seed {
  readonly sessionId: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  /** Messages that have been read. */
  readonly read?: number;
  readonly signal?: Pick<SessionSignal, 'kind' | 'message' | 'reason'>;
}

export interface SeedsDeps {
  readonly index: SessionIndex;
  readonly api: () => Pick<ApiClient, 'sessions'> | undefined;
  /** The sessions every index of a service begins with; none but for the sample. */
  readonly of: (service: Service) => Promise<readonly Seed[]>;
  readonly log: Logger;
}

/**
 * Sessions an index begins with. Each enters once: one that is in the index is left as people have made it since, and one that was
 * taken out stays out.
 */
export class Seeds {
  readonly #deps: SeedsDeps;
  readonly #planted = new Map<string, Promise<void>>();

  constructor(deps: SeedsDeps) {
    this.#deps = deps;
  }

  /** Once for a service in each window; never rejects. */
  plant(service: Service): Promise<void> {
    const known = this.#planted.get(service.id);
    if (known !== undefined) return known;
    const planting = this.#plant(service).catch((error: unknown) => {
      this.#deps.log.error('The first sessions could not be added', error);
    });
    this.#planted.set(service.id, planting);
    return planting;
  }

  async #plant(service: Service): Promise<void> {
    const { index, of } = this.#deps;
    const missing = (await of(service)).filter(({ sessionId }) => index.get(sessionId) === undefined);
    await Promise.all(missing.map(seed => this.#add(service, seed)));
  }

  async #add(service: Service, { sessionId, pinned, archived, read, signal }: Seed): Promise<void> {
    const at = Date.now();
    const session = await this.#deps.api()?.sessions.get(sessionId);
    if (session === undefined) return;
    const { updatedAt = at } = session;
    await this.#deps.index.learn(service.id, {
      session,
      origin: 'listed',
      at,
      first: {
        local: {
          ...(pinned === true ? { pinned } : {}),
          ...(archived === true ? { archivedAt: updatedAt } : {}),
          ...(read === undefined ? {} : { readCount: read }),
        },
        ...(signal === undefined ? {} : { signal: { ...signal, at: updatedAt } }),
      },
    });
  }
}
