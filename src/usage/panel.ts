import * as vscode from 'vscode';
import { errorSentence } from '../connection';
import { commands, panels } from '../contributions';
import type { Logger } from '../log';
import { Disposable, Slot, toDisposable, type IDisposable } from '../util/disposable';
import { saveText } from '../util/saveText';
import { oneLine } from '../util/text';
import { pageHtml } from '../webview/html';
import { Dashboard } from './dashboard';
import { dashboardStrings } from './dashboardStrings';
import type { UsageSource } from './source';

export interface DashboardDeps {
  readonly source: UsageSource;
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
}

/** A page that takes longer has not loaded, ms (trust.md 11). */
const READY_WITHIN = 10_000;
/** Dropped messages of one page that are logged. */
const MOST_PROBLEMS = 20;

/** The one dashboard of a window: an editor panel, shown again when asked for twice. */
export class DashboardPanels extends Disposable {
  readonly #deps: DashboardDeps;
  #open: DashboardPanel | undefined;

  constructor(deps: DashboardDeps) {
    super();
    this.#deps = deps;
  }

  /** Opens the dashboard, or brings it to the front. */
  openDashboard(): void {
    if (this.#open !== undefined) this.#open.reveal();
    else this.#attach(createPanel(this.#deps.extensionUri));
  }

  /** Fills a panel found after a reload; `state` is what its page kept, old or hostile. */
  restoreDashboard(panel: vscode.WebviewPanel, state: unknown): void {
    if (this.#open === undefined) this.#attach(panel, state);
    else panel.dispose();
  }

  /** Lets go of the panel but leaves it open: the editor restores it when the extension starts again. */
  override dispose(): void {
    this.#open?.dispose();
    super.dispose();
  }

  #attach(panel: vscode.WebviewPanel, state?: unknown): void {
    const opened = new DashboardPanel(panel, this.#deps, state, () => {
      if (this.#open === opened) this.#open = undefined;
    });
    this.#open = opened;
  }
}

function createPanel(extensionUri: vscode.Uri): vscode.WebviewPanel {
  const title = vscode.l10n.t('Usage');
  const panel = vscode.window.createWebviewPanel(panels.usage, title, vscode.ViewColumn.Active);
  panel.iconPath = {
    light: vscode.Uri.joinPath(extensionUri, 'media', 'usage', 'icon-light.svg'),
    dark: vscode.Uri.joinPath(extensionUri, 'media', 'usage', 'icon-dark.svg'),
  };
  return panel;
}

class DashboardPanel extends Disposable {
  readonly #panel: vscode.WebviewPanel;
  readonly #deps: DashboardDeps;
  readonly #dashboard: Dashboard;
  readonly #watchdog = this.register(new Slot<IDisposable>());
  #visible = true;
  #problems = 0;

  constructor(panel: vscode.WebviewPanel, deps: DashboardDeps, state: unknown, closed: () => void) {
    super();
    this.#panel = panel;
    this.#deps = deps;
    this.register(
      panel.onDidDispose(() => {
        this.dispose();
        closed();
      }),
    );
    const { webview } = panel;
    this.#dashboard = this.register(
      new Dashboard(
        deps.source,
        {
          language: vscode.env.language,
          strings: dashboardStrings,
          ready: () => this.#watchdog.set(undefined),
          post: message => webview.postMessage(message),
          save: saveFile,
          copy: async text => vscode.env.clipboard.writeText(text),
          signIn: () => void vscode.commands.executeCommand(commands.connection.signIn),
          describe: errorSentence,
          onProblem: (problem, error) => this.#logProblem(problem, error),
        },
        state,
      ),
    );
    webview.options = {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(deps.extensionUri, 'dist', 'pages')],
    };
    this.register(webview.onDidReceiveMessage(message => this.#dashboard.receive(message)));
    this.register(panel.onDidChangeViewState(() => this.#viewChanged()));
    this.#load();
    this.#expectPage();
  }

  reveal(): void {
    this.#panel.reveal(undefined, false);
  }

  /** A hidden page is gone: the next one gets a nonce of its own. */
  #viewChanged(): void {
    if (this.#visible === this.#panel.visible) return;
    this.#visible = this.#panel.visible;
    if (this.#visible) {
      this.#expectPage();
      return;
    }
    this.#watchdog.set(undefined);
    this.#dashboard.pageGone();
    this.#load();
  }

  #expectPage(): void {
    const timer = setTimeout(() => void this.#pageMissing(), READY_WITHIN);
    this.#watchdog.set(toDisposable(() => clearTimeout(timer)));
  }

  async #pageMissing(): Promise<void> {
    this.#watchdog.set(undefined);
    this.#logProblem('The usage page did not load within 10 s');
    const again = vscode.l10n.t('Load again');
    const sentence = vscode.l10n.t(
      'The usage page did not load. Pages need a secure (https) or local address and service workers.',
    );
    if ((await vscode.window.showWarningMessage(sentence, again)) !== again || this.isDisposed) return;
    this.#load();
    this.#expectPage();
  }

  #load(): void {
    const { webview, title } = this.#panel;
    const pages = vscode.Uri.joinPath(this.#deps.extensionUri, 'dist', 'pages');
    webview.html = pageHtml({
      cspSource: webview.cspSource,
      scriptUri: webview.asWebviewUri(vscode.Uri.joinPath(pages, 'usage.js')).toString(),
      styleUri: webview.asWebviewUri(vscode.Uri.joinPath(pages, 'usage.css')).toString(),
      language: vscode.env.language,
      title,
    });
  }

  #logProblem(problem: string, error?: unknown): void {
    this.#problems++;
    if (this.#problems > MOST_PROBLEMS) return;
    if (error === undefined) this.#deps.log.warn(oneLine(problem));
    else this.#deps.log.error(oneLine(problem), error);
  }
}

/** Asks where to save a file and writes it there; resolves with the name it got, or to nothing where it is only shown. */
async function saveFile(name: string, content: string): Promise<string | undefined> {
  const uri = await saveText({ name, content, saveLabel: vscode.l10n.t('Export') });
  return uri && oneLine(uri.path.slice(uri.path.lastIndexOf('/') + 1));
}
