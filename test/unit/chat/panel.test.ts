import assert from 'node:assert/strict';
import type { Start } from '../../../src/chat/protocol';
import { panelOf, type ToPage } from './panelScene';
import { scene, sendAndRead } from './scene';
import { cleanUp, until } from './support';

afterEach(cleanUp);

const ready = { kind: 'notification', name: 'ready', params: { timeZone: 'UTC' } };

/** What the page was told last under this name. */
const told = (posted: readonly ToPage[], name: string): unknown =>
  posted.findLast(message => message.kind === 'event' && message.name === name)?.payload;

describe('a chat page that begins', () => {
  it('has the cursor in an editor, but in a view only when the person went there', async () => {
    const it = await scene();
    const inEditor = panelOf(it);
    inEditor.said.fire(ready);
    const inView = panelOf(it, 'view');
    inView.said.fire(ready);
    const asked = panelOf(it, 'view');
    asked.panel.reveal();
    asked.said.fire(ready);
    const starts = [inEditor, inView, asked];
    for (const { heard, posted } of starts) await until(heard, () => told(posted, 'start') !== undefined);
    assert.deepEqual(
      starts.map(({ posted }) => (told(posted, 'start') as Start).focus),
      [true, false, true],
    );
  });

  it('in the place of one that was just sent from does not show the message as a draft', async () => {
    const it = await scene();
    const { said, posted, heard } = panelOf(it);
    said.fire(ready);
    await until(heard, () => told(posted, 'start') !== undefined);
    it.window.conversation.composition.setText('Only once');
    const params = { text: 'Only once', sendId: 'an-id-of-a-send' };
    said.fire({ kind: 'request', id: 1, name: 'send', params });
    // VS Code puts the page away and makes another before the send is recorded.
    said.fire(ready);
    await until(heard, () => posted.some(({ kind, id }) => kind === 'answer' && id === 1));
    await until(heard, () => posted.some(({ name }) => name === 'setDraft'));
    assert.equal((told(posted, 'setDraft') as { readonly text: string }).text, '');
  });

  it('hears nothing of what the page before it in the same place still says', async () => {
    const it = await scene();
    await sendAndRead(it.window, 'A question');
    it.window.conversation.composition.setText('A draft');
    const { said, posted, heard } = panelOf(it, 'view');
    said.fire({ kind: 'notification', name: 'draft', params: { text: 'of another session', version: 1 } });
    said.fire(ready);
    await until(heard, () => told(posted, 'start') !== undefined);
    assert.equal(it.window.conversation.composition.draft.text, 'A draft');
  });
});
