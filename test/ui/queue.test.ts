import assert from 'node:assert/strict';
import { ChatStage } from './chatStage';
import { stored } from './files';
import { pasteInto } from './giving';
import { storageOf } from './seed';

/** What is queued, and what is sent at the worst moment, through the real page. */
describe('the queue of the chat', () => {
  let stage: ChatStage;
  const queue = () => stage.chat.locator('.queued');
  const texts = async (): Promise<readonly string[]> =>
    (await stage.chat.locator('.queued-text').allInnerTexts()).map(text => text.trim());

  before(async function () {
    this.timeout(120_000);
    stage = await ChatStage.open(
      { 'one.txt': 'one' },
      {
        'agentConsole.chat.sendKey': 'ctrl+enter',
        'agentConsole.chat.largePaste': 'inline',
        'agentConsole.chat.largePasteCharacters': 500,
      },
    );
    await stage.send('The first');
  });
  after(() => stage.close());

  it('queues while the agent works; what is queued can be changed, survives a reload, and goes out in order', async () => {
    await stage.idle();
    const before = stage.sent.length;
    const work = await stage.busy();
    for (const [index, text] of ['one', 'two', 'three', 'four'].entries()) {
      await stage.composer.fill(text);
      await stage.press('ControlOrMeta+Enter');
      await queue().nth(index).waitFor();
      await stage.holds('');
    }
    // By keyboard: the last one goes to the beginning, and the focus goes with it.
    await stage.chat.getByRole('button', { name: 'Move up "four"' }).focus();
    for (const place of [2, 1, 0]) {
      await stage.press('Alt+ArrowUp');
      await queue().nth(place).getByText('four').waitFor();
      await queue().nth(place).locator(':focus').waitFor();
    }
    await stage.chat.getByRole('button', { name: 'Remove "two" from the queue' }).click();
    await stage.chat.getByRole('button', { name: 'Edit "one"' }).click();
    await stage.chat.getByRole('textbox', { name: 'Queued message' }).fill('one, but better');
    await stage.press('ControlOrMeta+Enter');
    await queue().getByText('one, but better').waitFor();
    assert.deepEqual(await texts(), ['four', 'one, but better', 'three']);
    // A change that has begun is there again, and may still be given up.
    const changing = stage.chat.getByRole('textbox', { name: 'Queued message' });
    await stage.chat.getByRole('button', { name: 'Edit "three"' }).click();
    await changing.fill('three, half cha');
    await stored(storageOf(stage.workbench), 'three, half cha');
    await stage.reload();
    await changing.waitFor();
    assert.equal(await changing.inputValue(), 'three, half cha');
    await stage.chat.getByRole('button', { name: 'Cancel' }).click();
    await changing.waitFor({ state: 'detached' });
    await queue().nth(2).waitFor();
    assert.deepEqual(await texts(), ['four', 'one, but better', 'three']);
    assert.equal(stage.sent.length, before);
    work.dispose();
    await queue().first().waitFor({ state: 'detached' });
    await stage.chat.getByRole('log').press('End');
    await stage.chat.getByRole('article').getByText('three', { exact: true }).waitFor();
    assert.deepEqual(stage.sent.slice(before), ['four', 'one, but better', 'three']);
  }).timeout(90_000);

  it('loses no message to a reload right after Enter', async () => {
    for (const text of ['Reloaded at once', 'Reloaded at once again']) {
      await stage.idle();
      await stage.composer.fill(text);
      await stage.press('ControlOrMeta+Enter');
      await stage.reload();
      const frame = await stage.workbench.webviewFrame();
      await frame.waitForFunction(wanted => {
        const { document } = globalThis as unknown as {
          readonly document: {
            querySelector(selector: string): { readonly value: string } | null;
            querySelectorAll(selector: string): Iterable<{ readonly innerText: string }>;
          };
        };
        const shown = [...document.querySelectorAll('article, .queued')].some(element =>
          element.innerText.includes(wanted),
        );
        return shown || document.querySelector('.box textarea')?.value === wanted;
      }, text);
      if ((await stage.composer.inputValue()) === text) await stage.send();
      assert.ok(stage.sent.filter(sent => sent === text).length <= 1);
    }
    // What a reload has cut off waits for the person to decide, and what is queued waits with it.
    const open = stage.chat.locator('.message.send');
    await stage.chat.locator('.message.send.sending').first().waitFor({ state: 'detached' });
    for (let left = await open.count(); left > 0; left--) {
      await stage.button('Discard').first().click();
      await open.nth(left - 1).waitFor({ state: 'detached' });
    }
  }).timeout(120_000);

  it('keeps back a message while it is being changed', async () => {
    await stage.idle();
    const before = stage.sent.length;
    const work = await stage.busy();
    await stage.composer.fill('To be changed');
    await stage.press('ControlOrMeta+Enter');
    await queue().getByText('To be changed').waitFor();
    await stage.chat.getByRole('button', { name: 'Edit "To be changed"' }).click();
    const field = stage.chat.getByRole('textbox', { name: 'Queued message' });
    await field.fill('Changed in time');
    work.dispose();
    // Asked now rather than with the next poll, which may be seconds away.
    await stage.button('Refresh').first().click();
    await stage.chat.locator('.header .status').getByText('idle').waitFor();
    await stage.chat.locator('.queue-note').getByText('being edited').waitFor();
    assert.equal(stage.sent.length, before);
    const arrived = stage.received();
    await field.press('ControlOrMeta+Enter');
    assert.deepEqual(await arrived, { text: 'Changed in time' });
    await queue().first().waitFor({ state: 'detached' });
  });

  it('keeps a long paste in the field where the person wants that', async () => {
    const long = 'one line of many\n'.repeat(100);
    await stage.composer.fill('');
    await pasteInto(stage.composer, { text: long });
    await stage.holds(long);
    assert.equal(await stage.chat.getByRole('button', { name: 'Attach as file instead' }).count(), 0);
    assert.deepEqual(await stage.send(), { text: long });
  });

  it('sends with Ctrl+Enter where the person wants that', async () => {
    await stage.idle();
    await stage.chat.locator('.key', { hasText: 'Ctrl+Enter' }).waitFor();
    await stage.composer.fill('line one');
    await stage.press('Enter');
    await stage.workbench.page.keyboard.type('line two');
    await stage.holds('line one\nline two');
    const arrived = stage.received();
    await stage.press('ControlOrMeta+Enter');
    assert.deepEqual(await arrived, { text: 'line one\nline two' });
  });
});
