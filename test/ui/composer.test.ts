import assert from 'node:assert/strict';
import { ChatStage } from './chatStage';
import { dragOver, pasteInto, type Pasted } from './giving';
import { noisePicture } from './pictures';

/** Writing and attaching through the real page; what the service received is looked at byte for byte. */
describe('the composer', () => {
  let stage: ChatStage;

  const paste = (data: Pasted): Promise<void> => pasteInto(stage.composer, data);

  before(async () => {
    const files = {
      'one.txt': 'one.txt\n',
      'two.txt': 'two.txt\n',
      'three.txt': 'three.txt\n',
      'four.txt': 'four.txt\n',
      'five.txt': 'five.txt\n',
      'lines.ts': 'first\nsecond\nthird\nfourth\n',
      'noise.png': noisePicture(800, 700),
    };
    stage = await ChatStage.open(files, { 'agentConsole.chat.maxAttachmentMegabytes': 1 });
  });
  after(() => stage.close());
  afterEach(() => stage.clear());

  it('leaves Enter to the input method while it composes', async () => {
    await stage.composer.click();
    const session = await stage.workbench.page.context().newCDPSession(stage.workbench.page);
    const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 } as const;
    await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await stage.holds('にほん');
    await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter });
    await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter });
    await session.send('Input.dispatchKeyEvent', {
      type: 'rawKeyDown',
      key: 'Enter',
      windowsVirtualKeyCode: 13,
    });
    await session.send('Input.insertText', { text: '日本' });
    await stage.holds('日本');
    assert.deepEqual(stage.sent, []);
    await stage.idle();
    const arrived = stage.received();
    await stage.press('Enter');
    assert.deepEqual(await arrived, { text: '日本' });
    await stage.holds('');
  });

  it('calls up earlier messages and brings the draft back', async () => {
    await stage.send('Second question');
    await stage.idle();
    await stage.composer.fill('half a thought');
    await stage.press('Home');
    await stage.press('ArrowUp');
    await stage.holds('Second question');
    await stage.press('ArrowUp');
    await stage.holds('日本');
    await stage.press('ArrowDown');
    await stage.holds('Second question');
    await stage.press('ArrowDown');
    await stage.holds('half a thought');
    await stage.press('Home');
    await stage.press('ArrowUp');
    await stage.holds('Second question');
    await stage.press('Escape');
    await stage.holds('half a thought');
    await stage.press('Home');
    await stage.press('ArrowUp');
    await stage.holds('Second question');
    const arrived = stage.received();
    await stage.press('Enter');
    assert.deepEqual(await arrived, { text: 'Second question' });
    // What was being written before is there again.
    await stage.holds('half a thought');
    await stage.composer.press('ControlOrMeta+a');
    const selected = await stage.composer.evaluate(element => {
      const { selectionStart, selectionEnd } = element as unknown as {
        readonly selectionStart: number;
        readonly selectionEnd: number;
      };
      const browser = globalThis as unknown as { getSelection(): { toString(): string } };
      return [selectionStart, selectionEnd, browser.getSelection().toString()];
    });
    assert.deepEqual(selected, [0, 14, 'half a thought']);
    await stage.press('Delete');
    await stage.holds('');
  });

  it('offers to attach a long paste as a file', async () => {
    const long = 'a line of a long log\n'.repeat(300);
    await stage.composer.fill('Look: ');
    await paste({ text: long });
    await stage.holds(`Look: ${long}`);
    await stage.chat.getByRole('button', { name: 'Attach as file instead' }).click();
    await stage.chips.getByText('pasted text.txt').waitFor();
    await stage.holds('Look: ');
    const { text, files } = await stage.send();
    assert.equal(text, 'Look: ');
    assert.deepEqual(files, [
      {
        type: 'base64',
        mediaType: 'text/plain',
        data: Buffer.from(long).toString('base64'),
        parsedData: long,
        name: 'pasted text.txt',
        path: 'pasted text.txt',
      },
    ]);
  });

  it('attaches pasted pictures and files in order, shows them, and sends their bytes', async () => {
    const small = noisePicture(20, 20);
    const base64 = small.toString('base64');
    const picture = { name: 'image.png', type: 'image/png', base64 };
    await stage.idle();
    await paste({ files: [picture, { name: 'a.txt', type: '', base64: 'aGk=' }] });
    await stage.chips.getByText('a.txt').waitFor();
    await paste({ files: [picture] });
    await stage.chips.getByText('image-2.png').waitFor();
    await stage.chat.locator('.composer .thumbnail').nth(1).waitFor();
    assert.deepEqual(await stage.chips.allInnerTexts(), ['image.png', 'a.txt', 'image-2.png']);
    const { images, files } = await stage.send('Compare these');
    assert.deepEqual(
      images?.map(({ data, mediaType }) => [data, mediaType]),
      [
        [base64, 'image/png'],
        [base64, 'image/png'],
      ],
    );
    assert.deepEqual(
      files?.map(({ name, parsedData }) => [name, parsedData]),
      [['a.txt', 'hi']],
    );
  });

  it('says why a picture is too large and makes it smaller', async () => {
    await stage.workbench.explorerMenu(['noise.png'], 'Send to agent session');
    const chip = stage.chat.locator('.composer .chip');
    await chip.getByText(/noise\.png has .*; the limit is 1 MB/).waitFor();
    await chip.getByRole('button', { name: 'Make smaller' }).click();
    await stage.chips.getByText('noise.webp').waitFor();
    await stage.composer.click();
    const { images } = await stage.send('Smaller');
    const [image] = images ?? [];
    assert.equal(image?.mediaType, 'image/webp');
    const bytes = Buffer.from(image.data, 'base64');
    assert.equal(bytes.toString('latin1', 0, 4), 'RIFF');
    assert.ok(bytes.length < 1024 * 1024);
  });

  it('attaches the selection of an editor with its path and lines', async () => {
    await stage.workbench.openContainer('Explorer');
    await stage.workbench.explorerRow('lines.ts').dblclick();
    const editor = stage.workbench.page.locator('.monaco-editor[data-uri$="lines.ts"]');
    await editor.locator('.view-line').nth(1).click();
    await stage.press('Home');
    await stage.press('Shift+ArrowDown');
    await stage.press('Shift+ArrowDown');
    await stage.workbench.page.locator('.statusbar-item', { hasText: 'selected' }).waitFor();
    await stage.workbench.runCommand('Agent Console: Send selection to agent session');
    await stage.chips.getByText('lines.ts:2-3').waitFor();
    await stage.composer.click();
    const { files } = await stage.send('Explain');
    assert.deepEqual(
      files?.map(({ name, path: place, parsedData }) => [name, place, parsedData]),
      [['lines.ts:2-3', 'lines.ts:2-3', 'second\nthird\n']],
    );
  });

  it('takes files dropped on the row of a session, without Shift, and on the page, with it', async () => {
    await stage.composer.waitFor();
    await stage.workbench.openContainer('Explorer');
    const { page } = stage.workbench;
    await stage.workbench.explorerRow('one.txt').hover();
    await page.mouse.down();
    const row = stage.session;
    // The view opens when the pointer rests there for a while; a pointer that does not move at all drags nothing.
    await dragOver(page, stage.workbench.activityIcon('Agent Console'), () => row.isVisible());
    const target = page.locator('.sidebar .monaco-list-row.drop-target');
    await dragOver(page, row, () => target.first().isVisible());
    await page.mouse.up();
    await stage.chips.getByText('one.txt').waitFor();
    for (const files of [['two.txt'], ['three.txt', 'four.txt', 'five.txt']]) {
      await stage.workbench.openContainer('Explorer');
      // A click alone would open the file in front of the chat.
      for (const name of files.length > 1 ? files : [])
        await stage.workbench.explorerRow(name).click({ modifiers: ['ControlOrMeta'] });
      const last = files.at(-1) ?? '';
      await stage.workbench.explorerRow(last).hover();
      await page.mouse.down();
      await page.mouse.move(400, 300, { steps: 3 });
      await page.keyboard.down('Shift');
      await dragOver(page, stage.header, () => stage.chat.locator('.box.dragging').isVisible());
      await page.mouse.up();
      await page.keyboard.up('Shift');
      await stage.chips.getByText(last).waitFor();
    }
    const { files = [] } = await stage.send('All of these');
    assert.deepEqual(
      files.map(({ name }) => name).sort(),
      ['one.txt', 'two.txt', 'three.txt', 'four.txt', 'five.txt'].sort(),
    );
    for (const { name, data, parsedData, path: place } of files) {
      assert.equal(Buffer.from(data, 'base64').toString(), `${name}\n`);
      assert.equal(parsedData, `${name}\n`);
      assert.equal(place, name);
    }
  });

  it('tells above what the session has used, kind by kind', async () => {
    const tokens = stage.chat.locator('.tokens');
    await tokens.waitFor();
    const tooltip = stage.chat.getByRole('tooltip');
    assert.equal(await tooltip.isVisible(), false);
    await tokens.focus();
    for (const kind of ['Input', 'Output', 'Cache creation', 'Cache read', 'Thinking'])
      await tooltip.getByText(new RegExp(`${kind}: [\\d,]+`)).waitFor();
    await stage.composer.click();
    await tooltip.waitFor({ state: 'hidden' });
  });

  it('sends to the computer the person chose', async () => {
    await stage.idle();
    await stage.chat.getByRole('button', { name: 'Send to atlas' }).click();
    await stage.workbench.pick('dune');
    await stage.chat.getByRole('button', { name: 'Send to dune' }).waitFor();
    await stage.composer.click();
    const { computerId, text } = await stage.send('Elsewhere');
    assert.equal(text, 'Elsewhere');
    assert.equal(typeof computerId, 'string');
    await stage.chat.getByRole('button', { name: 'Send to dune' }).click();
    await stage.workbench.pick('atlas');
    await stage.chat.getByRole('button', { name: 'Send to atlas' }).waitFor();
  });
});
