import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { Row, Splice } from '../../../src/chat/protocol';
import {
  arrivedAs,
  inOrder,
  ownTexts,
  toStored,
  type KnownMessage,
} from '../../../src/chat/transcript/messages';
import { RowBuilder, RowFeed, type RowsInput } from '../../../src/chat/transcript/rows';
import { Transcript } from '../../../src/chat/transcript/transcript';
import { Formatter } from '../../../src/util/format';
import { afterwards, cleanUp, knownOf, message, sendRecord, storageIn, temporaryFolder } from './support';

afterEach(cleanUp);

const text = (words: string) => [{ type: 'text', text: words }];

describe('order of messages', () => {
  /** Whether one is reached from the other by going up: then the two are in a loop. */
  function isAbove(known: ReadonlyMap<string, KnownMessage>, id: string, from: string): boolean {
    const seen = new Set<string>();
    let next: string | undefined = from;
    while (next !== undefined && !seen.has(next)) {
      if (next === id) return true;
      seen.add(next);
      next = known.get(next)?.message?.parentId;
    }
    return next !== undefined;
  }

  it('holds for any links among messages: each once, parents first unless they loop', () => {
    const link = fc.record({ at: fc.integer({ min: 0, max: 5 }), parent: fc.option(fc.nat(30)) });
    fc.assert(
      fc.property(fc.array(link, { maxLength: 30 }), links => {
        const messages = links.map(({ at: createdAt, parent }, index) =>
          message(`m${index}`, { createdAt, ...(parent === null ? {} : { parentId: `m${parent}` }) }),
        );
        const known = knownOf(...messages);
        const ordered = inOrder(known).map(({ id }) => id);
        assert.deepEqual([...ordered].sort(), [...known.keys()].sort());
        for (const { id, parentId = '' } of messages)
          if (known.has(parentId) && !isAbove(known, id, parentId))
            assert.ok(ordered.indexOf(parentId) < ordered.indexOf(id), `${parentId} before ${id}`);
      }),
    );
  });
});

describe('the message that a send without an answer became', () => {
  const send = sendRecord({ before: { messageCount: 3, updatedAt: 500 } });
  const user = (id: string, words: string, createdAt: number): KnownMessage => ({
    id,
    message: message(id, { role: 'user', createdAt, content: text(words) }),
  });

  it('is known by its text, after the state known before it, and is no reply and of no other send', () => {
    const reply = { id: 'r', message: message('r', { createdAt: 600, content: text('Hello') }) };
    const other = { ...user('o', 'Hello', 600), sent: { at: 1, text: 'Hello', attachments: [] } };
    const others = [user('x', 'Hello!', 600), reply, other, user('old', 'Hello', 400)];
    assert.equal(arrivedAs(send, others), undefined);
    assert.equal(arrivedAs(send, [...others, user('new', 'Hello', 600)]), 'new');
  });
});

describe('what the person sent before', () => {
  it('is called up with the latest first, each text once', () => {
    const said = ['one', 'two', 'one', ' '].map((words, createdAt) =>
      message(`m${createdAt}`, {
        role: createdAt === 1 ? 'assistant' : 'user',
        createdAt,
        content: text(words),
      }),
    );
    const sent = { at: 9, text: 'three', attachments: [] };
    assert.deepEqual(ownTexts(knownOf(...said).set('s', { id: 's', sent })), ['three', 'one']);
  });
});

describe('what is kept of a message', () => {
  const foreign = {
    ...{ id: 'other', role: 'assistant', createdAt: 1, updatedAt: 2 },
    providerAEncryptedContent: 'SECRET-1',
    providerBThoughtSignature: 'SECRET-2',
    providerAReasoningSummary: 'plain',
    content: [
      { type: 'thinking', thinking: 'plain', signature: 'SECRET-3' },
      { type: 'redacted_thinking', data: 'SECRET-4' },
      { type: 'new', nested: [{ encrypted_content: 'SECRET-5', kept: 1 }] },
    ],
  };

  it('is no encrypted field and no signature', () => {
    assert.deepEqual(toStored('id', foreign).content, [
      { type: 'thinking', thinking: 'plain' },
      { type: 'redacted_thinking' },
      { type: 'new', nested: [{ kept: 1 }] },
    ]);
    assert.doesNotMatch(JSON.stringify(toStored('id', foreign)), /SECRET/);
  });

  it('is no content of hidden messages', () => {
    const hidden = toStored('id', { ...foreign, visibility: 'llm_only', parentId: 'p' });
    const { content, providerAReasoningSummary, parentId } = hidden;
    assert.deepEqual([content, providerAReasoningSummary, parentId], [[], undefined, 'p']);
  });

  it('is the newer body, and what was sent, whatever comes first, after everything known', async () => {
    const transcript = new Transcript(storageIn(temporaryFolder()), 'service1', 'session');
    await transcript.load();
    await transcript.keep([message('m', { updatedAt: 2, createdAt: 9_000, content: text('new') })]);
    const sent = { at: 5, text: 'hello', attachments: [{ name: 'a.ts', kind: 'text' as const, size: 3 }] };
    await transcript.keepSent('m', sent);
    await transcript.keep([message('m', { updatedAt: 1, content: text('old') })]);
    const known = transcript.known.get('m');
    assert.deepEqual([known?.message?.content, known?.sent?.text], [text('new'), 'hello']);
    await transcript.keepSent('s', sent);
    assert.equal(transcript.known.get('s')?.sent?.at, 9_001);
  });
});

