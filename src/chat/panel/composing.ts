import * as vscode from 'vscode';
import { computerName, type ApiClient } from '../../api';
import type { Event } from '../../util/event';
import { forQuickPick, oneLine } from '../../util/text';
import type { PanelHandlers } from '../../webview/ipc';
import type { Attachments } from '../attach/attachments';
import type { ComposerSettings } from './composerState';
import type { Conversation } from '../conversation';
import type { AwayFile } from '../attach/given';
import type { KeptFiles, LooseFile } from '../attach/keptFiles';
import { ownTexts } from '../transcript/model';
import type { Message } from '../outbox/record';
import { Pictures } from '../attach/pictures';
import type { ChatProtocol, Picture } from '../protocol';
import { moreThan, Uploads, type Piece } from '../attach/uploads';

/** What composing needs beyond the conversation. */
export interface ComposingDeps extends ComposerSettings {
  readonly kept: Pick<KeptFiles, 'keep' | 'begin' | 'fileOf'>;
  readonly attachments: Pick<Attachments, 'picture'>;
  readonly api: () => ApiClient | undefined;
  readonly onDidChangeSettings: Event<unknown>;
}

/** What a person does in the composer and the queue of one session. */
export class Composing {
  readonly conversation: Conversation;
  readonly #deps: ComposingDeps;
  readonly #uploads: Uploads;
  readonly #pictures: Pictures;

  constructor(conversation: Conversation, deps: ComposingDeps) {
    this.conversation = conversation;
    this.#deps = deps;
    this.#pictures = new Pictures(key => deps.attachments.picture(key));
    this.#uploads = new Uploads({
      begin: name => deps.kept.begin(conversation.serviceId, { name: nameOf(name) }),
      limit: () => deps.limits().file,
      language: vscode.env.language,
    });
  }

  /** Keeps bytes that are in no file and attaches them. */
  async attach(file: LooseFile): Promise<void> {
    const { composition, serviceId } = this.conversation;
    await composition.attach([await this.#deps.kept.keep(serviceId, { ...file, name: nameOf(file.name) })]);
  }

  /**
   * Attaches files one after another: how large they are shows when they are read, and what is too large or cannot be read goes no
   * further. Rejects with the reasons after the others are attached.
   */
  async attachAway(files: readonly AwayFile[]): Promise<void> {
    const limit = this.#deps.limits().file;
    const problems: string[] = [];
    for (const file of files) {
      const name = nameOf(file.name);
      try {
        const bytes = await file.read();
        if (bytes.length > limit) problems.push(moreThan(name, limit, vscode.env.language));
        else await this.attach({ name, bytes });
      } catch (error) {
        problems.push(
          vscode.l10n.t(
            '{0} cannot be read: {1}',
            name,
            error instanceof Error ? error.message : String(error),
          ),
        );
      }
    }
    if (problems.length > 0) throw new Error(problems.join(' '));
  }

  /** Takes a piece of a file; the last one attaches it, in the place of `replaces` where that is given. */
  async receive({ replaces, ...piece }: Piece & { readonly replaces?: string | undefined }): Promise<void> {
    const { composition } = this.conversation;
    const uri = await this.#uploads.take(piece);
    if (uri === undefined) return;
    await this.conversation.load();
    if (replaces === undefined) return composition.attach([uri]);
    this.#need(replaces);
    await composition.replace(replaces, uri);
  }

  /** What a page had not handed over to its end is given up. */
  pageGone(): void {
    void this.#uploads.clear();
    this.#pictures.clear();
  }

  /** Attaches files by their addresses. */
  async attachUris(uris: readonly string[]): Promise<void> {
    await this.conversation.load();
    await this.conversation.composition.attach(uris);
  }

  /** Lets the person choose files to attach. */
  async pickFiles(): Promise<void> {
    const uris = await vscode.window.showOpenDialog({
      canSelectMany: true,
      canSelectFolders: false,
      openLabel: vscode.l10n.t('Attach'),
    });
    if (uris !== undefined) await this.attachUris(uris.map(uri => uri.toString()));
  }

  /** A piece of an attached picture. */
  async picture(key: string, from: number): Promise<Picture> {
    this.#need(key);
    return this.#pictures.piece(key, from);
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
    const { items } = await api.computers.list();
    const own = session?.computerId;
    const target = composition.draft.target?.computerId ?? own;
    const choices = items.map(computer => ({
      id: computer.id,
      name: computerName(computer),
      label: forQuickPick(computerName(computer), 80),
      description: forQuickPick(computer.status ?? '', 40),
      ...(computer.id === own ? { detail: vscode.l10n.t('The computer of this session') } : {}),
      picked: computer.id === target,
    }));
    choices.sort((a, b) => Number(b.id === own) - Number(a.id === own));
    const placeHolder = vscode.l10n.t('Send the message to which computer?');
    const choice = await vscode.window.showQuickPick(choices, { placeHolder, ignoreFocusOut: true });
    if (choice === undefined) return;
    composition.setTarget(choice.id === own ? undefined : { computerId: choice.id, name: choice.name });
  }

  #need(key: string): void {
    if (!this.conversation.composition.draft.attachments.includes(key))
      throw new Error(vscode.l10n.t('This attachment has been removed meanwhile.'));
  }
}

/** Answers to what the page asks of the composer and the queue. */
export function composerRequests(
  composing: Composing,
  giveBack: (words: string, gone: Message) => void,
  showDraft: () => void,
): Pick<
  PanelHandlers<ChatProtocol>['requests'],
  | 'history'
  | 'attach'
  | 'attachUris'
  | 'attachBytes'
  | 'attachedPicture'
  | 'takeBackQueued'
  | 'removeQueued'
  | 'chooseTarget'
> {
  const { conversation } = composing;
  const done = async (act: Promise<unknown>): Promise<null> => {
    await act;
    return null;
  };
  const isGone = (): Error => new Error(vscode.l10n.t('This message is being sent or is gone.'));
  return {
    history: () => ownTexts(conversation.transcript.known),
    attach: () => done(composing.pickFiles()),
    attachUris: ({ uris }) => done(composing.attachUris(uris)),
    attachBytes: piece => done(composing.receive(piece)),
    attachedPicture: ({ key, from }) => composing.picture(key, from),
    takeBackQueued: async ({ id }) => {
      if ((await conversation.composition.takeBackQueued(id)) === undefined) throw isGone();
      showDraft();
      return null;
    },
    removeQueued: async ({ id }) => {
      const gone = await conversation.removeQueued(id);
      if (gone === undefined) throw isGone();
      giveBack(vscode.l10n.t('Message removed from the queue.'), gone);
      return null;
    },
    chooseTarget: () => done(composing.chooseTarget()),
  };
}

/** A character that leaves a trace. */
const SEEN = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** The last part of what a page calls a file, never empty, nor made of characters nobody sees. */
function nameOf(name: string): string {
  const last = oneLine(name.split(/[\\/]/).at(-1) ?? '', 100);
  return SEEN.test(last) ? last : vscode.l10n.t('file');
}
