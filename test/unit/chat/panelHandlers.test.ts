import assert from 'node:assert/strict';
import { panelHandlers, type PanelActions } from '../../../src/chat/panelHandlers';
import type { Composing } from '../../../src/chat/composing';
import { scene } from './scene';
import { cleanUp, openWindow, temporaryFolder, writeFile, type Window } from './support';

afterEach(cleanUp);

/** The page's side of a conversation whose panel does nothing of its own. */
function page({ conversation }: Window) {
  const composing: Partial<Composing> = { conversation };
  const panel: Partial<PanelActions> = { conversation, composing: composing as Composing };
  return panelHandlers(panel as PanelActions);
}

describe('what a page tells before the stored draft was read', () => {
  it('comes after what is stored: no attachment and no text is lost', async () => {
    const { window, client, root, sessionId } = await scene();
    const folder = temporaryFolder();
    const [a, b] = [writeFile(folder, 'a.ts', 'a'), writeFile(folder, 'b.ts', 'b')];
    await window.conversation.composition.attach([a]);
    window.conversation.composition.setText('Written yesterday');
    await window.drafts.flush();
    const later = await openWindow({ root, client, sessionId, unread: true });
    await Promise.all([
      page(later).notifications.attachUris({ uris: [b] }),
      later.conversation.takeUnsaved({ text: 'Quick, before it loads', at: Date.now() }),
    ]);
    const { text, stash, attachments } = later.drafts.get(sessionId);
    assert.deepEqual(attachments, [a, b]);
    assert.equal(text, 'Quick, before it loads');
    assert.equal(stash, 'Written yesterday');
  });
});
