import type { TabReport, UsageQuery } from '../../src/usage/report/types';
import type { UsageSource } from '../../src/usage/show/dashboard';
import { Emitter } from '../../src/util/event';
import { daysOf } from '../../src/usage/report/calendar';
import { bounds, makeReport } from './usageReports';

type State = ReturnType<UsageSource['state']>;

/** A source of made-up reports whose moods a test sets. */
export class FakeUsageSource implements UsageSource {
  bounds = bounds;
  readonly asked: UsageQuery[] = [];
  readonly fetched: { readonly query: UsageQuery; readonly again: boolean }[] = [];
  /** Unix ms; when the newest day was fetched. */
  fetchedAt = Date.now() - 12 * 60_000;
  /** Why days cannot be fetched; only a fetch tells. */
  problem: string | undefined;
  /** Not known of a new key. */
  orgId: string | undefined = 'org_01JH7ZK3QF5Y8';
  /** What could not be read of each day. */
  problems: readonly string[] = [];
  /** Awaited before a report from the cache is answered. */
  gate: Promise<unknown> = Promise.resolve();
  /** Awaited between the first half of a fetch and the rest. */
  fetchGate: Promise<unknown> = Promise.resolve();
  /** Fetches under way, and those that were given up. */
  running = 0;
  ended = 0;
  readonly #changed = new Emitter<void>();
  #known = new Set(daysOf(bounds));
  #told: string | undefined;
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

  async report(query: UsageQuery): Promise<TabReport> {
    this.asked.push(query);
    await this.gate;
    const known = { days: this.#known, fetchedAt: this.fetchedAt, problems: this.problems };
    const problem = this.problem && this.#told;
    return { ...makeReport(query, known, problem), orgId: this.orgId };
  }

  async fetch(
    query: UsageQuery,
    { again = false, signal, onProgress }: Parameters<UsageSource['fetch']>[1],
  ): Promise<string | undefined> {
    this.fetched.push({ query, again });
    this.running++;
    signal.addEventListener('abort', () => this.ended++);
    onProgress?.(0.4, 'Fetching 12 of 30 days');
    const left = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    await Promise.race([this.fetchGate, left]).finally(() => this.running--);
    signal.throwIfAborted();
    if (this.problem === undefined) {
      const missing = daysOf(query.range).filter(day => !this.#known.has(day));
      for (const day of missing) this.#known.add(day);
      if (again || missing.length > 0) this.fetchedAt = Date.now();
    }
    return (this.#told = this.problem);
  }
}
