import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands, panels, type CommandHandlers } from '../contributions';
import { onDidChangeSettings, settings } from '../settings';
import { createPanel, PagePanels } from '../ui/pagePanel';
import { Disposable } from '../util/lifecycle';
import { notify } from '../ui/window';
import { forNotification } from '../util/text';
import { UsageData, type UsageDataDeps } from './data';
import { addDays } from './report/calendar';
import { activityOfPeople, peopleOn } from './report/people';
import type { TabId, TabReport } from './report/types';
import { DashboardPanel } from './dashboard';
import { UsageStatusBar } from './statusBar';

interface UsageDeps extends UsageDataDeps {
  readonly extensionUri: vscode.Uri;
}

/** UTC days. */
interface UsageAsked {
  readonly tab: TabId;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly names: boolean;
}

const ACTIVITY_DAYS = 30;

/** What the organization uses (sections 2.1-2.6, 4.1): data, status bar, and the one dashboard of a window. */
export class UsageFeature extends Disposable {
  readonly #deps: UsageDeps;
  readonly #data: UsageData;
  readonly #bar: UsageStatusBar;
  readonly #panels = this.register(new PagePanels<DashboardPanel>());
  readonly commands: CommandHandlers<'usage'> = {
    open: () => this.#open(),
  };

  constructor(deps: UsageDeps) {
    super();
    if (vscode.l10n.bundle !== undefined) l10n.config({ contents: vscode.l10n.bundle });
    this.#deps = deps;
    this.#data = this.register(new UsageData(deps));
    const item = this.register(
      vscode.window.createStatusBarItem('usage', vscode.StatusBarAlignment.Right, 90),
    );
    item.name = vscode.l10n.t('Usage');
    item.command = commands.usage.open;
    this.#bar = this.register(
      new UsageStatusBar({
        ...{ usage: this.#data, item, settings },
        onDidChangeSettings: listener => onDidChangeSettings(['usage.statusBar', 'usage.budget'], listener),
        tell: (severity, sentence) =>
          notify(deps.log, severity, forNotification(sentence, 1_000), [
            vscode.l10n.t('Open usage'),
            () => this.#open(),
          ]),
      }),
    );
  }

  /** Fills the status bar, once and for as long as the window is open. */
  startStatusBar(): void {
    this.#bar.start();
  }

  /** Fills a dashboard found after a reload. */
  async restorePanel(panel: vscode.WebviewPanel): Promise<void> {
    await this.#data.open();
    // A person may have opened another meanwhile.
    if (this.#panels.all.length > 0) panel.dispose();
    else this.#panels.keep('', this.#dashboard(panel));
  }

  /** Each person's use of the last 30 finished days; `undefined` when it cannot be known. */
  async activityOfPeople() {
    const days = this.#data.lastDays(ACTIVITY_DAYS);
    const { signal } = new AbortController();
    const problem = await this.#data.ensure('people', days, { background: true, signal });
    if (problem !== undefined) return undefined;
    const known = await (await this.#data.open())?.known('people');
    return known && activityOfPeople(days.map(day => peopleOn(day, known)));
  }

  /** A report of what is stored, for other programs, of seven days where none are given. Asks nobody; people have made-up names unless `names`. */
  async summary({ tab, start, end = this.#data.bounds.end, names }: UsageAsked): Promise<TabReport> {
    const range = { start: start ?? addDays(end, -6), end };
    return this.#data.report({ tab, range, compare: false, folded: true, pseudonyms: !names }, true);
  }

  /** Opens the dashboard, or brings it to the front. */
  async #open(): Promise<void> {
    this.#bar.start();
    // Only then is it known whether somebody is signed in.
    await this.#data.open();
    const made = () => createPanel(panels.usage, 'usage', vscode.l10n.t('Usage'), this.#deps.extensionUri);
    this.#panels.show('', () => this.#dashboard(made()));
  }

  #dashboard(panel: vscode.WebviewPanel): DashboardPanel {
    return new DashboardPanel(panel, { ...this.#deps, source: this.#data });
  }
}
