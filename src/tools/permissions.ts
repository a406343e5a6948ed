import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { openObject, recordSchema } from '../api/records';
import { confirmed } from '../ui/notify';
import { SharedRequests } from '../util/promises';
import type { ToolsDeps } from './deps';

const schema = recordSchema(() => openObject({ at: z.number() }));

const allowedAt = (storage: ToolsDeps['storage'], serviceId: string) =>
  storage.collection({ path: `services/${serviceId}/allowed`, version: 1, schema });

/** Ends all that a person has allowed at a service. */
export async function endPermissions(storage: ToolsDeps['storage'], serviceId: string): Promise<void> {
  const kept = allowedAt(storage, serviceId);
  await Promise.all([...(await kept.load()).keys()].map(what => kept.remove(what)));
}

/** What a person has allowed other programs: asked once for each service, kept until they sign out. Who was refused asks no more in this window. */
export class Permissions {
  readonly #deps: Pick<ToolsDeps, 'connection' | 'storage'>;
  readonly #asking = new SharedRequests<boolean>();
  readonly #refused = new Set<string>();

  constructor(deps: Pick<ToolsDeps, 'connection' | 'storage'>) {
    this.#deps = deps;
  }

  async isAllowed(what: string, question: string, detail: string): Promise<boolean> {
    const state = await this.#deps.connection.ready();
    if (state.kind === 'signedOut') return false;
    const kept = allowedAt(this.#deps.storage, state.service.id);
    const key = `${state.service.id} ${what}`;
    if ((await kept.read(what)) !== undefined) return true;
    if (this.#refused.has(key)) return false;
    return this.#asking.run(key, async () => {
      const all = `${detail} ${vscode.l10n.t('Signing out ends this.')}`;
      const isAllowed = await confirmed(question, all, vscode.l10n.t('Allow'));
      if (isAllowed) await kept.put(what, { at: Date.now() });
      else this.#refused.add(key);
      return isAllowed;
    });
  }

  /** Whether assistants may know who people are. */
  areNamesAllowed(): Promise<boolean> {
    return this.isAllowed(
      'names',
      vscode.l10n.t('Let assistants see the names of people in your organization?'),
      vscode.l10n.t('With names and e-mail addresses, usage and changed controls tell who it was.'),
    );
  }
}
