import * as vscode from 'vscode';
import { errorSentence } from '../connection';
import { commands, panels } from '../contributions';
import type { Logger } from '../log';
import { Disposable } from '../util/disposable';
import { saveText } from '../util/saveText';
import { notify } from '../util/notify';
import { oneLine } from '../util/text';
import { WebviewPage } from '../webview/page';
import { Dashboard } from './dashboard';
import { dashboardStrings } from './dashboardStrings';
import type { UsageSource } from './source';

export interface DashboardDeps {
  readonly source: UsageSource;
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
}

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
  readonly #page: WebviewPage;
  readonly #dashboard: Dashboard;
  readonly #log: Logger;

  constructor(panel: vscode.WebviewPanel, deps: DashboardDeps, state: unknown, closed: () => void) {
    super();
    this.#panel = panel;
    this.#log = deps.log;
    this.register(
      panel.onDidDispose(() => {
        this.dispose();
        closed();
      }),
    );
    const { webview } = panel;
    this.#page = this.register(
      new WebviewPage({
        webview,
        extensionUri: deps.extensionUri,
        name: 'usage',
        title: () => panel.title,
        isVisible: () => panel.visible,
        onGone: () => this.#dashboard.pageGone(),
        onMissing: () => this.#offerAgain(),
        log: deps.log,
      }),
    );
    this.#dashboard = this.register(
      new Dashboard(
        deps.source,
        {
          language: vscode.env.language,
          strings: dashboardStrings,
          ready: () => this.#page.ready(),
          post: message => webview.postMessage(message),
          save: saveFile,
          copy: async text => vscode.env.clipboard.writeText(text),
          signIn: () => void vscode.commands.executeCommand(commands.connection.signIn),
          describe: errorSentence,
          onProblem: (problem, error) => this.#page.problem(oneLine(problem), error),
        },
        state,
      ),
    );
    this.register(this.#page.onDidReceive(message => this.#dashboard.receive(message)));
    this.register(panel.onDidChangeViewState(() => this.#page.followVisibility()));
    this.#page.load();
  }

  reveal(): void {
    this.#panel.reveal(undefined, false);
  }

  #offerAgain(): void {
    const sentence = vscode.l10n.t(
      'The usage page did not load. Pages need a secure (https) or local address and service workers.',
    );
    // It may have come late, or the person has gone elsewhere.
    const load = (): void => {
      if (this.#page.isMissing) this.#page.load();
    };
    notify(this.#log, 'warning', sentence, [vscode.l10n.t('Load again'), load]);
  }
}

/** Asks where to save a file and writes it there; resolves with the name it got, or to nothing where it is only shown. */
async function saveFile(name: string, content: string): Promise<string | undefined> {
  const uri = await saveText({ name, content, saveLabel: vscode.l10n.t('Export') });
  return uri && oneLine(uri.path.slice(uri.path.lastIndexOf('/') + 1));
}
