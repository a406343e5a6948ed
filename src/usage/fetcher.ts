import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { AnalyticsMeta, ApiClient, ItemProblem } from '../api';
import type { Lease } from '../storage';
import type { DayCache } from './dayCache';
import { daysOf, lengthOf, runsOf } from './calendar';
import { DayRecord, type Endpoint, type Rows } from './dayRecord';
import type { Day, DayRange } from './report';

export interface FetcherDeps {
  readonly api: () => Pick<ApiClient, 'analytics'> | undefined;
  readonly cache: () => DayCache;
  /** Runs `work` in one window at a time; resolves to `undefined` where another one is at it. */
  readonly tryRun: (
    endpoint: Endpoint,
    work: (lease: Pick<Lease, 'isHeld'>) => Promise<boolean>,
  ) => Promise<boolean | undefined>;
  /** There are other days than before. */
  readonly onFetched: (endpoint: Endpoint) => Promise<void>;
  /** Called with each answer's organization before its days are stored; false: these days belong elsewhere. */
  readonly belongs: (organization: string | undefined) => Promise<boolean>;
  readonly now: () => number;
}

export interface FetchOptions {
  /** Days asked for before this time are asked for again; Unix ms. */
  readonly since?: number;
  readonly signal: AbortSignal;
  /** Asked under the lease, before the service is: throws when another window has found that there is no use. */
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

/** The service says of its answers that they are about other days than these (`meta`, section 2.1). */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';

  constructor(runs: readonly DayRange[]) {
    const spans = runs.map(({ start, end }) => (start === end ? start : `${start} – ${end}`));
    super(vscode.l10n.t('The service does not answer for {0} UTC.', spans.join(', ')));
  }
}

/** How often a window looks whether the one that fetches is through, ms. */
const LOOK_MS = 500;
/** Rows are put away this many at a time, so that other work comes in between. */
const STEP = 2_000;
/** What was read of a run that was broken off serves for so long, ms. */
const BROKEN_OFF_MS = 15 * 60 * 1000;

/**
 * Fetches the days that are missing (section 4.1): each run of missing days in one call, or in the pages of `/users`. Of all
 * windows one fetches; the others wait and then find the days stored.
 */
