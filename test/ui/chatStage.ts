import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';
import { again, until } from '../until';
import { dragOver } from './giving';
import { openStage, type StageOptions } from './stage';
import { click, clickFor } from './waiting';

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

const NEAR_END = `[...document.querySelectorAll('article')].slice(-2)[0]?.innerText.trim()`;

const shown = (nearEnd: string): string => `(() => {
  const log = document.querySelector('.log');
  return {
    draft: document.querySelector('.box textarea')?.value,
    chips: [...document.querySelectorAll('.composer .chip-name')].map(element => element.innerText.trim()),
    isThere: [...document.querySelectorAll('article')].some(element => element.innerText.trim() === ${JSON.stringify(nearEnd)}),
    isAtEnd: document.querySelector('.to-latest') === null
      && log?.scrollHeight - log?.clientHeight - log?.scrollTop <= 8,
  };
})()`;

export type ChatStage = Awaited<ReturnType<typeof openChat>>;

/** A window with the chat of a new session on the computer `atlas`. */
export async function openChat({ settings, ...options }: StageOptions) {
  const often = { 'agentConsole.refresh.sessions': 1, ...settings };
  const opened = await openStage({ height: 1200, settings: often, files: FILES, ...options });
  const { service, workbench } = opened;
  const { page, front: chat } = workbench;
  const composer = chat.getByRole('textbox', { name: 'Message to the agent' });
  const chips = chat.locator('.composer .chip-name');
  /** The part of the page that stands still, whatever comes into the transcript below it. */
  const header = chat.locator('.header');
  /** The row of the session, below the heading of its group. */
  const session = workbench.rows('Sessions').nth(1);
  const button = (name: string): Locator => chat.getByRole('button', { name, exact: true });
  const idle = (): Promise<void> => button('Send').waitFor();
  const isDragging = (): Promise<boolean> => chat.locator('.box.dragging').isVisible();
  /** Waits until the composer holds exactly this. */
  const holds = (value: string): Promise<void> =>
    workbench.pageShows(`document.querySelector('.box textarea')?.value === ${JSON.stringify(value)}`);
  /** Waits until just these are attached, in this order. */
  const attached = (...expected: readonly string[]): Promise<void> =>
    until(async () => {
      const isAttached = isDeepStrictEqual(await chips.allInnerTexts(), expected);
      return isAttached && (await chat.locator('.composer .codicon-sync').count()) === 0;
    });
  const received = async (): Promise<SentBody> =>
    (await service.next('POST', /\/messages$/)).body as SentBody;
  /** Sends what is written and resolves to what arrived, when the composer is empty again. */
  const send = async (text?: string): Promise<SentBody> => {
    if (text !== undefined) await composer.fill(text);
    await idle();
    const arrived = received();
    await composer.press('Enter');
    const body = await arrived;
    await holds('');
    return body;
  };

  /** Drags files of the Explorer into the page with Shift. */
  const dropFromExplorer = async (...files: readonly string[]): Promise<void> => {
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
    await dragOver(header, isDragging, (x, y) => page.mouse.move(x, y, { steps: 2 }));
    await page.mouse.up();
    await page.keyboard.up('Shift');
  };

  await workbench.openContainer('Agent Console');
  await workbench.row('Computers', 'active').waitFor();
  await workbench.viewAction('Sessions', 'New session');
  await workbench.pick('atlas', 'Default');
  await composer.waitFor();
  return {
    ...{ ...opened, chat, composer, chips, header, session },
    ...{ button, idle, isDragging, holds, attached, received, send },
    press: (key: string): Promise<void> => page.keyboard.press(key),
    heading: (name: string | RegExp): Locator => chat.getByRole('heading', { level: 1, name }),
    sent: (): readonly string[] =>
      service.requests
        .filter(({ method, path: place }) => method === 'POST' && place.endsWith('/messages'))
        .map(({ body }) => (body as SentBody).text),
    /** Opens a session of the service by its place in the list of all. */
    add: (index: number): Promise<void> => workbench.openSession(service.sessionIds[index]),
    /** Waits until the row of a session says that its agent rests: until then it moves between the groups. */
    rests: (row = session): Promise<void> => row.and(page.locator('[aria-label*=", idle"]')).waitFor(),
    /** Attaches one and three files of the Explorer, and sends them. */
    async sendsDropped(): Promise<void> {
      for (const names of [['a.txt'], ['a.txt', 'b.txt', 'c.txt']]) {
        await dropFromExplorer(...names);
        await attached(...names);
        const files = names.map(name => textFile(name, `${name}\n`));
        assert.deepEqual(await send('Dropped'), { text: 'Dropped', files });
      }
    },
    /** Ends what a test has left: a drag, a menu or a picker, words and files in the composer. */
    async clear(): Promise<void> {
      await page.keyboard.up('Shift');
      await page.mouse.up();
      await workbench.clear();
      if (!(await composer.isVisible())) return;
      await composer.fill('');
      // A file that is still being read may come or go meanwhile.
      await workbench.pageShows(`(() => {
        const remove = document.querySelector('.composer button[aria-label^="Remove "]');
        remove?.click();
        return remove === null;
      })()`);
    },
    /** Each act leaves what is written, what is attached and the end of the transcript, which an agent may continue, as they were. */
    async isKeptBy(...acts: readonly (() => Promise<void>)[]): Promise<void> {
      const seen = <T>(what: string): Promise<T> => workbench.inPage(frame => frame.evaluate<T>(what));
      await workbench.pageShows(`${shown('')}.isAtEnd && ${NEAR_END} !== undefined`);
      const nearEnd = await seen<string>(NEAR_END);
      const { chips: files } = await seen<{ readonly chips: readonly string[] }>(shown(nearEnd));
      for (const [round, act] of acts.entries()) {
        const draft = `A thought, take ${String(round)}`;
        const wanted = { draft, chips: files, isThere: true, isAtEnd: true };
        await composer.fill(draft);
        await act();
        let now: unknown;
        const isKept = async (): Promise<boolean> =>
          isDeepStrictEqual((now = await seen(shown(nearEnd))), wanted);
        await until(isKept).catch(() => assert.deepEqual(now, wanted));
      }
    },
    /** Reloads the window and shows the chat again; a browser may be reloaded before VS Code has stored which editors are open. */
    async reload(): Promise<void> {
      await page.reload();
      await workbench.openContainer('Agent Console');
      await clickFor(session, composer);
    },
  };
}
