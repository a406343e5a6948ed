import assert from 'node:assert/strict';
import * as path from 'node:path';
import { type Browser, type Page } from 'playwright-core';
import type { Composer, PanelState } from '../../src/chat/protocol';
import { ensureVsCode } from '../vscode/install';
import { root } from '../vscode/paths';
import { launchBrowser } from '../vscode/server';
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
    browser = await launchBrowser(await ensureVsCode());
  });
  after(() => browser.close());
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

  /** A browser that stores, and an editor that kept the state of a page; both to be looked at. */
  const remembering = (stored: Readonly<Record<string, string>>, state: object): string => `
    window.store = ${JSON.stringify(stored)};
    Object.defineProperty(window, 'localStorage', {
      value: {
        get length() { return Object.keys(store).length; },
        key: index => Object.keys(store)[index] ?? null,
        getItem: key => store[key] ?? null,
        setItem: (key, value) => void (store[key] = value),
        removeItem: key => void delete store[key],
      },
    });
    const { postMessage } = acquireVsCodeApi();
    window.acquireVsCodeApi = () => ({ postMessage, getState: () => (${JSON.stringify(state)}), setState() {} });`;
  const left = (): Promise<unknown> =>
    page.evaluate(`said.filter(({ name }) => name === 'unsaved').map(({ params }) => params)`);

  it('leaves nothing with the browser once all is stored, nor what earlier versions left there', async () => {
    await page.close();
    const earlier = {
      'agentConsole.unsaved s other': 'null',
      'agentConsole.unsaved s s': 'null',
      another: 'null',
    };
    page = await openChatPage(browser, path.join(root, 'dist'), {}, remembering(earlier, {}));
    await tell();
    assert.deepEqual(await page.evaluate('store'), { another: 'null' });
    await field().fill('A draft');
    assert.match(await page.evaluate(`store['agentConsole.unsaved s s']`), /"A draft"/);
    await page.evaluate(
      `tell('draftStored', { version: said.findLast(({ name }) => name === 'draft').params.version })`,
    );
    await page.waitForFunction(`!('agentConsole.unsaved s s' in store)`);
  });

  it('hands over what was left of its own session, not what the view kept of another', async () => {
    const unsaved = { text: 'Half a thought', at: 5 };
    await page.close();
    const of = (sessionId: string) => ({ sessionId, serviceId: 's', title: 't', unsaved });
    page = await openChatPage(browser, path.join(root, 'dist'), {}, remembering({}, of('another')));
    await tell();
    assert.deepEqual(await left(), []);
    await page.close();
    page = await openChatPage(browser, path.join(root, 'dist'), {}, remembering({}, of('s')));
    await tell();
    assert.deepEqual(await left(), [unsaved]);
    const stored = { 'agentConsole.unsaved s s': JSON.stringify({ ...unsaved, text: 'Newer' }) };
    await page.close();
    page = await openChatPage(browser, path.join(root, 'dist'), {}, remembering(stored, of('s')));
    await tell();
    assert.deepEqual(await left(), [{ ...unsaved, text: 'Newer' }]);
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
    await page.locator('.composer .chip').getByText('the limit is').waitFor();
    assert.equal(await field().inputValue(), `Look: ${long}`);
    await page.getByRole('button', { name: 'Remove pasted text.txt' }).click();
    await page.locator('.composer .chip').waitFor({ state: 'detached' });
    await page.locator('textarea:focus').waitFor();
  });
});
