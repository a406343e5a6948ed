import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { messageRow, openChatPage } from './page';
import { untilTrue } from './waiting';

const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => messageRow(from + index));

/** The first message that begins in view: its number, and how far below the edge it is, px. */
const FIRST_SEEN = `(() => {
  const edge = document.querySelector('.log').getBoundingClientRect().top;
  const seen = [...document.querySelectorAll('article')].find(each => each.getBoundingClientRect().top >= edge);
  return { number: /Number (\\d+)/.exec(seen.textContent)[1], below: Math.round(seen.getBoundingClientRect().top - edge) };
})()`;

type Seen = Readonly<{ number: string; below: number }>;

/** What is read stays where it is, whatever arrives around it. */
describe('the position in a transcript', () => {
  let page: Page;

  const frames = (count: number): Promise<unknown> =>
    page.evaluate(`(async () => { for (let frame = 0; frame < ${count}; frame++) await drawn(); })()`);
  const told = (from: number, remove: number, added: readonly object[], isWhole = true): string =>
    `tell('splice', ${JSON.stringify({ from, remove, rows: added, isWhole })})`;
  const splice = async (...change: Parameters<typeof told>): Promise<void> => {
    await page.evaluate(told(...change));
    await frames(4);
  };
  const find = (wanted: object = {}): Promise<unknown> =>
    page.evaluate(`tell('find', ${JSON.stringify(wanted)})`);
  const field = () => page.getByRole('textbox', { name: 'Find in this session' });
  const seen = (): Promise<Seen> => page.evaluate<Seen>(FIRST_SEEN);
  /** Goes up to a part of the whole, when the list has come to rest at its end. */
  const scrollTo = async (part: number): Promise<void> => {
    await page.evaluate(`(async () => {
      const log = document.querySelector('.log');
      for (let before = -1; before !== log.scrollTop; ) {
        before = log.scrollTop;
        for (let frame = 0; frame < 15; frame++) await drawn();
      }
      log.dispatchEvent(new WheelEvent('wheel'));
      log.scrollTop = log.scrollHeight * ${part};
      for (let frame = 0; frame < 15; frame++) await drawn();
    })()`);
  };
  const isAt = async (before: Seen): Promise<void> => {
    const after = await seen();
    assert.equal(after.number, before.number);
    assert.ok(Math.abs(after.below - before.below) <= 2, `${after.below} px below, ${before.below} before`);
  };
  const toLatest = (): Promise<string> => page.locator('.to-latest').innerText();
  /** Waits until what find has found is seen in the message of this number. */
  const isMarked = (number: number) =>
    untilTrue(
      page,
      `[...(CSS.highlights.get('find') ?? [])].some(range => {
        const { top, bottom } = range.getBoundingClientRect();
        const log = document.querySelector('.log').getBoundingClientRect();
        return range.toString() === 'Please look'
          && range.startContainer.parentElement?.closest('.row')?.textContent.includes('Number ${number}.')
          && top >= log.top && bottom <= log.bottom;
      })`,
    );

  beforeEach(async () => {
    page = await openChatPage();
    await splice(0, 0, rows(100, 200));
  });
  afterEach(() => page.close());

  it('begins at the end and follows it; is the beginning when that is replaced', async () => {
    await page.getByText('Number 199.').waitFor();
    assert.equal(await page.locator('.to-latest').count(), 0);
    await splice(100, 0, rows(200, 203));
    await page.getByText('Number 202.').waitFor();
    assert.equal(await page.locator('.to-latest').count(), 0);
    // More went at its beginning than is left there.
    await scrollTo(0);
    await splice(0, 20, rows(96, 97));
    for (const number of [96, 120, 121]) await page.getByText(`Number ${number}.`).waitFor();
  });

  it('is the end as long as the reader does not leave it, however slow the machine is', async () => {
    // Between any two things the page does, it does nothing for longer than a person's movement is thought to last.
    await page.evaluate(`window.busy = true;
      (function wait() {
        for (const began = performance.now(); performance.now() - began < 450; );
        if (busy) setTimeout(wait);
      })()`);
    // What the agent is doing gives way to its answer, which may be lower.
    for (let count = 100; count < 106; count += 2) {
      await page.evaluate(told(count, 0, rows(count + 100, count + 104)));
      await page.evaluate('drawn()');
      await page.evaluate(told(count, 4, rows(count + 200, count + 202)));
      await page.evaluate('drawn()');
    }
    await page.evaluate('busy = false');
    await page.getByText('Number 305.').waitFor();
    await frames(4);
    assert.equal(await page.locator('.to-latest').count(), 0);
  });

  it('is kept when earlier messages are put before, later ones come, or both at once, and when the page gets smaller', async () => {
    await scrollTo(0.5);
    const before = await seen();
    await splice(0, 0, rows(50, 100));
    await isAt(before);
    await splice(150, 0, rows(200, 202));
    await isAt(before);
    assert.match(await toLatest(), /^2 new/);
    await splice(0, 152, rows(40, 205));
    await isAt(before);
    assert.match(await toLatest(), /^5 new/);
    await splice(2, 3, [{ kind: 'gap', key: 'gap', sentence: 'Something else' }]);
    await isAt(before);
    await page.setViewportSize({ width: 880, height: 500 });
    await frames(4);
    await isAt(before);
  });

  for (const height of ['0', '150px', '30000px'])
    it(`is restored in a page that is ${height} high when its rows come, the end of them first`, async () => {
      await page.close();
      page = await openChatPage(undefined, { scroll: { key: 'message:110', offset: 60 } });
      await page.evaluate(`document.body.style.height = '${height}'`);
      await splice(0, 0, rows(150, 200), false);
      await splice(0, 0, rows(100, 150));
      await page.evaluate(`document.body.style.height = '100%'`);
      await page.getByText('Number 111.').waitFor();
      await frames(30);
      const place = await page.evaluate<number>(
        `[...document.querySelectorAll('.row')].find(row => row.textContent.includes('Number 110.')).getBoundingClientRect().top
          - document.querySelector('.log').getBoundingClientRect().top`,
      );
      assert.ok(Math.abs(place + 60) <= 2, `${String(place)} px below the edge`);
      assert.match(await toLatest(), /^Go to latest/);
    });

  it('of find is the message it was opened for, also where that comes in later', async () => {
    await find({ words: 'Please look', key: 'message:140' });
    await page.getByText('11 of 25').waitFor();
    await isMarked(140);
    // The same words in a message that is not there yet.
    await find({ words: 'Please look', key: 'message:60' });
    await splice(0, 0, rows(47, 100));
    await page.getByText('4 of 38').waitFor();
    await isMarked(60);
    // From then on the reader goes where they want.
    await page.getByRole('button', { name: 'Next match' }).click();
    await page.getByText('5 of 38').waitFor();
    await isMarked(64);
    await find();
    await page.getByText('5 of 38').waitFor();
    assert.equal(await field().inputValue(), 'Please look');
    await find({ words: 'in the name of an attachment', key: 'message:120' });
    await page.getByText('Number 120.').waitFor();
  });

  it('of find is the one that was asked for, also where earlier messages come in right before or while it is gone to', async () => {
    await find();
    await field().fill('Please look');
    await page.getByText('25 of 25').waitFor();
    for (const [key, told] of [
      ['Enter', '1 of 25'],
      ['Shift+Enter', '25 of 25'],
    ] as const) {
      await field().press(key);
      await page.getByText(told, { exact: true }).waitFor();
    }
    await page.getByText('Number 196.').waitFor();
    await frames(30);
    const press = `document.querySelector('.find input')
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', shiftKey: true, bubbles: true }))`;
    const [before, meanwhile] = [told(0, 0, rows(50, 100)), told(0, 0, rows(47, 50))];
    for (const [act, now, number] of [
      [`${before}; await drawn(); ${press}`, '36 of 37', 192],
      [`${press}; ${meanwhile}`, '36 of 38', 188],
    ] as const) {
      await page.evaluate(`(async () => { ${act}; })()`);
      await page.getByText(now).waitFor();
      await isMarked(number);
      assert.equal(await page.getByText(`Number ${String(number)}.`).count(), 1);
    }
  });
});
