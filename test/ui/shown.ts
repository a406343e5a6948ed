import assert from 'node:assert/strict';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import type { Workbench } from './workbench';

/** What a chat page holds. */
export interface Shown {
  readonly draft: string | undefined;
  readonly chips: readonly string[];
  /** Of the messages that are drawn. */
  readonly articles: readonly string[];
}

/** What the chat page shows now; of the articles so many at the end, or all. */
const shownNow = (last: number): string => `(() => {
  const texts = selector => [...document.querySelectorAll(selector)].map(element => element.innerText.trim());
  return {
    draft: document.querySelector('.box textarea')?.value,
    chips: texts('.composer .chip-name'),
    articles: texts('article').slice(-${last}),
  };
})()`;

/** Waits until the chat page shows just this; of the articles so many at the end, or all. */
export async function showsJust(workbench: Workbench, wanted: Shown, last = 0): Promise<void> {
  const same = workbench.pageShows(
    `JSON.stringify(${shownNow(last)}) === ${JSON.stringify(JSON.stringify(wanted))}`,
  );
  await same.catch(async (error: unknown) => {
    assert.deepEqual(await workbench.inPage(frame => frame.evaluate(shownNow(last))), wanted);
    throw error;
  });
}

/** The list rests at its end. */
const RESTS_AT_END = `(() => {
  const log = document.querySelector('.log');
  return log !== null
    && document.querySelector('.to-latest') === null
    && log.querySelector('article') !== null
    && log.scrollHeight - log.clientHeight - log.scrollTop <= 8;
})()`;

/** The texts of the last messages, once the page shows its end. */
export async function lastArticles(workbench: Workbench, count: number): Promise<readonly string[]> {
  await workbench.pageShows(RESTS_AT_END);
  const texts = await workbench.webview().locator('article').allInnerTexts();
  return texts.slice(-count).map(text => text.trim());
}

/** What is on the screen in a few words: side bar, tabs, notices, pages. */
export async function onScreen(page: Page, pages: readonly FrameLocator[]): Promise<string> {
  const places: readonly (readonly [string, Locator])[] = [
    ['side bar', page.locator('.part.sidebar')],
    ['tabs', page.locator('.tabs-container .tab')],
    ['picker', page.locator('.quick-input-widget:visible')],
    ['notices', page.locator('.notification-list-item')],
    ...pages.map((each, index) => [`page ${index + 1}`, each.locator('body')] as const),
  ];
  const told = places.map(async ([name, found]) => {
    const all = await found.allInnerTexts().catch((error: unknown) => [String(error)]);
    return `${name} “${all.join(' | ').replace(/\s+/g, ' ').slice(0, 400)}”`;
  });
  return (await Promise.all(told)).join(', ');
}
