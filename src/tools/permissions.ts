import * as z from 'zod/mini';
import { openObject, recordSchema } from '../api';
import type { Storage } from '../storage';
import { SharedRequests } from '../util/promises';

const schema = recordSchema(() => openObject({ at: z.number() }));

export interface PermissionsDeps {
  readonly storage: Pick<Storage, 'collection'>;
  readonly serviceId: () => Promise<string>;
  readonly confirm: (question: string, detail: string) => Promise<boolean>;
}

/** What a person has allowed other programs: asked once, kept for each service. Who was refused is not asked about again in this window. */
export class Permissions {
  readonly #deps: PermissionsDeps;
  readonly #asking = new SharedRequests<boolean>();
  readonly #refused = new Set<string>();

  constructor(deps: PermissionsDeps) {
    this.#deps = deps;
  }

  async isAllowed(what: string, question: string, detail: string): Promise<boolean> {
    const { storage, serviceId, confirm } = this.#deps;
    const path = `services/${await serviceId()}/allowed`;
    const kept = storage.collection({ path, version: 1, schema });
    if ((await kept.read(what)) !== undefined) return true;
    const key = `${path} ${what}`;
    if (this.#refused.has(key)) return false;
    return this.#asking.run(key, async () => {
      const isAllowed = await confirm(question, detail);
      if (isAllowed) await kept.put(what, { at: Date.now() });
      else this.#refused.add(key);
      return isAllowed;
    });
  }
}
