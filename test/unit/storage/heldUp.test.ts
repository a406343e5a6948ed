import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import type { Collection } from '../../../src/storage';
import { cleanUp, entries, filesBelow, notes, openWindow, temporaryFolder, type Note } from './support';

/** A writer that is held up at the worst moments while another window goes on writing the same record. */
describe('storage with a writer that is held up', function () {
  afterEach(cleanUp);

  const add = (collection: Collection<Note>) =>
    collection.update('n', current => ({ text: 'count', count: (current?.count ?? 0) + 1 }));

  for (const others of [1, 2, 3, 40]) {
    for (const start of [0, 1, 5]) {
      it(`loses nothing when ${others} writes pass it by before it writes (from ${start})`, async () => {
        const { root, held, steady } = await setUp(start, others, 'before');
        await add(held);
        await expectCount(root, start + others + 1, steady);
      });

      it(`counts once when ${others} writes follow before it has looked (from ${start})`, async () => {
        const { root, held, steady } = await setUp(start, others, 'after');
        await add(held);
        await expectCount(root, start + others + 1, steady);
      });
    }
  }

  it('keeps a removal that happened meanwhile', async () => {
    const root = temporaryFolder();
    const steady = openWindow(root).collection(notes);
    await add(steady);
    const held = interruptedWindow(root, 'before', async () => {
      await add(steady);
      await steady.remove('n');
    });
    await held.load();
    assert.deepEqual(await held.update('n', current => current && { text: 'changed' }), undefined);
    assert.equal(held.get('n'), undefined);
    assert.equal(await steady.update('n', current => current), undefined);
  });

  async function setUp(start: number, others: number, when: 'before' | 'after') {
    const root = temporaryFolder();
    const steady = openWindow(root).collection(notes);
    for (let n = 0; n < start; n++) await add(steady);
    const held = interruptedWindow(root, when, async () => {
      for (let n = 0; n < others; n++) await add(steady);
    });
    await held.load();
    return { root, held, steady };
  }

  function interruptedWindow(root: string, when: 'before' | 'after', meanwhile: () => Promise<void>) {
    let interrupted = false;
    const once = async (): Promise<void> => {
      if (interrupted) return;
      interrupted = true;
      await meanwhile();
    };
    return openWindow(root, {
      system: {
        platform: process.platform,
        link: async (from, to) => {
          if (when === 'before') await once();
          await fs.promises.link(from, to);
          if (when === 'after') await once();
        },
        unlink: fs.promises.unlink,
      },
    }).collection(notes);
  }

  async function expectCount(root: string, count: number, steady: Collection<Note>): Promise<void> {
    const fresh = openWindow(root).collection(notes);
    await fresh.load();
    assert.deepEqual(entries(fresh), { n: { text: 'count', count } });
    assert.equal(filesBelow(root).length, 1);
    await add(steady);
    assert.equal((await fresh.update('n', current => current))?.count, count + 1);
  }
});
