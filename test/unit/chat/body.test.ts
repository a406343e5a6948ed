import assert from 'node:assert/strict';
import { buildSync } from 'esbuild';
import * as fc from 'fast-check';
import * as path from 'node:path';
import { bodyBuilder, type BodyPart, type BodySource, type BuildBody } from '../../../src/chat/attach/body';
import { cleanUp, temporaryFolder } from './support';

afterEach(cleanUp);

/** Section 4.7, made the plain way. */
function expected({ text, computerId, parts }: BodySource): string {
  const data = (part: BodyPart): string => Buffer.from(part.bytes).toString('base64');
  const images = parts
    .filter(({ kind }) => kind === 'image')
    .map(part => ({ type: 'base64', mediaType: part.mediaType, data: data(part) }));
  const files = parts
    .filter(({ kind }) => kind !== 'image')
    .map(part => ({
      ...{ type: 'base64', mediaType: part.mediaType, data: data(part) },
      ...(part.kind === 'text' ? { parsedData: new TextDecoder().decode(part.bytes) } : {}),
      name: part.name,
      path: part.path,
    }));
  return JSON.stringify({
    text,
    ...(images.length > 0 ? { images } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(computerId === undefined ? {} : { computerId }),
  });
}

function workerBuilder(): BuildBody {
  const outfile = path.join(temporaryFolder(), 'bodyWorker.js');
  const entry = path.join(process.env['AGENT_CONSOLE_ROOT']!, 'src/chat/attach/bodyWorker.ts');
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs' });
  return bodyBuilder(outfile);
}

const builtHere = bodyBuilder('/nowhere/bodyWorker.js');
const text = (name: string, content: string): BodyPart => ({
  kind: 'text',
  mediaType: 'text/plain',
  bytes: new TextEncoder().encode(content),
  name,
  path: `src/${name}`,
});

describe('the body of a message', () => {
  it('is what JSON.stringify makes of the same, byte for byte', async () => {
    const words = fc.string({ unit: 'binary' });
    const part = fc.oneof(
      fc.record({ name: words, content: words }).map(({ name, content }) => text(name, content)),
      fc.record({
        kind: fc.constantFrom('image' as const, 'pdf' as const),
        mediaType: fc.constantFrom('image/png', 'application/pdf'),
        bytes: fc.uint8Array({ maxLength: 50 }),
        name: words,
        path: words,
      }),
    );
    const source = fc.record({
      text: words,
      computerId: fc.option(words, { nil: undefined }),
      parts: fc.array(part, { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(source, async made => assert.equal(await builtHere(made), expected(made))),
      { numRuns: 1000 },
    );
  });

  it('is the same when large, built by a thread of its own, also where pieces meet and from views into a shared buffer', async () => {
    const shared = new Uint8Array(3_000_000).fill(65);
    const view = shared.subarray(10, 2_500_010);
    const made = (): BodySource => ({
      text: 'ü',
      computerId: 'c1',
      parts: [
        { kind: 'pdf', mediaType: 'application/pdf', bytes: view, name: 'a.pdf', path: 'a.pdf' },
        { kind: 'text', mediaType: 'text/plain', bytes: Buffer.from('small'), name: 'b', path: 'b' },
        text('a.txt', `\ufeffbegins with a mark ${'aé世👋"\\\n'.repeat(150_000)}`),
      ],
    });
    const wanted = expected(made());
    const body = await workerBuilder()(made());
    assert.ok(body instanceof Blob);
    assert.ok((await body.text()) === wanted);
    assert.equal(shared.length, 3_000_000, 'what was shared is still there');
  });

  it('that cannot be built rejects', async () => {
    const large = { kind: 'pdf', mediaType: 'x', bytes: new Uint8Array(1e6), name: 'a', path: 'a' } as const;
    await assert.rejects(builtHere({ text: 'a', parts: [large] }));
  });
});
