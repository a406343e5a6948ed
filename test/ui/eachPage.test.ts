import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { messageRow, openPage, startOf } from './page';

describe('each page by itself', () => {
  const names = ['chat', 'usage', 'readiness'] as const;
  let page: Page;
  let problems: string[];

  const opened: Page[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  const open = async (name: (typeof names)[number], before = ''): Promise<void> => {
    ({ page, problems } = await openPage(name, { before }));
    opened.push(page);
  };
  const said = (): Promise<Record<string, unknown>[]> => page.evaluate('said');
  const speaks = (language: string): string =>
    `for (const [of, name] of [[Navigator, 'language'], [HTMLElement, 'lang']])
      Object.defineProperty(of.prototype, name, { get: () => ${JSON.stringify(language)}, configurable: true })`;

  it('begins where the language is no tag of a language', async () => {
    for (const name of names)
      for (const language of ['en-US@posix', 'C', 'de_DE.UTF-8', '']) {
        await open(name, speaks(language));
        await page.waitForFunction(`said.some(message => message.name === 'ready')`);
        if (name === 'chat') {
          await page.evaluate(`tell('start', ${JSON.stringify(startOf())})`);
          const rows = { from: 0, remove: 0, rows: [messageRow(0)], isWhole: true };
          await page.evaluate(`tell('splice', ${JSON.stringify(rows)})`);
          await page.getByText('Please look at this.').waitFor();
        }
        const alerts = await page.getByRole('alert').allInnerTexts();
        assert.deepEqual([...problems, ...alerts], [], `${name}, ${language}`);
      }
  });

  it('says errors and rejections in their own words, tells the log, and offers to load again', async () => {
    for (const name of names)
      for (const script of [
        `setTimeout(() => { throw new TypeError('the words of it') })`,
        `void Promise.reject(new TypeError('the words of it'))`,
      ]) {
        await open(name);
        await page.evaluate(`${script}; undefined`);
        const block = page.getByRole('alert');
        await block.getByText('This page could not be drawn: TypeError: the words of it').waitFor();
        await block.getByRole('button', { name: 'Show log' }).click();
        await block.getByRole('button', { name: 'Reload' }).click();
        const told = (await said()).filter(({ kind }) => kind === 'page');
        const broken = { kind: 'page', act: 'broken', words: 'TypeError: the words of it' };
        assert.deepEqual(told, [broken, { kind: 'page', act: 'log' }, { kind: 'page', act: 'reload' }], name);
      }
  });

  it('says why it cannot even begin', async () => {
    await open(
      'usage',
      `const api = acquireVsCodeApi();
      window.acquireVsCodeApi = () => ({ ...api, getState() { throw new RangeError('no numbers here') } });`,
    );
    await page.getByText('This page could not be drawn: RangeError: no numbers here').waitFor();
    assert.ok((await said()).every(({ kind }) => kind === 'page'));
  });

  it('the readiness page keeps the focus and what is typed, whatever is drawn', async () => {
    await open('readiness');
    const draw = (parts: Readonly<Record<string, string>>, words = ''): Promise<void> => {
      const look = { filter: 'all', words, scroll: 0 };
      const drawn = { parts, state: { key: 'k', reportId: 'r', look }, isWanted: false };
      return page.evaluate(`tell('draw', ${JSON.stringify(drawn)}), drawn()`);
    };
    const button = (act: string): string => `<button data-act='["${act}",{}]'>${act}</button>`;
    const head = `<h1 tabindex="-1">shop</h1>${button('fix')}${button('export')}`;
    const tools = '<select><option value="all">All</option></select><input>';
    const criteria =
      '<table><tr class="wanted" tabindex="-1" data-is="all" data-words="ab"><th>One</th></tr></table>';
    await draw({ head, tools, criteria });
    for (const focused of ['h1', 'button:nth-of-type(2)', 'tr']) {
      await page.locator(focused).focus();
      await draw({ head: `${head}<p>new</p>`, criteria: `${criteria}<p>new</p>` });
      assert.equal(await page.locator(`${focused}:focus`).count(), 1, focused);
    }
    await page.locator('input').focus();
    await page.keyboard.type('ab');
    await draw({ criteria }, 'a');
    assert.equal(await page.locator('input:focus').inputValue(), 'ab');
    assert.match(await page.evaluate<string>(`sessionStorage.getItem('state')`), /"words":"ab"/);
    // An act that is there no more leaves the focus to the page.
    await page.locator('button').first().focus();
    await draw({ head: '' });
    assert.equal(await page.locator('body:focus, body:not(:has(:focus))').count(), 1);
    assert.deepEqual(problems, []);
  });
});
