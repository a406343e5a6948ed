import assert from 'node:assert/strict';
import * as path from 'node:path';
import { type Browser, type Page } from 'playwright-core';
import type { GapRow } from '../../src/chat/protocol';
import { until } from '../until';
import { root } from '../vscode/paths';
import { sharedBrowser } from '../vscode/server';
import { messageRow, openChatPage } from './chatPage';

const ASKING = 'Thanks. Please wait while I read your answer.';

describe('an answer the service does not show yet', () => {
  let browser: Browser;
  let page: Page;
  const field = () => page.getByRole('textbox', { name: 'Message to the agent' });
  const block = () => page.getByRole('article', { name: /^The agent has answered/ });
  const show = (gap: Partial<GapRow>): Promise<unknown> => {
    const row = {
      kind: 'gap',
      key: 'gap',
      sentence: 'The agent has answered (7 messages).',
      reason: 'This service shows replies only after your next message.',
      ...gap,
    };
    const splice = { from: 0, remove: 0, rows: [messageRow(0), row], total: 2 };
    return page.evaluate(`tell('splice', ${JSON.stringify(splice)})`);
  };
  const said = (): Promise<readonly { readonly name: string }[]> => page.evaluate('said');

  before(async function () {
    browser = await sharedBrowser();
  });
  beforeEach(async () => {
    page = await openChatPage(browser, path.join(root, 'dist'));
  });
  afterEach(() => page.close());

  it('is a block with ways on that the keyboard reaches, said once', async () => {
    await page.evaluate(`
      window.heard = [];
      new MutationObserver(() => heard.push(document.querySelector('.announcer').textContent))
        .observe(document.querySelector('#root'), { subtree: true, childList: true, characterData: true });`);
    await show({ webApp: true });
    await block().waitFor();
    await block().getByRole('button', { name: 'Ask for them' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const names = (await said()).map(({ name }) => name);
    assert.deepEqual(
      names.filter(name => ['openWebApp', 'explainGap'].includes(name)),
      ['openWebApp', 'explainGap'],
    );
    // Drawn anew, as when it comes back into view.
    await page.evaluate(`tell('splice', { from: 1, remove: 1, rows: [], total: 1 })`);
    await block().waitFor({ state: 'detached' });
    await page.evaluate(`document.querySelector('.announcer').textContent = ''`);
    await page.evaluate(
      `tell('splice', ${JSON.stringify({
        from: 1,
        remove: 0,
        rows: [
          {
            kind: 'gap',
            key: 'gap',
            sentence: 'The agent has answered (7 messages).',
            reason: 'Because.',
          },
        ],
        total: 2,
      })})`,
    );
    await block().waitFor();
    await page.evaluate('drawn()');
    const heard = await page.evaluate<string[]>('heard');
    assert.equal(new Set(heard.filter(text => text.startsWith('The agent has answered'))).size, 1);
  });

  it('puts words into the composer that can be sent, sends nothing, and leaves what is written', async () => {
    await show({});
    await block().getByRole('button', { name: 'Ask for them' }).click();
    await until(async () => (await field().inputValue()) === ASKING);
    await page.locator('.field:focus').waitFor();
    await field().fill('And the refunds?');
    await block().getByRole('button', { name: 'Ask for them' }).click();
    await page.locator('.field:focus').waitFor();
    assert.equal(await field().inputValue(), 'And the refunds?');
    assert.ok((await said()).every(({ name }) => name !== 'send'));
    assert.equal(await block().getByRole('button', { name: 'Open in web application' }).count(), 0);
  });

  it('has room for all of it at 250 pixels', async () => {
    await page.setViewportSize({ width: 250, height: 600 });
    await show({ webApp: true });
    await block().waitFor();
    const wide = await page.evaluate<string[]>(`[...document.querySelectorAll('.answered, .answered *')]
      .filter(each => each.getBoundingClientRect().right > innerWidth).map(each => each.outerHTML)`);
    assert.deepEqual(wide, []);
  });
});
