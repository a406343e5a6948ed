import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { arrivedAs, inOrder, toStored, type KnownMessage } from '../../../src/chat/transcript/messages';
import { knownOf, message, sendRecord } from './support';

const ids = (messages: readonly KnownMessage[]): string[] => messages.map(entry => entry.id);

describe('order of messages', () => {
  it('holds for any links among messages: each once, parents first unless they loop', () => {
    const anyMessages = fc.array(
      fc.record({ at: fc.integer({ min: 0, max: 5 }), parent: fc.option(fc.nat(30)) }),
      {
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(anyMessages, facts => {
        const known = knownOf(
          ...facts.map(({ at, parent }, index) =>
            message(`m${index}`, { createdAt: at, ...(parent === null ? {} : { parentId: `m${parent}` }) }),
          ),
        );
        const ordered = ids(inOrder(known));
        assert.deepEqual([...ordered].sort(), [...known.keys()].sort());
        for (const [id, { message: body }] of known) {
          const parentId = body?.parentId;
          if (parentId === undefined || !known.has(parentId) || isAncestor(known, id, parentId)) continue;
          assert.ok(ordered.indexOf(parentId) < ordered.indexOf(id), `${parentId} before ${id}`);
        }
      }),
    );
  });
});

/** Whether `of` is reached from `id` by going up: then the two are in a loop when `id` is also below. */
function isAncestor(known: ReadonlyMap<string, KnownMessage>, id: string, parentId: string): boolean {
  const seen = new Set<string>();
  let next: string | undefined = parentId;
  while (next !== undefined && !seen.has(next)) {
    if (next === id) return true;
    seen.add(next);
    next = known.get(next)?.message?.parentId;
  }
  return next !== undefined;
}

describe('a send without an answer', () => {
  const before = { messageCount: 3, updatedAt: 500 };
  const user = (id: string, text: string, createdAt: number): KnownMessage => ({
    id,
    message: message(id, { role: 'user', createdAt, content: [{ type: 'text', text }] }),
  });

  it('is recognised by its text, after the state known before it', () => {
    assert.equal(
      arrivedAs(sendRecord({ before }), [user('old', 'Hello', 400), user('new', 'Hello', 600)]),
      'new',
    );
  });

  it('is not taken for another message, a reply or another send', () => {
    const reply: KnownMessage = {
      id: 'r',
      message: message('r', { createdAt: 600, content: [{ type: 'text', text: 'Hello' }] }),
    };
    const other = { ...user('o', 'Hello', 600), sent: { at: 1, text: 'Hello', attachments: [] } };
    assert.equal(arrivedAs(sendRecord({ before }), [user('x', 'Hello!', 600), reply, other]), undefined);
  });
});

describe('what is kept of a message', () => {
  const foreign = {
    id: 'other',
    role: 'assistant',
    createdAt: 1,
    updatedAt: 2,
    providerAEncryptedContent: 'SECRET-1',
    providerBThoughtSignature: 'SECRET-2',
    providerAReasoningSummary: 'plain',
    content: [
      { type: 'thinking', thinking: 'plain', signature: 'SECRET-3' },
      { type: 'redacted_thinking', data: 'SECRET-4' },
      { type: 'new', nested: [{ encrypted_content: 'SECRET-5', kept: 1 }] },
    ],
  };

  it('holds no encrypted field and no signature', () => {
    assert.deepEqual(toStored('id', foreign).content, [
      { type: 'thinking', thinking: 'plain' },
      { type: 'redacted_thinking' },
      { type: 'new', nested: [{ kept: 1 }] },
    ]);
    assert.doesNotMatch(JSON.stringify(toStored('id', foreign)), /SECRET/);
  });

  it('holds no content of hidden messages', () => {
    const { content, providerAReasoningSummary, parentId } = toStored('id', {
      ...foreign,
      visibility: 'llm_only',
      parentId: 'p',
    });
    assert.deepEqual([content, providerAReasoningSummary, parentId], [[], undefined, 'p']);
  });
});
