import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { isApiError, type AnalyticsMeta } from '../../api';
import { openObject, recordSchema, type RecordOf } from '../../api/records';
import { errorSentence, type Connection, type Service } from '../../connection';
import type { Logger } from '../../log';
import type { Collection, Lease, Storage } from '../../storage';
import { hasCome } from '../../util/clock';
import { Disposable, unhandled } from '../../util/disposable';
import { daysOf, lengthOf, runsOf } from '../report/calendar';
import type { Day, DayRange } from '../report/types';
import { DayRecord, readDay, type Endpoint, type Rows } from './day';

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
  /** `fraction` from 0 to 1 of the days, and that in words. */
  readonly onProgress?: ((fraction: number, label: string) => void) | undefined;
}

/** What windows agree on about the usage of one service. */
const sharedSchema = recordSchema(() =>
  openObject({
    /** The organization that a key sees, or that was seen last. */
    id: z.exactOptional(z.string()),
    /** When the service refused (403, or a JWT) or failed, which key, at what, and the sentence for people. */
    at: z.exactOptional(z.number()),
    key: z.exactOptional(z.string()),
    endpoint: z.exactOptional(z.string()),
    isForbidden: z.exactOptional(z.boolean()),
    sentence: z.exactOptional(z.string()),
    /** Of what people have been told last, and of which budget. */
    told: z.exactOptional(z.number()),
    budget: z.exactOptional(z.number()),
    /** What made-up names are made from. */
    salt: z.exactOptional(z.string()),
  }),
);
type Shared = RecordOf<typeof sharedSchema>;

