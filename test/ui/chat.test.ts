import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { untilStored } from '../fakes/storage';
import { again, until } from '../until';
import { FILES, image, textFile, type SentBody, openChat, type ChatStage } from './chatStage';
import { drop, noisePicture, pasteInto, SHIFT } from './giving';
import { storageOf } from './seed';
import { clickFor } from './waiting';

const PNG = noisePicture(20, 20);
/** Several pieces of what a page hands over at once, and no multiple of them. */
const LONG = 'A line of a log, "quoted", größer.\n'.repeat(130_000);
const LIMIT_MB = 5;
const SHOT = image('image/png', PNG);
const NOTES = textFile('notes.txt', 'notes\n');

/** The chat in an editor, from the first message to what no reload may lose (trust.md 10, 11, 13, 23). */
describe('the chat', () => {
  let stage: ChatStage;
  let outside: string;

  /** Just this arrives when a text is sent. */
  const sends = async (text: string, given: Omit<SentBody, 'text'> = {}): Promise<void> =>
    assert.deepEqual(await stage.send(text), { text, ...given });
  const filesOf = (...names: readonly string[]) => ({ files: names.map(name => path.join(outside, name)) });

  before(async () => {
    const settings = { 'agentConsole.chat.maxAttachmentMegabytes': LIMIT_MB };
    const lines = 'first\nsecond\nthird\nfourth\n';
    const files = { ...FILES, 'lines.ts': lines, 'noise.png': noisePicture(1500, 1200) };
    stage = await openChat({ files, settings });
    outside = path.join(stage.folder, '../outside');
    fs.mkdirSync(outside);
    for (const [name, bytes] of Object.entries({ 'notes.txt': 'notes\n', 'shot.png': PNG, 'long.log': LONG }))
      fs.writeFileSync(path.join(outside, name), bytes);
    await stage.send('First question');
  });
  after(() => stage.close());
  afterEach(() => stage.clear());

  it('leaves Enter to the input method while it composes', async () => {
    const before = stage.sent();
    await stage.composer.click();
    const session = await stage.workbench.page.context().newCDPSession(stage.workbench.page);
    const key = (type: 'rawKeyDown' | 'keyUp', windowsVirtualKeyCode: number): Promise<unknown> =>
      session.send('Input.dispatchKeyEvent', { type, key: 'Enter', code: 'Enter', windowsVirtualKeyCode });
    await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await stage.holds('にほん');
    await key('rawKeyDown', 229);
    await key('keyUp', 229);
    await key('rawKeyDown', 13);
    await session.send('Input.insertText', { text: '日本' });
    await stage.holds('日本');
    assert.deepEqual(stage.sent(), before);
    assert.deepEqual(await stage.send(), { text: '日本' });
  });

  it('calls up earlier messages while nothing is written', async () => {
    await stage.send('Second question');
    // It can be called up once the service has accepted it.
    await stage.chat.locator('article.person:not(.send)', { hasText: 'Second question' }).waitFor();
    await stage.idle();
    for (const [key, text] of [
      ['ArrowUp', 'Second question'],
      ['ArrowUp', '日本'],
      ['ArrowDown', 'Second question'],
      ['ArrowDown', ''],
      ['ArrowUp', 'Second question'],
      ['Escape', ''],
      ['ArrowUp', 'Second question'],
    ] as const) {
      await stage.press(key);
      await stage.holds(text);
    }
    const arrived = stage.received();
    await stage.press('Enter');
    assert.deepEqual(await arrived, { text: 'Second question' });
    await stage.composer.fill('half a thought');
    for (const key of ['Home', 'ArrowUp']) await stage.press(key);
    await stage.holds('half a thought');
    await stage.composer.press('ControlOrMeta+a');
    await stage.workbench.pageShows(`String(getSelection()) === 'half a thought'`);
  });

  it('sends to the computer the person chose', async () => {
    await stage.idle();
    await stage.button('Send to atlas').click();
    await stage.workbench.pick('dune');
    await stage.button('Send to dune').waitFor();
    assert.match((await stage.send('Elsewhere')).computerId ?? '', /\S/);
    await stage.button('Send to dune').click();
    await stage.workbench.pick('atlas');
    await stage.button('Send to atlas').waitFor();
  });

  it('attaches files dropped from outside the window: in the chat, on the row of a session, or beside it', async () => {
    const { page } = stage.workbench;
    const all = filesOf('notes.txt', 'shot.png', 'long.log');
    await drop(page, all, stage.header, stage.isDragging, { modifiers: SHIFT });
    await stage.attached('notes.txt', 'shot.png', 'long.log');
    await sends('From outside', { images: [SHOT], files: [NOTES, textFile('long.log', LONG)] });
    const list = stage.workbench.view('Sessions').locator('.pane-body');
    await stage.workbench.openContainer('Agent Console');
    for (const [place, above] of [
      [stage.session, 0],
      [list, -60],
    ] as const) {
      await stage.idle();
      await stage.rests();
      const target = list.locator('.drop-target').first();
      await drop(page, filesOf('notes.txt', 'shot.png'), place, () => target.isVisible(), { above });
      await stage.attached('notes.txt', 'shot.png');
      await sends('On the list', { images: [SHOT], files: [NOTES] });
    }
  });

  it('attaches one and three files of the Explorer, dropped with Shift', () => stage.sendsDropped());

  it('takes a dropped link as text, which leads nowhere', async () => {
    const address = 'https://example.com/a?b=c';
    const items = ['text/uri-list', 'text/plain'].map(mimeType => ({ mimeType, data: address }));
    await drop(stage.workbench.page, { items }, stage.header, stage.isDragging, { modifiers: SHIFT });
    await stage.holds(address);
    await sends(address);
  });

  it('attaches what is chosen with the picker', async () => {
    await stage.button('Attach files').click();
    await stage.workbench.chooseFile('/', path.join(outside, 'notes.txt'));
    await stage.attached('notes.txt');
    await sends('Picked', { files: [NOTES] });
  });

  it('attaches pasted pictures and files in order, shown as they are, each with a name of its own', async () => {
    const picture = { name: 'image.png', type: 'image/png', base64: PNG.toString('base64') };
    await stage.idle();
    await pasteInto(stage.composer, { files: [picture, { name: 'a.txt', type: '', base64: 'aGk=' }] });
    await stage.chips.getByText('a.txt').waitFor();
    await pasteInto(stage.composer, { files: [picture] });
    await stage.chat.locator('.composer .thumbnail').nth(1).waitFor();
    await stage.attached('image.png', 'a.txt', 'image-2.png');
    await sends('Compare these', { images: [SHOT, SHOT], files: [textFile('a.txt', 'hi')] });
  });

  it('attaches a picture that is too large once it is made smaller', async () => {
    await stage.workbench.explorerMenu(['noise.png'], 'Send to agent session');
    const chip = stage.chat.locator('.composer .chip');
    await chip.getByText(/noise\.png is .*; the limit is 5 MB/).waitFor();
    await chip.getByRole('button', { name: 'Make smaller' }).click();
    await stage.chips.getByText('noise.webp').waitFor();
    await stage.composer.click();
    const { images: [smaller] = [] } = await stage.send('Smaller');
    const bytes = Buffer.from(smaller?.data ?? '', 'base64');
    assert.deepEqual([smaller?.mediaType, bytes.toString('latin1', 0, 4)], ['image/webp', 'RIFF']);
    assert.ok(bytes.length < LIMIT_MB * 1024 * 1024);
  });

  it('attaches the selection of an editor with its path and lines', async () => {
    const { workbench } = stage;
    await workbench.openContainer('Explorer');
    const editor = workbench.page.locator('.monaco-editor[data-uri$="lines.ts"]');
    await clickFor(workbench.explorerRow('lines.ts'), editor);
    await editor.locator('.view-line').nth(1).click();
    for (const key of ['Home', 'Shift+ArrowDown', 'Shift+ArrowDown']) await stage.press(key);
    await workbench.page.locator('.statusbar-item', { hasText: 'selected' }).waitFor();
    await workbench.runCommand('Agent Console: Send selection to agent session');
    await stage.chips.getByText('lines.ts:2-3').waitFor();
    await stage.composer.click();
    await sends('Explain', { files: [textFile('lines.ts:2-3', 'second\nthird\n')] });
  });

  it('queues while the agent works; what is queued can be taken back, survives a reload, and goes out in order', async () => {
    const queue = stage.chat.locator('.queued');
    const hold = (...expected: readonly string[]): Promise<void> =>
      until(async () => {
        const texts = await stage.chat.locator('.queued-text').allInnerTexts();
        return texts.map(text => text.trim()).join() === expected.join();
      });
    await stage.idle();
    const before = stage.sent().length;
    const work = stage.service.busy();
    await stage.button('Refresh').first().click();
    await stage.button('Queue').waitFor();
    for (const [index, text] of ['one', 'two', 'three'].entries()) {
      await stage.composer.fill(text);
      await stage.press('Enter');
      await queue.nth(index).waitFor();
      await stage.holds('');
    }
    await stage.button('Remove "two" from the queue').press('Enter');
    await hold('one', 'three');
    await stage.composer.and(stage.chat.locator(':focus')).waitFor();
    await stage.composer.fill('But first');
    await stage.button('Take "one" back into the composer').click();
    const draft = 'But first\n\none';
    await stage.holds(draft);
    const isKept = (value: string | null): boolean => value?.includes(JSON.stringify(draft)) === true;
    await untilStored(storageOf(stage.workbench), rows => rows.some(({ value }) => isKept(value)));
    await stage.reload();
    await hold('three');
    await stage.holds(draft);
    // A click that was given twice may still be taking the cursor to its row.
    await stage.composer.press('Enter');
    await hold('three', draft);
    assert.equal(stage.sent().length, before);
    work.dispose();
    await until(() => stage.sent().length === before + 2);
    assert.deepEqual(stage.sent().slice(before), ['three', draft]);
    await queue.first().waitFor({ state: 'detached' });
  });

  it('loses no message to a reload right after Enter', async () => {
    const text = 'Reloaded at once';
    await stage.idle();
    await stage.composer.fill(text);
    await stage.press('Enter');
    await stage.reload();
    await stage.workbench.pageShows(`(wanted =>
      [...document.querySelectorAll('article, .queued')].some(element => element.innerText.includes(wanted))
      || document.querySelector('.box textarea')?.value === wanted)(${JSON.stringify(text)})`);
    if ((await stage.composer.inputValue()) === text) await stage.send();
    // What a reload has cut off is settled by itself, or waits for the person to decide, and what is queued waits with it.
    await stage.workbench.pageShows(`(() => {
      for (const button of document.querySelectorAll('.message.send .actions button:last-child'))
        if (button.innerText === 'Discard') button.click();
      return document.querySelector('.message.send, .queued') === null;
    })()`);
    assert.ok(stage.sent().filter(sent => sent === text).length <= 1);
  });

  it('is the same when it is hidden, closed, moved and shown again', async () => {
    const { workbench } = stage;
    const tab = workbench.tab('First question');
    const secondGroup = workbench.page.locator('.editor-group-container').nth(1);
    const before = stage.sent().length;
    await stage.idle();
    await workbench.explorerMenu(['a.txt', 'b.txt'], 'Send to agent session');
    await stage.attached('a.txt', 'b.txt');
    await workbench.openContainer('Agent Console');
    await stage.isKeptBy(
      async () => {
        await workbench.tab('a.txt').click();
        await tab.click();
      },
      async () => {
        await tab.getByRole('button', { name: /^Close/ }).click();
        await tab.waitFor({ state: 'detached' });
        await clickFor(stage.session, workbench.page.locator('.tab.active', { hasText: 'First question' }));
      },
      async () => {
        await workbench.runCommand('View: Move Editor into Next Group');
        await secondGroup.waitFor();
        // A busy palette may lose its click; where there is one group, the command does nothing.
        const join = (): Promise<void> => workbench.runCommand('View: Move Editor into Previous Group');
        await again(join, limit => secondGroup.waitFor({ state: 'detached', ...limit }));
      },
    );
    assert.equal(stage.sent().length, before);
  });

  it('says that it does not know when the window was reloaded while a message was on its way', async () => {
    const before = stage.sent().length;
    await pasteInto(stage.composer, { files: [{ name: 'a.txt', type: '', base64: 'aGk=' }] });
    await stage.attached('a.txt');
    const fault = stage.service.fail({ kind: 'delay', ms: 600_000, match: { method: 'POST' } });
    const left = stage.received();
    await stage.composer.fill('Do this exactly once');
    await stage.press('Enter');
    await left;
    await stage.reload();
    fault.dispose();
    const row = stage.chat.getByRole('article').filter({ hasText: 'Do this exactly once' });
    await row.getByText('not known whether').waitFor();
    await row.getByText('a.txt').waitFor();
    assert.equal(stage.sent().length, before + 1);
    const again = stage.received();
    await row.getByRole('button', { name: 'Send again' }).click();
    await again;
    // The old one stays until the new one is accepted.
    await row.locator('.send-state').first().waitFor({ state: 'detached' });
    assert.equal(stage.sent().length, before + 2);
    await until(async () => (await row.count()) === 1);
  });
});
