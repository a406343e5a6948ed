import * as vscode from 'vscode';
import { errorSentence } from '../../connection';
import { commands, panels } from '../../contributions';
import type { Logger } from '../../log';
import { Disposable } from '../../util/disposable';
import { notify } from '../../ui/notify';
import { saveText } from '../../ui/saveText';
import { oneLine } from '../../util/text';
import { WebviewPage } from '../../webview/page';
import { Dashboard, type UsageSource } from './dashboard';

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
    if (this.#open?.isDisposed === false) {
      this.#open.panel.reveal(undefined, false);
      return;
    }
    const title = vscode.l10n.t('Usage');
    const panel = vscode.window.createWebviewPanel(panels.usage, title, vscode.ViewColumn.Active);
    const icon = (name: string): vscode.Uri =>
      vscode.Uri.joinPath(this.#deps.extensionUri, 'media', 'usage', name);
    panel.iconPath = { light: icon('icon-light.svg'), dark: icon('icon-dark.svg') };
    this.#open = new DashboardPanel(panel, this.#deps);
  }

  /** Fills a panel found after a reload. */
  restoreDashboard(panel: vscode.WebviewPanel): void {
    if (this.#open?.isDisposed === false) panel.dispose();
    else this.#open = new DashboardPanel(panel, this.#deps);
  }

  /** Lets go of the panel but leaves it open: the editor restores it when the extension starts again. */
  override dispose(): void {
    this.#open?.dispose();
    super.dispose();
  }
}

class DashboardPanel extends Disposable {
  readonly panel: vscode.WebviewPanel;

  constructor(panel: vscode.WebviewPanel, { source, extensionUri, log }: DashboardDeps) {
    super();
    this.panel = panel;
    const { webview } = panel;
    const page = this.register(
      new WebviewPage({
        ...{ webview, extensionUri, log, name: 'usage' },
        title: () => panel.title,
        isVisible: () => panel.visible,
        onGone: () => dashboard.pageGone(),
        onMissing: () => offerAgain(),
      }),
    );
    const dashboard = this.register(
      new Dashboard(source, {
        language: vscode.env.language,
        texts: vscode.l10n.bundle,
        ready: () => page.ready(),
        post: message => webview.postMessage(message),
        save: saveFile,
        copy: async text => vscode.env.clipboard.writeText(text),
        signIn: () => void vscode.commands.executeCommand(commands.connection.signIn),
        describe: errorSentence,
        onProblem: (problem, error) => page.problem(oneLine(problem), error),
      }),
    );
    const offerAgain = (): void => {
      const sentence = vscode.l10n.t('The usage page did not load.');
      // It may have come late, or the person has gone elsewhere.
      const load = (): void => {
        if (page.isMissing) page.load();
      };
      notify(log, 'warning', sentence, [vscode.l10n.t('Load again'), load]);
    };
    this.register(page.onDidReceive(message => dashboard.receive(message)));
    this.register(panel.onDidDispose(() => this.dispose()));
    this.register(
      panel.onDidChangeViewState(() => {
        page.followVisibility();
        dashboard.lookAgain();
      }),
    );
    this.register(vscode.window.onDidChangeWindowState(() => dashboard.lookAgain()));
    page.load();
  }
}

/** Asks where to save a file and writes it there; resolves with the name it got, or to nothing where it is only shown. */
async function saveFile(name: string, content: string): Promise<string | undefined> {
  const uri = await saveText({ name, content, saveLabel: vscode.l10n.t('Export') });
  return uri && oneLine(uri.path.slice(uri.path.lastIndexOf('/') + 1));
}
