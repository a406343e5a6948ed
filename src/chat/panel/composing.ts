import * as vscode from 'vscode';
import { computerName, type ApiClient } from '../../api';
import type { Event } from '../../util/event';
import { Formatter } from '../../util/format';
import { oneLine } from '../../util/text';
import { pick } from '../../ui/pick';
import type { Attachments } from '../attach/attachments';
import type { ComposerSettings } from './panelState';
import type { Conversation } from '../conversation';
import type { AwayFile } from '../attach/given';
import type { KeptFiles, LooseFile } from '../attach/keptFiles';
import type { Picture } from '../protocol';

/** What composing needs beyond the conversation. */
export interface ComposingDeps extends ComposerSettings {
  readonly kept: KeptFiles;
  readonly attachments: Attachments;
  readonly api: () => ApiClient | undefined;
  readonly onDidChange: Event<unknown>;
}

/** A file as a page hands it over: without its bytes where it is too large. */
export interface Handed {
  readonly name: string;
  readonly size: number;
  readonly bytes: Uint8Array;
  /** The attachment whose place the file takes. */
  readonly replaces?: string | undefined;
}

/** What a person does in the composer of one session. */
export class Composing {
  readonly conversation: Conversation;
  readonly #deps: ComposingDeps;

  constructor(conversation: Conversation, deps: ComposingDeps) {
    this.conversation = conversation;
    this.#deps = deps;
  }

  /**
   * Attaches files one after another: how large they are shows when they are read, and what is too large or cannot be read goes no
   * further. Rejects with the reasons after the others are attached.
   */
  async attach(files: readonly AwayFile[]): Promise<void> {
    const problems: string[] = [];
    for (const file of files) {
      const name = nameOf(file.name);
      try {
        const bytes = await file.read();
        const tooLarge = this.#tooLarge(name, bytes.length);
        if (tooLarge !== undefined) problems.push(tooLarge);
        else await this.#attachKept({ name, path: file.path, bytes });
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        problems.push(vscode.l10n.t('{0} cannot be read: {1}', name, why));
      }
    }
    if (problems.length > 0) throw new Error(problems.join(' '));
  }

  /** Attaches a file of the page; rejects with a sentence. */
  async receive({ name, size, bytes, replaces }: Handed): Promise<void> {
    const tooLarge = this.#tooLarge(name, Math.max(size, bytes.length));
    if (tooLarge !== undefined) throw new Error(tooLarge);
    await this.conversation.load();
    const { attachments } = this.conversation.composition.draft;
    const others = attachments.filter(uri => uri !== replaces).map(uri => this.#deps.kept.name(uri));
    await this.#attachKept({ name: freeName(nameOf(name), others), bytes }, replaces);
  }

  /** Attaches files by their addresses. */
  async attachUris(uris: readonly string[]): Promise<void> {
    await this.conversation.load();
    await this.conversation.composition.attach(uris);
  }

  async picture(key: string): Promise<Picture> {
    this.#need(key);
    return this.#deps.attachments.picture(key);
  }

  /** Shows an attached file as the editor shows such files. */
  async open(key: string): Promise<void> {
    this.#need(key);
    const kept = this.#deps.kept.fileOf(key);
    const uri = kept === undefined ? vscode.Uri.parse(key, true) : vscode.Uri.file(kept);
    const options = { preview: true, viewColumn: vscode.ViewColumn.Beside };
    await vscode.commands.executeCommand('vscode.open', uri, options);
  }

  /** Lets the person choose where the message goes. */
  async chooseTarget(): Promise<void> {
    const { composition, session } = this.conversation;
    const api = this.#deps.api();
    if (api === undefined) throw new Error(vscode.l10n.t('Sign in first.'));
    const own = session?.computerId;
    const { items } = await api.list('computers');
    const choices = items.map(computer => ({
      label: computerName(computer),
      description: computer.status ?? '',
      detail: computer.id === own ? vscode.l10n.t('The computer of this session') : undefined,
      value: { computerId: computer.id, name: computerName(computer) },
    }));
    choices.sort((a, b) => Number(b.value.computerId === own) - Number(a.value.computerId === own));
    const choice = await pick(choices, vscode.l10n.t('Send the message to which computer?'));
    if (choice === undefined) return;
    composition.setTarget(choice.computerId === own ? undefined : choice);
  }

  /** Keeps bytes that are in no file and attaches them, in the place of `replaces` where that is given. */
  async #attachKept(file: LooseFile, replaces?: string): Promise<void> {
    const { composition, serviceId } = this.conversation;
    const uri = await this.#deps.kept.keep(serviceId, file);
    await this.conversation.load();
    if (replaces === undefined) return composition.attach([uri]);
    this.#need(replaces);
    await composition.replace(replaces, uri);
  }

  #tooLarge(name: string, size: number): string | undefined {
    const limit = this.#deps.limits().file;
    if (size <= limit) return undefined;
    const most = new Formatter(vscode.env.language).bytes(limit);
    return vscode.l10n.t('{0} is larger than the limit of {1}.', name, most);
  }

  #need(key: string): void {
    if (!this.conversation.composition.draft.attachments.includes(key))
      throw new Error(vscode.l10n.t('This attachment has been removed meanwhile.'));
  }
}

/** The name, or one like it that no other file has: all pasted pictures are called `image.png`. */
function freeName(name: string, others: readonly string[]): string {
  const [, stem = name, ending = ''] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? [];
  let free = name;
  for (let number = 2; others.includes(free); number++) free = `${stem}-${number}${ending}`;
  return free;
}

/** The last part of what a page calls a file, never without a character that leaves a trace. */
function nameOf(name: string): string {
  const last = oneLine(name.split(/[\\/]/).at(-1) ?? '', 100);
  return /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u.test(last) ? last : vscode.l10n.t('file');
}
