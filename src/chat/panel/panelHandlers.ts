import * as vscode from 'vscode';
import { commands } from '../../contributions';
import { notify } from '../../ui/notify';
import { openAddress } from '../../ui/openAddress';
import type { PanelHandlers } from '../../webview/ipc';
import { pictureFrom } from '../attach/attachments';
import { pickFiles } from '../attach/given';
import type { Conversation } from '../conversation';
import type { Message } from '../outbox/record';
import type { ChatProtocol, Picture } from '../protocol';
import { explainGap } from '../transcript/gap';
import { isHidden, ownTexts } from '../transcript/messages';
import { pictureOf } from '../transcript/parts';
import { RowBuilder, rowText } from '../transcript/rows';
import { Formatter } from '../../util/format';
import { applyDiff, compareDiff, insertCode, openPath } from './codeBlocks';
import type { ChatPanel } from './panel';

/** Answers to everything the page may say; one for each name of the protocol. */
export function panelHandlers(panel: ChatPanel): PanelHandlers<ChatProtocol> {
  const { conversation, composing } = panel;
  const { composition } = conversation;
  return {
    send: ({ text, sendId }) => panel.send(text, sendId),
    stop: () => conversation.stop(),
    history: () => ownTexts(conversation.transcript.known),
    attach: async () => composing.attachUris(await pickFiles()),
    attachUris: ({ uris }) => composing.attachUris(uris),
    attachBytes: file => composing.receive(file),
    chooseTarget: () => composing.chooseTarget(),
    takeBackQueued: async ({ id }) => {
      if ((await composition.takeBackQueued(id)) === undefined) throw isGone();
      panel.showDraft();
    },
    removeQueued: async ({ id }) => {
      const gone = await conversation.removeQueued(id);
      if (gone === undefined) throw isGone();
      offerBack(panel, vscode.l10n.t('Message removed from the queue.'), gone);
    },
    sendAgain: ({ sendId }) => conversation.sendAgain(sendId),
    discard: async ({ sendId }) => {
      const gone = await conversation.discard(sendId);
      if (gone !== undefined) offerBack(panel, vscode.l10n.t('Message discarded.'), gone);
    },
    editAgain: async ({ sendId }) => {
      await composition.editAgain(sendId);
      panel.showDraft();
    },
    refresh: () => panel.refresh(),
    readEarlier: () => conversation.readOn(),
    openPath: ({ path }) => openPath(path),
    insertCode: ({ text }) => insertCode(text),
    compareDiff: ({ text }) => compareDiff(text, panel.details),
    applyDiff: ({ text }) => applyDiff(text),
    addAgain: () => panel.addAgain(),
    picture: ({ key }) => pictureIn(conversation, key) ?? composing.picture(key),
    ready: () => panel.pageReady(),
    draft: ({ text, stash, version }) => panel.setDraft(text, stash, version),
    detach: ({ key }) => composition.detach(key),
    unsaved: unsaved => panel.takeUnsaved(unsaved),
    openAttachment: ({ key }) => composing.open(key),
    openLink: ({ href }) => openLink(href),
    copy: ({ text }) => vscode.env.clipboard.writeText(text),
    copyMessage: async ({ key }) => {
      const builder = new RowBuilder(new Formatter(vscode.env.language), true);
      const row = builder.build(conversation.rows).find(each => each.key === key);
      if (row !== undefined) await vscode.env.clipboard.writeText(rowText(row));
    },
    openMessage: async ({ key }) => {
      await vscode.commands.executeCommand(commands.chat.export, conversation.sessionId, key);
    },
    kept: kept => panel.keep(kept),
    openWebApp: () => panel.openWebApp(),
    explainGap,
  };
}

const isGone = (): Error => new Error(vscode.l10n.t('This message is being sent or is gone.'));

/** Opens web and mail links only (trust.md 6). */
async function openLink(href: string): Promise<void> {
  const uri = safeLink(href);
  if (uri !== undefined) await openAddress(uri);
}

/** The link as it may be opened; `undefined` for every scheme but http, https and mailto. */
export function safeLink(href: string): string | undefined {
  const url = URL.canParse(href) ? new URL(href) : undefined;
  return ['http:', 'https:', 'mailto:'].includes(url?.protocol ?? '') ? url?.href : undefined;
}

/** A picture of a message a person may see, if its bytes are what they say; `undefined` for what is none of a message. */
function pictureIn({ transcript }: Conversation, key: string): Picture | undefined {
  const [, id, index] = /^([^]*)\n(\d+)$/.exec(key) ?? [];
  if (id === undefined) return undefined;
  const message = transcript.known.get(id)?.message;
  const item = message === undefined || isHidden(message) ? undefined : message.content[Number(index)];
  const encoded = item === undefined ? undefined : pictureOf(item);
  return pictureFrom(Buffer.from(encoded ?? '', 'base64'));
}

/** Says that a message is gone; when the person wants it back, it comes before what the composer holds then. */
function offerBack(panel: ChatPanel, words: string, gone: Message): void {
  const putBack = async (): Promise<void> => {
    await panel.conversation.composition.putBack(gone);
    if (!panel.isDisposed) panel.showDraft();
  };
  notify(panel.log, 'info', words, [vscode.l10n.t('Put back into the composer'), putBack]);
}
