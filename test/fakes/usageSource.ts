import type { Cell, Section, TabReport, UsageQuery } from '../../src/usage/report';
import type { UsageSource } from '../../src/usage/source';
import { knownOf } from '../../src/util/amount';
import { Emitter } from '../../src/util/event';
import { bounds, daysOf, makeReport } from './usageReports';

type State = ReturnType<UsageSource['state']>;

/** A source of made-up reports whose moods a test sets. */
export class FakeUsageSource implements UsageSource {
  readonly bounds = bounds;
  readonly asked: UsageQuery[] = [];
  readonly fetched: { readonly query: UsageQuery; readonly again: boolean }[] = [];
  /** Unix ms; when the newest day was fetched. */
  fetchedAt = Date.now() - 12 * 60_000;
  /** Why days cannot be fetched; only a fetch tells. */
  problem: string | undefined;
  /** Awaited before a report from the cache is answered. */
  gate: Promise<unknown> = Promise.resolve();
  /** Awaited between the first half of a fetch and the rest. */
  fetchGate: Promise<unknown> = Promise.resolve();
  readonly #changed = new Emitter<void>();
  #known = new Set(daysOf(bounds));
  #state: State = { kind: 'ready' };

  readonly onDidChange = this.#changed.event;

  state(): State {
    return this.#state;
  }

  become(state: State): void {
    this.#state = state;
    this.#changed.fire();
  }

  /** Forgets days: all of them, or the newest so many. */
  forget(count = Infinity): void {
    const days = daysOf(bounds);
    this.#known = new Set(count === Infinity ? [] : days.slice(0, days.length - count));
  }

  async cached(query: UsageQuery): Promise<TabReport> {
    this.asked.push(query);
    await this.gate;
    return this.#report(query, undefined);
  }

  async fetch(
    query: UsageQuery,
    { again = false, signal, onProgress }: Parameters<UsageSource['fetch']>[1],
  ): Promise<TabReport> {
    this.fetched.push({ query, again });
    onProgress?.(0.4, 'Fetching 12 of 30 days');
    await Promise.race([
      this.fetchGate,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    ]);
    signal.throwIfAborted();
    if (this.problem === undefined) {
      const missing = daysOf(query.range).filter(day => !this.#known.has(day));
      for (const day of missing) this.#known.add(day);
      if (again || missing.length > 0) this.fetchedAt = Date.now();
    }
    return this.#report(query, this.problem);
  }

  csv(report: TabReport, sectionId?: string): string {
    return report.sections
      .filter(({ id }) => sectionId === undefined || id === sectionId)
      .map(csvOf)
      .join('\r\n');
  }

  json(report: TabReport): string {
    return JSON.stringify(report);
  }

  #report(query: UsageQuery, problem: string | undefined): TabReport {
    const report = makeReport(query, this.#known);
    return {
      ...report,
      fetchedAt: this.fetchedAt,
      ...(report.missing === undefined || problem === undefined
        ? {}
        : { missing: { ...report.missing, problem } }),
    };
  }
}

function csvOf({ table: { columns, rows, total } }: Section): string {
  const quote = (cell: Cell): string => {
    const text = typeof cell === 'string' ? cell : String(knownOf(cell) ?? '');
    return `"${text.replace(/"/g, '""')}"`;
  };
  const lines = [
    columns.map(({ label }) => label),
    ...rows.map(({ cells }) => cells),
    ...(total ? [total] : []),
  ];
  return lines.map(line => line.map(quote).join(',')).join('\r\n');
}
