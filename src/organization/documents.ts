import * as vscode from 'vscode';
import { documents } from '../contributions';
import { joined } from '../ui/text';
import type { Formatter } from '../util/format';
import { forEditor } from '../util/text';
import type { OrganizationData } from './data';
import { dayOf, timeOf, type Revision } from './model';
import { stableText } from './stable';
import { makerText } from './words';

/** Revisions as read-only documents, one address each, so that an editor restored after a reload finds its content. */
export class ControlDocuments {
  readonly #data: Pick<OrganizationData, 'settingsOf' | 'serviceId'>;
  readonly #format: Formatter;

  constructor(data: Pick<OrganizationData, 'settingsOf' | 'serviceId'>, format: Formatter) {
    this.#data = data;
    this.#format = format;
  }

  /** The text of a document of this scheme. */
  async text(uri: { readonly path: string }): Promise<string> {
    const [, serviceId = '', number] = /^\/([^/]+)\/(?:revision-(.+)|nothing)\.jsonc$/.exec(uri.path) ?? [];
    if (number === undefined) return '{}\n';
    const revision = await this.#data.settingsOf(serviceId, Number(number));
    return revision === undefined
      ? `// ${vscode.l10n.t('Revision {0} is no longer stored here.', Number(number))}\n`
      : revisionText(revision);
  }

  /** Shows what differs between two revisions; without `before`, all of `after`. */
  async compare(before: Revision | undefined, after: Revision): Promise<void> {
    const title =
      before === undefined
        ? vscode.l10n.t('Controls: revision {0}', after.revision)
        : vscode.l10n.t('Controls: revision {0} ↔ {1}', before.revision, after.revision);
    await vscode.commands.executeCommand(
      'vscode.diff',
      this.#uri(before),
      this.#uri(after),
      `${title} (${this.#maker(after)})`,
      { preview: true },
    );
  }

  /** Shows one revision as a whole. */
  async show(revision: Revision): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.#uri(revision));
    await vscode.window.showTextDocument(document, { preview: true });
  }

  #uri(revision: Revision | undefined): vscode.Uri {
    const name = revision === undefined ? 'nothing' : `revision-${revision.revision}`;
    return vscode.Uri.from({
      scheme: documents.controls,
      path: `/${this.#data.serviceId ?? 'none'}/${name}.jsonc`,
    });
  }

  #maker(revision: Revision): string {
    return joined([makerText(revision), this.#format.day(dayOf(timeOf(revision.updatedAt)))], ', ');
  }
}

export function revisionText({ settings }: Pick<Revision, 'settings'>): string {
  return forEditor(stableText(settings));
}
