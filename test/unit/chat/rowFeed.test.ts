import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { Row, Splice } from '../../../src/chat/protocol';
import { RowFeed } from '../../../src/chat/transcript/rowFeed';

const row = (key: string): Row => ({ kind: 'date', key, at: 0 });

/** What a page holds after the splices it was sent. */
class Page {
  rows: readonly Row[] = [];
  readonly splices: Splice[] = [];
  readonly receive = (splice: Splice): void => {
    this.splices.push(splice);
    this.rows = [
      ...this.rows.slice(0, splice.from),
      ...splice.rows,
      ...this.rows.slice(splice.from + splice.remove),
    ];
  };
}

async function filled(page: Page, rows: readonly Row[]): Promise<void> {
  for (let turn = 0; turn < 100 && page.rows.length < rows.length; turn++) await setImmediate();
}

describe('the rows a page is sent', () => {
  it('come with the end first, then the rest before it', async () => {
    const page = new Page();
    const feed = new RowFeed(page.receive);
    const rows = Array.from({ length: 3500 }, (_, index) => row(`r${index}`));
    feed.update(rows);
    feed.restart();
    assert.equal(page.splices.length, 1);
    assert.equal(page.rows.at(-1), rows.at(-1));
    assert.ok(page.rows.length <= 100);
    await filled(page, rows);
    assert.deepEqual(page.rows, rows);
  });

  it('are none before the page listens or while it is hidden, and all when it is back', async () => {
    const page = new Page();
    const feed = new RowFeed(page.receive);
    feed.update([row('a')]);
    assert.equal(page.splices.length, 0);
    feed.restart();
    feed.pause();
    feed.update([row('a'), row('b')]);
    assert.equal(page.splices.length, 1);
    page.rows = [];
    feed.restart();
    await filled(page, [row('a'), row('b')]);
    assert.deepEqual(
      page.rows.map(({ key }) => key),
      ['a', 'b'],
    );
  });

  it('are only those that changed', () => {
    const page = new Page();
    const feed = new RowFeed(page.receive);
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(row) as [Row, Row, Row, Row];
    feed.update([a, b, d]);
    feed.restart();
    feed.update([a, b, c, d]);
    assert.deepEqual(page.splices.at(-1), { from: 2, remove: 0, rows: [c], total: 4 });
    feed.update([a, b, c, d]);
    assert.equal(page.splices.length, 2);
  });

  it('always end up as the panel has them', async () => {
    const pool = Array.from({ length: 12 }, (_, index) => row(`p${index}`));
    const lists = fc.array(fc.subarray(pool), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(lists, async changes => {
        const page = new Page();
        const feed = new RowFeed(page.receive);
        feed.restart();
        for (const rows of changes) {
          feed.update(rows);
          await filled(page, rows);
          assert.deepEqual(page.rows, rows);
        }
      }),
    );
  });
});
