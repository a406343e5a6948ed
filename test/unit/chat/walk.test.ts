import assert from 'node:assert/strict';
import type { StoredMessage } from '../../../src/chat/transcript/messages';
import { walk, type WalkEnd } from '../../../src/chat/transcript/walk';
import { message } from './support';

const chain = (length: number): Map<string, StoredMessage> =>
  new Map(
    Array.from({ length }, (_, index) => [
      `m${index}`,
      message(`m${index}`, index === 0 ? {} : { parentId: `m${index - 1}` }),
    ]),
  );

async function run(
  service: ReadonlyMap<string, StoredMessage>,
  from: string,
  options: { readonly known?: readonly string[]; readonly cap?: number } = {},
): Promise<{ readonly end: WalkEnd; readonly kept: string[]; readonly asked: string[] }> {
  const kept: string[] = [];
  const asked: string[] = [];
  const end = await walk(from, {
    isKnown: id => options.known?.includes(id) ?? false,
    get: id => {
      asked.push(id);
      const found = service.get(id);
      return found === undefined ? Promise.reject(new Error(`no ${id}`)) : Promise.resolve(found);
    },
    keep: messages => {
      kept.push(...messages.map(found => found.id));
      return Promise.resolve();
    },
    cap: options.cap ?? 100,
    signal: new AbortController().signal,
  });
  return { end, kept, asked };
}

describe('the ancestor walk', () => {
  it('reads up to the first message', async () => {
    const { end, kept } = await run(chain(25), 'm24');
    assert.equal(end.kind, 'complete');
    assert.deepEqual(
      kept,
      Array.from({ length: 25 }, (_, index) => `m${24 - index}`),
    );
  });

  it('stops at a message it knows and asks nothing beyond', async () => {
    const { end, asked } = await run(chain(6), 'm5', { known: ['m2'] });
    assert.equal(end.kind, 'complete');
    assert.deepEqual(asked, ['m5', 'm4', 'm3']);
  });

  it('reads the message it starts from even when its id is known', async () => {
    const { asked } = await run(chain(3), 'm2', { known: ['m2', 'm1'] });
    assert.deepEqual(asked, ['m2']);
  });

  it('keeps what it read when a question fails, and says where', async () => {
    const service = chain(6);
    service.delete('m2');
    const { end, kept } = await run(service, 'm5');
    assert.ok(end.kind === 'failed' && end.at === 'm2');
    assert.deepEqual(kept, ['m5', 'm4', 'm3']);
  });

  it('ends in a loop', async () => {
    const service = chain(4);
    service.set('m1', message('m1', { parentId: 'm3' }));
    const { end, asked } = await run(service, 'm3');
    assert.ok(end.kind === 'loop' && end.at === 'm3');
    assert.equal(asked.length, 3);
  });

  it('stops at its cap and says where to go on', async () => {
    const { end, kept } = await run(chain(50), 'm49', { cap: 12 });
    assert.ok(end.kind === 'capped' && end.next === 'm37');
    assert.equal(kept.length, 12);
  });
});
