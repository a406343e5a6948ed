import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { AnalyticsMeta, ApiClient, ItemProblem } from '../../api';
import type { Logger } from '../../log';
import type { Collection, Lease, Storage } from '../../storage';
import { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/event';
import { daysOf, lengthOf, runsOf } from '../report/calendar';
import type { Day, DayRange } from '../report/types';
import { DayRecord, readDay, type Endpoint, type Rows } from './day';

export interface DaysOptions {
  readonly storage: Storage;
  /** Where the days of an organization are kept. */
  readonly pathOf: () => string;
  readonly log: Logger;
  readonly api: () => Pick<ApiClient, 'analytics'> | undefined;
  /** Called with each answer's organization before its days are kept: `pathOf` is theirs from then on. */
  readonly belongsTo: (organization: string | undefined) => Promise<void>;
  readonly now: () => number;
}

export interface FetchOptions {
  /** Days asked for before this time are asked for again; Unix ms. */
  readonly since: number;
  readonly signal: AbortSignal;
  /** Asked under the lease, before the service is: throws when another window has found that there is no use. */
  readonly mayAsk: () => Promise<void>;
  /** Told before other windows may ask. */
  readonly onFailure: (error: unknown) => Promise<void>;
  /** `fraction` from 0 to 1 of the days; `pages` read of the days under way, where they come in pages. */
  readonly onProgress: (fraction: number, pages: number) => void;
}

/** The service says of its answers that they are about other days than these (`meta`, section 2.1). */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';

  constructor(days: readonly Day[]) {
    const spans = runsOf(days).map(({ start, end }) => (start === end ? start : `${start} – ${end}`));
    super(vscode.l10n.t('The service does not answer for {0} UTC.', spans.join(', ')));
  }
}

/** A window that says nothing for this long fetches no more, ms. */
const LEASE_MS = 30_000;
/** How often a window looks whether the one that fetches is through, ms. */
const LOOK_MS = 500;
/** Rows are put away this many at a time, so that other work comes in between; so are days. */
const STEP = 2_000;
const DAYS_AT_ONCE = 8;

interface Kept<E extends Endpoint> {
  readonly records: Collection<DayRecord<E>>;
  /** What could not be stored lives as long as this window. */
  readonly unsaved: Map<Day, DayRecord<E>>;
  /** What was known before the days that are being put away, so that nobody sees some of them only. */
  before?: ReadonlyMap<Day, DayRecord<E>> | undefined;
}

/**
 * The finished days of one service: one record a day and endpoint, kept in the store and shared by all windows. Each run of missing
 * days is fetched in one call, or in the pages of `/users`, by one window at a time; the others wait and find the days stored.
 */
export class Days extends Disposable {
  readonly #options: DaysOptions;
  readonly #changed = this.register(new Emitter<void>());
  readonly #kept = new Map<string, Kept<Endpoint>>();
  readonly #texts = new Map<string, string>();
  #writing = 0;

  constructor(options: DaysOptions) {
    super();
    this.#options = options;
  }

  /** There are other days than before, from here or from another window. */
  readonly onDidChange = this.#changed.event;

  /** All that is known of an endpoint. Never rejects: what cannot be read is not known. */
  async known<E extends Endpoint>(endpoint: E): Promise<ReadonlyMap<Day, DayRecord<E>>> {
    const kept = this.#of(endpoint);
    const { records, unsaved } = kept;
    await records.load().catch((error: unknown) => this.#failed(error));
    if (kept.before !== undefined) return kept.before;
    return unsaved.size === 0 ? records.values : new Map([...records.values, ...unsaved]);
  }

  /** The days of these that would have to be asked for. */
  async missing(endpoint: Endpoint, days: readonly Day[], since = 0): Promise<Day[]> {
    const known = await this.known(endpoint);
    return days.filter(day => {
      const record = known.get(day);
      return record === undefined || record.at < since || record.isDue(day, this.#options.now());
    });
  }

  /**
   * Resolves when all `days` are known. Rejects with what the request was refused with, with `Unanswered` when all others are known,
   * or with the signal's reason.
   */
  async ensure(endpoint: Endpoint, days: readonly Day[], options: FetchOptions): Promise<void> {
    const { storage, pathOf } = this.#options;
    const { since, signal } = options;
    for (let path = pathOf(); (await this.missing(endpoint, days, since)).length > 0;) {
      signal.throwIfAborted();
      const lease = `${path.slice(0, path.lastIndexOf('/'))}/${endpoint}`;
      const isDone = await storage.tryRun(lease, LEASE_MS, held =>
        this.#fetch(endpoint, days, options, held),
      );
      if (isDone !== true) await setTimeout(LOOK_MS, undefined, { signal }).catch(() => undefined);
      // Days of another organization than was thought: of that one others may be missing.
      else if (path === pathOf()) return;
      else path = pathOf();
    }
    signal.throwIfAborted();
  }

  /** Resolves to false where the lease was lost on the way. */
  async #fetch(
    endpoint: Endpoint,
    days: readonly Day[],
    options: FetchOptions,
    lease: Pick<Lease, 'isHeld'>,
  ): Promise<boolean> {
    const { since, signal, onProgress } = options;
    try {
      // Another window may just have stored them.
      const { records } = this.#of(endpoint);
      await Promise.all((await this.missing(endpoint, days, since)).map(day => records.read(day)));
      const missing = await this.missing(endpoint, days, since);
      if (missing.length > 0) await options.mayAsk();
      const unanswered: Day[] = [];
      let done = 0;
      for (const run of runsOf(missing)) {
        if (!lease.isHeld()) return false;
        const length = lengthOf(run);
        const left = await this.#ask(endpoint, run, signal, pages =>
          onProgress((done + length * (1 - 1 / (pages + 1))) / missing.length, pages),
        );
        unanswered.push(...left);
        done += length;
        onProgress(done / missing.length, 0);
      }
      if (unanswered.length > 0) throw new Unanswered(unanswered);
      return true;
    } catch (error) {
      if (!signal.aborted) await options.onFailure(error);
      throw error;
    }
  }

