import assert from 'node:assert/strict';
import { type PanelActions, panelHandlers, type Teller } from '../../../src/chat/panel/panelHandlers';
import { busy, queueUp } from './queueing';
import { scene, sendAndRead } from './scene';
import { cleanUp, composingOf, openWindow, temporaryFolder, until, writeFile, type Window } from './support';

afterEach(cleanUp);

/** The page's side of a conversation whose panel does nothing of its own. */
function page({ conversation }: Window, teller?: Teller) {
  const panel: Partial<PanelActions> = {
    conversation,
    composing: composingOf(conversation),
    showDraft: () => undefined,
  };
  return panelHandlers(panel as PanelActions, teller);
}

describe('what a page tells before the stored draft was read', () => {
  it('comes after what is stored: no attachment and no text is lost', async () => {
    const { window, client, root, sessionId } = await scene();
    const folder = temporaryFolder();
    const [a, b] = [writeFile(folder, 'a.ts', 'a'), writeFile(folder, 'b.ts', 'b')];
    await window.conversation.composition.attach([a]);
    window.conversation.composition.setText('Written yesterday');
    await window.outboxes.flush();
    const later = await openWindow({ root, client, sessionId, unread: true });
    await Promise.all([
      page(later).requests.attachUris({ uris: [b] }),
      later.conversation.takeUnsaved({ text: 'Quick, before it loads', at: Date.now() }),
    ]);
    const { text, stash, attachments } = later.conversation.composition.draft;
    assert.deepEqual(attachments, [a, b]);
    assert.equal(text, 'Quick, before it loads');
    assert.equal(stash, 'Written yesterday');
  });
});

describe('a message that was thrown away', () => {
  /** Takes the offer, and says what was told. */
  function taking(): Teller & { readonly told: string[] } {
    const told: string[] = [];
    const showInformationMessage = (message: string, ...choices: string[]) => {
      told.push(message);
      return Promise.resolve(choices[0]);
    };
    return { told, showInformationMessage, showErrorMessage: message => assert.fail(message) };
  }

  it('comes back with its files when its outcome was unknown', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const file = writeFile(temporaryFolder(), 'a.ts', 'a');
    await conversation.composition.attach([file]);
    it.service.fail({ kind: 'reset', match: { method: 'POST' }, times: 1 });
    await sendAndRead(it.window, 'Did it arrive?');
    assert.equal(conversation.sends[0]?.state, 'unknown');
    conversation.composition.setText('Written since');
    const teller = taking();
    await page(it.window, teller).requests.discard({ sendId: conversation.sends[0].id });
    await until(conversation.onDidChange, () => conversation.composition.draft.text !== 'Written since');
    const { text, attachments } = conversation.composition.draft;
    assert.equal(text, 'Did it arrive?\n\nWritten since');
    assert.deepEqual(attachments, [file]);
    assert.deepEqual(conversation.sends, []);
    assert.deepEqual(teller.told, ['Message discarded.']);
  });

  it('is not offered while the composer still holds it', async () => {
    const it = await scene();
    const { conversation } = it.window;
    it.service.fail({ kind: 'status', status: 403, match: { method: 'POST' }, times: 1 });
    await sendAndRead(it.window, 'Refused');
    const teller = taking();
    await page(it.window, teller).requests.discard({ sendId: conversation.sends[0]!.id });
    assert.equal(conversation.composition.draft.text, 'Refused');
    assert.deepEqual(teller.told, []);
  });

  it('comes back with the computer it was to go to, whatever was chosen since', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const { composition } = conversation;
    const [computer] = (await it.client.computers.list()).items;
    const target = { computerId: computer!.id, name: computer!.name! };
    busy(it);
    composition.setTarget(target);
    await queueUp(it.window, 'For that computer');
    composition.setTarget(undefined);
    await queueUp(it.window, 'For the own computer');
    const [that, own] = conversation.queued;
    const { requests } = page(it.window, taking());
    await requests.removeQueued({ id: that!.id });
    await until(conversation.onDidChange, () => composition.draft.text !== '');
    assert.equal(composition.draft.text, 'For that computer');
    assert.deepEqual(composition.draft.target, target);
    composition.setText('');
    await requests.removeQueued({ id: own!.id });
    await until(conversation.onDidChange, () => composition.draft.text !== '');
    assert.equal(composition.draft.text, 'For the own computer');
    assert.equal(composition.draft.target, undefined);
  });

  it('comes back with its computer when it was refused or its outcome is unknown', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const { composition } = conversation;
    const [computer] = (await it.client.computers.list()).items;
    const target = { computerId: computer!.id, name: computer!.name! };
    const fail = async (text: string, fault: { kind: 'reset' } | { kind: 'status'; status: number }) => {
      composition.setTarget(target);
      it.service.fail({ ...fault, match: { method: 'POST' }, times: 1 });
      await sendAndRead(it.window, text);
      composition.setText('', undefined, { text: '' });
      composition.setTarget(undefined);
      return conversation.sends.find(send => send.text === text)!;
    };
    const refused = await fail('Refused', { kind: 'status', status: 403 });
    await page(it.window).requests.editAgain({ sendId: refused.id });
    assert.equal(composition.draft.text, 'Refused');
    assert.deepEqual(composition.draft.target, target);
    composition.setText('');
    const unknown = await fail('Unknown', { kind: 'reset' });
    await page(it.window, taking()).requests.discard({ sendId: unknown.id });
    await until(conversation.onDidChange, () => composition.draft.text !== '');
    assert.equal(composition.draft.text, 'Unknown');
    assert.deepEqual(composition.draft.target, target);
  });

  it('comes back from the queue', async () => {
    const it = await scene();
    const { conversation } = it.window;
    it.service.fail({
      kind: 'alter',
      match: { method: 'GET', path: new RegExp(`/sessions/${it.sessionId}$`) },
      alter: body => ({ ...(body as object), status: 'running' }),
    });
    await it.window.sessions.refresh(it.sessionId);
    await conversation.submit('Later', 'an-id-of-a-send');
    const teller = taking();
    await page(it.window, teller).requests.removeQueued({ id: 'an-id-of-a-send' });
    await until(conversation.onDidChange, () => conversation.composition.draft.text !== '');
    assert.equal(conversation.composition.draft.text, 'Later');
    assert.deepEqual(conversation.queued, []);
    assert.deepEqual(teller.told, ['Message removed from the queue.']);
  });
});
