import * as vscode from 'vscode';
import type { UsageBudget, UsageSpan } from '../settings';
import { knownOf, sum } from '../util/amount';
import { Disposable, unhandled, type IDisposable } from '../util/lifecycle';
import { card, factLines, format, joined, tokensText, type Fact } from '../ui/text';
import { Poller } from '../util/poller';
import type { UsageData } from './data';
import { FAILURE_MS, type KnownDays } from './days';
import { addDays, daysOf, periodBefore } from './report/calendar';
import type { Day, DayRange } from './report/types';

export interface StatusBarDeps {
  readonly usage: UsageData;
  readonly item: Pick<
    vscode.StatusBarItem,
    'accessibilityInformation' | 'hide' | 'show' | 'text' | 'tooltip'
  >;
  readonly settings: { usageStatusBar(): UsageSpan; usageBudget(): UsageBudget };
  readonly onDidChangeSettings: (listener: () => unknown) => IDisposable;
  /** Tells the person something, with a button that opens the dashboard. */
  readonly tell: (severity: 'info' | 'warning', sentence: string) => void;
  readonly now?: () => number;
}

/** Nothing is sent while nothing is missing. */
const EVERY_MS = 60 * 60 * 1000;
/** The longest span, the days it is compared with, and some that may not have come yet. */
const DAYS = 75;

/** The tokens of some days, and notices about the person's own budget. Asks once a UTC day, in one window for all. */
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
    const { usage, tell } = this.#deps;
    const days = await usage.open();
    await this.#draw();
    if (!this.#isWanted() || usage.state().kind === 'signedOut') return Infinity;
    this.#problem = await usage.ensure('tokens', usage.lastDays(DAYS), { background: true, signal });
    const facts = await this.#draw();
    const state = usage.state();
    if (state.kind === 'forbidden') {
      if ((await days?.claimNotice('role', 1).catch(unhandled)) === true) tell('info', state.sentence);
      // What was refused is asked for again when that has lapsed.
      return EVERY_MS;
    }
    if (this.#problem !== undefined) return FAILURE_MS;
    const notice = facts && budgetNotice(facts);
    if (notice === undefined) return EVERY_MS;
    const { id, percent, sentence } = notice;
    const claimed = await days?.claimNotice(id, percent).catch(unhandled);
    if (claimed === true) tell(percent >= 100 ? 'warning' : 'info', sentence);
    return EVERY_MS;
  }

  /** A budget is watched over whether or not the status bar shows tokens. */
  #isWanted(): boolean {
    const { settings } = this.#deps;
    return settings.usageStatusBar() !== 'off' || settings.usageBudget().tokens > 0;
  }

  async #draw(): Promise<StatusFacts | undefined> {
    const drawing = ++this.#drawing;
    const { usage, settings, item } = this.#deps;
    // Who may not read it sees nothing of it; the dashboard says why.
    if (!this.#isWanted() || usage.state().kind !== 'ready') {
      item.hide();
      return undefined;
    }
    const known = await (await usage.open())?.known('tokens');
    if (known === undefined || drawing !== this.#drawing || this.isDisposed) return undefined;
    const span = settings.usageStatusBar();
    const budget = settings.usageBudget();
    const facts = { span, budget, end: usage.bounds.end, known, problem: this.#problem };
    const { text, spoken, heading, lines } = statusText(facts);
    item.text = `$(graph) ${text}`;
    item.tooltip = card(heading, lines);
    item.accessibilityInformation = { label: vscode.l10n.t('Usage: {0}', spoken) };
    if (span === 'off') item.hide();
    else item.show();
    return facts;
  }
}

/** What the status bar knows when it draws. */
export interface StatusFacts {
  readonly span: UsageSpan;
  readonly budget: UsageBudget;
  /** Yesterday, UTC. */
  readonly end: Day;
  readonly known: KnownDays<'tokens'>;
  /** Why the newest attempt failed; a sentence. */
  readonly problem?: string | undefined;
}

