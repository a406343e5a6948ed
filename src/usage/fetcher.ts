import { isApiError, type ApiClient, type ItemProblem } from '../api';
import type { DayCache } from './dayCache';
import { daysOf, lengthOf, runsOf, addDays } from './calendar';
import { DayRecord, type Endpoint, type Rows } from './dayRecord';
import type { Day, DayRange } from './report';
import type { SharedRecords } from './shared';

export interface FetcherDeps {
  readonly api: () => Pick<ApiClient, 'analytics'> | undefined;
  readonly cache: () => DayCache;
  readonly shared: SharedRecords;
  /** Called with each answer's organization before its days are stored; false: these days belong elsewhere. */
  readonly belongs: (organization: string | undefined) => Promise<boolean>;
  readonly now: () => number;
}

export interface FetchOptions {
  /** Days asked for before this time are asked for again; Unix ms. */
  readonly since?: number;
  readonly signal: AbortSignal;
  /** Asked under the claim, before the service is: throws when another window has found that there is no use. */
  readonly mayAsk?: () => Promise<void>;
  /** Told before other windows may ask. */
  readonly onFailure?: (error: unknown) => Promise<void>;
  /** `fraction` from 0 to 1 of the days; `pages` read of the run of days under way, where it comes in pages. */
  readonly onProgress?: ((fraction: number, pages: number) => void) | undefined;
}

/** The answer of another organization than the one the days known so far belong to. */
export class OtherOrganization extends Error {
  override readonly name = 'OtherOrganization';
}

/** Rows are put away this many at a time, so that other work comes in between. */
const STEP = 2_000;
/** A range no longer than this is not cut when the service refuses it: the reason is another. */
const SHORTEST_REFUSED = 31;

/**
 * Fetches the days that are missing (section 4.1): each run of missing days in one call, or in the pages of `/users`. Of all
 * windows one fetches; the others wait and then find the days stored.
 */
export class Fetcher {
  readonly #deps: FetcherDeps;
  readonly #turns = new Map<Endpoint, Promise<unknown>>();
  /** The longest range the service takes, as far as that is known. */
  #longest = Infinity;

  constructor(deps: FetcherDeps) {
    this.#deps = deps;
  }

  /** The days of these that would have to be asked for. */
  async missing(endpoint: Endpoint, days: readonly Day[], since = 0): Promise<Day[]> {
    const known = await this.#deps.cache().read(endpoint, days);
    const now = this.#deps.now();
    return days.filter(day => {
      const record = known.get(day);
      if (record === undefined || record.at < since) return true;
      return record.isDue(day, now);
    });
  }

