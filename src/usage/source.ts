import type { Event } from '../util/event';
import type { DayRange, TabReport, UsageQuery } from './report';

/** Where the dashboard gets its reports from. */
export interface UsageSource {
  /** First and last day that may be asked for; `end` is yesterday, UTC. */
  readonly bounds: DayRange;
  /** The report from what is known now; never waits for the network. */
  cached(query: UsageQuery): Promise<TabReport>;
  /**
   * Fetches missing days (or all again with `again`) and resolves with the complete report; progress 0..1; rejects only with
   * AbortError/CancellationError. Problems are in `report.missing.problem`.
   */
  fetch(
    query: UsageQuery,
    options: {
      again?: boolean;
      signal: AbortSignal;
      onProgress?: (fraction: number, label: string) => void;
    },
  ): Promise<TabReport>;
  /** Something known changed (another window fetched, a new day began, sign-in changed). */
  readonly onDidChange: Event<void>;
  /** `ready`, or why nothing can be shown: signed out, or the role is missing (403), as a sentence. */
  state():
    { readonly kind: 'ready' } | { readonly kind: 'signedOut' | 'forbidden'; readonly sentence: string };
  /** The report as a file; pseudonyms as the query says. */
  csv(report: TabReport, sectionId?: string): string;
  json(report: TabReport): string;
}
