import * as vscode from 'vscode';
import type { ApiClient } from '../api';
import type { Event } from '../util/event';
import { forQuickPick, oneLine } from '../util/text';
import type { PanelHandlers } from '../webview/ipc';
import type { Attachments } from './attachments';
import type { ComposerSettings } from './composerState';
import type { Conversation } from './conversation';
import type { AwayFile } from './given';
import type { KeptFiles, LooseFile } from './keptFiles';
import { ownTexts } from './model';
import { Pictures } from './pictures';
import type { ChatProtocol, Picture } from './protocol';
import type { Gone } from './undo';
import { moreThan, Uploads, type Piece } from './uploads';

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
      limit: () => this.#limit,
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
    const limit = this.#limit;
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
    this.conversation.queue.pageGone();
  }

  /** No page comes again: a message that was being changed may go. */
  closed(): void {
    this.pageGone();
    this.conversation.queue.letGo();
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
    const choices = items.map(({ id, name, status }) => ({
      id,
      name,
      label: forQuickPick(name, 80),
      description: forQuickPick(status ?? '', 40),
      ...(id === own ? { detail: vscode.l10n.t('The computer of this session') } : {}),
      picked: id === target,
    }));
    choices.sort((a, b) => Number(b.id === own) - Number(a.id === own));
    const placeHolder = vscode.l10n.t('Send the message to which computer?');
    const choice = await vscode.window.showQuickPick(choices, { placeHolder, ignoreFocusOut: true });
    if (choice === undefined) return;
    composition.setTarget(choice.id === own ? undefined : { computerId: choice.id, name: choice.name });
  }

  /** Largest file of any type, bytes. */
  get #limit(): number {
    const { file, image } = this.#deps.limits();
    return Math.max(file, image);
  }

  #need(key: string): void {
    if (!this.conversation.composition.draft.attachments.includes(key))
      throw new Error(vscode.l10n.t('This attachment has been removed meanwhile.'));
  }
}

/** Answers to what the page asks of the composer and the queue. */
export function composerRequests(
  composing: Composing,
  giveBack: (words: string, gone: Gone) => void,
): Pick<
  PanelHandlers<ChatProtocol>['requests'],
  | 'history'
  | 'attach'
  | 'attachUris'
  | 'attachBytes'
  | 'attachedPicture'
  | 'queuedText'
  | 'editQueued'
  | 'moveQueued'
  | 'removeQueued'
  | 'sendQueuedNow'
  | 'chooseTarget'
> {
  const { conversation } = composing;
  const done = async (act: Promise<unknown>): Promise<null> => {
    await act;
    return null;
  };
  const found = async (change: Promise<boolean>): Promise<null> => {
    if (!(await change)) throw new Error(vscode.l10n.t('This message is being sent or is gone.'));
    return null;
  };
  return {
    history: () => ownTexts(conversation.transcript.known),
    attach: () => done(composing.pickFiles()),
    attachUris: ({ uris }) => done(composing.attachUris(uris)),
    attachBytes: piece => done(composing.receive(piece)),
    attachedPicture: ({ key, from }) => composing.picture(key, from),
    queuedText: ({ id }) => {
      const message = conversation.queued.find(item => item.id === id);
      if (message === undefined) throw new Error(vscode.l10n.t('This message is being sent or is gone.'));
      return message.text;
    },
    editQueued: ({ id, text }) => {
      if (text.trim() === '') throw new Error(vscode.l10n.t('Write a message first.'));
      return found(conversation.queue.edit(id, text));
    },
    moveQueued: ({ id, to }) => found(conversation.queue.move(id, to)),
    removeQueued: async ({ id }) => {
      const gone = conversation.queued.find(message => message.id === id);
      await found(conversation.queue.remove(id));
      if (gone !== undefined) giveBack(vscode.l10n.t('Message removed from the queue.'), gone);
      return null;
    },
    sendQueuedNow: () => {
      if (conversation.queue.isHeld)
        throw new Error(vscode.l10n.t('The first message is being edited. Save it or cancel first.'));
      return done(conversation.queue.sendNow());
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