  /**
   * Resolves when all `days` are known. Rejects with what the request was refused with, with `OtherOrganization`, or with the
   * signal's reason.
   */
  async ensure(endpoint: Endpoint, days: readonly Day[], options: FetchOptions): Promise<void> {
    const { signal, since } = options;
    await this.#inTurn(endpoint, signal, async () => {
      for (;;) {
        signal.throwIfAborted();
        if ((await this.#missingNow(endpoint, days, since)).length === 0) return;
        const claim = await this.#deps.shared.claim(endpoint);
        if ('busyUntil' in claim) {
          await this.#deps.shared.released(endpoint, claim.busyUntil, signal);
          continue;
        }
        let fetched = false;
        try {
          const missing = await this.#missingNow(endpoint, days, since);
          if (missing.length > 0) await options.mayAsk?.();
          let done = 0;
          for (const run of runsOf(missing)) {
            await this.#fetchRun(endpoint, run, options, (length, pages) => {
              options.onProgress?.(
                Math.min(1, (done + length * (1 - 1 / (pages + 1))) / missing.length),
                pages,
              );
            });
            fetched = true;
            done += lengthOf(run);
            options.onProgress?.(done / missing.length, 0);
          }
          return;
        } catch (error) {
          if (!signal.aborted) await options.onFailure?.(error);
          throw error;
        } finally {
          await claim.release(fetched).catch(() => undefined);
        }
      }
    });
  }

  /** As the disk has it: another window may just have stored them. */
  async #missingNow(endpoint: Endpoint, days: readonly Day[], since: number | undefined): Promise<Day[]> {
    this.#deps.cache().lookAgain(endpoint);
    return this.missing(endpoint, days, since);
  }

  /** One after another for each endpoint: the second finds what the first has fetched. */
  async #inTurn(endpoint: Endpoint, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(endpoint) ?? Promise.resolve();
    const mine = before.then(() => (signal.aborted ? undefined : work()));
    this.#turns.set(
      endpoint,
      mine.catch(() => undefined),
    );
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error);
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      mine.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  async #fetchRun(
    endpoint: Endpoint,
    run: DayRange,
    options: FetchOptions,
    onPage: (length: number, pages: number) => void,
  ): Promise<void> {
    const length = lengthOf(run);
    const before = this.#longest;
    if (length <= this.#longest) {
      try {
        await this.#ask(endpoint, run, options.signal, pages => onPage(length, pages));
        return;
      } catch (error) {
        if (!mayBeTooLong(error, length)) throw error;
        this.#longest = Math.ceil(length / 2);
      }
    }
    const middle = addDays(run.start, Math.min(this.#longest, Math.ceil(length / 2)) - 1);
    try {
      await this.#fetchRun(endpoint, { start: run.start, end: middle }, options, onPage);
    } catch (error) {
      // It was not the length.
      this.#longest = before;
      throw error;
    }
    await this.#fetchRun(endpoint, { start: addDays(middle, 1), end: run.end }, options, onPage);
  }

  async #ask(
    endpoint: Endpoint,
    run: DayRange,
    signal: AbortSignal,
    onPage: (pages: number) => void,
  ): Promise<void> {
    const api = this.#deps.api();
    if (api === undefined) throw new Error('signed out');
    const at = this.#deps.now();
    const range = { startDate: run.start, endDate: run.end };
    const byDay = new Map<Day, { rows: Rows[Endpoint][]; problems: string[] }>(
      daysOf(run).map(day => [day, { rows: [], problems: [] }]),
    );
    let pages = 0;
    for await (const { items, problems, meta } of answers(api, endpoint, range, signal)) {
      if (!(await this.#deps.belongs(meta.org_id))) throw new OtherOrganization();
      for (let from = 0; from < items.length; from += STEP) {
        for (const row of items.slice(from, from + STEP)) byDay.get(row.date.slice(0, 10))?.rows.push(row);
        if (from + STEP < items.length) await new Promise(resolve => setImmediate(resolve));
      }
      for (const problem of problems) {
        (byDay.get(problem.id ?? '') ?? byDay.get(run.end))?.problems.push(describe(problem));
      }
      onPage(++pages);
    }
    signal.throwIfAborted();
    const records = new Map<Day, DayRecord>();
    for (const [day, { rows, problems }] of byDay) {
      records.set(day, new DayRecord(endpoint, at, rows, problems.slice(0, 20)));
    }
    await this.#deps.cache().put(endpoint, records);
  }
}

interface Answer {
  readonly items: readonly Rows[Endpoint][];
  readonly problems: readonly ItemProblem[];
  readonly meta: { readonly org_id?: string | undefined };
}

/** What one question to the service gives, page by page. */
async function* answers(
  { analytics }: Pick<ApiClient, 'analytics'>,
  endpoint: Endpoint,
  range: { readonly startDate: string; readonly endDate: string },
  signal: AbortSignal,
): AsyncGenerator<Answer, void, undefined> {
  if (endpoint === 'people') yield* analytics.users(range, { signal });
  else yield await analytics[endpoint](range, { signal });
}

function describe({ id, field, reason }: ItemProblem): string {
  return [id, field, reason].filter(Boolean).join(': ');
}

/** Whether a shorter range may be answered where this one was not: how long one may be is not shown (section 8). */
function mayBeTooLong(error: unknown, length: number): boolean {
  if (!isApiError(error) || length < 2) return false;
  if (error.reason === 'tooLarge' || error.kind === 'timedOut') return true;
  if (error.status === 413 || error.status === 504) return true;
  return (error.status === 400 || error.status === 422) && length > SHORTEST_REFUSED;
}
