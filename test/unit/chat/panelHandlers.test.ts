import assert from 'node:assert/strict';
import { panelOf } from './panelScene';
import { busy, queueUp, type Scene, scene, sendAndRead } from './scene';
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
    await window.conversation.flush();
    const later = await openWindow({ root, client, sessionId, unread: true });
    const { said, ask } = panelOf({ ...it, window: later });
    const attached = ask('attachUris', { uris: [b] });
    said.fire({
      name: 'draft',
      params: { text: 'Quick,', seen: 0, version: 1 },
    });
    said.fire({ name: 'draft', params: { text: 'Quick, before it loads', seen: 0, version: 2 } });
    await attached;
    await later.conversation.load();
    const { text, attachments } = later.conversation.composition.draft;
    assert.equal(text, 'Written yesterday\n\nQuick, before it loads');
    assert.deepEqual(
      attachments.map(({ uri }) => uri),
      [a, b],
    );
  });
});

describe('a message that was thrown away', () => {
  it('comes back with its files and the computer it was to go to, whatever was chosen and written since', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const { composition } = conversation;
    const [computer] = (await it.client.list('computers')).items;
    const target = { computerId: computer!.id, name: computer!.name! };
    const file = writeFile(temporaryFolder(), 'a.ts', 'a');
    await composition.attach([file]);
    composition.setTarget(target);
    it.service.fail({ kind: 'reset', match: { method: 'POST' }, times: 1 });
    await sendAndRead(it.window, 'Did it arrive?');
    composition.setTarget(undefined);
    busy(it);
    await queueUp(it.window, 'Next');
    composition.setText('Since');
    const { ask, told } = taking(it);
    await ask('discard', { id: conversation.sends[0]!.id });
    await until(conversation.onDidChange, () => composition.draft.text !== 'Since');
    const { text, attachments, target: to } = composition.draft;
    assert.deepEqual(
      [text, attachments.map(({ uri }) => uri), to],
      ['Since\n\nDid it arrive?', [file], target],
    );
    await ask('discard', { id: conversation.queued[0]!.id });
    await until(conversation.onDidChange, () => composition.draft.text.endsWith('Next'));
    assert.equal(composition.draft.target, undefined);
    assert.deepEqual([conversation.sends, conversation.queued], [[], []]);
    assert.deepEqual(told, ['Message discarded.', 'Message discarded.']);
  });
});