/** What the status bar says, and its tooltip: a line a span, and what there is to know of them. */
export function statusText(facts: StatusFacts) {
  const { known, budget, end, problem } = facts;
  const last = lastKnown(facts);
  if (last === undefined) {
    const none =
      known.size > 0
        ? vscode.l10n.t('There are no token figures through {0} UTC yet.', format.day(end))
        : vscode.l10n.t('Usage is being fetched');
    const heading = problem ?? none;
    return { text: problem === undefined ? '–' : '$(warning)', spoken: heading, heading, lines: [] };
  }
  const span = facts.span === 'off' ? '7days' : facts.span;
  const { total, change, days } = totalOf(span, last, known);
  const shown = daysText(days);
  const short = tokensText(total, value => format.compact(value));
  // A day may be a Sunday, and nothing is no answer before it is said of which days.
  const ofDays =
    span === 'lastDay' ? format.weekday(last) : knownOf(total) === 0 ? spanLabels()[span] : undefined;
  const isLate = last < end && span !== 'lastDay';
  const through = isLate ? vscode.l10n.t('through {0}', format.day(last)) : undefined;
  const spoken = [
    tokensText(total, value => vscode.l10n.t('{0} billable tokens', format.compact(value))),
    vscode.l10n.t('{0} UTC', shown),
    change !== undefined && format.change(change),
  ];
  const fetchedAt = known.get([...known.keys()].sort().at(-1) ?? last)?.at;
  const lines = [
    ...factLines(spanFacts(last, known)),
    budget.tokens > 0 ? vscode.l10n.t('Your budget: {0}.', budgetText(budget)) : undefined,
    vscode.l10n.t('Compared with the same weekdays before.'),
    vscode.l10n.t('Data through {0} UTC.', format.day(last)),
    fetchedAt === undefined ? undefined : vscode.l10n.t('Fetched {0}.', format.exact(fetchedAt)),
    problem,
  ];
  return {
    text: joined([`${short}${arrowOf(change)}`, ofDays, through]),
    spoken: joined(spoken, ', '),
    heading: vscode.l10n.t('Billable tokens, {0} UTC', shown),
    lines,
  };
}

/** What is told of a budget: the highest threshold that is reached, and of which days, named by their first. */
export function budgetNotice(facts: StatusFacts) {
  const { budget, known } = facts;
  const { tokens, per } = budget;
  const last = lastKnown(facts);
  if (last === undefined || tokens <= 0) return undefined;
  const { days, total: spent } = totalOf(per === 'day' ? 'lastDay' : 'monthToDate', last, known);
  const percent = [80, 100].findLast(each => (knownOf(spent) ?? 0) >= (tokens * each) / 100);
  if (percent === undefined) return undefined;
  const sentence = vscode.l10n.t(
    'Billable tokens, {0} UTC: {1}. You have reached {2}% of your budget of {3}.',
    daysText(days),
    tokensText(spent, value => format.number(value)),
    percent,
    budgetText(budget),
  );
  return { id: `${per} ${days.start} ${tokens}`, percent, sentence };
}

/** What the status bar may count. */
type Span = Exclude<UsageSpan, 'off'>;

function spanLabels(): Readonly<Record<Span, string>> {
  return {
    lastDay: vscode.l10n.t('Last finished day'),
    '7days': vscode.l10n.t('Last 7 days'),
    '30days': vscode.l10n.t('Last 30 days'),
    monthToDate: vscode.l10n.t('Month to date'),
  };
}

/** What a span that ends with `end` sums up to, and the change since the same weekdays before where every day of both has a figure. */
function totalOf(span: Span, end: Day, known: StatusFacts['known']) {
  const length = { lastDay: 1, '7days': 7, '30days': 30, monthToDate: Number(end.slice(8)) }[span];
  const days = { start: addDays(end, 1 - length), end };
  const totals = [days, periodBefore(days)].map(range => sum(daysOf(range).map(day => tokensOf(known, day))));
  const [total, earlier] = totals;
  const isFair = typeof total === 'number' && typeof earlier === 'number' && earlier > 0;
  return { days, total, change: isFair ? (total - earlier) / earlier : undefined };
}

function tokensOf(known: StatusFacts['known'], day: Day): number | undefined {
  return known.get(day)?.rows[0]?.billable_tokens;
}

function lastKnown({ end, known }: StatusFacts): Day | undefined {
  const days = [...known.keys()].filter(day => day <= end && tokensOf(known, day) !== undefined);
  return days.sort().at(-1);
}

function daysText({ start, end }: DayRange): string {
  return start === end ? format.day(end) : vscode.l10n.t('{0} – {1}', format.day(start), format.day(end));
}

function budgetText({ tokens, per }: UsageBudget): string {
  const count = format.number(tokens);
  return per === 'day' ? vscode.l10n.t('{0} a day', count) : vscode.l10n.t('{0} a month', count);
}

function arrowOf(change: number | undefined): string {
  if (change === undefined) return '';
  if (Math.abs(change) < 0.005) return ' →';
  return change > 0 ? ' ↑' : ' ↓';
}

/** What each span sums up to, with its change. */
function spanFacts(last: Day, known: StatusFacts['known']): Fact[] {
  return Object.entries(spanLabels()).map(([span, label]) => {
    const { total, change } = totalOf(span as Span, last, known);
    const trend = change === undefined ? '' : format.change(change);
    return [label, joined([tokensText(total, value => format.number(value)), trend])];
  });
}
