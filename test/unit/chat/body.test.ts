import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { messageBody, type BodyPart, type BodySource } from '../../../src/chat/attach/body';

/** Section 4.7, made the plain way. */
function expected({ text, computerId, parts }: BodySource): string {
  const encoded = ({ kind, mediaType, bytes, name, path }: BodyPart) => ({
    ...{ type: 'base64', mediaType, data: Buffer.from(bytes).toString('base64') },
    ...(kind === 'text' ? { parsedData: new TextDecoder().decode(bytes) } : {}),
    ...(kind === 'image' ? {} : { name, path }),
  });
  const images = parts.filter(({ kind }) => kind === 'image').map(encoded);
  const files = parts.filter(({ kind }) => kind !== 'image').map(encoded);
  return JSON.stringify({
    text,
    ...(images.length > 0 ? { images } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(computerId === undefined ? {} : { computerId }),
  });
}

const built = async (source: BodySource): Promise<string> => new Response(await messageBody(source)).text();

describe('the body of a message', () => {
  it('is what JSON.stringify makes of the same, byte for byte', async () => {
    const words = fc.string({ unit: 'binary' });
    const part = fc.record({
      kind: fc.constantFrom('image' as const, 'pdf' as const, 'text' as const),
      mediaType: fc.constantFrom('image/png', 'application/pdf', 'text/plain'),
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 50 }),
        words.map(text => new TextEncoder().encode(text)),
      ),
      name: words,
      path: words,
    });
    const source = fc.record({
      text: words,
      computerId: fc.option(words, { nil: undefined }),
      parts: fc.array(part, { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(source, async made => assert.equal(await built(made), expected(made))),
      { numRuns: 1000 },
    );
  });

  it('is the same when large, also where pieces meet, while others have their turn', async () => {
    const bytes = new Uint8Array(3_000_000).fill(65).subarray(10, 2_500_010);
    const text = Buffer.from(`\ufeffbegins with a mark ${'aé世👋"\\\n'.repeat(150_000)}`);
    const source: BodySource = {
      text: 'ü',
      computerId: 'c1',
      parts: [
        { kind: 'pdf', mediaType: 'application/pdf', bytes, name: 'a.pdf', path: 'a.pdf' },
        { kind: 'text', mediaType: 'text/plain', bytes: text, name: 'a.txt', path: 'src/a.txt' },
      ],
    };
    let turns = 0;
    const counting = setInterval(() => turns++);
    const body = await messageBody(source);
    clearInterval(counting);
    assert.ok(turns > 3, `${turns} turns of others`);
    assert.ok((await new Response(body).text()) === expected(source));
  });
});
