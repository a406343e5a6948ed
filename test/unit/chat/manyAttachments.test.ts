import assert from 'node:assert/strict';
import type { Attachments, Inspected } from '../../../src/chat/attach/attachments';
import { Composition } from '../../../src/chat/outbox/composition';
import { scene } from './scene';
import { cleanUp } from './support';

afterEach(cleanUp);

describe('a drop of very many files', () => {
  async function composition() {
    const { window, sessionId } = await scene();
    const looks = { now: 0, most: 0, all: 0 };
    const inspect = async (uri: string): Promise<Inspected> => {
      looks.all++;
      looks.most = Math.max(looks.most, ++looks.now);
      await new Promise(resolve => setImmediate(resolve));
      looks.now--;
      return { ok: true, name: uri, size: 1, kind: 'text', mediaType: 'text/plain' };
    };
    const made = new Composition(window.outboxes.of(sessionId), {
      inspect,
    } as unknown as Attachments);
    return { made, looks };
  }
  const files = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, index) => `file:///${String(from + index)}.txt`);

  it('is looked at a few at a time, each file once', async () => {
    const { made, looks } = await composition();
    await made.attach([...files(0, 400), ...files(0, 400)]);
    assert.equal(looks.all, 400);
    assert.ok(looks.most <= 16, `${String(looks.most)} files were open together`);
    assert.deepEqual(
      made.attached.map(({ uri }) => uri),
      files(0, 400),
    );
    assert.ok(made.attached.every(({ inspected }) => inspected?.ok === true));
    made.dispose();
  });

  it('is cut to what one message takes, and says so', async () => {
    const { made, looks } = await composition();
    await made.attach(files(0, 300));
    await assert.rejects(made.attach(files(200, 5_000)), /takes up to 500 attachments here/);
    assert.deepEqual(made.draft.attachments, files(0, 500));
    await assert.rejects(made.attach(files(600, 601)), /The others were left out/);
    await made.attach(files(0, 1));
    assert.ok(looks.all < 1_000);
    assert.equal(made.references.length, 500);
    made.dispose();
  });

  it('looks no further at what was removed meanwhile', async () => {
    const { made, looks } = await composition();
    const attached = made.attach(files(0, 100));
    for (const uri of files(50, 100)) made.detach(uri);
    await attached;
    assert.ok(looks.all <= 50);
    assert.deepEqual(made.draft.attachments, files(0, 50));
    made.dispose();
  });
});
