import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Locator } from 'playwright-core';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { image, textFile, type ChatStage, type SentBody } from './chatStage';
import { openFile } from './fileDialog';
import { dragOver, drop, SHIFT, type Dragging } from './giving';
import { noisePicture } from './pictures';
import { clickFor } from './waiting';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const PDF = latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n');
const GIF = latin1('GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;');
const WEBP = latin1('RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0/\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0');
const HEIC = latin1('\0\0\0\x18ftypheic\0\0\0\0mif1heic');
const PNG = noisePicture(20, 20);
/** Several pieces of what a page hands over at once, and no multiple of them. */
const LONG = 'A line of a log, "quoted", größer.\n'.repeat(130_000);
/** The largest file that may be sent. */
export const LIMIT_MB = 5;

/** What the folder of the window holds. */
export const FILES: Readonly<Record<string, string | Buffer>> = {
  'a.txt': 'a.txt\n',
  'b.txt': 'b.txt\n',
  'c.txt': 'c.txt\n',
  'lines.ts': 'first\nsecond\nthird\nfourth\n',
  'noise.png': noisePicture(1500, 1200),
  'paper.pdf': PDF,
  'moving.gif': GIF,
  'web.webp': WEBP,
  'phone.heic': HEIC,
  // Called one thing, being another.
  'text.png': 'no picture at all\n',
  'picture.txt': PNG,
};

