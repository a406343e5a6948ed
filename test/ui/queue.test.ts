import assert from 'node:assert/strict';
import { ChatStage } from './chatStage';
import { untilStored } from '../fakes/storage';
import { pasteInto } from './giving';
import { storageOf } from './seed';

interface Browser {
  readonly document: {
    querySelector(selector: string): { readonly value: string } | null;
    querySelectorAll(selector: string): Iterable<{ readonly innerText: string; click(): void }>;
  };
}

/** What is queued, and what is sent at the worst moment, through the real page. */
describe('the queue of the chat', () => {
  let stage: ChatStage;
  const queue = () => stage.chat.locator('.queued');
  const texts = async (): Promise<readonly string[]> =>
    (await stage.chat.locator('.queued-text').allInnerTexts()).map(text => text.trim());

  before(async () => {
    stage = await ChatStage.open(
      { 'one.txt': 'one' },
      {
        'agentConsole.chat.sendKey': 'ctrl+enter',
        'agentConsole.chat.largePaste': 'inline',
      },
    );
    await stage.send('The first');
  });
  after(() => stage.close());

  it('queues while the agent works; what is queued can be taken back, survives a reload, and goes out in order', async () => {
    await stage.idle();
    const before = stage.sent.length;
    const work = await stage.busy();
    for (const [index, text] of ['one', 'two', 'three', 'four'].entries()) {
      await stage.composer.fill(text);
      await stage.press('ControlOrMeta+Enter');
      await queue().nth(index).waitFor();
      await stage.holds('');
    }
    await stage.chat.getByRole('button', { name: 'Remove "two" from the queue' }).press('Enter');
    await queue().filter({ hasText: 'two' }).waitFor({ state: 'detached' });
    await stage.composer.and(stage.chat.locator(':focus')).waitFor();
    assert.deepEqual(await texts(), ['one', 'three', 'four']);
    await stage.composer.fill('But first');
    await stage.chat.getByRole('button', { name: 'Take "three" back into the composer' }).click();
    await stage.holds('But first\n\nthree');
    assert.deepEqual(await texts(), ['one', 'four']);
    await untilStored(storageOf(stage.workbench), rows =>
      rows.some(({ value }) => value?.includes('But first')),
    );
    await stage.reload();
    await queue().nth(1).waitFor();
    assert.deepEqual(await texts(), ['one', 'four']);
    await stage.holds('But first\n\nthree');
    await stage.composer.fill('three');
    await stage.press('ControlOrMeta+Enter');
    await queue().nth(2).waitFor();
    assert.equal(stage.sent.length, before);
    work.dispose();
    await queue().first().waitFor({ state: 'detached' });
    await stage.chat.getByRole('log').press('End');
    await stage.chat.getByRole('article').getByText('three', { exact: true }).waitFor();
    assert.deepEqual(stage.sent.slice(before), ['one', 'four', 'three']);
  });

  it('loses no message to a reload right after Enter', async () => {
    for (const text of ['Reloaded at once', 'Reloaded at once again']) {
      await stage.idle();
      await stage.composer.fill(text);
      await stage.press('ControlOrMeta+Enter');
      await stage.reload();
      await stage.workbench.pageShows(wanted => {
        const { document } = globalThis as unknown as Browser;
        const shown = [...document.querySelectorAll('article, .queued')].some(element =>
          element.innerText.includes(wanted),
        );
        return shown || document.querySelector('.box textarea')?.value === wanted;
      }, text);
      if ((await stage.composer.inputValue()) === text) await stage.send();
      assert.ok(stage.sent.filter(sent => sent === text).length <= 1);
    }
    // What a reload has cut off is settled by itself, or waits for the person to decide, and what is queued waits with it.
    await stage.workbench.pageShows(() => {
      const { document } = globalThis as unknown as Browser;
      const discard = document.querySelectorAll('.message.send .actions button:last-child');
      for (const button of discard) if (button.innerText === 'Discard') button.click();
      return document.querySelector('.message.send, .queued') === null;
    }, undefined);
  });

  it('keeps a long paste in the field where the person wants that', async () => {
    const long = 'one line of many\n'.repeat(300);
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
