import * as vscode from 'vscode';
import { commands } from '../contributions';
import type { Logger } from '../log';
import { errorSentence } from '../util/errorSentence';
import { Disposable, Emitter, Slot, toDisposable, type IDisposable } from '../util/lifecycle';
import { forNotification, oneLine } from '../util/text';
import { object, oneOf, optional, panelSide, text } from '../webview/ipc';
import type { Guarded, PanelSide, PanelSideOptions, Protocol } from '../webview/ipc';
import { isPanel, pageHtml, pageOptions, type Place } from '../webview/page';
import { notify } from './window';

/** The page must say that it listens within this time, ms (trust.md 11). */
const READY_WITHIN = 10_000;
/** Dropped messages of one page that are logged. */
const MOST_PROBLEMS = 20;

/** Makes an editor panel with the icon of its page. */
export function createPanel(
  type: string,
  name: string,
  title: string,
  extensionUri: vscode.Uri,
  column = vscode.ViewColumn.Active,
): vscode.WebviewPanel {
  const options = pageOptions(extensionUri);
  const panel = vscode.window.createWebviewPanel(type, title, column, options);
  // Of a grey that is seen on light and dark.
  panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', name, 'icon.svg');
  return panel;
}

export interface PagePanelOptions {
  /** Of the page's files, `dist/pages/NAME.js` and `.css`. */
  readonly name: string;
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
}

/** What every page says of itself (media/kit/boot.ts): what went wrong with it, and what the person does about that. */
const isOfPage = object({
  kind: oneOf('page'),
  act: oneOf('broken', 'problem', 'reload', 'log'),
  words: optional(text(1_000)),
});

const inWords = ({ localResourceRoots, ...others }: vscode.WebviewOptions): string =>
  JSON.stringify({ ...others, roots: localResourceRoots?.map(String) });

/**
 * A panel, made now or found after a reload, or a view, and its page: loaded by the subclass, expected to say within 10 s that it
 * listens, gone when it is hidden, and loaded anew with a nonce of its own for the next time it is shown. Let go of, the panel stays
 * open.
 */
export abstract class PagePanel<P extends Place = vscode.WebviewPanel> extends Disposable {
  readonly panel: P;
  readonly #options: PagePanelOptions;
  readonly #watchdog = this.register(new Slot<IDisposable>());
  #isReady = false;
  #wasVisible: boolean;
  #problems = 0;
  /** Some page has said that it listens: before, what comes is from what was shown here last. */
  #wasHeard = false;