  /** Keeps the days that the answer is about; resolves to the others. */
  async #ask(
    endpoint: Endpoint,
    run: DayRange,
    signal: AbortSignal,
    onPage: (pages: number) => void,
  ): Promise<Day[]> {
    const { api, now, belongsTo } = this.#options;
    const { analytics } = api() ?? {};
    if (analytics === undefined) throw new Error('signed out');
    const at = now();
    const byDay = new Map(
      daysOf(run).map(day => [day, { rows: [] as Rows[Endpoint][], problems: [] as string[] }]),
    );
    let covered = run;
    let pages = 0;
    for await (const { items, problems, meta } of answers(analytics, endpoint, run, signal)) {
      await belongsTo(meta.org_id);
      for (let from = 0; from < items.length; from += STEP) {
        for (const row of items.slice(from, from + STEP)) byDay.get(row.date.slice(0, 10))?.rows.push(row);
        if (from + STEP < items.length) await new Promise(resolve => setImmediate(resolve));
      }
      for (const { id = '', field, reason } of problems) {
        const text = [id, field, reason].filter(Boolean).join(': ');
        (byDay.get(id) ?? byDay.get(run.end))?.problems.push(text);
      }
      covered = within(covered, meta);
      onPage(++pages);
    }
    signal.throwIfAborted();
    const records = new Map<Day, DayRecord>();
    for (const [day, { rows, problems }] of byDay) {
      const record = new DayRecord(endpoint, at, rows, problems.slice(0, 20));
      const isAnswered = (day >= covered.start && day <= covered.end) || rows.length > 0;
      // A day whose batch has not come lies beyond the days there are: it is asked for again later.
      if (isAnswered || record.isSettling(day)) records.set(day, record);
    }
    await this.#put(endpoint, records);
    return daysOf(run).filter(day => !records.has(day));
  }

  async #put<E extends Endpoint>(endpoint: E, found: ReadonlyMap<Day, DayRecord<E>>): Promise<void> {
    const kept = this.#of(endpoint);
    const { records, unsaved } = kept;
    kept.before = new Map(await this.known(endpoint));
    const queue = found.entries();
    const work = async (): Promise<void> => {
      for (const [day, record] of queue) {
        try {
          await records.put(day, record);
          unsaved.delete(day);
        } catch (error) {
          this.#failed(error);
          unsaved.set(day, record);
        }
      }
    };
    this.#writing++;
    await Promise.all(Array.from({ length: DAYS_AT_ONCE }, work));
    this.#writing--;
    kept.before = undefined;
    this.#changed.fire();
  }

  #failed(error: unknown): void {
    this.#options.log.error('Days of usage could not be read or stored', error);
  }

  #of<E extends Endpoint>(endpoint: E): Kept<E> {
    const path = `${this.#options.pathOf()}/${endpoint}`;
    let kept = this.#kept.get(path);
    if (kept === undefined) {
      const records = this.#options.storage.collection<DayRecord>({
        path,
        version: 1,
        schema: { parse: value => readDay(endpoint, value, text => this.#share(text)) },
      });
      this.register(
        records.onDidChange(() => {
          if (this.#writing === 0) this.#changed.fire();
        }),
      );
      this.#kept.set(path, (kept = { records, unsaved: new Map<Day, DayRecord>() }));
    }
    // The endpoint decides what its records are.
    return kept as unknown as Kept<E>;
  }

  /** Ids and names come back on every day: one copy of each is enough. */
  #share(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }
}

interface Answer {
  readonly items: readonly Rows[Endpoint][];
  readonly problems: readonly ItemProblem[];
  readonly meta: AnalyticsMeta;
}

/** What one question to the service gives, page by page. */
async function* answers(
  analytics: ApiClient['analytics'],
  endpoint: Endpoint,
  { start: startDate, end: endDate }: DayRange,
  signal: AbortSignal,
): AsyncGenerator<Answer, void, undefined> {
  if (endpoint === 'people') yield* analytics.users({ startDate, endDate }, { signal });
  else yield await analytics[endpoint]({ startDate, endDate }, { signal });
}

/** The days of a range that an answer is about; all where it does not say. */
function within({ start, end }: DayRange, { start_date: from, end_date: to }: AnalyticsMeta): DayRange {
  const [first = start, last = end] = [from, to].map(text => /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0]);
  return { start: first > start ? first : start, end: last < end ? last : end };
}
