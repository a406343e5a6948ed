import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { FrameLocator, Locator } from 'playwright-core';
import type { SampleService } from '../fakes/sampleService';
import { again, until } from '../until';
import { dragOver } from './giving';
import { openStage, type StageOptions } from './stage';
import { click, clickFor } from './waiting';
import type { Workbench } from './workbench';

/** A message as the service received it (section 4.7). */
export interface SentBody {
  readonly text: string;
  readonly images?: readonly Readonly<Record<'data' | 'mediaType', string>>[];
  readonly files?: readonly Readonly<Record<'data' | 'parsedData' | 'name' | 'path', string>>[];
  readonly computerId?: string;
}

export const textFile = (name: string, text: string) => ({
  type: 'base64',
  mediaType: 'text/plain',
  data: Buffer.from(text).toString('base64'),
  parsedData: text,
  name,
  path: name,
});
export const image = (mediaType: string, bytes: Buffer) => ({
  type: 'base64',
  data: bytes.toString('base64'),
  mediaType,
});

export const FILES = Object.fromEntries(['a.txt', 'b.txt', 'c.txt'].map(name => [name, `${name}\n`]));

const SHOWN = `(() => {
  const texts = selector => [...document.querySelectorAll(selector)].map(element => element.innerText.trim());
  const draft = document.querySelector('.box textarea')?.value;
  return { draft, chips: texts('.composer .chip-name'), last: texts('article').slice(-2) };
})()`;

const RESTS_AT_END = `(() => {
  const log = document.querySelector('.log');
  return log !== null
    && document.querySelector('.to-latest') === null
    && log.querySelector('article') !== null
    && log.scrollHeight - log.clientHeight - log.scrollTop <= 8;
})()`;

/** A window with the chat of a new session on the computer `atlas`. */
export class ChatStage {
  private constructor(
    readonly service: SampleService,
    readonly workbench: Workbench,
    readonly folder: string,
    readonly close: () => Promise<void>,
  ) {}