  constructor(panel: P, options: PagePanelOptions) {
    super();
    this.panel = panel;
    this.#options = options;
    this.#wasVisible = panel.visible;
    const changed = isPanel(panel) ? panel.onDidChangeViewState : panel.onDidChangeVisibility;
    this.register((changed as vscode.Event<unknown>)(() => this.#followVisibility()));
    const wanted = pageOptions(options.extensionUri);
    // Setting them makes VS Code load what is there once more.
    if (inWords(panel.webview.options) !== inWords(wanted)) panel.webview.options = wanted;
    this.register(panel.onDidDispose(() => this.dispose()));
  }

  get title(): string {
    return this.panel.title ?? '';
  }

  /** The page listens: what is sent to it arrives; before, it is dropped. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** A page that should be there has not been heard. */
  get isMissing(): boolean {
    return !this.isDisposed && !this.#isReady && this.panel.visible;
  }

  /** Loads the page for the first time, or again where it is missing. */
  load(): void {
    const { extensionUri, name } = this.#options;
    this.panel.webview.html = pageHtml(this.panel.webview, extensionUri, name, this.title);
    if (this.panel.visible) this.#expect();
  }

  /** The panel's end of what the page shows; what the page says of itself is heard here. */
  connect<T extends Protocol>(
    options: Pick<PanelSideOptions<T>, 'protocol' | 'handlers'>,
  ): Pick<PanelSide<T>, 'send'> {
    const { webview } = this.panel;
    const side = panelSide<T>({
      ...options,
      // What is shown here may be of another panel by now.
      post: message => !this.isDisposed && this.#isReady && webview.postMessage(message),
      describe: error => forNotification(errorSentence(error), 1_000),
      onProblem: (problem, error) => this.#problem(oneLine(problem), error),
    });
    this.register(
      webview.onDidReceiveMessage((message: unknown) => {
        if ((message as { readonly name?: unknown } | null)?.name === 'ready') {
          this.#watchdog.set(undefined);
          this.#isReady = this.#wasHeard = true;
        }
        if (isOfPage(message)) this.#hear(message);
        else if (this.#wasHeard) side.receive(message);
      }),
    );
    return side;
  }

  /** The page has not said in time that it listens. It may come late, or the person goes elsewhere, before it is loaded again. */
  protected onMissing(): void {
    const load = (): void => {
      if (this.isMissing) this.load();
    };
    const sentence = vscode.l10n.t('“{0}” did not load.', forNotification(this.title, 100));
    notify(this.#options.log, 'warning', sentence, [vscode.l10n.t('Load again'), load]);
  }
  /** A page that was hidden is gone; another will say that it is ready. */
  protected onGone(): void {}

  #hear({ act, words = '' }: Guarded<typeof isOfPage>): void {
    switch (act) {
      case 'broken':
        // It says so itself: nobody need be told that it is missing.
        this.#watchdog.set(undefined);
        this.#problem(`The ${this.#options.name} page could not be drawn: ${oneLine(words)}`);
        return;
      case 'problem':
        this.#problem(`The ${this.#options.name} page reports ${oneLine(words)}`);
        return;
      case 'reload':
        this.#renew();
        return;
      case 'log':
        void vscode.commands.executeCommand(commands.console.showLog);
    }
  }

  #followVisibility(): void {
    const isVisible = this.panel.visible;
    if (isVisible === this.#wasVisible) return;
    this.#wasVisible = isVisible;
    if (!isVisible) this.#renew();
    else if (!this.#isReady) this.#expect();
  }

  #renew(): void {
    this.#isReady = false;
    this.#watchdog.set(undefined);
    this.onGone();
    this.load();
  }

  /** Logs what was wrong with the page or a message of it, so many times at most. */
  #problem(problem: string, error?: unknown): void {
    this.#problems++;
    if (this.#problems > MOST_PROBLEMS) return;
    if (error === undefined) this.#options.log.warn(problem);
    else this.#options.log.error(problem, error);
  }

  #expect(): void {
    const timer = setTimeout(() => {
      this.#problem(`The ${this.#options.name} page did not load within 10 s`);
      this.onMissing();
    }, READY_WITHIN);
    this.#watchdog.set(toDisposable(() => clearTimeout(timer)));
  }
}

/** The open panels of one kind, one for each key. */
export class PagePanels<P extends PagePanel> extends Disposable {
  readonly #open = new Map<string, P>();
  readonly #changed = this.register(new Emitter<void>());

  /** A panel was opened or closed. */
  readonly onDidChange = this.#changed.event;

  get all(): readonly P[] {
    return [...this.#open.values()];
  }

  has(key: string): boolean {
    return this.#open.has(key);
  }

  /** Brings the panel of a key to the front, made where there is none. */
  show(key: string, make: () => P): P {
    const open = this.#open.get(key);
    if (open === undefined) return this.keep(key, make());
    open.panel.reveal(undefined, false);
    return open;
  }

  /** Takes a panel in, in place of the one its key had. */
  keep(key: string, panel: P): P {
    this.#open.get(key)?.panel.dispose();
    this.#open.set(key, panel);
    this.register(
      panel.panel.onDidDispose(() => {
        // What is registered here for good must not keep the panel in memory. Another may have taken its place.
        if (this.#open.get(key)?.isDisposed === true) this.#open.delete(key);
        this.#changed.fire();
      }),
    );
    this.#changed.fire();
    return panel;
  }

  /** Leaves the panels open: the editor restores them when the extension starts again. */
  override dispose(): void {
    for (const panel of this.all) panel.dispose();
    super.dispose();
  }
}
