import * as vscode from 'vscode';
import { computerName } from '../../api';
import { commands } from '../../contributions';
import { notify, openAddress } from '../../ui/window';
import { pick } from '../../ui/pick';
import type { PanelHandlers } from '../../webview/ipc';
import { pictureFrom } from '../attach/attachments';
import { pickFiles } from '../attach/given';
import type { Conversation } from '../conversation';
import { joined, type Message } from '../outbox/record';
import type { ChatProtocol, Picture } from '../protocol';
import { keyOf } from '../sessions';
import { showTranscript } from '../transcript/markdownDocument';
import { isHidden, ownTexts } from '../transcript/messages';
import { pictureOf } from '../transcript/parts';
import { RowBuilder, rowText } from '../transcript/rows';
import { forNotification } from '../../util/text';
import { applyDiff, compareDiff, insertCode, openPath } from './codeBlocks';
import type { ChatPanel } from './panel';

/** Answers to everything the page may say; one for each name of the protocol. */
export function panelHandlers(panel: ChatPanel): PanelHandlers<ChatProtocol> {
  const { conversation, options } = panel;
  const { composition } = conversation;
  return {
    send: ({ text, seen, sendId }) => panel.send(text, seen, sendId),
    stop: () => conversation.stop(),
    history: () => ownTexts(conversation.transcript.known),
    attach: async () => composition.attach(await pickFiles()),
    attachUris: ({ uris }) => composition.attach(uris),
    attachBytes: async ({ replaces, bytes, ...file }) => {
      await conversation.load();
      await composition.attachFiles([{ ...file, read: () => Promise.resolve(bytes) }], replaces);
    },
    chooseTarget: () => chooseTarget(panel),
    takeBack: async ({ id }) => {
      await conversation.takeBack(id);
      panel.showDraft();
    },
    discard: async ({ id }) => offerBack(panel, await conversation.discard(id)),
    sendAgain: ({ id }) => conversation.sendAgain(id),
    refresh: () => panel.refresh(),
    showChanges: async () => {
      await vscode.commands.executeCommand(commands.changes.show, conversation.sessionId);
    },
    readEarlier: () => {
      panel.check();
      return conversation.readOn();
    },
    openPath: ({ path }) => openPath(path),
    insertCode: ({ text }) => insertCode(text),
    compareDiff: ({ text }) => compareDiff(text, options.details),
    applyDiff: ({ text }) => applyDiff(text),
    addAgain: () => options.sessions.ensure(conversation.sessionId),
    picture: ({ key }) => pictureIn(conversation, key) ?? composition.picture(key),
    ready: () => panel.pageReady(),
    draft: ({ text, seen, version }) => panel.setDraft(text, seen, version),
    detach: ({ key }) => composition.detach(key),
    unsaved: unsaved => panel.takeUnsaved(unsaved),
    openAttachment: ({ key }) => composition.open(key),
    openLink: ({ href }) => {
      const address = safeLink(href);
      return address && openAddress(address);
    },
    copy: ({ text }) => vscode.env.clipboard.writeText(text),
    copyMessage: async ({ key }) => {
      const builder = new RowBuilder(true);
      const row = builder.build(conversation.rows).find(each => each.key === key);
      if (row !== undefined) await vscode.env.clipboard.writeText(rowText(row));
    },
    openMessage: ({ key }) => showTranscript(conversation, options.details, key),
    kept: kept => void options.reading.set(keyOf(conversation), kept),
    openWebApp: () => panel.webApp && openAddress(panel.webApp),
  };
}

async function chooseTarget({ api, conversation }: ChatPanel): Promise<void> {
  const { composition, session } = conversation;
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
  if (choice !== undefined) composition.setTarget(choice.computerId === own ? undefined : choice);
}

/** The link as it may be opened; `undefined` for every scheme but http, https and mailto (trust.md 6). */
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

/** Says that a message is gone; when the person wants it back, it comes behind what the composer holds then. */
function offerBack(panel: ChatPanel, gone: Message): void {
  const putBack = async (): Promise<void> => {
    await panel.conversation.composition.putBack(gone);
    if (!panel.isDisposed) panel.showDraft();
  };
  const back = vscode.l10n.t('Put back into the composer');
  notify(panel.options.log, 'info', vscode.l10n.t('Message discarded.'), [back, putBack]);
}

/** Stands in for a chat page that did not load: says so, and offers an input box that sends over the same road (trust.md 11). */
export function offerInputBox(panel: ChatPanel, reload: () => unknown): void {
  const title = forNotification(panel.title, 60);
  const missing = vscode.l10n.t(
    'The chat page of "{0}" did not load within 10 seconds. You can still send messages.',
    title,
  );
  notify(
    panel.options.log,
    'warning',
    missing,
    [vscode.l10n.t('Write a message'), () => writeInBox(panel.conversation, title)],
    [vscode.l10n.t('Try again'), reload],
  );
}

/** What was written stays in the draft until it is recorded, also when the box is closed. */
async function writeInBox(conversation: Conversation, title: string): Promise<void> {
  const { composition } = conversation;
  await conversation.load();
  const { text: draft } = composition.draft;
  // The box has one line: it would join those of the draft, which stays in front of what is written here.
  const isLong = draft.includes('\n');
  const whole = (line: string): string => (isLong ? joined(draft, line) : line);
  let written: string | undefined;
  const text = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('Message to the agent'),
    value: isLong ? '' : draft,
    ignoreFocusOut: true,
    validateInput: value => void (written = value),
  });
  if (text !== undefined && text.trim() !== '') await conversation.submit(whole(text));
  else if (written !== undefined) composition.setText(whole(written));
}
