import assert from 'node:assert/strict';
import { panelOf } from './panelScene';
import { busy, queueUp } from './queueing';
import { scene, sendAndRead, type Scene } from './scene';
import { answering, cleanUp, openWindow, temporaryFolder, until, writeFile } from './support';

afterEach(cleanUp);

/** A page whose person takes every offer; what they were told. */
function taking(it: Scene) {
  const told: string[] = [];
  answering({
    showInformationMessage: (message: string, offer: string) => {
      told.push(message);
      return Promise.resolve(offer);
    },
    showErrorMessage: (message: string) => assert.fail(message),
  });
  return { ...panelOf(it), told };
}

describe('what a page tells before the stored draft was read', () => {
  it('comes after what is stored: no attachment and no text is lost', async () => {
    const it = await scene();
    const { window, client, root, sessionId } = it;
    const folder = temporaryFolder();
    const [a, b] = [writeFile(folder, 'a.ts', 'a'), writeFile(folder, 'b.ts', 'b')];
    await window.conversation.composition.attach([a]);
    window.conversation.composition.setText('Written yesterday');
    await window.outboxes.flush();
    const later = await openWindow({ root, client, sessionId, unread: true });
    const { said, ask } = panelOf({ ...it, window: later });
    const attached = ask('attachUris', { uris: [b] });
    said.fire({
      name: 'draft',
      params: { text: 'Quick, before it loads', version: 1 },
    });
    await attached;
    const { text, stash, attachments } = later.conversation.composition.draft;
    assert.deepEqual([text, stash, attachments], ['Quick, before it loads', 'Written yesterday', [a, b]]);
  });
});

describe('a message that was thrown away', () => {
  it('comes back with its files when its outcome was unknown', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const file = writeFile(temporaryFolder(), 'a.ts', 'a');
    await conversation.composition.attach([file]);
    it.service.fail({ kind: 'reset', match: { method: 'POST' }, times: 1 });
    await sendAndRead(it.window, 'Did it arrive?');
    conversation.composition.setText('Written since');
    const { ask, told } = taking(it);
    await ask('discard', { sendId: conversation.sends[0]!.id });
    await until(conversation.onDidChange, () => conversation.composition.draft.text !== 'Written since');
    const { text, attachments } = conversation.composition.draft;
    assert.deepEqual([text, attachments], ['Did it arrive?\n\nWritten since', [file]]);
    assert.deepEqual([conversation.sends, told], [[], ['Message discarded.']]);
  });

  it('is not offered while the composer still holds it', async () => {
    const it = await scene();
    const { conversation } = it.window;
    it.service.fail({ kind: 'status', status: 403, match: { method: 'POST' }, times: 1 });
    await sendAndRead(it.window, 'Refused');
    const { ask, told } = taking(it);
    await ask('discard', { sendId: conversation.sends[0]!.id });
    assert.deepEqual([conversation.composition.draft.text, told], ['Refused', []]);
  });

  it('comes back with the computer it was to go to, whatever was chosen since', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const { composition } = conversation;
    const [computer] = (await it.client.list('computers')).items;
    const target = { computerId: computer!.id, name: computer!.name! };
    const { ask, told } = taking(it);
    const isBack = async (text: string, to: typeof target | undefined): Promise<void> => {
      await until(conversation.onDidChange, () => composition.draft.text !== '');
      assert.deepEqual([composition.draft.text, composition.draft.target], [text, to]);
      composition.setText('', undefined, { text });
      composition.setTarget(undefined);
    };
    composition.setTarget(target);
    it.service.fail({ kind: 'reset', match: { method: 'POST' }, times: 1 });
    await sendAndRead(it.window, 'Unknown');
    composition.setTarget(undefined);
    await ask('discard', { sendId: conversation.sends[0]!.id });
    await isBack('Unknown', target);
    busy(it);
    composition.setTarget(target);
    await queueUp(it.window, 'For that computer');
    composition.setTarget(undefined);
    await queueUp(it.window, 'For the own computer');
    const [that, own] = conversation.queued;
    await ask('removeQueued', { id: that!.id });
    await isBack('For that computer', target);
    await ask('removeQueued', { id: own!.id });
    await isBack('For the own computer', undefined);
    assert.equal(told.at(-1), 'Message removed from the queue.');
  });
});
