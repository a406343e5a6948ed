import * as vscode from 'vscode';
import type { Logger } from '../log';
import { Disposable, Slot, toDisposable, type IDisposable } from '../util/disposable';
import { commands } from '../contributions';
import { errorSentence } from '../util/errorSentence';
import { forNotification, oneLine } from '../util/text';
import { object, oneOf, optional, text } from './guards';
import { pageHtml } from './html';
import { panelSide, type PanelSide, type PanelSideOptions, type Protocol } from './ipc';

/** The page must say that it listens within this time, ms (trust.md 11). */
const READY_WITHIN = 10_000;
/** Dropped messages of one page that are logged. */
const MOST_PROBLEMS = 20;

export interface WebviewPageOptions {
  readonly webview: vscode.Webview;
  readonly extensionUri: vscode.Uri;
  /** Of its files, `dist/pages/NAME.js` and `.css`. */
  readonly name: string;
  readonly title: () => string;
  readonly isVisible: () => boolean;
  /** A page that was hidden is gone; another will say that it is ready. */
  readonly onGone: () => void;
  /** The page has not said in time that it listens. */
  readonly onMissing: () => void;
  readonly log: Logger;
}

/** What a page may do: run its script, and load the files of pages (trust.md 7). */
export function pageOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  return { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(extensionUri, 'dist', 'pages')] };
}

/** What every page says of itself (media/kit/boot.ts): what went wrong with it, and what the person does about that. */
const isOfPage = object({
  kind: oneOf('page'),
  act: oneOf('broken', 'problem', 'reload', 'log'),
  words: optional(text(1_000)),
});

function isSame(set: vscode.WebviewOptions, wanted: vscode.WebviewOptions): boolean {
  const { enableScripts, localResourceRoots, ...others } = set;
  return (
    enableScripts === true &&
    Object.values<unknown>(others).every(value => value === undefined) &&
    localResourceRoots?.map(String).join() === wanted.localResourceRoots?.map(String).join()
  );
}

/**
 * The life of the page in a webview: loaded, expected to say within 10 s that it listens, gone when it is hidden, and loaded anew
 * with a nonce of its own for the next time it is shown.
 */
export class WebviewPage extends Disposable {
  readonly #options: WebviewPageOptions;
  readonly #watchdog = this.register(new Slot<IDisposable>());
  #isReady = false;
  #wasVisible: boolean;
  #problems = 0;
  /** Some page has said that it listens: before, what comes is from what was shown here last. */
  #wasHeard = false;

  constructor(options: WebviewPageOptions) {
    super();
    this.#options = options;
    this.#wasVisible = options.isVisible();
    const wanted = pageOptions(options.extensionUri);
    // Setting them makes VS Code load what is there once more.
    if (!isSame(options.webview.options, wanted)) options.webview.options = wanted;
  }

  /** The page listens: what is sent to it arrives. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** A page that should be there has not been heard. */
  get isMissing(): boolean {
    return !this.isDisposed && !this.#isReady && this.#options.isVisible();
  }

  /** Loads the page for the first time, or again where it is missing. */
  load(): void {
    this.#write();
    if (this.#options.isVisible()) this.#expect();
  }

  #isHeard(): void {
    this.#watchdog.set(undefined);
    this.#isReady = true;
    this.#wasHeard = true;
  }

  /** The panel's end of what the page shows; what the page says of itself is heard here. */
  connect<P extends Protocol>(
    options: Pick<PanelSideOptions<P>, 'protocol' | 'handlers'>,
  ): Pick<PanelSide<P>, 'send'> {
    const { webview } = this.#options;
    const side = panelSide<P>({
      ...options,
      // What is shown here may be of another panel by now.
      post: message => (this.isDisposed ? undefined : webview.postMessage(message)),
      describe: error => forNotification(errorSentence(error), 1_000),
      onProblem: (problem, error) => this.problem(oneLine(problem), error),
    });
    this.register(
      webview.onDidReceiveMessage((message: unknown) => {
        const isReady = (message as { readonly name?: unknown } | null)?.name === 'ready';
        if (isReady) this.#isHeard();
        if (isOfPage(message)) this.#hear(message.act, message.words);
        else if (this.#wasHeard) side.receive(message);
      }),
    );
    return side;
  }

  #hear(act: 'broken' | 'problem' | 'reload' | 'log', words = ''): void {
    switch (act) {
      case 'broken':
        // It says so itself: nobody need be told that it is missing.
        this.#watchdog.set(undefined);
        this.problem(`The ${this.#options.name} page could not be drawn: ${oneLine(words)}`);
        return;
      case 'problem':
        this.problem(`The ${this.#options.name} page reports ${oneLine(words)}`);
        return;
      case 'reload':
        this.#isReady = false;
        this.#options.onGone();
        this.load();
        return;
      case 'log':
        void vscode.commands.executeCommand(commands.console.showLog);
    }
  }

  /** To be told each time the page may have been shown or hidden. */
  followVisibility(): void {
    const isVisible = this.#options.isVisible();
    if (isVisible === this.#wasVisible) return;
    this.#wasVisible = isVisible;
    if (isVisible) {
      if (!this.#isReady) this.#expect();
      return;
    }
    this.#isReady = false;
    this.#watchdog.set(undefined);
    this.#options.onGone();
    this.#write();
  }

  /** Logs what was wrong with the page or a message of it, so many times at most. */
  problem(problem: string, error?: unknown): void {
    this.#problems++;
    if (this.#problems > MOST_PROBLEMS) return;
    if (error === undefined) this.#options.log.warn(problem);
    else this.#options.log.error(problem, error);
  }

  #expect(): void {
    const timer = setTimeout(() => {
      this.#watchdog.set(undefined);
      this.problem(`The ${this.#options.name} page did not load within 10 s`);
      this.#options.onMissing();
    }, READY_WITHIN);
    this.#watchdog.set(toDisposable(() => clearTimeout(timer)));
  }

  #write(): void {
    const { webview, extensionUri, name, title } = this.#options;
    const pages = vscode.Uri.joinPath(extensionUri, 'dist', 'pages');
    webview.html = pageHtml({
      cspSource: webview.cspSource,
      scriptUri: webview.asWebviewUri(vscode.Uri.joinPath(pages, `${name}.js`)).toString(),
      styleUri: webview.asWebviewUri(vscode.Uri.joinPath(pages, `${name}.css`)).toString(),
      language: vscode.env.language,
      title: title(),
      broken: {
        sentence: vscode.l10n.t('This page could not be drawn: {0}', '{0}'),
        reload: vscode.l10n.t('Reload'),
        log: vscode.l10n.t('Show log'),
      },
    });
  }
}
