import * as vscode from 'vscode';
import { commands } from '../../contributions';
import type { Logger } from '../../log';
import { notify } from '../../ui/notify';
import { PagePanel } from '../../ui/pagePanel';
import { saveText } from '../../ui/saveText';
import { oneLine } from '../../util/text';
import { Dashboard, type UsageSource } from './dashboard';

interface DashboardDeps {
  readonly source: UsageSource;
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
}

/** The dashboard in an editor panel. */
export class DashboardPanel extends PagePanel {
  readonly #dashboard: Dashboard;
  readonly #log: Logger;

  constructor(panel: vscode.WebviewPanel, { source, extensionUri, log }: DashboardDeps) {
    super(panel, { name: 'usage', extensionUri, log });
    this.#log = log;
    this.#dashboard = this.register(
      new Dashboard(source, {
        language: vscode.env.language,
        texts: vscode.l10n.bundle,
        connect: options => this.page.connect(options),
        acts: {
          save: async ({ name, text }) => (await saveFile(name, text)) ?? null,
          copy: ({ text }) => vscode.env.clipboard.writeText(text),
          signIn: () => void vscode.commands.executeCommand(commands.connection.signIn),
        },
      }),
    );
    const look = (): void => this.#dashboard.lookAgain();
    this.register(panel.onDidChangeViewState(look));
    this.register(vscode.window.onDidChangeWindowState(look));
    this.page.load();
  }

  protected override onGone(): void {
    this.#dashboard.pageGone();
  }

  protected override onMissing(): void {
    const sentence = vscode.l10n.t('The usage page did not load.');
    // It may have come late, or the person has gone elsewhere.
    const load = (): void => {
      if (this.page.isMissing) this.page.load();
    };
    notify(this.#log, 'warning', sentence, [vscode.l10n.t('Load again'), load]);
  }
}

/** Asks where to save a file and writes it there; resolves with the name it got, or to nothing where it is only shown. */
async function saveFile(name: string, content: string): Promise<string | undefined> {
  const uri = await saveText({ name, content, saveLabel: vscode.l10n.t('Export') });
  return uri && oneLine(uri.path.slice(uri.path.lastIndexOf('/') + 1));
}