export class Fetcher {
  readonly #deps: FetcherDeps;
  readonly #turns = new Map<Endpoint, Promise<unknown>>();
  /** The last run whose pages were not read to the end. */
  #begun: Begun | undefined;

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
   * Resolves when all `days` are known. Rejects with what the request was refused with, with `OtherOrganization`, with
   * `Unanswered` when all others are known, or with the signal's reason.
   */
  async ensure(endpoint: Endpoint, days: readonly Day[], options: FetchOptions): Promise<void> {
    const { signal } = options;
    await this.#inTurn(endpoint, signal, async () => {
      if ((await this.#missingNow(endpoint, days, options.since)).length === 0) return;
      for (;;) {
        signal.throwIfAborted();
        const isDone = await this.#deps.tryRun(endpoint, lease =>
          this.#fetchMissing(endpoint, days, options, lease),
        );
        if (isDone === true) return;
        await rest(LOOK_MS, signal);
      }
    });
  }

  /** Resolves to false where the lease was lost on the way. */
  async #fetchMissing(
    endpoint: Endpoint,
    days: readonly Day[],
    options: FetchOptions,
    lease: Pick<Lease, 'isHeld'>,
  ): Promise<boolean> {
    const { signal, since, onProgress } = options;
    let fetched = false;
    try {
      const missing = await this.#missingNow(endpoint, days, since);
      if (missing.length > 0) await options.mayAsk?.();
      let done = 0;
      const unanswered: DayRange[] = [];
      for (const run of runsOf(missing)) {
        if (!lease.isHeld()) return false;
        const without = await this.#fetchRun(endpoint, run, options, (length, pages) => {
          onProgress?.(Math.min(1, (done + length * (1 - 1 / (pages + 1))) / missing.length), pages);
        });
        unanswered.push(...without);
        fetched = true;
        done += lengthOf(run);
        onProgress?.(done / missing.length, 0);
      }
      if (unanswered.length > 0) throw new Unanswered(unanswered);
      return true;
    } catch (error) {
      if (!signal.aborted) await options.onFailure?.(error);
      throw error;
    } finally {
      if (fetched) await this.#deps.onFetched(endpoint);
    }
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

  /** Resolves to the runs that the service says it does not answer for. */
  async #fetchRun(
    endpoint: Endpoint,
    run: DayRange,
    options: FetchOptions,
    onPage: (length: number, pages: number) => void,
  ): Promise<DayRange[]> {
    const length = lengthOf(run);
    const left = await this.#ask(endpoint, run, options, pages => onPage(length, pages));
    // Each answer must be about some of the days, so this ends.
    if (left.length === length) return [run];
    const unanswered: DayRange[] = [];
    for (const rest of runsOf(left)) {
      unanswered.push(...(await this.#fetchRun(endpoint, rest, options, onPage)));
    }
    return unanswered;
  }

  /** Stores the days that the answer is about; resolves to the others. */
  async #ask(
    endpoint: Endpoint,
    run: DayRange,
    { signal, since = 0 }: FetchOptions,
    onPage: (pages: number) => void,
  ): Promise<Day[]> {
    const api = this.#deps.api();
    if (api === undefined) throw new Error('signed out');
    const begun = this.#goOn(api, endpoint, run, since);
    if (begun.pages > 0) onPage(begun.pages);
    try {
      for await (const { items, problems, meta, cursor } of answers(api, begun, signal)) {
        if (!(await this.#deps.belongs(meta.org_id))) throw new OtherOrganization();
        for (let from = 0; from < items.length; from += STEP) {
          for (const row of items.slice(from, from + STEP))
            begun.byDay.get(row.date.slice(0, 10))?.rows.push(row);
          if (from + STEP < items.length) await new Promise(resolve => setImmediate(resolve));
        }
        for (const problem of problems) {
          (begun.byDay.get(problem.id ?? '') ?? begun.byDay.get(run.end))?.problems.push(describe(problem));
        }
        begun.covered = within(begun.covered, meta);
        begun.cursor = cursor;
        if (cursor !== undefined) this.#begun = begun;
        onPage(++begun.pages);
      }
      signal.throwIfAborted();
    } catch (error) {
      // Another answer than that somebody has lost patience may be about where it went on.
      if (!signal.aborted) this.#begun = undefined;
      throw error;
    }
    this.#begun = undefined;
    const records = new Map<Day, DayRecord>();
    const left: Day[] = [];
    const { start, end } = begun.covered;
    for (const [day, { rows, problems }] of begun.byDay) {
      const record = new DayRecord(endpoint, begun.at, rows, problems.slice(0, 20));
      const isAnswered = (day >= start && day <= end) || rows.length > 0;
      // A day whose batch has not come lies beyond the days there are: it is asked for again later.
      if (isAnswered || record.isSettling(day)) records.set(day, record);
      else left.push(day);
    }
    await this.#deps.cache().put(endpoint, records);
    return left;
  }

  /** The same run where it was broken off, or from its beginning. */
  #goOn(api: Api, endpoint: Endpoint, run: DayRange, since: number): Begun {
    const now = this.#deps.now();
    const begun = this.#begun;
    const isSame =
      begun?.api === api &&
      begun.endpoint === endpoint &&
      begun.run.start === run.start &&
      begun.run.end === run.end;
    if (isSame && begun.at >= since && now - begun.at < BROKEN_OFF_MS) return begun;
    const byDay = new Map(
      daysOf(run).map((day): readonly [Day, DayRows] => [day, { rows: [], problems: [] }]),
    );
    return { api, endpoint, run, at: now, byDay, covered: run, pages: 0, cursor: undefined };
  }
}

/** Resolves after `ms`, or when `signal` is aborted. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => undefined);
}

type Api = Pick<ApiClient, 'analytics'>;

interface DayRows {
  readonly rows: Rows[Endpoint][];
  readonly problems: string[];
}

/** What has been read of a run so far; all of it is as of the time `at`, Unix ms. */
interface Begun {
  readonly api: Api;
  readonly endpoint: Endpoint;
  readonly run: DayRange;
  readonly at: number;
  readonly byDay: ReadonlyMap<Day, DayRows>;
  /** The days of `run` that all answers say they are about; reversed when there are none. */
  covered: DayRange;
  pages: number;
  /** Of the last page read. */
  cursor: string | undefined;
}

interface Answer {
  readonly items: readonly Rows[Endpoint][];
  readonly problems: readonly ItemProblem[];
  readonly meta: AnalyticsMeta;
  readonly cursor?: string | undefined;
}

/** What one question to the service gives, page by page. */
async function* answers(
  { analytics }: Api,
  { endpoint, run, cursor }: Pick<Begun, 'endpoint' | 'run' | 'cursor'>,
  signal: AbortSignal,
): AsyncGenerator<Answer, void, undefined> {
  const range = { startDate: run.start, endDate: run.end };
  if (endpoint === 'people') yield* analytics.users({ ...range, cursor }, { signal });
  else yield await analytics[endpoint](range, { signal });
}

/** The days of a range that an answer is about; all where it does not say. */
function within({ start, end }: DayRange, { start_date: from, end_date: to }: AnalyticsMeta): DayRange {
  const day = (text: string | undefined): Day | undefined =>
    text === undefined || !/^\d{4}-\d{2}-\d{2}/.test(text) ? undefined : text.slice(0, 10);
  const [first, last] = [day(from) ?? start, day(to) ?? end];
  return { start: first > start ? first : start, end: last < end ? last : end };
}

function describe({ id, field, reason }: ItemProblem): string {
  return [id, field, reason].filter(Boolean).join(': ');
}
