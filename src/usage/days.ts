import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import { isApiError, type AnalyticsMeta } from '../api';
import type { ItemOf } from '../api/endpoints';
import { openObject, recordSchema, taken, type RecordOf } from '../api/records';
import { errorSentence, type Connection, type Service } from '../connection';
import type { Logger } from '../log';
import type { Collection, Lease, Storage } from '../storage';
import { hasCome } from '../util/compare';
import { Disposable, unhandled } from '../util/lifecycle';
import { DAY_MS, daysOf, isEarly, runsOf } from './report/calendar';
import type { Day, DayRange, TabId } from './report/types';

/** One finished UTC day of the endpoint of one tab as the service gave it. */
export interface DayRecord<E extends TabId = TabId> {
  /** When it was asked for; Unix ms. */
  readonly at: number;
  /** Of `people` one a person, of the others at most one. */
  readonly rows: readonly ItemOf<E>[];
  /** What could not be read of the answer; foreign text. */
  readonly problems: readonly string[];
}

export type KnownDays<E extends TabId = TabId> = ReadonlyMap<Day, DayRecord<E>>;

export interface DaysDeps {
  readonly connection: Connection;
  readonly storage: Storage;
  readonly log: Logger;
  readonly now?: (() => number) | undefined;
}

export interface EnsureOptions {
  /** All days again, also after a refusal. */
  readonly again?: boolean | undefined;
  /** Nobody waits for it: after another window's failure nothing is asked for a while. */
  readonly background?: boolean;
  readonly signal: AbortSignal;
  /** Hears how many pages of an answer have come. */
  readonly onPage?: ((pages: number) => void) | undefined;
}

const daySchema = recordSchema(() =>
  openObject({
    at: z.number(),
    rows: z.array(taken<ItemOf<TabId>>()),
    problems: z._default(z.array(z.string()), () => []),
  }),
);

/** What windows agree on about the usage of one service. */
const sharedSchema = recordSchema(() =>
  openObject({
    /** The organization that a key sees, or that was seen last. */
    id: z.exactOptional(z.string()),
    /** When the service refused a key (403, or a JWT) or failed, at what, and the sentence for people. */
    at: z.exactOptional(z.number()),
    endpoint: z.exactOptional(z.string()),
    isForbidden: z.exactOptional(z.boolean()),
    sentence: z.exactOptional(z.string()),
    /** Of what people have been told last. */
    told: z.exactOptional(z.number()),
    /** What made-up names are made from. */
    salt: z.exactOptional(z.string()),
  }),
);
type Shared = RecordOf<typeof sharedSchema>;

/** A refusal counts for a day, unless somebody asks again or signs in anew, ms. */
const REFUSAL_MS = DAY_MS;
/** After a failure windows rest this long before they ask by themselves, ms. */
export const FAILURE_MS = 5 * 60 * 1000;
/** A day of which nothing was there and that may still come is asked for again so often, ms. */
const EVERY_MS = 60 * 60 * 1000;
/** A window that says nothing for this long fetches no more, ms. */
const LEASE_MS = 30_000;
/** Days that are stored in one write; more of them would hold the extension host. */
const TOGETHER = 8;
/** How often a window looks whether the one that fetches is through, ms. */
const LOOK_MS = 500;

/**
 * The finished days of one service, and what windows agree on about them: one record a day and endpoint, kept in the store. Each run
 * of missing days is fetched in one call, or in the pages of `/users`, by one window at a time; the others find the days stored.
 */
export class ServiceDays extends Disposable {
  readonly shared: Collection<Shared>;
  readonly #service: Service;
  readonly #deps: DaysDeps;
  readonly #now: () => number;
  readonly #onChange: () => void;
  readonly #records = new Map<string, Collection<DayRecord>>();

  /** `onChange` hears that there are other days than before, or others can be had; here or in another window. */
  constructor(service: Service, deps: DaysDeps, onChange: () => void) {
    super();
    this.#onChange = onChange;
    this.#service = service;
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    const path = `services/${service.id}/usage/state`;
    this.shared = deps.storage.collection<Shared>({ path, version: 1, schema: sharedSchema });
    this.register(
      this.shared.onDidChange(ids => {
        if (ids.some(id => /^(failure|organization)/.test(id))) onChange();
      }),
    );
  }