/** Each way files get into a message; what the service received is looked at byte for byte. */
export function attaching(get: () => ChatStage): void {
  let stage: ChatStage;
  let outside: string;
  const dropFiles = (
    names: readonly string[],
    place: Locator,
    shows: () => Promise<boolean>,
    how: Dragging,
  ): Promise<void> =>
    drop(stage.workbench.page, { files: names.map(name => path.join(outside, name)) }, place, shows, how);

  before(() => {
    stage = get();
    outside = temporaryFolder('outside');
    fs.writeFileSync(path.join(outside, 'notes.txt'), 'notes\n');
    fs.writeFileSync(path.join(outside, 'shot.png'), PNG);
    fs.writeFileSync(path.join(outside, 'long.log'), LONG);
  });
  after(() => removeFolder(outside));
  afterEach(() => stage.clear());

  it('are three files dropped at once from outside the window', async () => {
    await dropFiles(['notes.txt', 'shot.png', 'long.log'], stage.header, stage.isDragging, {
      modifiers: SHIFT,
    });
    await stage.attached('notes.txt', 'shot.png', 'long.log');
    assert.deepEqual(await stage.send('From outside'), {
      text: 'From outside',
      images: [image('image/png', PNG)],
      files: [textFile('notes.txt', 'notes\n'), textFile('long.log', LONG)],
    } satisfies SentBody);
  });

  it('are one and three files of the Explorer, dropped with Shift', async () => {
    for (const names of [['a.txt'], ['a.txt', 'b.txt', 'c.txt']]) {
      await stage.dropFromExplorer(...names);
      await stage.attached(...names);
      const files = names.map(name => textFile(name, `${name}\n`));
      assert.deepEqual(await stage.send('Dropped'), { text: 'Dropped', files });
    }
  });

  it('are a file of the Explorer dropped on the row of a session, without Shift', async () => {
    const { page } = stage.workbench;
    await stage.dragFromExplorer('lines.ts');
    // The view opens when the pointer rests there for a while.
    await dragOver(page, stage.workbench.activityIcon('Agent Console'), () => stage.session.isVisible());
    const target = page.locator('.sidebar .monaco-list-row.drop-target');
    await dragOver(page, stage.session, () => target.first().isVisible());
    await page.mouse.up();
    await stage.attached('lines.ts');
  });

  it('are files dropped from outside on the row of a session, or beside it', async () => {
    const list = stage.workbench.view('Sessions').locator('.pane-body');
    await stage.workbench.openContainer('Agent Console');
    for (const [place, above] of [
      [stage.session, 0],
      [list, -60],
    ] as const) {
      await stage.idle();
      await stage.rests();
      const target = list.locator('.drop-target').first();
      await dropFiles(['notes.txt', 'shot.png'], place, () => target.isVisible(), { above });
      await stage.attached('notes.txt', 'shot.png');
      assert.deepEqual(await stage.send('On the list'), {
        text: 'On the list',
        images: [image('image/png', PNG)],
        files: [textFile('notes.txt', 'notes\n')],
      });
    }
  });

  it('are not links: these become text, and lead nowhere', async () => {
    const address = 'https://example.com/a?b=c';
    await stage.composer.fill('See ');
    const items = ['text/uri-list', 'text/plain'].map(mimeType => ({ mimeType, data: address }));
    await drop(stage.workbench.page, { items }, stage.header, stage.isDragging, { modifiers: SHIFT });
    await stage.holds(`See ${address}`);
    assert.deepEqual(await stage.send(), { text: `See ${address}` });
  });

  it('are told by what they hold, whatever they are called, or say why not', async () => {
    const chosen = ['paper.pdf', 'moving.gif', 'web.webp', 'phone.heic', 'text.png', 'picture.txt'];
    await stage.workbench.explorerMenu(chosen, 'Send to agent session');
    const refused = /^phone\.heic is not supported\. The service takes images \(PNG/;
    await stage.chips.getByText(refused).waitFor();
    // Said to screen readers, too.
    await stage.chat.getByRole('status').getByText('phone.heic is not supported').waitFor();
    await stage.chat.getByRole('button', { name: 'Remove phone.heic' }).click();
    await stage.chips.getByText(refused).waitFor({ state: 'detached' });
    await stage.chat.locator('textarea:focus').waitFor();
    await stage.chips.nth(4).waitFor();
    const order = await stage.chips.allInnerTexts();
    const { images = [], ...rest } = await stage.send('Look inside');
    const bySize = (list: readonly { readonly data: string }[]) =>
      [...list].sort((a, b) => a.data.length - b.data.length);
    assert.deepEqual(
      bySize(images),
      bySize([image('image/gif', GIF), image('image/webp', WEBP), image('image/png', PNG)]),
    );
    const pdf = { ...image('application/pdf', PDF), name: 'paper.pdf', path: 'paper.pdf' };
    const files = [pdf, textFile('text.png', 'no picture at all\n')];
    files.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    assert.deepEqual(rest, { text: 'Look inside', files });
  });

  it('are chosen with the picker', async () => {
    await stage.chat.getByRole('button', { name: 'Attach files' }).click();
    await openFile(stage.workbench, path.join(outside, 'notes.txt'));
    await stage.attached('notes.txt');
    assert.deepEqual(await stage.send('Picked'), {
      text: 'Picked',
      files: [textFile('notes.txt', 'notes\n')],
    });
  });

  it('are pasted pictures and files in order, shown as they are, each with a name of its own', async () => {
    const picture = { name: 'image.png', type: 'image/png', base64: PNG.toString('base64') };
    await stage.idle();
    await stage.paste({ files: [picture, { name: 'a.txt', type: '', base64: 'aGk=' }] });
    await stage.chips.getByText('a.txt').waitFor();
    await stage.paste({ files: [picture] });
    await stage.chat.locator('.composer .thumbnail').nth(1).waitFor();
    await stage.attached('image.png', 'a.txt', 'image-2.png');
    assert.deepEqual(await stage.send('Compare these'), {
      text: 'Compare these',
      images: [image('image/png', PNG), image('image/png', PNG)],
      files: [textFile('a.txt', 'hi')],
    });
  });

  it('are a picture that is too large once it is made smaller', async () => {
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

  it('are the selection of an editor with its path and lines', async () => {
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
    const { files } = await stage.send('Explain');
    assert.deepEqual(files, [textFile('lines.ts:2-3', 'second\nthird\n')]);
  });
}
