import * as vscode from 'vscode';
import { errorSentence } from '../../connection';
import { forNotification } from '../../util/text';
import type { Conversation } from '../conversation';
import type { Message } from '../outbox/record';
import { commands } from '../../contributions';
import { openAddress } from '../../util/openAddress';
import type { PanelHandlers } from '../../webview/ipc';
import { composerRequests, type Composing } from './composing';
import { explainGap } from '../transcript/gap';
import { imageType } from '../attach/imageType';
import { openPath } from './openPath';
import { pictureOf } from '../transcript/parts';
import { isHidden } from '../transcript/messages';
import { pictureFrom, type WholePicture } from '../attach/pictures';
import type { ChatProtocol, Kept, Unsaved } from '../protocol';
import { countsIn, messageText, wholeMessage } from '../transcript/wholeMessage';

/** What the page can ask of its panel beyond the conversation itself. */
export interface PanelActions {
  readonly conversation: Conversation;
  /** `timeZone`: IANA name; that of this machine until the page tells another. */
  pageReady(timeZone?: string): void;
  setTimeZone(timeZone: string): void;
  setDraft(text: string, stash: string | undefined, version: number): Promise<void>;
  send(text: string, sendId: string): Promise<void>;
  /** Takes up what a page of an earlier window still held, unless it is recorded by now. */
  takeUnsaved(unsaved: Unsaved): Promise<void>;
  readonly composing: Composing;
  /** Shows the stored draft in the composer. */
  showDraft(): void;
  refresh(): Promise<void>;
  /** Remembers where the page left off. */
  keep(kept: Kept): void;
  addAgain(): Promise<void>;
  /** Offers what else can be done with the session. */
  more(): Promise<void>;
  openWebApp(): Promise<void>;
}

/** Answers to everything the page may say; one for each name of the protocol. */
export function panelHandlers(panel: PanelActions, teller?: Teller): PanelHandlers<ChatProtocol> {
  const { conversation } = panel;
  const giveBack = (words: string, gone: Message): void => void offerBack(panel, words, gone, teller);
  return {
    requests: {
      send: async ({ text, sendId }) => {
        await panel.send(text, sendId);
        return null;
      },
      ...composerRequests(panel.composing, giveBack, () => panel.showDraft()),
      stop: async () => {
        await conversation.stop();
        return null;
      },
      sendAgain: async ({ sendId }) => {
        await conversation.sendAgain(sendId);
        return null;
      },
      discard: async ({ sendId }) => {
        const gone = await conversation.discard(sendId);
        if (gone !== undefined) giveBack(vscode.l10n.t('Message discarded.'), gone);
        return null;
      },
      editAgain: async ({ sendId }) => {
        await conversation.composition.editAgain(sendId);
        panel.showDraft();
        return null;
      },
      refresh: async () => {
        await panel.refresh();
        return null;
      },
      readEarlier: async () => {
        await conversation.readOn();
        return null;
      },
      openPath: async ({ path }) => {
        await openPath(path);
        return null;
      },
      addAgain: async () => {
        await panel.addAgain();
        return null;
      },
      findWhole: ({ key, words }) => {
        const row = words === '' ? undefined : wholeMessage(conversation.rows, key);
        return row === undefined ? [] : countsIn(row, words);
      },
      picture: ({ messageId, index, from }) => pictureFrom(picture(conversation, messageId, index), from),
    },
    notifications: {
      ready: ({ timeZone }) => panel.pageReady(timeZone),
      timeZone: ({ timeZone }) => panel.setTimeZone(timeZone),
      draft: ({ text, stash, version }) => panel.setDraft(text, stash, version),
      detach: ({ key }) => conversation.composition.detach(key),
      unsaved: unsaved => panel.takeUnsaved(unsaved),
      openAttachment: ({ key }) => panel.composing.open(key),
      openLink: ({ href }) => openLink(href),
      copy: ({ text }) => vscode.env.clipboard.writeText(text),
      copyMessage: async ({ key }) => {
        const row = wholeMessage(conversation.rows, key);
        if (row !== undefined) await vscode.env.clipboard.writeText(messageText(row));
      },
      openMessage: async ({ key }) => {
        if (wholeMessage(conversation.rows, key) !== undefined)
          await vscode.commands.executeCommand(commands.chat.export, conversation.sessionId, key);
      },
      kept: kept => panel.keep(kept),
      more: () => panel.more(),
      openWebApp: () => panel.openWebApp(),
      explainGap,
    },
  };
}

/** Opens web and mail links only (trust.md 6). */
async function openLink(href: string): Promise<void> {
  const uri = safeLink(href);
  if (uri !== undefined) await openAddress(uri);
}

/** The link as it may be opened; `undefined` for every scheme but http, https and mailto. */
export function safeLink(href: string): string | undefined {
  try {
    const url = new URL(href);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** A picture of a message a person may see, if its bytes are what they say. */
function picture(conversation: Conversation, messageId: string, index: number): WholePicture {
  const message = conversation.transcript.known.get(messageId)?.message;
  const item = message === undefined || isHidden(message) ? undefined : message.content[index];
  const encoded = item === undefined ? undefined : pictureOf(item);
  const bytes = Uint8Array.from(Buffer.from(encoded?.data ?? '', 'base64'));
  const mediaType = imageType(bytes);
  if (mediaType === undefined) throw new Error(vscode.l10n.t('This picture cannot be shown.'));
  return { mediaType, bytes };
}

/** Where a person is told that something is gone, and may have it back. */
export interface Teller {
  showInformationMessage(message: string, ...choices: string[]): Thenable<string | undefined>;
  showErrorMessage(message: string): Thenable<unknown>;
}

/** Says that a message is gone; when the person wants it back, it comes before what the composer holds then. */
export async function offerBack(
  panel: { readonly conversation: Conversation; showDraft(): void },
  words: string,
  gone: Message,
  teller: Teller = vscode.window,
): Promise<void> {
  const label = vscode.l10n.t('Put back into the composer');
  if ((await teller.showInformationMessage(words, label)) !== label) return;
  const { conversation } = panel;
  try {
    await conversation.composition.putBack(gone);
    if (!conversation.isDisposed) panel.showDraft();
  } catch (error) {
    await teller.showErrorMessage(forNotification(errorSentence(error)));
  }
}
