import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { MAX_TEXT, sendRow, type Composer, type GapRow } from '../../src/chat/protocol';
import { until } from '../until';
import { pasteInto } from './giving';
import { messageRow, openChatPage, startOf, stateOf } from './page';

/** The code that is shown, how many marks are in it, and whatever else. */
const CODE_SHOWN = `[...document.querySelectorAll('.code pre')].map(pre => ({
  text: pre.textContent,
  marks: pre.querySelectorAll('span[class^=hljs-]').length,
  others: [...pre.querySelectorAll('*')].filter(each => !each.matches('code, span')).map(each => each.outerHTML),
}))`;

interface Said {
  readonly kind: string;
  readonly id: number;
  readonly params: Readonly<{ text: string; sendId: string; name: string; size: number }>;
}

/** What only exact timing or exact rows show. */
describe('a chat page by itself', () => {
  let page: Page;
  const field = () => page.getByRole('textbox', { name: 'Message to the agent' });
  const button = (name: string) => page.getByRole('button', { name });
  const tell = (name: string, payload: unknown): Promise<unknown> =>
    page.evaluate(`tell(${JSON.stringify(name)}, ${JSON.stringify(payload)}); drawn()`);
  /** The transcript is these from `from` on. */
  const rowsAre = (rows: readonly object[], from = 0, remove = 0): Promise<unknown> =>
    tell('splice', { from, remove, rows, isWhole: true });
  const composerIs = (composer?: Partial<Composer>): Promise<unknown> => tell('state', stateOf(composer));
  /** What the page has said under this name. */
  const said = (name: string): Promise<Said[]> =>
    page.evaluate<Said[]>(`said.filter(message => message.name === ${JSON.stringify(name)})`);
  const sent = async (): Promise<string[]> => (await said('send')).map(({ params }) => params.text);
  const drafted = async (): Promise<string | undefined> => (await said('draft')).at(-1)?.params.text;
  const answer = (message: object): Promise<unknown> =>
    page.evaluate(`window.postMessage(${JSON.stringify(message)}, '*')`);

  beforeEach(async () => {
    page = await openChatPage();
    await composerIs();
  });
  afterEach(() => page.close());

  it('shows code of every language as it was written, marks and all', async () => {
    const code = (language: string): string =>
      `const a = "<b onclick='x'>&amp; &lt;&#x27;"; // it's \u{1F642} "quoted"\n<p class="c">'x' & \`y\`</p>\n# ${language}\n+ added`;
    const languages = 'ts js jsx json py bash sh go java rust sql html xml yaml diff'.split(' ');
    const text = languages.map(name => `\`\`\`\`${name}\n${code(name)}\n\`\`\`\``).join('\n\n');
    const row = { ...messageRow(1), parts: [{ kind: 'text', text }] };
    await rowsAre([row]);
    await until(async () => (await page.locator('.code').count()) === languages.length);
    const shown = await page.evaluate<{ text: string; marks: number; others: string[] }[]>(CODE_SHOWN);
    for (const [index, name] of languages.entries()) {
      const { text: seen, marks, others } = shown[index]!;
      assert.deepEqual([seen.trimEnd(), others], [code(name), []], name);
      assert.ok(marks > 0, name);
    }
  });

  it('leaves with the browser only what is not stored, until the window is closed, and hands that over', async () => {
    const key = 'agentConsole.unsaved s s';
    const unsaved = { text: 'Half a thought', at: 5 };
    await page.close();
    page = await openChatPage(
      undefined,
      {},
      `window.store = ${JSON.stringify({ [key]: JSON.stringify(unsaved), another: 'null' })};
      window.permanent = [];
      const storage = set => ({ getItem: key => store[key] ?? null, setItem: set, removeItem: key => void delete store[key] });
      Object.defineProperty(window, 'sessionStorage', { value: storage((key, value) => void (store[key] = value)) });
      Object.defineProperty(window, 'localStorage', { value: storage(key => permanent.push(key)) });`,
    );
    await composerIs();
    assert.deepEqual((await said('unsaved'))[0]?.params, unsaved);
    await field().fill('A draft');
    assert.match(await page.evaluate(`store['${key}']`), /"A draft"/);
    await page.evaluate(
      `tell('draftStored', { version: said.findLast(({ name }) => name === 'draft').params.version })`,
    );
    await page.waitForFunction(`!('${key}' in store)`);
    assert.deepEqual(await page.evaluate('[Object.keys(store), permanent]'), [['another'], []]);
    await field().press('Enter');
    await page.keyboard.type('and more');
    const left = await page.evaluate<string>(`store['${key}']`);
    assert.match(left, /"text":"A draft".*"next":"and more"/, 'the panel is not told while it records');
  });

  it('shows a message from Enter on, once, and takes what is typed then for the next one', async () => {
    const shown = () => page.locator('.log article').allInnerTexts();
    const showsOf = (count: number) => until(async () => (await shown()).length === count);
    const writes = async (text: string): Promise<void> => {
      await page.keyboard.press('Enter');
      await page.keyboard.type(text);
    };
    await rowsAre([messageRow(0)]);
    await field().pressSequentially('First');
    await writes('second');
    await showsOf(2);
    assert.match((await shown())[1] ?? '', /First\s+sending/);
    const spins = `document.body.className = 'vscode-reduce-motion'; getComputedStyle(document.querySelector('.spin')).animationName`;
    assert.equal(await page.evaluate(spins), 'none', 'where the person wants little motion');
    assert.equal(await field().inputValue(), 'second');
    assert.deepEqual(await sent(), ['First']);
    assert.equal(await drafted(), 'First', 'until it is recorded, the draft is what is sent');
    const [first = assert.fail()] = await said('send');
    await rowsAre([sendRow(first.params.sendId, Date.now(), 'First')], 1);
    assert.equal((await shown()).length, 2, 'the row of the panel takes its place');
    await answer({ kind: 'answer', id: first.id, value: null });
    await until(async () => (await drafted()) === 'second');

    await writes('third');
    await showsOf(3);
    const { id, params } = (await said('send')).at(-1) ?? assert.fail();
    assert.equal(params.text, 'second');
    await page.keyboard.press('Enter');
    await answer({ kind: 'refusal', id, reason: 'Not now.' });
    await page.locator('.problem').getByText('Not now.').waitFor();
    const both = 'second\n\nthird';
    assert.deepEqual([await field().inputValue(), await drafted()], [both, both]);
    await showsOf(2);

    await composerIs({ queues: true, queueNote: 'On hold.' });
    await page.keyboard.press('Enter');
    await until(async () => (await said('send')).length === 3);
    await page.evaluate('drawn()');
    assert.equal((await shown()).length, 2, 'what is queued is not on its way');
    await answer({ kind: 'answer', id: (await said('send')).at(-1)?.id, value: null });
    await page.getByText('Queued. On hold.').waitFor();
  });

  it('sends once the message before has left, when the key was pressed earlier and nothing was written since', async () => {
    await composerIs({ sending: true });
    await field().fill('Thank you');
    await field().press('Enter');
    await field().press('Enter');
    await field().pressSequentially(', but');
    await composerIs();
    assert.deepEqual(await sent(), []);
    await composerIs({ sending: true });
    await field().press('Enter');
    await composerIs();
    await until(async () => (await sent()).length > 0);
    await composerIs({ sending: true });
    await composerIs();
    assert.deepEqual(await sent(), ['Thank you, but']);
  });

  it('waits for what was pasted before it sends, and sends nothing without it', async () => {
    const files = [{ name: 'a.txt', type: 'text/plain', base64: 'aGk=' }];
    for (const [text, answered] of [
      ['Look', { kind: 'refusal', reason: 'It cannot be read.' }],
      ['Look at this', { kind: 'answer', value: null }],
    ] as const) {
      const before = (await said('attachBytes')).length;
      await field().fill(text);
      await pasteInto(field(), { files });
      await field().press('Enter');
      await until(async () => (await said('attachBytes')).length > before);
      assert.deepEqual(await sent(), []);
      await answer({ ...answered, id: (await said('attachBytes')).at(-1)?.id });
      await page.evaluate('drawn()');
      if (answered.kind === 'refusal') assert.deepEqual(await sent(), []);
    }
    await until(async () => (await sent()).length > 0);
    assert.deepEqual(await sent(), ['Look at this']);
  });

  it('keeps the keyboard where the button that was pressed goes', async () => {
    await rowsAre(Array.from({ length: 50 }, (_, index) => messageRow(index)));
    const log = page.locator('.log:focus');
    const answers = async (name: string, answered: object): Promise<void> => {
      await until(async () => (await said(name)).length === 1);
      await answer({ ...answered, id: (await said(name))[0]?.id });
      await page.locator('.field:focus').waitFor();
    };
    await page.evaluate(`document.querySelector('.log').scrollTop = 0; drawn()`);
    await button('Go to latest message').press('Enter');
    await log.waitFor();
    await page.evaluate('document.activeElement.blur()');
    await tell('find', {});
    await page.getByRole('textbox', { name: 'Find in this session' }).press('Escape');
    await log.waitFor();
    await tell('state', { ...stateOf(), removed: true });
    await button('Add it again').press('Enter');
    await answers('addAgain', { kind: 'answer', value: null });
    const chip = { key: 'a', name: 'a', kind: 'unknown', size: '', title: '', problem: 'Big.' } as const;
    await composerIs({ chips: [{ ...chip, shrinkable: true }] });
    await button('Make smaller').press('Enter');
    await answers('picture', { kind: 'refusal', reason: 'It is gone.' });
  });

  it('says to a screen reader what the agent answers while the chat is open', async () => {
    await rowsAre([messageRow(3)]);
    await tell('announce', { text: 'Ready.' });
    await rowsAre([messageRow(4), { ...messageRow(5), at: Date.now() }], 1);
    await page.locator('.announcer', { hasText: 'Agent: Number 5.' }).waitFor({ state: 'attached' });
    assert.ok(!(await page.locator('.announcer').textContent())?.includes('Number 3'));
  });

  it('that comes late leaves the cursor where one writes by then, and takes it with the focus', async () => {
    const page = await openChatPage();
    await page.evaluate(`document.body.innerHTML = '<input><iframe src="/?inside"></iframe>'`);
    const elsewhere = page.locator('input');
    await elsewhere.focus();
    const field = page.frameLocator('iframe').locator('.field');
    const inside = page.frames()[1];
    await inside?.waitForLoadState();
    await inside?.evaluate(`tell('start', ${JSON.stringify(startOf())})`);
    await field.waitFor();
    await page.keyboard.type('palette');
    assert.deepEqual([await elsewhere.inputValue(), await field.inputValue()], ['palette', '']);
    await page.locator('iframe').focus();
    await page.keyboard.type('draft');
    assert.deepEqual([await elsewhere.inputValue(), await field.inputValue()], ['palette', 'draft']);
  });

  it('sends with Ctrl+Enter where the person wants that, and stops the agent where that can be done', async () => {
    await composerIs({ sendKey: 'ctrl+enter' });
    await page.locator('.key', { hasText: 'Ctrl+Enter' }).waitFor();
    await field().fill('line one');
    await field().press('Enter');
    await field().pressSequentially('line two');
    assert.deepEqual(await sent(), []);
    await field().press('ControlOrMeta+Enter');
    assert.deepEqual(await sent(), ['line one\nline two']);
    await composerIs({ queues: true });
    await button('Queue').waitFor();
    assert.equal(await button('Stop the agent').count(), 0);
    await composerIs({ canStop: true });
    await button('Stop the agent').click();
    await until(async () => (await said('stop')).length === 1);
  });

  it('attaches a pasted text that is too long as a file, and shows why not until an attachment goes', async () => {
    const chip = { key: 'file:///a', name: 'a.txt', kind: 'text', size: '', title: 'a.txt' } as const;
    await composerIs({ chips: [chip] });
    await pasteInto(field(), { text: 'x'.repeat(MAX_TEXT + 1) });
    await until(async () => (await said('attachBytes')).length === 1);
    const [{ id, params } = assert.fail()] = await said('attachBytes');
    assert.deepEqual([params.name, params.size], ['pasted text.txt', MAX_TEXT + 1]);
    assert.equal(await field().inputValue(), '');
    await answer({ kind: 'refusal', id, reason: 'It is too large.' });
    const refusal = page.locator('.composer .problem').getByText('It is too large.');
    await refusal.waitFor();
    await button('Remove a.txt').click();
    await refusal.waitFor({ state: 'detached' });
    assert.equal((await said('detach')).length, 1);
  });

  it('says why nothing was copied or shown, and looks at an attachment again each time it is attached', async () => {
    const answers = async (name: string, count: number, answered: object): Promise<void> => {
      await until(async () => (await said(name)).length === count);
      await answer({ ...answered, id: (await said(name)).at(-1)?.id });
    };
    await rowsAre([{ ...messageRow(1), parts: [{ kind: 'file', label: 'a.png', picture: '1\n0' }] }]);
    await answers('picture', 1, { kind: 'refusal', reason: 'This picture cannot be shown.' });
    await page.getByText('This picture cannot be shown.').waitFor();
    await button('Copy message').click();
    await answers('copyMessage', 1, { kind: 'refusal', reason: 'The clipboard is locked.' });
    await page.locator('.problem').getByText('The clipboard is locked.').waitFor();
    assert.equal(await page.getByText('Copied').count(), 0);
    for (const count of [2, 3]) {
      await composerIs({ chips: [{ key: 'file:///a', name: 'a.png', kind: 'image', size: '', title: '' }] });
      await answers('picture', count, { kind: 'answer', value: { mediaType: 'image/png', bytes: [] } });
      await page.locator('.composer .thumbnail').waitFor();
      await composerIs();
    }
  });

  it('finds what is shown, also in labels and names, and says that words are in what is not shown', async () => {
    const parts = [{ kind: 'text', text: 'its beginning', cut: '9 more characters are not shown here.' }];
    const text = 'Use `pnpm`\n**to** [build](https://a.example) it';
    const chips = [{ key: '', name: 'plan.md', kind: 'text', size: '', title: '' }];
    const marked = { ...messageRow(0), parts: [{ kind: 'text', text }], chips };
    await rowsAre([{ ...messageRow(1), parts }, messageRow(2), messageRow(3), marked, messageRow(4)]);
    await tell('find', { words: 'number', key: 'message:1' });
    const found = page.locator('.find output');
    await found.getByText('In the part of this message that is not shown here').waitFor();
    await button('Previous match').click();
    await found.getByText('3 of 3').waitFor();
    for (const words of ['beginning', 'Use pnpm to build it', 'plan.md', 'Read a.ts']) {
      await page.getByRole('textbox', { name: 'Find in this session' }).fill('in none of them');
      await found.getByText('No results').waitFor();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(words);
      await found.getByText('1 of 1').waitFor();
    }
  });

  it('goes back to the only match, and says a sentence that comes again', async () => {
    await rowsAre(Array.from({ length: 100 }, (_, index) => messageRow(index)));
    const inSight = (): Promise<boolean> =>
      page.evaluate<boolean>(`[...document.querySelectorAll('[role=article], article')].some(each =>
        each.textContent.includes('Number 99.') && each.getBoundingClientRect().top < innerHeight)`);
    const found = { words: 'Number 99.', key: 'message:99' };
    const back = async (how: () => Promise<unknown>): Promise<void> => {
      await page.evaluate(`document.querySelector('.log').scrollTop = 0; drawn()`);
      await until(async () => !(await inSight()));
      await how();
      await until(inSight);
    };
    await tell('find', found);
    await page.getByText('1 of 1').waitFor();
    await back(() => page.getByRole('textbox', { name: 'Find in this session' }).press('Enter'));
    await back(() => tell('find', found));
    const said = page.locator('.announcer');
    // What is said within a second is said together: here no second passes.
    const hasten = `later => (act, ms) => later(act, ms === 1_000 ? 0 : ms)`;
    await page.evaluate(`window.setTimeout = (${hasten})(setTimeout); drawn()`);
    await tell('announce', { text: 'Message accepted.' });
    const first = await said.textContent();
    await tell('announce', { text: 'Message accepted.' });
    assert.notEqual(await said.textContent(), first);
  });

  it('has ways on where an answer is not shown yet: reached by the keyboard, said once, and sending nothing', async () => {
    const block = page.getByRole('article', { name: /^The agent has answered/ });
    const sentence = 'The agent has answered (7 messages).';
    const reason = 'This service shows replies only after your next message.';
    const show = async (gap: Partial<GapRow> = {}): Promise<void> => {
      await rowsAre([messageRow(0), { kind: 'gap', key: 'gap', sentence, reason, ...gap }], 0, 2);
      await block.waitFor();
    };
    const asks = async (text: string): Promise<void> => {
      await button('Ask for them').click();
      await page.locator('.field:focus').waitFor();
      await until(async () => (await field().inputValue()) === text);
    };
    await page.evaluate(`
      window.heard = [];
      new MutationObserver(() => heard.push(document.querySelector('.announcer').textContent))
        .observe(document.querySelector('#root'), { subtree: true, childList: true, characterData: true });`);
    await page.setViewportSize({ width: 250, height: 600 });
    await show({ webApp: true });
    const wide = await page.evaluate<string[]>(`[...document.querySelectorAll('.answered, .answered *')]
      .filter(each => each.getBoundingClientRect().right > innerWidth).map(each => each.outerHTML)`);
    assert.deepEqual(wide, []);
    await button('Ask for them').focus();
    for (const key of ['Tab', 'Enter']) await page.keyboard.press(key);
    assert.equal((await said('openWebApp')).length, 1);
    // Drawn anew, as when it comes back into view.
    await rowsAre([], 1, 1);
    await block.waitFor({ state: 'detached' });
    await page.evaluate(`document.querySelector('.announcer').textContent = ''`);
    await show();
    const heard = await page.evaluate<string[]>('heard');
    assert.equal(new Set(heard.filter(text => text.startsWith('The agent has answered'))).size, 1);
    await asks('Thanks. Please wait while I read your answer.');
    await field().fill('And the refunds?');
    await asks('And the refunds?');
    assert.deepEqual(await sent(), []);
    assert.equal(await button('Open in web application').count(), 0);
  });
});
