import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { Row, Splice } from '../../../src/chat/protocol';
import type { KnownMessage } from '../../../src/chat/transcript/messages';
import { RowBuilder, RowFeed, type RowsInput } from '../../../src/chat/transcript/rows';
import { Formatter } from '../../../src/util/format';
import { afterwards, cleanUp, knownOf, message } from './support';

afterEach(cleanUp);

const inputOf = (known: ReadonlyMap<string, KnownMessage>): RowsInput => ({
  known,
  sends: [],
  messageCount: undefined,
});

const many = (count: number): RowsInput =>
  inputOf(
    knownOf(
      ...Array.from({ length: count }, (_, index) =>
        message(`m${index}`, {
          // Their links alone tell their order.
          createdAt: 1_000_000_000_000 - index * 60_000,
          ...(index === 0 ? {} : { parentId: `m${index - 1}` }),
        }),
      ),
    ),
  );

/** A page and what it holds after the splices it was sent. */
function paged() {
  const splices: Splice[] = [];
  let rows: readonly Row[] = [];
  const feed = new RowFeed(splice => {
    splices.push(splice);
    const { from, remove } = splice;
    rows = [...rows.slice(0, from), ...splice.rows, ...rows.slice(from + remove)];
  }, new Formatter('en'));
  afterwards(() => feed.dispose());
  const filled = async (): Promise<readonly Row[]> => {
    while (splices.at(-1)?.total !== rows.length) await setImmediate();
    return rows;
  };
  return { feed, splices, filled, rows: () => rows, rebuilt: () => (rows = []) };
}

const keys = (rows: readonly Row[]): string[] => rows.map(({ key }) => key);
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

  it('are only those that changed', () => {
    const { feed, splices } = paged();
    const { known } = many(3);
    feed.show(inputOf(new Map([...known].slice(0, 2))));
    feed.show(inputOf(known));
    assert.deepEqual(
      { ...splices.at(-1), rows: keys(splices.at(-1)?.rows ?? []) },
      {
        from: 2,
        remove: 0,
        rows: ['message:m2'],
        total: 3,
      },
    );
    feed.show(inputOf(known));
    assert.equal(splices.length, 2);
  });

  it('always end up as the panel has them', async () => {
    const pool = [...many(12).known];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.subarray(pool), { maxLength: 12 }), async changes => {
        const { feed, filled } = paged();
        for (const change of changes) {
          const input = inputOf(new Map(change));
          feed.show(input);
          assert.deepEqual(keys(await filled()), built(input));
        }
      }),
    );
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
    const content = [{ type: 'text', text: 'word '.repeat(40_000) }];
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
