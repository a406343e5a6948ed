import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { errors, type Frame, type FrameLocator, type Locator, type Page } from 'playwright-core';
import { again, opened, patience, type Limit } from '../until';
import { root, shotsFolder } from '../vscode/paths';
import { openingLimitMs, startServer } from '../vscode/server';
import type { PageOptions, Server, ServerOptions } from '../vscode/server';
import { click, clickFor, onScreen, untilTrue } from './waiting';

export interface WorkbenchOptions extends ServerOptions {
  readonly folder?: string | undefined;
  readonly contextOptions?: NonNullable<PageOptions['contextOptions']>;
  readonly prepare?: NonNullable<PageOptions['prepare']>;
}

/** Open windows, for pictures when a test fails (rootHooks.ts); shared by the test files, which are bundled one by one. */
const shared = globalThis as { agentConsoleWindows?: Set<Workbench> };
const openWindows = (shared.agentConsoleWindows ??= new Set());

/** What our windows need of VS Code's own extensions: all of them together take half as long again to start. */
const builtIn = 'git javascript json markdown-basics theme-defaults typescript-basics yaml'.split(' ');

/** One window of VS Code with the extension. Every wait is for something on the screen. */
export class Workbench {
  readonly #console: string[] = [];

  private constructor(
    readonly page: Page,
    readonly server: Server,
    private readonly ownsServer: boolean,
  ) {
    page.on('console', message => this.#console.push(`${message.type()} ${message.text()}`));
    openWindows.add(this);
  }

  /** Starts VS Code with this checkout's extension (or with `extensions` or `vsix`) and opens a window. */
  static async open(options: WorkbenchOptions = {}): Promise<Workbench> {
    const extensions = options.vsix ? {} : { extensions: [root] };
    const server = await startServer({ builtIn, ...extensions, ...options });
    return Workbench.#window(server, options.folder, options).catch(async (error: unknown) => {
      await server.close();
      throw error;
    });
  }

  /** Opens another window at the same server and in the same browser session, as a second tab of the same person. */
  openAnother(folder: string): Promise<Workbench> {
    return Workbench.#window(this.server, folder, { context: this.page.context() });
  }

  static async #window(server: Server, folder: string | undefined, options: PageOptions): Promise<Workbench> {
    const ownsServer = options.context === undefined;
    let workbench: Workbench | undefined;
    const began = performance.now();
    const prepare = async (page: Page) => {
      page.setDefaultTimeout(openingLimitMs);
      workbench = new Workbench(page, server, ownsServer);
      await options.prepare?.(page);
    };
    try {
      const page = await server.openPage(folder, { ...options, prepare });
      workbench ??= new Workbench(page, server, ownsServer);
      await page.locator('.activitybar .action-item').first().waitFor();
      await page.locator('.statusbar-item').first().waitFor();
      // Which view it is depends on what the person had open.
      if (folder !== undefined) await page.locator('.sidebar .pane').first().waitFor();
      opened(performance.now() - began);
      page.setDefaultTimeout(patience());
      return workbench;
    } catch (error) {
      await workbench?.capture('failed-open');
      if (workbench) openWindows.delete(workbench);
      throw error;
    }
  }

  activityIcon(title: string): Locator {
    return this.page.locator(`.activitybar .action-item:has(a[aria-label^="${title}"])`);
  }

  /** Shows a view container of the side bar; a press while the window starts may hide one that is shown already. */
  async openContainer(title: string): Promise<void> {
    const shown = this.page.locator('.sidebar .composite.title', { hasText: title });
    if (await shown.isVisible()) return;
    await clickFor(this.activityIcon(title), shown);
  }

  /** A view of the side bar by its title, such as `Sessions`. */
  view(title: string): Locator {
    return this.page.locator(`.sidebar .pane:has(.pane-header[aria-label^="${title}"])`);
  }

  /** Shows a view of ours with all the height there is: those that take most of it are collapsed before. */
  async showOnly(title: string): Promise<void> {
    await this.openContainer('Agent Console');
    for (const view of ['Sessions', 'Computers', title])
      await this.#turn(this.view(view).locator('.pane-header'), view === title);
  }

  turn(view: string, text: string | RegExp, open: boolean): Promise<void> {
    const row = this.row(view, text);
    return this.#turn(row, open, row.locator('.monaco-tl-twistie'));
  }

  async #turn(what: Locator, open: boolean, handle = what): Promise<void> {
    const turned = what.and(this.page.locator(`[aria-expanded="${String(open)}"]`));
    await what.waitFor();
    await again(
      async limit => {
        if (!(await turned.isVisible())) await click(handle, limit);
      },
      limit => turned.waitFor(limit),
    );
  }

  rows(view: string): Locator {
    return this.view(view).locator('.monaco-list-row');
  }

  row(view: string, text: string | RegExp): Locator {
    return this.rows(view).filter({ hasText: text }).first();
  }

  welcome(view: string): Locator {
    return this.view(view).locator('.welcome-view-content');
  }

  async viewAction(view: string, action: string): Promise<void> {
    const header = this.view(view).locator('.pane-header');
    const icon = header.locator(`.action-label[aria-label^="${action}"]`);
    await again(
      limit => header.hover(limit),
      limit => click(icon, limit),
    );
  }

  /** A row of the Explorer by the file's name; folders above it must be open. */
  explorerRow(name: string): Locator {
    const text = this.page.getByText(name, { exact: true });
    return this.page.locator('.explorer-folders-view .monaco-list-row').filter({ has: text });
  }

  /** Selects files of the Explorer, opens the context menu on the last, and chooses an entry. */
  async explorerMenu(names: readonly string[], entry: string | RegExp): Promise<void> {
    await this.openContainer('Explorer');
    const selected = this.page.locator('.explorer-folders-view .monaco-list-row.selected');
    const last = this.explorerRow(names.at(-1) ?? '');
    await this.contextMenu(last, entry, async limit => {
      for (const [index, name] of names.entries()) {
        await click(this.explorerRow(name), { ...limit, modifiers: index === 0 ? [] : ['ControlOrMeta'] });
        // A single click also opens the file, which would come in front of what the entry is about to show.
        if (index === 0) await this.tab(name).first().waitFor(limit);
      }
      await click(last, { ...limit, button: 'right' });
      // The Explorer reads its folder anew when it is shown, and may forget by that what was selected.
      await selected.nth(names.length - 1).waitFor(limit);
    });
  }

  async contextMenu(
    target: Locator,
    entry: string | RegExp,
    open = (limit: Limit) => click(target, { ...limit, button: 'right' }),
  ): Promise<void> {
    const menu = this.page.locator('.monaco-menu').first();
    const item = menu.locator('.action-item').filter({ hasText: entry }).first();
    // What takes the focus closes a menu, which is opened again. It takes no click in its first tenth of a second, but a key at once,
    // unless it is lost: the menu stands still then, and takes a click.
    let isChosen = false;
    await again(
      async limit => {
        if (isChosen) return;
        if (await menu.isVisible()) await this.page.keyboard.press('Escape');
        // What is told about a row the pointer rests on may cover the next one.
        await this.page.mouse.move(0, 0);
        await open(limit);
      },
      async limit => {
        if (!isChosen || (await item.isVisible())) {
          // A menu that is closed again comes no more, however long it is waited for.
          const briefly = { timeout: Math.min(limit.timeout, patience() / 8) };
          await item.hover(briefly);
          await item.and(this.page.locator('.focused')).waitFor(briefly);
          const label = item.locator('.action-menu-item');
          await (isChosen ? label.click(limit) : label.press('Enter', limit));
          isChosen = true;
        }
        await item.waitFor({ state: 'hidden', ...limit });
      },
    );
  }

  viewMenu(view: string, entry: string | RegExp): Promise<void> {
    const header = this.view(view).locator('.pane-header');
    return this.contextMenu(header, entry, async limit => {
      await header.hover(limit);
      await click(header.locator('.codicon-toolbar-more'), limit);
    });
  }

  get quickInput(): Locator {
    return this.page.locator('.quick-input-widget');
  }

  /** Runs a command by its title in the command palette, which is opened again where something else took the focus. */
  async runCommand(title: string): Promise<void> {
    const input = this.quickInput.locator('input.input');
    // VS Code would give it back to a page late, and so take it from what the command asks, which then closes.
    await this.page.evaluate(`document.activeElement?.tagName === 'IFRAME' && document.activeElement.blur()`);
    const found = this.quickInput.locator('.monaco-list-row').filter({ hasText: title }).first();
    await again(
      () => this.page.keyboard.press('F1'),
      async limit => {
        try {
          await input.fill(`>${title}`, limit);
          await click(found, limit);
        } catch (error) {
          // A palette that stays open does not look for commands again.
          await this.page.keyboard.press('Escape');
          throw error;
        }
      },
    );
  }

  async pick(...texts: readonly (string | RegExp)[]): Promise<void> {
    const rows = this.quickInput.locator('.monaco-list-row');
    for (const hasText of texts) await rows.filter({ hasText }).first().click();
  }

  async answer(text: string): Promise<void> {
    const input = this.quickInput.locator('input.input');
    await input.fill(text);
    await input.press('Enter');
  }

  /** Runs a command that asks for something in these words, and answers. */
  async ask(command: string, words: string, text: string): Promise<void> {
    await again(
      () => this.runCommand(command),
      limit => this.quickInput.getByText(words).waitFor(limit),
    );
    await this.answer(text);
  }

  /** Chooses in the dialog for a file, when that has read its folder: the file, or what is proposed, whose path ends with `end`. */
  async chooseFile(end: string, file?: string): Promise<string> {
    const input = this.quickInput.locator('input.input');
    const rows = this.quickInput.locator('.monaco-list-row');
    // What is to be seen: rows keep hidden texts of the picker before.
    await untilTrue(
      this.page,
      `[...document.querySelectorAll('.quick-input-widget .monaco-list-row')].some(row => row.innerText.trim() === '..')
        && document.querySelector('.quick-input-widget input.input').value.endsWith(${JSON.stringify(end)})`,
    );
    if (file !== undefined) {
      await input.fill(file);
      await rows
        .filter({ hasText: path.basename(file) })
        .first()
        .waitFor();
    }
    const chosen = await input.inputValue();
    await input.press('Enter');
    await this.quickInput.waitFor({ state: 'hidden' });
    return chosen;
  }

  async openSession(id: string | undefined): Promise<void> {
    const byId = this.quickInput.locator('.monaco-list-row', { hasText: 'Open a session by its id' });
    await again(
      async limit => {
        await this.runCommand('Agent Console: Open session');
        await this.quickInput.locator('input.input').fill('by its id', limit);
        await click(byId, limit);
      },
      limit => this.quickInput.getByText('The id is shown in the web application').waitFor(limit),
    );
    await this.answer(id ?? '');
  }

  beginSignIn(): Promise<void> {
    const button = this.welcome('Sessions').getByRole('button', { name: 'Sign in' });
    return clickFor(button, this.quickInput.getByText('(1/3)'));
  }

  /** Answers the steps of signing in, from the first one on. */
  async signIn(...answers: readonly string[]): Promise<void> {
    for (const [index, answer] of answers.entries()) {
      await this.quickInput.getByText(`(${String(index + 1)}/3)`).waitFor();
      await this.answer(answer);
    }
  }

  statusItem(name: 'attention' | 'readiness' | 'usage'): Locator {
    return this.page.locator(`.statusbar-item[id^="agent-console"][id$="${name}"]`);
  }

  /** A notification in the notification centre, which must be open. */
  notification(text: string | RegExp): Locator {
    return this.page.locator('.notifications-center .notification-list-item').filter({ hasText: text });
  }

  /** Seen as long as there are notifications nobody has seen, or the notification centre is open. */
  get news(): Locator {
    return this.page.locator('.notifications-center.visible, .statusbar-item .codicon-bell-dot').first();
  }

  /** Waits for a notification. Under the driver VS Code shows no toasts: the centre is opened when the bell says that there is something. */
  async notified(text: string | RegExp): Promise<Locator> {
    const wanted = this.notification(text);
    await again(
      async limit => {
        // In the end without a word of the bell, too: what was seen once is not news.
        const seen = this.news.waitFor({ timeout: 4 * limit.timeout });
        await seen.catch((error: unknown) => assert.ok(error instanceof errors.TimeoutError));
        if (await this.page.locator('.notifications-center.visible').isVisible()) return;
        await click(this.page.locator('.statusbar-item[id="status.notifications"]'), limit);
        // What VS Code tells of the bell would cover the buttons of the notification.
        await this.page.mouse.move(400, 300);
      },
      limit => wanted.waitFor(limit),
    );
    return wanted;
  }

  tab(title: string | RegExp): Locator {
    return this.page.locator('.tabs-container .tab').filter({ hasText: title });
  }

  /** The page inside the webview that is shown; with several, the `index`-th one. */
  webview(index = 0): FrameLocator {
    const outer = this.page.locator('iframe.webview.ready').filter({ visible: true }).nth(index);
    return outer.contentFrame().frameLocator('iframe#active-frame');
  }

  get front(): FrameLocator {
    return this.webview();
  }

  /** Uses that page as a frame. Where VS Code builds the page anew meanwhile, the new one is used instead, up to twenty times. */
  async inPage<T>(use: (frame: Frame) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let frame: Frame | null = null;
      try {
        frame = await (await this.front.locator('body').elementHandle()).ownerFrame();
        if (frame !== null) return await use(frame);
      } catch (error) {
        const isGone =
          frame === null || frame.isDetached() || String(error).includes('context was destroyed');
        if (!isGone || error instanceof errors.TimeoutError || attempt === 20) throw error;
      }
      if (attempt === 20) throw new Error('The webview has no frame.');
    }
  }

  pageShows(isShown: string): Promise<void> {
    return this.inPage(frame => untilTrue(frame, isShown));
  }

  /** Saves a picture and everything that was logged under `.shots/`; never fails. */
  async capture(name: string): Promise<void> {
    const file = path.join(shotsFolder, `${name}.log`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, [this.server.logs(), '\n=== console of the window', ...this.#console].join('\n'));
    const picture = file.replace(/log$/, 'png');
    await this.page.screenshot({ path: picture }).catch((error: unknown) => console.error(error));
    const shown = await onScreen(this.page, [this.webview(0), this.webview(1)]);
    console.error(`      saved ${picture} and ${file}; the window shows ${shown}`);
  }

  /** Closes what lies over the window, such as a menu or a picker that a failed test has left. */
  async clear(): Promise<void> {
    const over = this.page.locator('.quick-input-widget, .context-view .monaco-menu, .monaco-dialog-box');
    for (let left = 5; left > 0 && (await over.filter({ visible: true }).count()) > 0; left--)
      await this.page.keyboard.press('Escape');
  }

  async close(): Promise<void> {
    openWindows.delete(this);
    if (this.ownsServer) await this.server.close();
    else await this.page.close();
  }
}
