import * as vscode from 'vscode';
import type { Connection } from '../connection';
import { commands, type CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import { onDidChangeSettings, settings } from '../settings';
import type { Storage } from '../storage';
import { withSignal } from '../util/cancellation';
import { Disposable, type IDisposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { notify } from '../util/notify';
import { forNotification } from '../util/text';

import { addDays, daysOf } from './calendar';
import type { ControlRevision } from './markers';
import type { DirectoryPerson } from './names';
import type { UsageSource } from './source';
import { activityOfPeople, type PersonActivity } from './personActivity';
import { UsageStatusBar } from './statusBar';
import { UsageData } from './usageData';

export { DashboardPanels } from './panel';
export type { UsageSource } from './source';
export type { DirectoryPerson } from './names';
export type { ControlRevision } from './markers';

export interface UsageDeps {
  readonly connection: Connection;
  readonly storage: Storage;
  readonly log: Logger;
  readonly format: Formatter;
  /** The organization's users, for people without usage. */
  readonly directory?: { people(signal?: AbortSignal): Promise<readonly DirectoryPerson[]> } | undefined;
  /** Changes of the organization's controls, for marks on charts. */
  readonly controlRevisions?: { revisions(): Promise<readonly ControlRevision[]> } | undefined;
  /** Shows the dashboard of a source. */
  readonly openDashboard?: ((source: UsageSource) => unknown) | undefined;
}

export interface UsageFeature extends IDisposable {
  readonly commands: CommandHandlers<'usage'>;
  readonly source: UsageSource;
  /** Finds out which service there is, so that `source.state()` is true; makes no request. */
  ready(): Promise<void>;
  /** Fills the status bar, once and for as long as the window is open. */
  startStatusBar(): void;
  /** Fetches the days of the status bar again, where a person can follow and end it. */
  refresh(): Promise<void>;
  /** Each person's use of the last 30 finished days; `undefined` when it cannot be known. */
  activityOfPeople(signal?: AbortSignal): Promise<ReadonlyMap<string, PersonActivity> | undefined>;
}

/** What the organization uses (sections 2.1-2.6, 4.1): data, status bar and commands. */
export function registerUsage(deps: UsageDeps): UsageFeature {
  return new Usage(deps);
}

const ACTIVITY_DAYS = 30;

class Usage extends Disposable implements UsageFeature {
  readonly #deps: UsageDeps;
  readonly #data: UsageData;
  readonly #bar: UsageStatusBar;
  readonly commands: CommandHandlers<'usage'>;

  constructor(deps: UsageDeps) {
    super();
    this.#deps = deps;
    this.#data = this.register(new UsageData(deps));
    const item = this.register(
      vscode.window.createStatusBarItem('usage', vscode.StatusBarAlignment.Right, 90),
    );
    item.name = vscode.l10n.t('Usage');
    item.command = commands.usage.open;
    this.#bar = this.register(
      new UsageStatusBar({
        usage: this.#data,
        item,
        settings: {
          ...settings,
          onDidChange: listener => onDidChangeSettings(['usage.statusBar', 'usage.budget'], listener),
        },
        format: deps.format,
        tooltip: tooltipOf,
        tell: (severity, sentence) =>
          notify(deps.log, severity, forNotification(sentence, 1_000), [
            vscode.l10n.t('Open usage'),
            () => this.#open(),
          ]),
      }),
    );
    this.commands = {
      open: () => this.#open(),
    };
  }

  get source(): UsageSource {
    return this.#data;
  }

  ready(): Promise<void> {
    return this.#data.ready();
  }

  startStatusBar(): void {
    this.#bar.start();
  }

  async activityOfPeople(
    signal = new AbortController().signal,
  ): Promise<ReadonlyMap<string, PersonActivity> | undefined> {
    const { start, end } = this.#data.bounds;
    const first = addDays(end, 1 - ACTIVITY_DAYS);
    const days = daysOf({ start: first < start ? start : first, end });
    if ((await this.#data.ensure('people', days, { background: true, signal })) !== undefined)
      return undefined;
    return activityOfPeople(await this.#data.known('people', days), days);
  }

  async #open(): Promise<void> {
    await this.#data.ready();
    this.#bar.start();
    await this.#deps.openDashboard?.(this.#data);
  }

  async refresh(): Promise<void> {
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Fetching usage'),
      cancellable: true,
    };
    const problem = await vscode.window.withProgress(options, (progress, token) =>
      withSignal(token, async signal => {
        let shown = 0;
        const onProgress = (fraction: number, message: string): void => {
          progress.report({ message, increment: Math.max(0, fraction * 100 - shown) });
          shown = Math.max(shown, fraction * 100);
        };
        try {
          return await this.#bar.refresh(signal, onProgress);
        } catch (error) {
          if (signal.aborted) return undefined;
          throw error;
        }
      }),
    );
    if (problem !== undefined) void vscode.window.showWarningMessage(forNotification(problem, 1_000));
  }
}

/** Foreign text stays text: nothing in it becomes a link or an icon. */
function tooltipOf(heading: string, table?: string, notes: readonly string[] = []): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  tooltip.appendText(heading);
  if (table !== undefined) tooltip.appendCodeblock(table, 'text');
  if (notes.length > 0) tooltip.appendText(`${table === undefined ? '\n' : ''}${notes.join('\n')}`);
  return tooltip;
}
