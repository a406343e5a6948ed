import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { startSampleService, type RecordedRequest, type SampleService } from '../../src/sample';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { noisePicture } from './pictures';
import { Workbench } from './workbench';

interface Body {
  readonly text: string;
  readonly images?: readonly { readonly data: string; readonly mediaType: string }[];
  readonly files?: readonly {
    readonly data: string;
    readonly parsedData?: string;
    readonly name: string;
    readonly path: string;
  }[];
  readonly computerId?: string;
}

/** Writing, attaching and queueing through the real page; what the service received is looked at byte for byte. */
describe('the composer', () => {
  const settings = {
    'agentConsole.chat.maxImageMegabytes': 1,
    'agentConsole.chat.largePasteCharacters': 500,
    'agentConsole.refresh.sessions': 1,
  };
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  const chat = () => workbench.webview();
  const composer = () => chat().getByRole('textbox', { name: 'Message to the agent' });
  const chips = () => chat().locator('.composer .chip-name');
  const queue = () => chat().locator('.queued');
  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);

  /** The next message, as the service saw it. */
  const received = (): Promise<Body> =>
    new Promise(resolve => {
      const subscription = service.onDidReceive((request: RecordedRequest) => {
        if (request.method !== 'POST' || !request.path.endsWith('/messages')) return;
        subscription.dispose();
        resolve(request.body as Body);
      });
    });
  /** Sends what is written and resolves to what arrived, when the composer is empty again. */
  const send = async (text?: string): Promise<Body> => {
    if (text !== undefined) await composer().fill(text);
    await idle();
    const arrived = received();
    await press('Enter');
    const body = await arrived;
    await holds('');
    return body;
  };
  /** Waits until Enter would send rather than queue. */
  const idle = (): Promise<void> => chat().getByRole('button', { name: 'Send', exact: true }).waitFor();
  const holds = async (value: string): Promise<void> => {
    const frame = await workbench.webviewFrame();
    await frame.waitForFunction(wanted => {
      const { document } = globalThis as unknown as {
        readonly document: { querySelector(selector: string): { readonly value: string } | null };
      };
      return document.querySelector('.box textarea')?.value === wanted;
    }, value);
  };
  /** The service says that the agent works, until disposed. */
  const busy = async (): Promise<{ dispose(): void }> => {
    const fault = service.fail({
      kind: 'alter',
      match: { method: 'GET', path: /\/sessions\/[^/]+$/ },
      alter: body => ({ ...(body as object), status: 'running' }),
    });
    await chat().getByRole('button', { name: 'Refresh' }).first().click();
    await chat().getByRole('button', { name: 'Queue', exact: true }).waitFor();
    return fault;
  };
  const paste = (data: { readonly text?: string; readonly files?: readonly PastedFile[] }): Promise<void> =>
    composer().evaluate((element, { text, files = [] }) => {
      const { DataTransfer, File, ClipboardEvent } = globalThis as unknown as PastingBrowser;
      const clipboardData = new DataTransfer();
      if (text !== undefined) clipboardData.setData('text/plain', text);
      for (const { name, type, base64 } of files) {
        const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
        clipboardData.items.add(new File([bytes], name, { type }));
      }
      const target = element as unknown as PasteTarget;
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      if (target.dispatchEvent(event) && text !== undefined)
        target.ownerDocument.execCommand('insertText', false, text);
    }, data);

  before(async function () {
    this.timeout(120_000);
    service = await startSampleService({ pace: 0 });
    folder = temporaryFolder('composer');
    for (const name of ['one.txt', 'two.txt', 'three.txt'])
      fs.writeFileSync(path.join(folder, name), `${name}\n`);
    fs.mkdirSync(path.join(folder, 'src'));
    fs.writeFileSync(path.join(folder, 'lines.ts'), 'first\nsecond\nthird\nfourth\n');
    fs.writeFileSync(path.join(folder, 'noise.png'), noisePicture(800, 700));
    workbench = await Workbench.open({
      folder,
      settings,
      env: {
        AGENT_CONSOLE_BASE_URL: service.baseUrl,
        AGENT_CONSOLE_APP_URL: service.appUrl,
        AGENT_CONSOLE_API_KEY: service.apiKey,
      },
    });
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'active').waitFor();
    await workbench.viewAction('Sessions', 'New session');
    await workbench.pick('atlas');
    await composer().waitFor();
  });
  after(async () => {
    await workbench.close();
    await service.close();
    removeFolder(folder);
  });

  afterEach(async () => {
    await workbench.page.keyboard.up('Shift');
    await workbench.page.mouse.up();
  });

  it('leaves Enter to the input method while it composes', async () => {
    await composer().click();
    const session = await workbench.page.context().newCDPSession(workbench.page);
    const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 } as const;
    await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await holds('にほん');
    await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter });
    await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter });
    await session.send('Input.dispatchKeyEvent', {
      type: 'rawKeyDown',
      key: 'Enter',
      windowsVirtualKeyCode: 13,
    });
    await session.send('Input.insertText', { text: '日本' });
    await holds('日本');
    assert.deepEqual(messages(), []);
    await idle();
    const arrived = received();
    await press('Enter');
    assert.deepEqual(await arrived, { text: '日本' });
    await holds('');
  });

  it('calls up earlier messages and brings the draft back', async () => {
    await send('Second question');
    await idle();
    await composer().fill('half a thought');
    await press('Home');
    await press('ArrowUp');
    await holds('Second question');
    await press('ArrowUp');
    await holds('日本');
    await press('ArrowDown');
    await holds('Second question');
    await press('ArrowDown');
    await holds('half a thought');
    await press('Home');
    await press('ArrowUp');
    await holds('Second question');
    await press('Escape');
    await holds('half a thought');
    await press('Home');
    await press('ArrowUp');
    await holds('Second question');
    const arrived = received();
    await press('Enter');
    assert.deepEqual(await arrived, { text: 'Second question' });
    // What was being written before is there again.
    await holds('half a thought');
    await composer().press('ControlOrMeta+a');
    const selected = await composer().evaluate(element => {
      const { selectionStart, selectionEnd } = element as unknown as {
        readonly selectionStart: number;
        readonly selectionEnd: number;
      };
      const { getSelection } = globalThis as unknown as { getSelection(): { toString(): string } };
      return [selectionStart, selectionEnd, getSelection().toString()];
    });
    assert.deepEqual(selected, [0, 14, 'half a thought']);
    await press('Delete');
    await holds('');
  });

  it('offers to attach a long paste as a file', async () => {
    const long = 'a line of a long log\n'.repeat(60);
    await composer().fill('Look: ');
    await paste({ text: long });
    await holds(`Look: ${long}`);
    await chat().getByRole('button', { name: 'Attach as File Instead' }).click();
    await chips().getByText('pasted text.txt').waitFor();
    await holds('Look: ');
    const { text, files } = await send();
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
    await idle();
    await paste({ files: [picture, { name: 'a.txt', type: '', base64: 'aGk=' }] });
    await chips().getByText('a.txt').waitFor();
    await paste({ files: [picture] });
    await chips().getByText('image-2.png').waitFor();
    await chat().locator('.composer .thumbnail').nth(1).waitFor();
    assert.deepEqual(await chips().allInnerTexts(), ['image.png', 'a.txt', 'image-2.png']);
    const { images, files } = await send('Compare these');
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
    await workbench.explorerMenu(['noise.png'], 'Send to agent session');
    const chip = chat().locator('.composer .chip');
    await chip.getByText(/noise\.png has .*; the limit is 1 MB/).waitFor();
    await chip.getByRole('button', { name: 'Make Smaller' }).click();
    await chips().getByText('noise.webp').waitFor();
    await composer().click();
    const { images } = await send('Smaller');
    const [image] = images ?? [];
    assert.equal(image?.mediaType, 'image/webp');
    const bytes = Buffer.from(image.data, 'base64');
    assert.equal(bytes.toString('latin1', 0, 4), 'RIFF');
    assert.ok(bytes.length < 1024 * 1024);
  });

  it('attaches the selection of an editor with its path and lines', async () => {
    await workbench.openContainer('Explorer');
    await workbench.explorerRow('lines.ts').dblclick();
    const editor = workbench.page.locator('.monaco-editor[data-uri$="lines.ts"]');
    await editor.locator('.view-line').nth(1).click();
    await press('Home');
    await press('Shift+ArrowDown');
    await press('Shift+ArrowDown');
    await workbench.page.locator('.statusbar-item', { hasText: 'selected' }).waitFor();
    await workbench.runCommand('Agent Console: Send selection to agent session');
    await chips().getByText('lines.ts:2-3').waitFor();
    await composer().click();
    const { files } = await send('Explain');
    assert.deepEqual(
      files?.map(({ name, path: place, parsedData }) => [name, place, parsedData]),
      [['lines.ts:2-3', 'lines.ts:2-3', 'second\nthird\n']],
    );
  });

  it('takes files dropped on the row of a session, without Shift, and on the page, with it', async () => {
    await composer().waitFor();
    await workbench.openContainer('Explorer');
    const { page } = workbench;
    await workbench.explorerRow('one.txt').hover();
    await page.mouse.down();
    const icon = await workbench.activityIcon('Agent Console').boundingBox();
    assert.ok(icon);
    const row = workbench.rows('Sessions').first();
    // The view opens when the pointer rests there for a while; a pointer that does not move at all drags nothing.
    await dragOver(icon, () => row.isVisible());
    const place = await row.boundingBox();
    assert.ok(place);
    const target = page.locator('.sidebar .monaco-list-row.drop-target');
    await dragOver(place, () => target.first().isVisible());
    await page.mouse.up();
    await chips().getByText('one.txt').waitFor();
    await workbench.openContainer('Explorer');
    // A click alone would open the file in front of the chat.
    await workbench.explorerRow('two.txt').click({ modifiers: ['ControlOrMeta'] });
    await workbench.explorerRow('three.txt').click({ modifiers: ['ControlOrMeta'] });
    await workbench.explorerRow('three.txt').hover();
    await page.mouse.down();
    await page.mouse.move(400, 300, { steps: 3 });
    await page.keyboard.down('Shift');
    const box = await composer().boundingBox();
    assert.ok(box);
    await dragOver({ ...box, y: box.y - 80 }, () => chat().locator('.box.dragging').isVisible());
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await chips().getByText('three.txt').waitFor();
    const { files } = await send('These three');
    assert.deepEqual(new Set(files?.map(({ name }) => name)), new Set(['one.txt', 'two.txt', 'three.txt']));
    for (const { name, data, parsedData, path: place } of files ?? []) {
      assert.equal(Buffer.from(data, 'base64').toString(), `${name}\n`);
      assert.equal(parsedData, `${name}\n`);
      assert.equal(place, name);
    }
  });

  it('sends to the computer the person chose', async () => {
    await idle();
    await chat().getByRole('button', { name: 'Send to atlas' }).click();
    await workbench.pick('dune');
    await chat().getByRole('button', { name: 'Send to dune' }).waitFor();
    await composer().click();
    const { computerId, text } = await send('Elsewhere');
    assert.equal(text, 'Elsewhere');
    assert.equal(typeof computerId, 'string');
    await chat().getByRole('button', { name: 'Send to dune' }).click();
    await workbench.pick('atlas');
    await chat().getByRole('button', { name: 'Send to atlas' }).waitFor();
  });

  it('queues while the agent works; what is queued can be changed, survives a reload, and goes out in order', async () => {
    await idle();
    const before = messages().length;
    const work = await busy();
    for (const [index, text] of ['one', 'two', 'three', 'four'].entries()) {
      await composer().fill(text);
      await press('Enter');
      await queue().nth(index).waitFor();
      await holds('');
    }
    // By keyboard: the last one goes to the beginning, and the focus goes with it.
    await chat().getByRole('button', { name: 'Move up "four"' }).focus();
    for (const place of [2, 1, 0]) {
      await press('Alt+ArrowUp');
      await queue().nth(place).getByText('four').waitFor();
      await queue().nth(place).locator(':focus').waitFor();
    }
    await chat().getByRole('button', { name: 'Remove "two" from the queue' }).click();
    await chat().getByRole('button', { name: 'Edit "one"' }).click();
    await chat().getByRole('textbox', { name: 'Queued message' }).fill('one, but better');
    await press('Enter');
    await queue().getByText('one, but better').waitFor();
    assert.deepEqual(await texts(), ['four', 'one, but better', 'three']);
    await workbench.page.reload();
    await open();
    await queue().nth(2).waitFor();
    assert.deepEqual(await texts(), ['four', 'one, but better', 'three']);
    assert.equal(messages().length, before);
    work.dispose();
    await queue().first().waitFor({ state: 'detached' });
    await chat().getByRole('article').getByText('three', { exact: true }).waitFor();
    assert.deepEqual(messages().slice(before), ['four', 'one, but better', 'three']);
  }).timeout(90_000);

  it('loses no message to a reload right after Enter', async () => {
    for (const text of ['Reloaded at once', 'Reloaded at once again']) {
      await idle();
      await composer().fill(text);
      await press('Enter');
      await workbench.page.reload();
      await open();
      const frame = await workbench.webviewFrame();
      await frame.waitForFunction(wanted => {
        const { document } = globalThis as unknown as {
          readonly document: {
            querySelector(selector: string): { readonly value: string } | null;
            querySelectorAll(selector: string): Iterable<{ readonly innerText: string }>;
          };
        };
        const shown = [...document.querySelectorAll('article .text, .queued')].some(element =>
          element.innerText.includes(wanted),
        );
        return shown || document.querySelector('.box textarea')?.value === wanted;
      }, text);
      if ((await composer().inputValue()) === text) await send();
      assert.ok(messages().filter(sent => sent === text).length <= 1);
    }
  }).timeout(120_000);

  it('sends with Ctrl+Enter where the person wants that', async () => {
    await idle();
    const file = path.join(workbench.server.userDataFolder, 'User', 'settings.json');
    const now = JSON.parse(fs.readFileSync(file, 'utf8')) as object;
    fs.writeFileSync(file, JSON.stringify({ ...now, 'agentConsole.chat.sendKey': 'ctrl+enter' }));
    await chat().locator('.key', { hasText: 'Ctrl+Enter' }).waitFor();
    await composer().fill('line one');
    await press('Enter');
    await workbench.page.keyboard.type('line two');
    await holds('line one\nline two');
    const arrived = received();
    await press('ControlOrMeta+Enter');
    assert.deepEqual(await arrived, { text: 'line one\nline two' });
  });

  /** Moves what is dragged to and fro over a place until something shows; 10 s at most. */
  async function dragOver(
    { x, y, width, height }: Record<'x' | 'y' | 'width' | 'height', number>,
    shows: () => Promise<boolean>,
  ): Promise<void> {
    const until = Date.now() + 10_000;
    for (let step = 0; !(await shows()); step++) {
      assert.ok(Date.now() < until, 'nothing was dragged there');
      const aside = step % 2;
      await workbench.page.mouse.move(x + Math.min(60, width / 2) + aside, y + height / 2, { steps: 2 });
    }
  }

  const messages = (): readonly string[] =>
    service.requests
      .filter(({ method, path: place }) => method === 'POST' && place.endsWith('/messages'))
      .map(({ body }) => (body as Body).text);
  const texts = async (): Promise<readonly string[]> =>
    (await chat().locator('.queued-text').allInnerTexts()).map(text => text.trim());
  /** After a reload: a browser may be reloaded before VS Code has stored which editors are open. */
  async function open(): Promise<void> {
    await workbench.activityIcon('Agent Console').waitFor({ timeout: 40_000 });
    await workbench.openContainer('Agent Console');
    await workbench.rows('Sessions').first().click();
    await composer().waitFor({ timeout: 40_000 });
  }
});

interface PastedFile {
  readonly name: string;
  readonly type: string;
  readonly base64: string;
}

interface PastedData {
  setData(type: string, text: string): void;
  readonly items: { add(file: object): void };
}

interface PastingBrowser {
  readonly DataTransfer: new () => PastedData;
  readonly File: new (parts: readonly Uint8Array[], name: string, options: object) => object;
  readonly ClipboardEvent: new (type: string, options: object) => object;
}

interface PasteTarget {
  dispatchEvent(event: object): boolean;
  readonly ownerDocument: { execCommand(command: string, ui: boolean, value: string): boolean };
}
