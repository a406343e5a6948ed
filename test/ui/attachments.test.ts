import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { ChatStage, type SentBody } from './chatStage';
import { openFile } from './fileDialog';
import { dragOver, drop, dropFiles, pasteInto, SHIFT } from './giving';
import { noisePicture } from './pictures';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const PDF = latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n');
const GIF = latin1('GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;');
const WEBP = latin1('RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0/\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0');
const HEIC = latin1('\0\0\0\x18ftypheic\0\0\0\0mif1heic');
const PNG = noisePicture(20, 20);
/** Several pieces of what a page hands over at once, and no multiple of them. */
const LONG = 'A line of a log, "quoted", größer.\n'.repeat(150_000);

const names = ['a.txt', 'b.txt', 'c.txt'];
const contents: Readonly<Record<string, string | Buffer>> = {
  'a.txt': 'a.txt\n',
  'b.txt': 'b.txt\n',
  'c.txt': 'c.txt\n',
  'paper.pdf': PDF,
  'moving.gif': GIF,
  'web.webp': WEBP,
  'phone.heic': HEIC,
  // Called one thing, being another.
  'text.png': 'no picture at all\n',
  'picture.txt': PNG,
};

/** A text file as the service is to receive it. */
const textFile = (name: string, text: string) => ({
  type: 'base64',
  mediaType: 'text/plain',
  data: Buffer.from(text).toString('base64'),
  parsedData: text,
  name,
  path: name,
});
const image = (mediaType: string, bytes: Buffer) => ({
  type: 'base64',
  data: bytes.toString('base64'),
  mediaType,
});

/** Each way files get into a message, here in the side bar; what the service received is looked at byte for byte. */
describe('attachments', () => {
  let stage: ChatStage;
  let outside: string;

  const dragging = () => stage.chat.locator('.box.dragging').isVisible();
  const attached = async (...expected: readonly string[]): Promise<void> => {
    await stage.chips.nth(expected.length - 1).waitFor();
    await stage.chat.locator('.composer .codicon-loading').waitFor({ state: 'detached' });
    assert.deepEqual(await stage.chips.allInnerTexts(), expected);
  };
  const drag = async (...files: readonly string[]): Promise<void> => {
    const { workbench } = stage;
    await workbench.openContainer('Explorer');
    // A click alone would open the file in front of the chat.
    for (const name of files.slice(0, -1))
      await workbench.explorerRow(name).click({ modifiers: ['ControlOrMeta'] });
    const last = workbench.explorerRow(files.at(-1) ?? '');
    if (files.length > 1) await last.click({ modifiers: ['ControlOrMeta'] });
    await last.hover();
    await workbench.page.mouse.down();
    await workbench.page.mouse.move(400, 300, { steps: 3 });
  };

  before(async () => {
    outside = temporaryFolder('outside');
    fs.writeFileSync(path.join(outside, 'notes.txt'), 'notes\n');
    fs.writeFileSync(path.join(outside, 'shot.png'), PNG);
    fs.writeFileSync(path.join(outside, 'long.log'), LONG);
    stage = await ChatStage.open(
      contents,
      {
        'agentConsole.chat.location': 'view',
        'agentConsole.chat.largePaste': 'file',
      },
      { width: 1280, height: 1100 },
    );
  });
  after(async () => {
    await stage.close();
    removeFolder(outside);
  });
  afterEach(() => stage.clear());

  it('are three files dropped at once from outside the window', async () => {
    const { page } = stage.workbench;
    const paths = ['notes.txt', 'shot.png', 'long.log'].map(name => path.join(outside, name));
    await dropFiles(page, paths, stage.header, dragging, { modifiers: SHIFT });
    await attached('notes.txt', 'shot.png', 'long.log');
    assert.deepEqual(await stage.send('From outside'), {
      text: 'From outside',
      images: [image('image/png', PNG)],
      files: [textFile('notes.txt', 'notes\n'), textFile('long.log', LONG)],
    } satisfies SentBody);
  });

  it('are one and three files of the Explorer, dropped with Shift', async () => {
    const { workbench } = stage;
    for (const files of [['a.txt'], names]) {
      await drag(...files);
      // The view opens when the pointer rests there for a while.
      await dragOver(workbench.page, workbench.activityIcon('Agent Console'), () =>
        stage.session.isVisible(),
      );
      await workbench.page.keyboard.down('Shift');
      await dragOver(workbench.page, stage.header, dragging);
      await workbench.page.mouse.up();
      await workbench.page.keyboard.up('Shift');
      await attached(...files);
      const text = `Dropped ${String(files.length)}`;
      assert.deepEqual(await stage.send(text), {
        text,
        files: files.map(name => textFile(name, `${name}\n`)),
      });
    }
  });

  it('are files dropped from outside on the row of a session, without Shift', async () => {
    const { page } = stage.workbench;
    const paths = ['notes.txt', 'shot.png'].map(name => path.join(outside, name));
    const target = page.locator('.sidebar .monaco-list-row.drop-target').first();
    // Rows move between their groups while the agent works.
    await stage.idle();
    await stage.rests();
    await dropFiles(page, paths, stage.session, () => target.isVisible());
    await attached('notes.txt', 'shot.png');
    assert.deepEqual(await stage.send('On the row'), {
      text: 'On the row',
      images: [image('image/png', PNG)],
      files: [textFile('notes.txt', 'notes\n')],
    });
  });

  it('are files dropped beside the rows, in the chat that is open', async () => {
    const { page } = stage.workbench;
    const list = stage.workbench.view('Sessions').locator('.pane-body');
    const target = list.locator('.drop-target').first();
    await stage.idle();
    await stage.rests();
    await dropFiles(page, [path.join(outside, 'notes.txt')], list, () => target.isVisible(), { above: -60 });
    await attached('notes.txt');
    assert.deepEqual(await stage.send('Beside'), {
      text: 'Beside',
      files: [textFile('notes.txt', 'notes\n')],
    });
  });

  it('are not links: these become text, and lead nowhere', async () => {
    const address = 'https://example.com/a?b=c';
    await stage.composer.fill('See ');
    const link = [
      { mimeType: 'text/uri-list', data: address },
      { mimeType: 'text/plain', data: address },
    ];
    await drop(stage.workbench.page, { items: link }, stage.header, dragging, {
      modifiers: SHIFT,
    });
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
    const files = [
      {
        type: 'base64',
        mediaType: 'application/pdf',
        data: PDF.toString('base64'),
        name: 'paper.pdf',
        path: 'paper.pdf',
      },
      textFile('text.png', 'no picture at all\n'),
    ].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    assert.deepEqual(rest, { text: 'Look inside', files });
  });

  it('are chosen with the picker', async () => {
    await stage.chat.getByRole('button', { name: 'Attach files' }).click();
    await openFile(stage.workbench, path.join(outside, 'notes.txt'));
    await attached('notes.txt');
    assert.deepEqual(await stage.send('Picked'), {
      text: 'Picked',
      files: [textFile('notes.txt', 'notes\n')],
    });
  });

  it('are long pastes where the person wants that', async () => {
    const long = 'one line of many\n'.repeat(300);
    await pasteInto(stage.composer, { text: 'short' });
    await stage.holds('short');
    await pasteInto(stage.composer, { text: long });
    await attached('pasted text.txt');
    await stage.holds('short');
    assert.deepEqual(await stage.send(), { text: 'short', files: [textFile('pasted text.txt', long)] });
  });
});