  static async open({ settings, ...options }: StageOptions): Promise<ChatStage> {
    const often = { 'agentConsole.refresh.sessions': 1, ...settings };
    const given = { height: 1200, settings: often, files: FILES, ...options };
    const { service, workbench, folder, close } = await openStage(given);
    const stage = new ChatStage(service, workbench, folder, close);
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'active').waitFor();
    await workbench.viewAction('Sessions', 'New session');
    await workbench.pick('atlas', 'Default');
    await stage.composer.waitFor();
    return stage;
  }

  /** The row of the session, below the heading of its group. */
  get session(): Locator {
    return this.workbench.rows('Sessions').nth(1);
  }

  /** Waits until the row of a session says that its agent rests: until then it moves between the groups. */
  rests(row = this.session): Promise<void> {
    return row.and(this.workbench.page.locator('[aria-label*=", idle"]')).waitFor();
  }

  get chat(): FrameLocator {
    return this.workbench.front;
  }

  get composer(): Locator {
    return this.chat.getByRole('textbox', { name: 'Message to the agent' });
  }

  get chips(): Locator {
    return this.chat.locator('.composer .chip-name');
  }

  get sent(): readonly string[] {
    return this.service.requests
      .filter(({ method, path: place }) => method === 'POST' && place.endsWith('/messages'))
      .map(({ body }) => (body as SentBody).text);
  }

  /** Waits until just these are attached, in this order. */
  attached(...expected: readonly string[]): Promise<void> {
    const reading = this.chat.locator('.composer .codicon-sync');
    const isAttached = async () => isDeepStrictEqual(await this.chips.allInnerTexts(), expected);
    return until(async () => (await isAttached()) && (await reading.count()) === 0);
  }

  readonly isDragging = (): Promise<boolean> => this.chat.locator('.box.dragging').isVisible();

  /** The part of the page that stands still, whatever comes into the transcript below it. */
  get header(): Locator {
    return this.chat.locator('.header');
  }

  async sendsDropped(): Promise<void> {
    for (const names of [['a.txt'], ['a.txt', 'b.txt', 'c.txt']]) {
      await this.#dropFromExplorer(...names);
      await this.attached(...names);
      const files = names.map(name => textFile(name, `${name}\n`));
      assert.deepEqual(await this.send('Dropped'), { text: 'Dropped', files });
    }
  }

  /** Drags files of the Explorer into the page with Shift. */
  async #dropFromExplorer(...files: readonly string[]): Promise<void> {
    const { workbench } = this;
    const { page } = workbench;
    await workbench.openContainer('Explorer');
    const selected = page.locator('.selected');
    await again(
      async limit => {
        await page.keyboard.press('Escape');
        await page.mouse.up();
        // A click alone would open the file in front of the chat.
        for (const row of files.length > 1 ? files.map(name => workbench.explorerRow(name)) : [])
          if (!(await row.and(selected).isVisible()))
            await click(row, { ...limit, modifiers: ['ControlOrMeta'] });
        await workbench.explorerRow(files.at(-1) ?? '').hover(limit);
        await page.mouse.down();
        await page.mouse.move(400, 300, { steps: 3 });
      },
      // Where it could be dropped to be opened.
      limit => page.locator('#monaco-workbench-editor-drop-overlay').waitFor(limit),
    );
    await page.keyboard.down('Shift');
    await dragOver(page, this.header, this.isDragging);
    await page.mouse.up();
    await page.keyboard.up('Shift');
  }

  /** Opens a session of the service by its place in the list of all. */
  add(index: number): Promise<void> {
    return this.workbench.openSession(this.service.sessionIds[index]);
  }

  heading(name: string | RegExp): Locator {
    return this.chat.getByRole('heading', { level: 1, name });
  }

  /** Ends what a test has left: a drag, a menu or a picker, words and files in the composer. */
  async clear(): Promise<void> {
    const { page } = this.workbench;
    await page.keyboard.up('Shift');
    await page.mouse.up();
    await this.workbench.clear();
    if (!(await this.composer.isVisible())) return;
    await this.composer.fill('');
    // A file that is still being read may come or go meanwhile.
    await this.workbench.pageShows(`(() => {
      const remove = document.querySelector('.composer button[aria-label^="Remove "]');
      remove?.click();
      return remove === null;
    })()`);
  }

  press(key: string): Promise<void> {
    return this.workbench.page.keyboard.press(key);
  }

  button(name: string): Locator {
    return this.chat.getByRole('button', { name, exact: true });
  }

  async received(): Promise<SentBody> {
    return (await this.service.next('POST', /\/messages$/)).body as SentBody;
  }

  /** Sends what is written and resolves to what arrived, when the composer is empty again. */
  async send(text?: string): Promise<SentBody> {
    if (text !== undefined) await this.composer.fill(text);
    await this.idle();
    const arrived = this.received();
    await this.composer.press('Enter');
    const body = await arrived;
    await this.holds('');
    return body;
  }

  idle(): Promise<void> {
    return this.button('Send').waitFor();
  }

  /** Waits until the composer holds exactly this. */
  holds(value: string): Promise<void> {
    const isHeld = `document.querySelector('.box textarea')?.value === ${JSON.stringify(value)}`;
    return this.workbench.pageShows(isHeld);
  }

  /** Each act leaves what is written, what is attached and the end of the transcript as they were. */
  async isKeptBy(...acts: readonly (() => Promise<void>)[]): Promise<void> {
    const shown = () => this.workbench.inPage(frame => frame.evaluate<object>(SHOWN));
    await this.workbench.pageShows(RESTS_AT_END);
    const before = await shown();
    for (const [round, act] of acts.entries()) {
      const draft = `A thought, take ${String(round)}`;
      await this.composer.fill(draft);
      await act();
      await until(async () => isDeepStrictEqual(await shown(), { ...before, draft }));
    }
  }

  /** Reloads the window and shows the chat again; a browser may be reloaded before VS Code has stored which editors are open. */
  async reload(): Promise<void> {
    await this.workbench.page.reload();
    await this.workbench.openContainer('Agent Console');
    await clickFor(this.session, this.composer);
  }
}
