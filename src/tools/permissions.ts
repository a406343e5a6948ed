import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { openObject, recordSchema } from '../api';
import { confirmed } from '../ui/notify';
import { SharedRequests } from '../util/promises';
import type { ToolsDeps } from './deps';

const schema = recordSchema(() => openObject({ at: z.number() }));

/** What a person has allowed other programs: asked once, kept for each service. Who was refused asks no more in this window. */
export class Permissions {
  readonly #deps: Pick<ToolsDeps, 'connection' | 'storage'>;
  readonly #asking = new SharedRequests<boolean>();
  readonly #refused = new Set<string>();

  constructor(deps: Pick<ToolsDeps, 'connection' | 'storage'>) {
    this.#deps = deps;
  }

  async isAllowed(what: string, question: string, detail: string): Promise<boolean> {
    const { service } = await this.#deps.connection.ready();
    const path = `services/${service?.id ?? ''}/allowed`;
    const kept = this.#deps.storage.collection({ path, version: 1, schema });
    const key = `${path} ${what}`;
    if ((await kept.read(what)) !== undefined) return true;
    if (this.#refused.has(key)) return false;
    return this.#asking.run(key, async () => {
      const isAllowed = await confirmed(question, detail, vscode.l10n.t('Allow'));
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