/** A refusal counts for a day, unless somebody asks again or signs in anew, ms. */
const REFUSAL_MS = 24 * 60 * 60 * 1000;
/** After a failure windows rest this long before they ask by themselves, ms. */
export const FAILURE_MS = 5 * 60 * 1000;
/** A window that says nothing for this long fetches no more, ms. */
const LEASE_MS = 30_000;
/** How often a window looks whether the one that fetches is through, ms. */
const LOOK_MS = 500;
/** So many are put away together; other work comes in between. */
const DAYS_AT_ONCE = 8;
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
  readonly #texts = new Map<string, string>();
  #writing = 0;

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
        if (ids.some(id => /^(failure$|organization)/.test(id))) onChange();
      }),
    );
  }

  /** The organization whose days these are: the one this key sees or, without a key, that was seen last. */
  get organization(): string | undefined {
    return this.shared.get(this.#seen)?.id;
  }

  get #key(): string | undefined {
    return this.#deps.connection.keyMark(`usage ${this.#service.id}`);
  }

  /** Where it is kept what this key sees. */
  get #seen(): string {
    return ['organization', this.#key].filter(Boolean).join(' ');
  }

  /** Whether there are days of other keys, and the service has not said yet whose days this one sees. */
  get #isNewKey(): boolean {
    return this.shared.get('organization') !== undefined && this.shared.get(this.#seen) === undefined;
  }

  /** Why the service gives no days at present. */
  get refusal(): string | undefined {
    const failure = this.shared.get('failure');
    if (failure?.isForbidden !== true) return undefined;
    return this.#sentenceOf(failure, undefined, this.#now() - REFUSAL_MS);
  }

  /** Why the last question of any window about an endpoint failed, where that was not long ago. */
  failureOf(endpoint: Endpoint): string | undefined {
    return this.#sentenceOf(this.shared.get('failure'), endpoint, this.#now() - FAILURE_MS);
  }

  /** Forgets that the service refused or failed, at anything or at this. */
  async forgive(endpoint?: Endpoint): Promise<void> {
    const failure = this.shared.get('failure');
    if (endpoint !== undefined && failure?.isForbidden !== true && failure?.endpoint !== endpoint) return;
    const ids = [...this.shared.values.keys()].filter(id => /^(failure$|notice role)/.test(id));
    for (const id of ids) await this.shared.remove(id);
  }

  /** True in the one window that may tell people that this key lacks the role. */
  claimRoleNotice(): Promise<boolean> {
    return this.claimNotice(`role ${this.#key ?? ''}`, 1);
  }

  /** True in the one window that may tell people that they have come to `level`, of `budget` where it is about one. */
  async claimNotice(id: string, level: number, budget?: number): Promise<boolean> {
    let claimed = false;
    await this.shared.update(`notice ${id}`, current => {
      claimed = current?.budget !== budget || (current?.told ?? 0) < level;
      return claimed ? { told: level, ...(budget === undefined ? {} : { budget }) } : current;
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
  async known<E extends Endpoint>(endpoint: E): Promise<ReadonlyMap<Day, DayRecord<E>>> {
    if (this.#isNewKey) return new Map();
    const records = this.#of(endpoint);
    await records.load().catch((error: unknown) => this.#failed(error));
    return records.values;
  }

  /** The days of these that would have to be asked for. */
  async missing(endpoint: Endpoint, days: readonly Day[], since = 0): Promise<Day[]> {
    const known = await this.known(endpoint);
    // The answer about one day says whose days they are.
    return (this.#isNewKey ? days.slice(-1) : days).filter(day => {
      const record = known.get(day);
      return record === undefined || record.at < since || record.isDue(day, this.#now());
    });
  }

  /** Resolves when all `days` are known, or to why that is not possible. Rejects when it was given up. */
  async ensure(
    endpoint: Endpoint,
    days: readonly Day[],
    options: EnsureOptions,
  ): Promise<string | undefined> {
    const { again = false, background = false, signal } = options;
    const asked = this.#now();
    const since = again ? asked : 0;
    const why = (background ? this.failureOf(endpoint) : undefined) ?? (again ? undefined : this.refusal);
    if (why !== undefined) return (await this.missing(endpoint, days)).length === 0 ? undefined : why;
    // Days of another organization than was thought: of that one others may be missing.
    while ((await this.missing(endpoint, days, since)).length > 0) {
      signal.throwIfAborted();
      const { organization } = this;
      const wasNewKey = this.#isNewKey;
      const lease = `services/${this.#service.id}/usage/${endpoint}`;
      const done = await this.#deps.storage.tryRun(lease, LEASE_MS, async held => {
        // Another window may just have failed.
        const failure = await this.shared.read('failure');
        const problem =
          this.#sentenceOf(failure, endpoint, asked) ??
          (await this.#fetch(endpoint, days, since, options, held));
        const isSame = !wasNewKey && [undefined, this.organization].includes(organization);
        return { problem, isThrough: held.isHeld() && isSame };
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

  /** What a failure says, where it was one of this key, of this endpoint, at or after a time; Unix ms. */
  #sentenceOf(failure: Shared = {}, endpoint: Endpoint | undefined, since: number): string | undefined {
    const { at = 0, isForbidden, endpoint: of, key, sentence } = failure;
    const isAbout = isForbidden === true || of === endpoint;
    const isOwn = key === this.#key || this.#key === undefined;
    return isAbout && isOwn && at >= since && hasCome(at, this.#now()) ? sentence : undefined;
  }

  /** Resolves to what went wrong; not to the end where the lease was lost on the way. */
  async #fetch(
    endpoint: Endpoint,
    days: readonly Day[],
    since: number,
    { signal, onProgress }: EnsureOptions,
    lease: Pick<Lease, 'isHeld'>,
  ): Promise<string | undefined> {
    try {
      // Another window may just have stored them, and found out whose they are.
      await this.shared.read('organization');
      const records = this.#of(endpoint);
      await Promise.all((await this.missing(endpoint, days, since)).map(day => records.read(day)));
      const missing = await this.missing(endpoint, days, since);
      let done = 0;
      for (const run of runsOf(missing)) {
        if (!lease.isHeld()) return undefined;
        const onPage = (pages: number): void => {
          const share = done + lengthOf(run) * (1 - 1 / (pages + 1));
          if (endpoint === 'people')
            onProgress?.(share / missing.length, vscode.l10n.t('People: page {0}', pages));
        };
        await this.#ask(endpoint, run, signal, onPage);
        done += lengthOf(run);
        onProgress?.(done / missing.length, vscode.l10n.t('Days: {0} of {1}', done, missing.length));
      }
      return undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      const sentence = errorSentence(error, { host: this.#service.host });
      const [kind, reason] = isApiError(error) ? [error.kind, error.reason] : [];
      if (kind === undefined || kind === 'cancelled') this.#failed(error);
      if (kind === 'cancelled') return sentence;
      const isForbidden = kind === 'forbidden' || reason === 'jwt';
      const key = this.#key;
      const failure = { at: this.#now(), endpoint, isForbidden, sentence, ...(key && { key }) };
      await this.shared.put('failure', failure).catch((reason: unknown) => this.#failed(reason));
      return sentence;
    }
  }

  /** Keeps the days that the answer is about, unless somebody has signed out or has another key meanwhile. */
  async #ask(
    endpoint: Endpoint,
    run: DayRange,
    signal: AbortSignal,
    onPage: (pages: number) => void,
  ): Promise<void> {
    const { connection } = this.#deps;
    const { api } = connection;
    if (api === undefined || connection.state.current.service?.id !== this.#service.id) return;
    const at = this.#now();
    const byDay = new Map(
      daysOf(run).map(day => [day, { rows: [] as Rows[Endpoint][], problems: [] as string[] }]),
    );
    let covered = run;
    let pages = 0;
    const dates = { startDate: run.start, endDate: run.end };
    for await (const { items, problems, meta } of api.pages(endpoint, { query: dates, signal })) {
      // From here on its days are where this one's are kept.
      if (connection.api !== api) return;
      const { org_id: id = this.organization } = meta;
      if (this.shared.get(this.#seen) === undefined || id !== this.organization)
        for (const seen of [this.#seen, 'organization'])
          await this.shared.put(seen, id === undefined ? {} : { id });
      for (const row of items) byDay.get(row.date.slice(0, 10))?.rows.push(row);
      for (const { id: day = '', field, reason } of problems) {
        const text = [day, field, reason].filter(Boolean).join(': ');
        (byDay.get(day) ?? byDay.get(run.end))?.problems.push(text);
      }
      covered = within(covered, meta);
      onPage(++pages);
    }
    signal.throwIfAborted();
    const found = [...byDay]
      .map(([day, { rows, problems }]) => [day, new DayRecord(at, rows, problems.slice(0, 20))] as const)
      // Of another day it is not known that it has nothing; one whose batch has not come is asked for again later.
      .filter(
        ([day, record]) =>
          (day >= covered.start && day <= covered.end) || record.rows.length > 0 || record.isEarly(day),
      );
    const records = this.#of(endpoint);
    this.#writing++;
    try {
      for (let from = 0; from < found.length; from += DAYS_AT_ONCE)
        await Promise.all(found.slice(from, from + DAYS_AT_ONCE).map(each => records.put(...each)));
    } finally {
      this.#writing--;
      this.#onChange();
    }
  }

  #failed(error: unknown): void {
    this.#deps.log.error('Days of usage could not be fetched, read or stored', error);
  }

  #of<E extends Endpoint>(endpoint: E): Collection<DayRecord<E>> {
    const path = `services/${this.#service.id}/usage/o-${this.organization ?? ''}/${endpoint}`;
    let records = this.#records.get(path);
    if (records === undefined) {
      records = this.#deps.storage.collection<DayRecord>({
        path,
        version: 2,
        schema: { parse: value => readDay(endpoint, value, text => this.#share(text)) },
      });
      this.register(
        records.onDidChange(() => {
          if (this.#writing === 0) this.#onChange();
        }),
      );
      this.#records.set(path, records);
    }
    // The endpoint decides what its records are.
    return records as unknown as Collection<DayRecord<E>>;
  }

  /** Ids and names come back on every day: one copy of each is enough. */
  #share(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }
}

/** The days of a range that an answer is about; all where it does not say. */
function within({ start, end }: DayRange, { start_date: from, end_date: to }: AnalyticsMeta): DayRange {
  const [first = start, last = end] = [from, to].map(text => /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0]);
  return { start: first > start ? first : start, end: last < end ? last : end };
}
