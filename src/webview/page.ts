import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Logger } from '../log';
import { Disposable, Slot, toDisposable, type IDisposable } from '../util/lifecycle';
import { commands } from '../contributions';
import { errorSentence } from '../util/errorSentence';
import { forNotification, oneLine } from '../util/text';
import { object, oneOf, optional, panelSide, text } from './ipc';
import type { Guarded, PanelSide, PanelSideOptions, Protocol } from './ipc';

/** The page must say that it listens within this time, ms (trust.md 11). */
const READY_WITHIN = 10_000;
/** Dropped messages of one page that are logged. */
const MOST_PROBLEMS = 20;

/** Where a page is shown: a panel among the editors, or the view of a side bar. */
export type Place = vscode.WebviewPanel | vscode.WebviewView;

export const isPanel = (place: Place): place is vscode.WebviewPanel => 'onDidChangeViewState' in place;

export interface WebviewPageOptions {
  readonly place: Place;
  readonly extensionUri: vscode.Uri;
  /** Of its files, `dist/pages/NAME.js` and `.css`. */
  readonly name: string;
  readonly title: () => string;
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

const inWords = ({ localResourceRoots, ...others }: vscode.WebviewOptions): string =>
  JSON.stringify({ ...others, roots: localResourceRoots?.map(String) });

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
    const { place, extensionUri } = options;
    this.#wasVisible = place.visible;
    const changed = isPanel(place) ? place.onDidChangeViewState : place.onDidChangeVisibility;
    this.register((changed as vscode.Event<unknown>)(() => this.#followVisibility()));
    const wanted = pageOptions(extensionUri);
    // Setting them makes VS Code load what is there once more.
    if (inWords(place.webview.options) !== inWords(wanted)) place.webview.options = wanted;
  }

  /** The page listens: what is sent to it arrives; before, it is dropped. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** A page that should be there has not been heard. */
  get isMissing(): boolean {
    return !this.isDisposed && !this.#isReady && this.#options.place.visible;
  }

  /** Loads the page for the first time, or again where it is missing. */
  load(): void {
    const { place, extensionUri, name, title } = this.#options;
    place.webview.html = pageHtml(place.webview, extensionUri, name, title());
    if (place.visible) this.#expect();
  }

  /** The panel's end of what the page shows; what the page says of itself is heard here. */
  connect<P extends Protocol>(
    options: Pick<PanelSideOptions<P>, 'protocol' | 'handlers'>,
  ): Pick<PanelSide<P>, 'send'> {
    const { webview } = this.#options.place;
    const side = panelSide<P>({
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
    const isVisible = this.#options.place.visible;
    if (isVisible === this.#wasVisible) return;
    this.#wasVisible = isVisible;
    if (!isVisible) this.#renew();
    else if (!this.#isReady) this.#expect();
  }

  #renew(): void {
    this.#isReady = false;
    this.#watchdog.set(undefined);
    this.#options.onGone();
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
      this.#options.onMissing();
    }, READY_WITHIN);
    this.#watchdog.set(toDisposable(() => clearTimeout(timer)));
  }
}

/**
 * The document of a page: one script, one style sheet, an empty root. A new nonce each time it is made (trust.md 4). One without a
 * script says its title and nothing else.
 */
export function pageHtml(
  webview: Pick<vscode.Webview, 'cspSource' | 'asWebviewUri'>,
  extensionUri: vscode.Uri,
  name: string,
  title: string,
  hasScript = true,
): string {
  const { cspSource } = webview;
  const uriOf = (ending: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', 'pages', `${name}.${ending}`)).toString();
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    `default-src 'none'`,
    ...(hasScript ? [`script-src 'nonce-${nonce}'`] : []),
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data: blob:`,
  ];
  // What the page says where it fails.
  const broken = vscode.l10n.t('This page could not be drawn: {0}', '{0}');
  const root = html`<div
      id="root"
      data-broken="${broken}"
      data-reload="${vscode.l10n.t('Reload')}"
      data-log="${vscode.l10n.t('Show log')}"
    ></div>
    <script nonce="${nonce}" src="${uriOf('js')}"></script>`;
  return html`<!DOCTYPE html>
    <html lang="${vscode.env.language}">
      <head>
        <meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}" />
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="stylesheet" href="${uriOf('css')}" />
      </head>
      <body>
        ${hasScript ? root : html`<main class="loading late quiet"><p>${title}</p></main>`}
      </body>
    </html>`.text;
}

/** Text for HTML content and double-quoted attributes. */
export function escapeHtml(value: string): string {
  return value.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}

/** HTML that was made here. */
export class Markup {
  constructor(readonly text: string) {}
}

export type Part = string | number | false | undefined | Markup | readonly Part[];

/** A template of HTML. What is put into it is text, unless it is markup made here, too; the values of attributes stand in quotes. */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const textOf = (part: Part): string => {
    if (part instanceof Markup) return part.text;
    if (part === undefined || part === false) return '';
    return typeof part === 'object' ? part.map(textOf).join('') : escapeHtml(String(part));
  };
  return new Markup(String.raw(template, ...parts.map(textOf)));
}