  /** The organization whose days these are: the one this key sees or, without a key, that was seen last. */
  get organization(): string | undefined {
    return this.shared.get(this.#idOf('organization'))?.id;
  }

  /** Whether there are days of other keys, and the service has not said yet whose days this one sees. */
  get #isNewKey(): boolean {
    const { shared } = this;
    return shared.get('organization') !== undefined && shared.get(this.#idOf('organization')) === undefined;
  }

  /** Of a record about this key. */
  #idOf(what: string): string {
    return [what, this.#deps.connection.keyMark(`usage ${this.#service.id}`)].filter(Boolean).join(' ');
  }

  /** Why the service gives no days at present. */
  get refusal(): string | undefined {
    const failure = this.shared.get(this.#idOf('failure'));
    return failure?.isForbidden === true ? this.#sentenceOf(failure, this.#now() - REFUSAL_MS) : undefined;
  }

  /** Why the last question of any window about an endpoint failed, where that was not long ago. */
  failureOf(endpoint: TabId): string | undefined {
    return this.#sentenceOf(this.shared.get(this.#idOf('failure')), this.#now() - FAILURE_MS, endpoint);
  }

  /** What a failure at or after a time (Unix ms) says, where it is about this endpoint. */
  #sentenceOf(failure: Shared = {}, since: number, endpoint?: TabId): string | undefined {
    const { at = 0, isForbidden = false, sentence } = failure;
    const isAbout = isForbidden || failure.endpoint === endpoint;
    return isAbout && at >= since && hasCome(at, this.#now()) ? sentence : undefined;
  }

  /** Forgets that the service refused or failed, at anything or at this. */
  async forgive(endpoint?: TabId): Promise<void> {
    const failure = this.shared.get(this.#idOf('failure'));
    if (endpoint !== undefined && failure?.isForbidden !== true && failure?.endpoint !== endpoint) return;
    const ids = [...this.shared.values.keys()].filter(id => /^(failure|notice role)/.test(id));
    for (const id of ids) await this.shared.remove(id);
  }

  /** True in the one window that may tell the owner of this key that they have come to `level`. */
  async claimNotice(id: string, level: number): Promise<boolean> {
    let claimed = false;
    await this.shared.update(this.#idOf(`notice ${id}`), current => {
      claimed = (current?.told ?? 0) < level;
      return claimed ? { told: level } : current;
    });
    return claimed;
  }

  /** What made-up names are made from, in all windows. */
  async salt(): Promise<string> {
    const salt = randomBytes(16).toString('hex');
    const kept = await this.shared.update('names', current => current ?? { salt }).catch(unhandled);
    return kept?.salt ?? salt;
  }

  /** All that is known of an endpoint to who has this key. Never rejects: what cannot be read is not known. */
  async known<E extends TabId>(endpoint: E): Promise<KnownDays<E>> {
    // The service has not said yet whose days this key sees.
    if (this.shared.get(this.#idOf('organization')) === undefined) return new Map();
    const records = this.#of(endpoint);
    await records.load().catch((error: unknown) => this.#failed(error));
    return records.values;
  }

  /** The days of these that would have to be asked for: not known, asked for before `since`, or nothing was there yet. */
  async #missing(endpoint: TabId, days: readonly Day[], since: number): Promise<Day[]> {
    const known = await this.known(endpoint);
    // The answer about one day says whose days they are.
    return (this.#isNewKey ? days.slice(-1) : days).filter(day => {
      const { at, rows } = known.get(day) ?? {};
      if (at === undefined || at < since) return true;
      return rows?.length === 0 && isEarly(at, day) && this.#now() - at >= EVERY_MS;
    });
  }

  /** Resolves when all `days` are known, or to why that is not possible. Rejects when it was given up. */
  async ensure(endpoint: TabId, days: readonly Day[], options: EnsureOptions): Promise<string | undefined> {
    const { again = false, background = false, signal } = options;
    const asked = this.#now();
    const missing = (): Promise<Day[]> => this.#missing(endpoint, days, again ? asked : 0);
    const why = (background ? this.failureOf(endpoint) : undefined) ?? (again ? undefined : this.refusal);
    if (why !== undefined) return (await missing()).length === 0 ? undefined : why;
    while ((await missing()).length > 0) {
      signal.throwIfAborted();
      const wasNewKey = this.#isNewKey;
      const lease = `services/${this.#service.id}/usage/${endpoint}`;
      const done = await this.#deps.storage.tryRun(lease, LEASE_MS, async held => {
        // Another window may just have failed.
        const failure = await this.shared.read(this.#idOf('failure'));
        const problem =
          this.#sentenceOf(failure, asked, endpoint) ?? (await this.#fetch(endpoint, missing, options, held));
        // Once it is known whose days they are, others of them may be missing.
        return { problem, isThrough: held.isHeld() && wasNewKey === this.#isNewKey };
      });
      if (done?.problem !== undefined) return done.problem;
      // Also where a clock that was set back makes its days look older than what was asked for.
      if (done?.isThrough === true) break;
      if (done === undefined) await setTimeout(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
    signal.throwIfAborted();
    await this.forgive(endpoint);
    return undefined;
  }

  /** Resolves to what went wrong; not to the end where the lease was lost on the way. */
  async #fetch(
    endpoint: TabId,
    missingNow: () => Promise<Day[]>,
    { signal, onPage }: EnsureOptions,
    lease: Pick<Lease, 'isHeld'>,
  ): Promise<string | undefined> {
    // Another key may have come when this one is refused.
    const record = this.#idOf('failure');
    try {
      // Another window may just have stored them, and found out whose they are.
      await this.shared.read(this.#idOf('organization'));
      const records = this.#of(endpoint);
      await Promise.all((await missingNow()).map(day => records.read(day)));
      for (const run of runsOf(await missingNow())) {
        if (!lease.isHeld()) return undefined;
        await this.#ask(endpoint, run, signal, onPage);
      }
      return undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      const sentence = errorSentence(error, { host: this.#service.host });
      const [kind, reason] = isApiError(error) ? [error.kind, error.reason] : [];
      if (kind === undefined || kind === 'cancelled') this.#failed(error);
      if (kind === 'cancelled') return sentence;
      const isForbidden = kind === 'forbidden' || reason === 'jwt';
      const failure = { at: this.#now(), endpoint, isForbidden, sentence };
      await this.shared.put(record, failure).catch((reason: unknown) => this.#failed(reason));
      return sentence;
    }
  }

  /** Keeps the days that the answer is about, unless somebody has signed out or has another key meanwhile. */
  async #ask(
    endpoint: TabId,
    run: DayRange,
    signal: AbortSignal,
    onPage: EnsureOptions['onPage'],
  ): Promise<void> {
    const { connection } = this.#deps;
    const { api } = connection;
    if (api === undefined || connection.state.current.service?.id !== this.#service.id) return;
    const at = this.#now();
    // The service may write one day in two ways.
    const empty = () => ({ rows: new Map<string, ItemOf<TabId>>(), problems: [] as string[] });
    const byDay = new Map(daysOf(run).map(day => [day, empty()]));
    let covered = run;
    let pages = 0;
    const dates = { startDate: run.start, endDate: run.end };
    for await (const { items, problems, meta } of api.pages(endpoint, { query: dates, signal })) {
      // From here on its days are where this one's are kept.
      if (connection.api !== api) return;
      const seen = this.#idOf('organization');
      const { org_id: id = this.organization } = meta;
      if (this.shared.get(seen) === undefined || id !== this.organization)
        for (const each of [seen, 'organization'])
          await this.shared.put(each, id === undefined ? {} : { id });
      for (const row of items)
        byDay.get(row.date.slice(0, 10))?.rows.set('user_id' in row ? row.user_id : '', row);
      for (const { id: day = '', field, reason } of problems) {
        const text = [day, field, reason].filter(Boolean).join(': ');
        (byDay.get(day.slice(0, 10)) ?? byDay.get(run.end))?.problems.push(text);
      }
      covered = within(covered, meta);
      onPage?.(++pages);
    }
    signal.throwIfAborted();
    // Also while it was kept whose days they are.
    if (connection.api !== api) return;
    const records = this.#of(endpoint);
    // Of another day it is not known that it has nothing; one whose batch has not come is asked for again later.
    const kept = [...byDay].filter(
      ([day, { rows }]) => (day >= covered.start && day <= covered.end) || rows.size > 0 || isEarly(at, day),
    );
    for (let from = 0; from < kept.length; from += TOGETHER)
      await Promise.all(
        kept
          .slice(from, from + TOGETHER)
          .map(([day, { rows, problems }]) =>
            records.put(day, { at, rows: [...rows.values()], problems: problems.slice(0, 20) }),
          ),
      );
  }

  #failed(error: unknown): void {
    this.#deps.log.error('Days of usage could not be fetched, read or stored', error);
  }

  #of(endpoint: TabId): Collection<DayRecord> {
    const path = `services/${this.#service.id}/usage/o-${this.organization ?? ''}/${endpoint}`;
    const open = this.#records.get(path);
    if (open !== undefined) return open;
    const records = this.#deps.storage.collection<DayRecord>({
      // Before version 3 days were packed: such a one counts as not there yet, and is asked for again.
      migrate: () => ({ at: 0, rows: [] }),
      ...{ path, version: 3, schema: daySchema },
      // The service can be asked for it again.
      isVolatile: () => true,
    });
    this.register(records.onDidChange(this.#onChange));
    this.#records.set(path, records);
    return records;
  }
}

/** The days of a range that an answer is about; all where it does not say. */
function within({ start, end }: DayRange, { start_date: from, end_date: to }: AnalyticsMeta): DayRange {
  const [first = start, last = end] = [from, to].map(text => /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0]);
  return { start: first > start ? first : start, end: last < end ? last : end };
}
