import assert from 'node:assert/strict';
import * as path from 'node:path';
import { type Browser, type Page } from 'playwright-core';
import type { Composer, PanelState } from '../../src/chat/protocol';
import { root } from '../vscode/paths';
import { sharedBrowser } from '../vscode/server';
import { messageRow, openChatPage } from './chatPage';
import { pasteInto } from './giving';

/** The code that is shown, how many marks are in it, and whatever else. */
const CODE_SHOWN = `[...document.querySelectorAll('.code pre')].map(pre => ({
  text: pre.textContent,
  marks: pre.querySelectorAll('span[class^=hljs-]').length,
  others: [...pre.querySelectorAll('*')].filter(each => !each.matches('code, span')).map(each => each.outerHTML),
}))`;

/** What only exact timing shows: nothing that was written goes when something else happens meanwhile. */
describe('the composer of a page by itself', () => {
  let browser: Browser;
  let page: Page;
  const field = () => page.getByRole('textbox', { name: 'Message to the agent' });

  const tell = (composer: Partial<Composer> = {}): Promise<unknown> => {
    const state: PanelState = {
      header: {
        title: 'A session',
        facts: [],
        status: { word: 'running', icon: 'sync', spin: false },
        refreshing: false,
        about: '{}',
      },
      composer: {
        chips: [],
        total: '',
        sending: false,
        canStop: false,
        queues: true,
        queue: [],
        queueNote: 'Waits',
        queueStopped: false,
        target: '',
        sendKey: 'enter',
        largePaste: 'ask',
        fileLimit: 100,
        ...composer,
      },
      removed: false,
    };
    return page.evaluate(`tell('state', ${JSON.stringify(state)})`);
  };

  before(async () => {
    browser = await sharedBrowser();
  });
  beforeEach(async () => {
    page = await openChatPage(browser, path.join(root, 'dist'));
    await tell();
  });
  afterEach(() => page.close());

  it('shows code of every language as it was written, marks and all', async () => {
    const code = (language: string): string =>
      `const a = "<b onclick='x'>&amp; &lt;&#x27;"; // it's \u{1F642} "quoted"\n<p class="c">'x' & \`y\`</p>\n# ${language}\n+ added`;
    const languages = 'ts js jsx json py bash sh go java rust sql css html xml yaml diff'.split(' ');
    const text = languages.map(name => `\`\`\`\`${name}\n${code(name)}\n\`\`\`\``).join('\n\n');
    const row = { ...messageRow(1), parts: [{ kind: 'text', text }] };
    await page.evaluate(`tell('splice', ${JSON.stringify({ from: 0, remove: 0, rows: [row], total: 1 })})`);
    await page
      .locator('.code')
      .nth(languages.length - 1)
      .waitFor();
    const shown = await page.evaluate<{ text: string; marks: number; others: string[] }[]>(CODE_SHOWN);
    for (const [index, name] of languages.entries()) {
      const { text: seen, marks, others } = shown[index]!;
      assert.equal(seen.trimEnd(), code(name), name);
      assert.ok(marks > 0, name);
      assert.deepEqual(others, [], name);
    }
  });

  it('leaves with the browser only what is not stored, until the window is closed, and hands that over', async () => {
    const key = 'agentConsole.unsaved s s';
    const unsaved = { text: 'Half a thought', at: 5 };
    await page.close();
    page = await openChatPage(
      browser,
      path.join(root, 'dist'),
      {},
      `window.store = ${JSON.stringify({ [key]: JSON.stringify(unsaved), another: 'null' })};
      window.permanent = [];
      const storage = set => ({ getItem: key => store[key] ?? null, setItem: set, removeItem: key => void delete store[key] });
      Object.defineProperty(window, 'sessionStorage', { value: storage((key, value) => void (store[key] = value)) });
      Object.defineProperty(window, 'localStorage', { value: storage(key => permanent.push(key)) });`,
    );
    await tell();
    const left = await page.evaluate(
      `said.filter(({ name }) => name === 'unsaved').map(({ params }) => params)`,
    );
    assert.deepEqual(left, [unsaved]);
    await field().fill('A draft');
    assert.match(await page.evaluate(`store['${key}']`), /"A draft"/);
    await page.evaluate(
      `tell('draftStored', { version: said.findLast(({ name }) => name === 'draft').params.version })`,
    );
    await page.waitForFunction(`!('${key}' in store)`);
    assert.deepEqual(await page.evaluate('[Object.keys(store), permanent]'), [['another'], []]);
  });

  it('takes what is typed right after Enter for the next message', async () => {
    interface Said {
      readonly kind: string;
      readonly id: number;
      readonly name: string;
      readonly params: { readonly text: string };
    }
    const said = (name: string): Promise<Said[]> =>
      page.evaluate<Said[]>(`said.filter(message => message.name === ${JSON.stringify(name)})`);
    const settle = (message: object): Promise<unknown> =>
      page.evaluate(`window.postMessage(${JSON.stringify(message)}, '*')`);

    await field().pressSequentially('First');
    await page.keyboard.press('Enter');
    await page.keyboard.type('second');
    assert.equal(await field().inputValue(), 'second');
    const [first] = await said('send');
    assert.equal(first?.params.text, 'First');
    assert.equal(
      (await said('draft')).at(-1)?.params.text,
      'First',
      'until it is recorded, the draft is what is sent',
    );
    await settle({ kind: 'answer', id: first.id, value: null });
    await page.waitForFunction(
      `said.some(message => message.name === 'draft' && message.params.text === 'second')`,
    );
    assert.equal(await field().inputValue(), 'second');

    await page.keyboard.press('Enter');
    await page.keyboard.type('third');
    const refused = (await said('send')).at(-1);
    assert.equal(refused?.params.text, 'second');
    await settle({ kind: 'refusal', id: refused.id, reason: 'Not now.' });
    await page.locator('.problem').getByText('Not now.').waitFor();
    assert.equal(await field().inputValue(), 'second\n\nthird');
    assert.equal((await said('draft')).at(-1)?.params.text, 'second\n\nthird');
  });

  it('leaves a paste where it is when it cannot become a file', async () => {
    const long = 'one line of many\n'.repeat(300);
    await field().fill('Look: ');
    await pasteInto(field(), { text: long });
    await page.getByRole('button', { name: 'Attach as file instead' }).click();
    const reason = 'pasted text.txt has 5 kB; the limit is 0.1 kB.';
    await page.locator('.composer .problem').getByText(reason, { exact: true }).waitFor();
    assert.equal(await field().inputValue(), `Look: ${long}`);
  });

  it('says of a pasted picture that is too large and none that it is that', async () => {
    const base64 = Buffer.alloc(200, 'odd').toString('base64');
    await pasteInto(field(), { files: [{ name: 'odd.png', type: 'image/png', base64 }] });
    const reason = 'odd.png is too large and cannot be made smaller: it cannot be read as a picture.';
    await page.locator('.composer .problem').getByText(reason, { exact: true }).waitFor();
  });

  it('says where find was to go that the words are in what is not shown of that message', async () => {
    const parts = [{ kind: 'text', text: 'its beginning', cut: '9 more characters are not shown here.' }];
    const rows = [{ ...messageRow(1), parts }, messageRow(2)];
    await page.evaluate(`tell('splice', ${JSON.stringify({ from: 0, remove: 0, rows, total: 2 })})`);
    await page.evaluate(`tell('find', { words: 'number', key: 'message:1' })`);
    const said = page.locator('.find output');
    await said.getByText('In the part of this message that is not shown here').waitFor();
    await page.getByRole('textbox', { name: 'Find in this session' }).fill('beginning');
    await said.getByText('1 of 1').waitFor();
  });

  it('has a button that stops the agent only where that can be done', async () => {
    const stop = page.getByRole('button', { name: 'Stop the agent' });
    await page.getByRole('button', { name: 'Queue' }).waitFor();
    assert.equal(await stop.count(), 0);
    await tell({ canStop: true });
    await stop.click();
    await page.waitForFunction(`said.some(({ kind, name }) => kind === 'request' && name === 'stop')`);
    await tell();
    await stop.waitFor({ state: 'detached' });
  });
});
