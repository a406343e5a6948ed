import assert from 'node:assert/strict';
import { Blob } from 'node:buffer';
import fc from 'fast-check';
import { sentTexts } from '../../../src/api/errors';
import { withoutEcho } from '../../../src/util/text';

describe('what a service quotes of a message', () => {
  const text = 'Please pay the invoice\nof "Vale & Sons" by Friday.';
  const body = JSON.stringify({ text, files: [{ name: 'a.txt', parsedData: 'the secret plan', data: 'x' }] });

  it('is found in a body of any form and left out of what it says, and the rest stays', async () => {
    const sent = ['Please pay the invoice of "Vale & Sons" by Friday.', 'the secret plan'];
    for (const form of [body, new TextEncoder().encode(body), new Blob([body])])
      assert.deepEqual(await sentTexts(form), sent);
    assert.deepEqual(await sentTexts(JSON.stringify({ computerId: 'c', text: 'no' })), []);
    const other = 'files[0].mediaType: one of image/jpeg, image/png';
    for (const [said, left] of [
      ['text: "Please pay the invoice\nof "Vale & Sons"…" is too long', 'text: "……" is too long'],
      ['the secret plan cannot be read', '… cannot be read'],
      [other, other],
      ['The invoice is overdue.', 'The invoice is overdue.'],
    ] as const)
      assert.equal(withoutEcho(said, sent), left);
    const short = await sentTexts('{"text":"hello!"}');
    assert.equal(withoutEcho('hello! is not a task', short), '… is not a task');
  });

  it('leaves no run of it, wherever it is quoted and however it is cut', async () => {
    const words = fc
      .string({ minLength: 12, maxLength: 200, unit: 'grapheme' })
      .filter(each => each.trim().length > 11);
    await fc.assert(
      fc.asyncProperty(words, fc.string(), fc.string(), fc.nat(20), async (secret, before, after, from) => {
        const sent = await sentTexts(JSON.stringify({ text: secret }));
        const quoted = secret.slice(from).replace(/\s+/g, ' ').trim();
        const run = quoted.slice(0, 12);
        const left = withoutEcho(`${before} ${quoted} ${after}`, sent);
        assert.ok(quoted.length < 12 || !left.includes(run) || `${before} ${after}`.includes(run));
      }),
      { numRuns: 300 },
    );
  });

  it('is looked for in no more than the beginning of a large message', async () => {
    const sent = await sentTexts(JSON.stringify({ text: 'ab '.repeat(10_000_000) }));
    assert.ok((sent[0]?.length ?? 0) <= 64 * 1024);
    assert.equal(withoutEcho('ab '.repeat(300), sent), '…');
  });
});
