import assert from 'node:assert/strict';
import { writeNatively, type Prompts } from '../../../src/chat/panel/nativeComposer';
import { posts, scene } from './scene';
import { cleanUp, until } from './support';

afterEach(cleanUp);

interface Said {
  readonly warnings: string[];
  readonly errors: string[];
  readonly offered: string[];
}

/** Chooses `choice` and writes `text`; without a text the box is closed after `typed`. */
function prompts(
  choice: string | undefined,
  text?: string,
  typed?: string,
): { prompts: Prompts; said: Said } {
  const said: Said = { warnings: [], errors: [], offered: [] };
  return {
    said,
    prompts: {
      showWarningMessage: message => {
        said.warnings.push(message);
        return Promise.resolve(choice);
      },
      showInputBox: async options => {
        said.offered.push(options?.value ?? '');
        await options?.validateInput?.(text ?? typed ?? '');
        return text;
      },
      showErrorMessage: (message: string) => {
        said.errors.push(message);
        return Promise.resolve(undefined);
      },
    },
  };
}

describe('writing without a page', () => {
  it('says why, without links, and sends over the same road', async () => {
    const it = await scene();
    const { conversation } = it.window;
    conversation.composition.setText('begun');
    const { prompts: native, said } = prompts('Write a message', 'written here');
    assert.equal(await writeNatively(conversation, '[x](command:evil)', native), 'written');
    assert.match(said.warnings[0] ?? '', /did not load within 10 seconds/);
    assert.ok(!said.warnings[0]?.includes(']('));
    assert.deepEqual(said.offered, ['begun']);
    await until(conversation.onDidChange, () => !conversation.isSending);
    assert.deepEqual(
      posts(it).map(({ body }) => body),
      [{ text: 'written here' }],
    );
  });

  it('keeps what was written when the box is closed, and sends nothing', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const closed = prompts('Write a message', undefined, 'half a thought');
    assert.equal(await writeNatively(conversation, 't', closed.prompts), undefined);
    assert.equal(conversation.composition.draft.text, 'half a thought');
    assert.equal(posts(it).length, 0);
  });

  it('tells why a message could not be sent and keeps it', async () => {
    const it = await scene(() => false);
    const { conversation } = it.window;
    const { prompts: native, said } = prompts('Write a message', 'for later');
    assert.equal(await writeNatively(conversation, 't', native), 'written');
    assert.match(said.errors[0] ?? '', /Sign in/);
    assert.equal(conversation.composition.draft.text, 'for later');
  });

  it('does nothing when told to try again, or nothing', async () => {
    const it = await scene();
    const { conversation } = it.window;
    assert.equal(await writeNatively(conversation, 't', prompts('Try again').prompts), 'reload');
    assert.equal(await writeNatively(conversation, 't', prompts(undefined).prompts), undefined);
    assert.equal(posts(it).length, 0);
  });
});
