import * as vscode from 'vscode';
import type { UsageBudget, UsageSpan } from '../../settings';
import { Disposable, type IDisposable, unhandled } from '../../util/disposable';
import type { Formatter } from '../../util/format';
import { Poller } from '../../util/poller';
import { FAILURE_MS } from '../days/days';
import type { UsageData } from '../days/usageData';
import { budgetNotice, statusText, type StatusFacts } from './statusText';

export interface StatusBarDeps {
  readonly usage: UsageData;
  readonly item: Pick<
    vscode.StatusBarItem,
    'accessibilityInformation' | 'hide' | 'show' | 'text' | 'tooltip'
  >;
  readonly settings: { usageStatusBar(): UsageSpan; usageBudget(): UsageBudget };
  readonly onDidChangeSettings: (listener: () => unknown) => IDisposable;
  readonly format: Formatter;
  /** Tells the person something, with a button that opens the dashboard. */
  readonly tell: (severity: 'info' | 'warning', sentence: string) => void;
  readonly now?: () => number;
}

/** Nothing is sent while nothing is missing. */
const EVERY_MS = 60 * 60 * 1000;
/** The longest span, the days it is compared with, and some that may not have come yet. */
const DAYS = 75;

/**
 * The tokens of some days in the status bar, and notices about the person's own budget. Asks once a UTC day, in one window for all.
 */
export class UsageStatusBar extends Disposable {
  readonly #deps: StatusBarDeps;
  readonly #poller: Poller;
  #problem: string | undefined;
  #drawing = 0;

  constructor(deps: StatusBarDeps) {
    super();
    this.#deps = deps;
    const { usage, onDidChangeSettings, now = Date.now } = deps;
    const run = (signal: AbortSignal): Promise<number> => this.#round(signal);
    this.#poller = this.register(new Poller({ run, retryMs: FAILURE_MS, now }));
    for (const onDidChange of [usage.onDidChange, onDidChangeSettings]) {
      this.register(
        onDidChange(() => {
          void this.#draw();
          this.#poller.poke();
        }),
      );
    }
  }

  /** Draws what is known, then asks for what is missing. */
  start(): void {
    this.#poller.start();
  }

  async #round(signal: AbortSignal): Promise<number> {
    const { usage, format, tell } = this.#deps;
    const days = await usage.open();
    await this.#draw();
    if (!this.#isWanted() || usage.state().kind === 'signedOut') return Infinity;
    this.#problem = await usage.ensure('tokens', usage.lastDays(DAYS), { background: true, signal });
    const facts = await this.#draw();
    const state = usage.state();
    if (state.kind === 'forbidden') {
      if ((await days?.claimRoleNotice().catch(unhandled)) === true) tell('info', state.sentence);
      return Infinity;
    }
    if (this.#problem !== undefined) return FAILURE_MS;
    const notice = facts && budgetNotice(facts, format);
    if (notice === undefined) return EVERY_MS;
    const { id, percent, sentence, tokens } = notice;
    const claimed = await days?.claimNotice(id, percent, tokens).catch(unhandled);
    if (claimed === true) tell(percent >= 100 ? 'warning' : 'info', sentence);
    return EVERY_MS;
  }

  /** A budget is watched over whether or not the status bar shows tokens. */
  #isWanted(): boolean {
    const { settings } = this.#deps;
    return settings.usageStatusBar() !== 'off' || settings.usageBudget().tokens > 0;
  }

  /** Resolves to what is drawn, if anything. */
  async #draw(): Promise<StatusFacts | undefined> {
    const drawing = ++this.#drawing;
    const { usage, settings, item, format } = this.#deps;
    // Who may not read it sees nothing of it; the dashboard says why.
    if (!this.#isWanted() || usage.state().kind !== 'ready') {
      item.hide();
      return undefined;
    }
    const known = await (await usage.open())?.known('tokens');
    if (known === undefined || drawing !== this.#drawing || this.isDisposed) return undefined;
    const span = settings.usageStatusBar();
    const facts: StatusFacts = {
      ...{ span, end: usage.bounds.end, problem: this.#problem, budget: settings.usageBudget() },
      isFetched: known.size > 0,
      values: new Map(
        [...known].flatMap(([day, { row }]) =>
          row?.billable_tokens === undefined ? [] : [[day, row.billable_tokens]],
        ),
      ),
      fetchedAt: usage
        .lastDays(DAYS)
        .reduce<number | undefined>((at, day) => known.get(day)?.at ?? at, undefined),
    };
    const { text, spoken, heading, table, notes } = statusText(facts, format);
    item.text = `$(graph) ${text}`;
    item.tooltip = tooltipOf(heading, table, notes);
    item.accessibilityInformation = { label: vscode.l10n.t('Usage: {0}', spoken) };
    if (span === 'off') item.hide();
    else item.show();
    return facts;
  }
}

/** Foreign text stays text: nothing in it becomes a link or an icon. */
function tooltipOf(
  heading: string,
  table: string | undefined,
  notes: readonly string[],
): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  tooltip.appendText(heading);
  if (table !== undefined) tooltip.appendCodeblock(table, 'text');
  tooltip.appendText(notes.join('\n'));
  return tooltip;
}
