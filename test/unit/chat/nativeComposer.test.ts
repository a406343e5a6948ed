import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { writeNatively } from '../../../src/chat/panel/nativeComposer';
import { posts, scene } from './scene';
import { answering, cleanUp, until } from './support';

afterEach(cleanUp);

/** The person chooses `choice` and writes `text`; without a text the box is closed after `typed`. */
function prompted(choice: string | undefined, text?: string, typed?: string) {
  const said = { warnings: [] as string[], errors: [] as string[], offered: [] as (string | undefined)[] };
  answering({
    showWarningMessage: (message: string) => {
      said.warnings.push(message);
      return Promise.resolve(choice);
    },
    showInputBox: async (options: vscode.InputBoxOptions) => {
      said.offered.push(options.value);
      await options.validateInput?.(text ?? typed ?? '');
      return text;
    },
    showErrorMessage: (message: string) => void said.errors.push(message),
  });
  return said;
}

describe('writing without a page', () => {
  it('says why, without links, and sends over the same road', async () => {
    const it = await scene();
    const { conversation } = it.window;
    conversation.composition.setText('begun');
    const said = prompted('Write a message', 'written here');
    assert.equal(await writeNatively(conversation, '[x](command:evil)'), 'written');
    assert.match(said.warnings[0] ?? '', /did not load within 10 seconds/);
    assert.ok(!said.warnings[0]?.includes(']('));
    assert.deepEqual(said.offered, ['begun']);
    await until(conversation.onDidChange, () => !conversation.isSending);
    assert.deepEqual(
      posts(it).map(({ body }) => body),
      [{ text: 'written here' }],
    );
  });

  it('keeps what was written when the box is closed, or it cannot be sent, and says why', async () => {
    const it = await scene(() => false);
    const { conversation } = it.window;
    prompted('Write a message', undefined, 'half a thought');
    assert.equal(await writeNatively(conversation, 't'), undefined);
    assert.equal(conversation.composition.draft.text, 'half a thought');
    const said = prompted('Write a message', 'for later');
    assert.equal(await writeNatively(conversation, 't'), 'written');
    assert.match(said.errors[0] ?? '', /Sign in/);
    assert.equal(conversation.composition.draft.text, 'for later');
    for (const [choice, outcome] of [
      ['Try again', 'reload'],
      [undefined, undefined],
    ] as const) {
      prompted(choice);
      assert.equal(await writeNatively(conversation, 't'), outcome);
    }
    assert.equal(posts(it).length, 0);
  });
});
