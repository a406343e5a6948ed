import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands, type CommandHandlers } from '../contributions';
import { onDidChangeSettings, settings } from '../settings';
import { Disposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { notify } from '../ui/notify';
import { forNotification } from '../util/text';
import { UsageData, type UsageDataDeps } from './days/usageData';
import { addDays, daysOf } from './report/calendar';
import { activityOfPeople, type PersonActivity } from './report/people';
import type { UsageSource } from './show/dashboard';
import { UsageStatusBar } from './show/statusBar';

export { DashboardPanels } from './show/panel';

export interface UsageDeps extends UsageDataDeps {
  readonly format: Formatter;
  /** Shows the dashboard. */
  readonly openDashboard: () => unknown;
}

/** What the organization uses (sections 2.1-2.6, 4.1): data, status bar and commands. */
export function registerUsage(deps: UsageDeps): UsageFeature {
  if (vscode.l10n.bundle !== undefined) l10n.config({ contents: vscode.l10n.bundle });
  return new UsageFeature(deps);
}

const ACTIVITY_DAYS = 30;

export class UsageFeature extends Disposable {
  readonly #deps: UsageDeps;
  readonly #data: UsageData;
  readonly #bar: UsageStatusBar;
  readonly commands: CommandHandlers<'usage'> = {
    open: () => this.#open(),
  };

  constructor(deps: UsageDeps) {
    super();
    this.#deps = deps;
    const { format, log } = deps;
    this.#data = this.register(new UsageData(deps));
    const item = this.register(
      vscode.window.createStatusBarItem('usage', vscode.StatusBarAlignment.Right, 90),
    );
    item.name = vscode.l10n.t('Usage');
    item.command = commands.usage.open;
    this.#bar = this.register(
      new UsageStatusBar({
        ...{ usage: this.#data, item, settings, format },
        onDidChangeSettings: listener => onDidChangeSettings(['usage.statusBar', 'usage.budget'], listener),
        tell: (severity, sentence) =>
          notify(log, severity, forNotification(sentence, 1_000), [
            vscode.l10n.t('Open usage'),
            () => this.#open(),
          ]),
      }),
    );
  }

  get source(): UsageSource {
    return this.#data;
  }

  /** Finds out which service there is, so that `source.state()` is true; makes no request. */
  async ready(): Promise<void> {
    await this.#data.open();
  }

  /** Fills the status bar, once and for as long as the window is open. */
  startStatusBar(): void {
    this.#bar.start();
  }

  /** Each person's use of the last 30 finished days; `undefined` when it cannot be known. */
  async activityOfPeople(
    signal = new AbortController().signal,
  ): Promise<ReadonlyMap<string, PersonActivity> | undefined> {
    const { start, end } = this.#data.bounds;
    const days = daysOf({ start: addDays(end, 1 - ACTIVITY_DAYS), end }).filter(day => day >= start);
    if ((await this.#data.ensure('people', days, { background: true, signal })) !== undefined)
      return undefined;
    const known = await (await this.#data.open())?.known('people');
    return activityOfPeople(days.map(day => known?.get(day)?.rows ?? []));
  }

  async #open(): Promise<void> {
    await this.ready();
    this.#bar.start();
    await this.#deps.openDashboard();
  }
}
