import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { safeLink } from '../../../src/chat/panel/panelHandlers';
import { acts } from '../../fakes/vscode';
import { panelOf } from './panelScene';
import { scene, sendAndRead } from './scene';
import { afterwards, cleanUp, temporaryFolder, until, writeFile } from './support';

afterEach(cleanUp);

/** What the page may say on a person's word: it does what it says. */
function isAct({ name, params }: { readonly name: string; readonly params: unknown }): boolean {
  if (name === 'openLink') return safeLink((params as { readonly href: string }).href) !== undefined;
  if (name !== 'send') return false;
  const { text, sendId } = params as { readonly text: string; readonly sendId: string };
  return text.trim() !== '' && /^[\w-]{8,64}$/.test(sendId);
}

/** Names of nothing, of everything, and of places a page has no business in. */
const NAMES =
  '__proto__ constructor toString ../../etc/passwd:1 file:///etc/passwd /etc/passwd:1 command:workbench.action.quit javascript:alert(1) vscode://a/b data:text/html,x';
const word = fc.oneof(fc.string(), fc.constantFrom(...NAMES.split(' '), '', 'a'.repeat(20_000)));
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(-1, 0, 1, Infinity, NaN, 2 ** 60));
const about = (list: readonly string[], shape: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ name: fc.constantFrom(...list), params: fc.record(shape) });
/** In the right shape, about what is not there. */
const nothingThere = fc.oneof(
  about(['send'], { text: word, seen: number, sendId: word }),
  about(['sendAgain', 'discard', 'takeBack'], { id: word }),
  about(['detach', 'openAttachment'], { key: word }),
  about(['picture'], {
    key: fc.oneof(
      word,
      fc.tuple(word, fc.nat(100)).map(each => each.join('\n')),
    ),
  }),
  about(['openPath'], { path: word }),
  about(['openLink'], { href: word }),
  about(['kept'], { opened: fc.array(word), scroll: fc.record({ key: word, offset: number }) }),
);
const named = fc
  .record({ id: fc.option(fc.nat()), rest: nothingThere })
  .map(({ id, rest }) => (id === null ? rest : { id, ...rest }));

describe('a page that says 10,000 things of what is not there', () => {
  it('makes the panel of a real session throw nothing, run nothing, ask nothing and lose nothing', async function () {
    const it = await scene();
    const { conversation } = it.window;
    await sendAndRead(it.window, 'A question');
    it.service.fail({ kind: 'reset', match: { method: 'POST' }, times: 1 });
    await sendAndRead(it.window, 'Did it arrive?');
    it.service.busy();
    await conversation.refresh();
    await conversation.submit('Later', 'an-id-of-a-send');
    await conversation.composition.attach([writeFile(temporaryFolder(), 'a.ts', 'a')]);
    conversation.composition.setText('Half a thought');
    await conversation.flush();
    await conversation.readOn();

    const { said, posted, heard, log } = panelOf(it);
    const thrown: unknown[] = [];
    const rejected = (error: unknown): void => void thrown.push(error);
    process.on('unhandledRejection', rejected);
    afterwards(() => process.off('unhandledRejection', rejected));
    const held = () => ({
      draft: conversation.composition.draft,
      sends: conversation.sends,
      queued: conversation.queued,
      known: [...conversation.transcript.known.values()],
      asked: it.service.requests.length,
    });
    const before = structuredClone(held());
    assert.deepEqual([before.sends.length, before.queued.length, before.draft.attachments.length], [1, 1, 1]);
    acts.length = 0;

    said.fire({ name: 'ready', params: {} });
    const asked: number[] = [];
    fc.assert(
      fc.property(named, message => {
        const sent = isAct(message)
          ? { ...message, params: { ...(message.params as object), extra: 1 } }
          : message;
        if ('id' in sent) asked.push(sent.id as number);
        said.fire(sent);
      }),
      { numRuns: 10_000 },
    );
    const answers = () => posted.filter(({ kind }) => kind === 'answer' || kind === 'refusal');
    await until(heard, () => answers().length >= asked.length);
    await conversation.flush();

    assert.deepEqual(
      answers()
        .map(({ id }) => id)
        .sort(),
      asked.sort(),
    );
    assert.deepEqual(thrown, []);
    assert.deepEqual(acts, []);
    assert.deepEqual(held(), before);
    assert.ok(log.lines.length < 100, 'the log is not flooded');
  });
});
