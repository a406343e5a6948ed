import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { offerInputBox } from '../../../src/chat/panel/nativeComposer';
import { silentLog } from '../../fakes/log';
import { posts, scene, type Scene } from './scene';
import { answering, cleanUp, until } from './support';

afterEach(cleanUp);

/** The person chooses `choice` and writes `text`; without a text the box is closed after `typed`. What they are told. */
function offer({ window }: Scene, choice: string, text?: string, typed = text) {
  const told: string[] = [];
  const error = new Promise<string>(showErrorMessage => {
    answering({
      showErrorMessage,
      showWarningMessage: (message: string) => {
        told.push(message);
        return Promise.resolve(choice);
      },
      showInputBox: async (options: vscode.InputBoxOptions) => {
        told.push(options.value ?? '');
        await options.validateInput?.(typed ?? '');
        return text;
      },
    });
  });
  const reloaded = new Promise<void>(reload =>
    offerInputBox(silentLog(), window.conversation, '[x](command:evil)', reload),
  );
  return { told, error, reloaded };
}

describe('writing without a page', () => {
  it('says why, without links, and sends over the same road', async () => {
    const it = await scene();
    const { conversation } = it.window;
    conversation.composition.setText('begun');
    const settled = new Promise(resolve => conversation.onDidSettle(resolve));
    const { told } = offer(it, 'Write a message', 'written here');
    await settled;
    const [warning = '', ...others] = told;
    assert.match(warning, /did not load within 10 seconds/);
    assert.ok(!warning.includes(']('));
    assert.deepEqual(others, ['begun']);
    assert.deepEqual(
      posts(it).map(({ body }) => body),
      [{ text: 'written here' }],
    );
  });

  it('keeps what was written when the box is closed, or it cannot be sent, and says why', async () => {
    const it = await scene({ signedIn: () => false });
    const { conversation } = it.window;
    offer(it, 'Write a message', undefined, 'half a thought');
    await until(conversation.onDidChange, () => conversation.composition.draft.text === 'half a thought');
    assert.match(await offer(it, 'Write a message', 'for later').error, /Sign in/);
    assert.equal(conversation.composition.draft.text, 'for later');
    await offer(it, 'Try again').reloaded;
    assert.equal(posts(it).length, 0);
  });
});
