import * as vscode from 'vscode';
import type { UsageBudget, UsageSpan } from '../settings';
import { knownOf, sum } from '../util/amount';
import { Disposable, type IDisposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { Poller } from '../util/poller';
import { unhandled } from '../util/unhandled';
import { forNotification } from '../util/text';
import { firstOfMonth, JITTER_MS, untilNews } from './calendar';
import type { Day } from './report';
import { daysOfSpans, reached, valuesOver } from './spans';
import { lastKnown, statusText, tokensText, type StatusFacts } from './statusText';
import { FAILURE_MS, type UsageData } from './usageData';

export interface StatusBarDeps {
  readonly usage: Pick<
    UsageData,
    | 'bounds'
    | 'claimBudgetNotice'
    | 'claimRefusalNotice'
    | 'ensure'
    | 'known'
    | 'onDidChange'
    | 'ready'
    | 'state'
  >;
  readonly item: Pick<
    vscode.StatusBarItem,
    'accessibilityInformation' | 'backgroundColor' | 'hide' | 'show' | 'text' | 'tooltip'
  >;
  readonly settings: {
    usageStatusBar(): UsageSpan;
    usageBudget(): UsageBudget;
    onDidChange(listener: () => unknown): IDisposable;
  };
  readonly format: Formatter;
  readonly tooltip: (
    heading: string,
    table?: string,
    notes?: readonly string[],
  ) => vscode.MarkdownString | string;
  /** Tells the person something, with a button that opens the dashboard. */
  readonly tell: (severity: 'info' | 'warning', sentence: string) => void;
  readonly now?: () => number;
  readonly random?: () => number;
}

const LONGEST_REST_MS = 60 * 60 * 1000;

/**
 * The tokens of the last finished day or of a longer span in the status bar, and notices about the person's own budget. Asks
 * once a UTC day, in one window for all.
 */
export class UsageStatusBar extends Disposable {
  readonly #deps: StatusBarDeps;
  readonly #now: () => number;
  readonly #poller: Poller;
  #problem: string | undefined;
  #failures = 0;
  #drawing = 0;

  constructor(deps: StatusBarDeps) {
    super();
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    this.#poller = this.register(
      new Poller({
        run: signal => this.#round(signal),
        retryMs: FAILURE_MS,
        now: this.#now,
        ...(deps.random === undefined ? {} : { random: deps.random }),
      }),
    );
    this.register(deps.usage.onDidChange(() => this.#onChange()));
    this.register(deps.settings.onDidChange(() => this.#onChange()));
  }

  /** Draws what is known, then asks for what is missing. */
  start(): void {
    this.#poller.start();
  }

  /** Asks again for the days shown; resolves to why that was not possible. */
  async refresh(
    signal: AbortSignal,
    onProgress?: (fraction: number, label: string) => void,
  ): Promise<string | undefined> {
    const options = { again: true, signal, onProgress };
    this.#problem = await this.#deps.usage.ensure('tokens', this.#days(), options);
    await this.#draw();
    return this.#problem;
  }

  #onChange(): void {
    void this.#draw();
    this.#poller.poke();
  }

  #days(): Day[] {
    const { start, end } = this.#deps.usage.bounds;
    return daysOfSpans(end, start);
  }

  async #round(signal: AbortSignal): Promise<number> {
    const { usage } = this.#deps;
    if (!this.#isWanted()) return this.#rest();
    await usage.ready();
    await this.#draw();
    if (usage.state().kind === 'signedOut') return Infinity;
    this.#problem = await usage.ensure('tokens', this.#days(), { background: true, signal });
    await this.#draw();
    const state = usage.state();
    if (state.kind === 'forbidden') {
      if (await usage.claimRefusalNotice()) this.#deps.tell('info', state.sentence);
      return Infinity;
    }
    if (this.#problem !== undefined) {
      return Math.min(LONGEST_REST_MS, FAILURE_MS * 2 ** Math.min(10, this.#failures++));
    }
    this.#failures = 0;
    return this.#untilNews();
  }

  /** A budget is watched over whether or not the status bar shows tokens. */
  #isWanted(): boolean {
    const { settings } = this.#deps;
    return settings.usageStatusBar() !== 'off' || settings.usageBudget().tokens > 0;
  }

  #rest(): number {
    this.#deps.item.hide();
    return Infinity;
  }

  /** Until there may be another day, or until a day that was not ready may be. */
  async #untilNews(): Promise<number> {
    const { usage } = this.#deps;
    const { end } = usage.bounds;
    const newest = (await usage.known('tokens', [end])).get(end);
    const random = this.#deps.random ?? Math.random;
    const nextDay = untilNews(this.#now(), random());
    return newest?.isSettling(end) === true ? Math.min(LONGEST_REST_MS + JITTER_MS, nextDay) : nextDay;
  }

  async #draw(): Promise<void> {
    const drawing = ++this.#drawing;
    const { usage, settings, item, format } = this.#deps;
    const span = settings.usageStatusBar();
    const state = usage.state();
    if (!this.#isWanted() || state.kind === 'signedOut') {
      item.hide();
      return;
    }
    const budget = settings.usageBudget();
    const known = await usage.known('tokens', this.#days());
    if (drawing !== this.#drawing || this.isDisposed) return;
    const { end } = usage.bounds;
    const facts: StatusFacts = {
      span: span === 'off' ? 'lastDay' : span,
      end,
      values: new Map(
        [...known].flatMap(([day, { row }]) =>
          row?.billable_tokens === undefined ? [] : [[day, row.billable_tokens] as const],
        ),
      ),
      fetchedAt: [...known.values()].at(-1)?.at,
      problem: this.#problem,
      budget,
    };
    const text = statusText(facts, format);
    if (text !== undefined && state.kind === 'ready') {
      this.#show(text.text, text.spoken, this.#deps.tooltip(text.heading, text.table, text.notes));
      await this.#tellOfBudget(facts, budget);
    } else if (state.kind === 'forbidden') {
      const label = vscode.l10n.t('Usage needs another role');
      this.#show('$(graph) $(lock)', label, this.#deps.tooltip(state.sentence));
    } else if (this.#problem !== undefined) {
      this.#show(
        '$(graph) $(warning)',
        vscode.l10n.t('Usage is not known'),
        this.#deps.tooltip(this.#problem),
      );
    } else if (known.size > 0) {
      const nothing = vscode.l10n.t(
        'The service has no tokens of the days through {0} UTC.',
        format.day(end),
      );
      this.#show('$(graph) –', vscode.l10n.t('Usage is not known'), this.#deps.tooltip(nothing));
    } else {
      const loading = vscode.l10n.t('Usage is being fetched');
      this.#show('$(graph) $(loading~spin)', loading, this.#deps.tooltip(loading));
    }
  }

  #show(text: string, spoken: string, tooltip: vscode.MarkdownString | string): void {
    const { item, settings } = this.#deps;
    if (settings.usageStatusBar() === 'off') {
      item.hide();
      return;
    }
    item.text = text;
    item.accessibilityInformation = { label: vscode.l10n.t('Usage: {0}', spoken) };
    item.tooltip = tooltip;
    item.show();
  }

  async #tellOfBudget(facts: StatusFacts, { tokens, per }: UsageBudget): Promise<void> {
    const day = lastKnown(facts);
    if (day === undefined || tokens <= 0) return;
    const days = per === 'day' ? { start: day, end: day } : { start: firstOfMonth(day), end: day };
    const spent = sum(valuesOver(days, facts.values));
    const percent = reached(knownOf(spent), tokens);
    if (percent === undefined) return;
    const { usage, format, tell } = this.#deps;
    const spentText = tokensText(spent, value => format.number(value));
    const name = `${per} ${days.start}`;
    const claimed = await usage.claimBudgetNotice(name, tokens, percent).catch(unhandled);
    if (claimed !== true) return;
    const sentence =
      per === 'day'
        ? vscode.l10n.t(
            '{0} billable tokens on {1} UTC: {2} % of your own budget of {3} a day is reached.',
            spentText,
            format.day(day),
            percent,
            format.number(tokens),
          )
        : vscode.l10n.t(
            '{0} billable tokens from {1} through {2} UTC: {3} % of your own budget of {4} a month is reached.',
            spentText,
            format.day(days.start),
            format.day(day),
            percent,
            format.number(tokens),
          );
    tell(percent >= 100 ? 'warning' : 'info', forNotification(sentence));
  }
}
