import { errors, type Frame, type FrameLocator, type Locator, type Page } from 'playwright-core';
import { again, patience } from '../until';

/** Waits until an expression is true. It is asked from outside each time: a page under our policy evaluates no text by itself. */
export async function untilTrue(where: Page | Frame, expression: string): Promise<void> {
  const began = performance.now();
  while (!(await where.evaluate<boolean>(`Promise.resolve(${expression}).then(Boolean)`))) {
    if (performance.now() - began > patience())
      throw new errors.TimeoutError(`It did not come true: ${expression}`);
    await where.evaluate('new Promise(requestAnimationFrame)');
  }
}

/** Clicks; where it is only slow to be seen, too: clicked once more, it would be done twice. */
export async function click(target: Locator, options: Parameters<Locator['click']>[0]): Promise<void> {
  try {
    await target.click(options);
  } catch (error) {
    if (!String(error).includes('performing click action')) throw error;
  }
}

/** Clicks until that has brought what it is for: VS Code may be building anew what is clicked. */
export async function clickFor(target: Locator, brings: Locator): Promise<void> {
  await again(
    limit => click(target, limit),
    limit => brings.waitFor(limit),
  );
}

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