const inputOf = (known: ReadonlyMap<string, KnownMessage>): RowsInput => ({
  ...{ known, sends: [], messageCount: undefined },
});

/** So many messages; their links alone tell their order. */
const many = (count: number): RowsInput => {
  const messages = Array.from({ length: count }, (_, index) => {
    const parent = index === 0 ? {} : { parentId: `m${index - 1}` };
    return message(`m${index}`, { createdAt: 1_000_000_000_000 - index * 60_000, ...parent });
  });
  return inputOf(knownOf(...messages));
};

/** A page and what it holds after the splices it was sent. */
function paged() {
  const splices: Splice[] = [];
  let rows: readonly Row[] = [];
  const feed = new RowFeed(splice => {
    splices.push(splice);
    rows = rows.toSpliced(splice.from, splice.remove, ...splice.rows);
  }, new Formatter('en'));
  afterwards(() => feed.dispose());
  const filled = async (): Promise<readonly Row[]> => {
    while (splices.at(-1)?.total !== rows.length) await setImmediate();
    return rows;
  };
  return { feed, splices, filled, rows: () => rows, rebuilt: () => (rows = []) };
}

const keys = (rows: readonly Row[] = []): string[] => rows.map(({ key }) => key);
const built = (input: RowsInput): string[] => keys(new RowBuilder(new Formatter('en')).build(input));

describe('the rows a page is sent', () => {
  it('are all of them when it is built anew', async () => {
    const { feed, splices, filled, rebuilt } = paged();
    feed.show(many(1));
    feed.pause();
    rebuilt();
    feed.show(many(2));
    assert.deepEqual(keys(await filled()), built(many(2)));
    assert.equal(splices.length, 2);
  });

  it('are only those that changed, and end up as the panel has them', async () => {
    const pool = [...many(12).known];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.subarray(pool), { maxLength: 12 }), async changes => {
        const { feed, filled, splices } = paged();
        for (const change of changes) {
          const input = inputOf(new Map(change));
          feed.show(input);
          assert.deepEqual(keys(await filled()), built(input));
          const { length } = splices;
          feed.show(input);
          assert.equal(splices.length, length);
        }
      }),
    );
    const { feed, splices } = paged();
    feed.show(inputOf(new Map(pool.slice(0, 2))));
    feed.show(inputOf(new Map(pool.slice(0, 3))));
    const { from, remove, total, rows } = splices.at(-1) ?? {};
    assert.deepEqual([from, remove, total, keys(rows)], [2, 0, 3, ['message:m2']]);
  });

  it('begin with the end of a long transcript, and the rest follows', async () => {
    const input = many(5000);
    const { feed, splices, rows, filled } = paged();
    feed.show(input);
    assert.equal(keys(rows()).at(-1), 'message:m4999');
    assert.ok(rows().length <= 250);
    assert.ok(splices[0]!.total >= 5000, 'the page waits for the rest');
    assert.deepEqual(keys(await filled()), built(input));
  });

  it('begin with less where that is long', async () => {
    const { known } = many(100);
    const content = text('word '.repeat(40_000));
    const long = [...known.values()].map(({ message: body }) => ({ ...body!, content }));
    const { feed, rows, filled } = paged();
    feed.show(inputOf(knownOf(...long)));
    assert.ok(rows().length > 1 && rows().length <= 20, `${rows().length} rows`);
    assert.deepEqual(keys(await filled()), built(inputOf(known)));
  });

  it('are never taken away again when a transcript grows long while it is shown', () => {
    const { feed, splices, rows } = paged();
    const { known } = many(1200);
    feed.show(inputOf(new Map([...known].slice(0, 100))));
    feed.show(inputOf(known));
    assert.ok(splices.every(({ remove }) => remove === 0));
    assert.ok(rows().length >= 1200);
  });
});
