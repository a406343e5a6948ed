import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { EARLIEST_DAY, isApiError, latestDay } from '../api';
import { errorSentence, type Connection, type Service } from '../connection';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { hasCome } from '../util/clock';
import { Disposable, Slot } from '../util/disposable';
import { Emitter } from '../util/event';
import { unhandled } from '../util/unhandled';
import { clampRange } from './calendar';
import { DayCache } from './dayCache';
import type { DayRecord, Endpoint } from './dayRecord';
import { csvOf, jsonOf } from './exports';
import { Fetcher, OtherOrganization, Unanswered } from './fetcher';
import { lastActivityIn, lastDayOf } from './horizon';
import { daysFor, reportSteps } from './model';
import type { ControlRevision } from './markers';
import type { DirectoryPerson } from './names';
import type { Day, DayRange, TabReport, UsageQuery } from './report';
import { SharedRecords } from './shared';
import type { UsageSource } from './source';
import { inTurns } from './steps';

export interface UsageDataDeps {
  readonly connection: Connection;
  readonly storage: Storage;
  readonly log: Logger;
  /** The organization's users, from a cache where there is one. */
  readonly directory?: { people(signal?: AbortSignal): Promise<readonly DirectoryPerson[]> } | undefined;
  /** Changes of the organization's controls, from a cache where there is one. */
  readonly controlRevisions?: { revisions(): Promise<readonly ControlRevision[]> } | undefined;
  readonly now?: () => number;
}

export interface EnsureOptions {
  /** All days again, also after a refusal. */
  readonly again?: boolean | undefined;
  /** Nobody waits for it: after another window's failure nothing is asked for a while. */
  readonly background?: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: ((fraction: number, label: string) => void) | undefined;
}

/** A refusal counts for a day, unless somebody asks again or signs in anew, ms. */
const REFUSAL_MS = 24 * 60 * 60 * 1000;
/** After a failure windows rest this long before they ask in the background, ms. */
export const FAILURE_MS = 5 * 60 * 1000;

/** A window that says nothing for this long fetches no more, ms. */
const LEASE_MS = 30_000;

/** Another window was refused after this one was asked: the sentence it was given. */
class Resting extends Error {
  override readonly name = 'Resting';
}

/** What belongs to one service. */
class Desk extends Disposable {
  readonly shared: SharedRecords;
  readonly fetcher: Fetcher;
  readonly #open: (organization: string) => DayCache;
  #cache: { readonly organization: string; readonly days: DayCache } | undefined;

  constructor(service: Service, { storage, connection, log, now = Date.now }: UsageDataDeps) {
    super();
    const path = `services/${service.id}/usage`;
    this.shared = this.register(new SharedRecords(storage, `${path}/state`, now));
    this.#open = organization => new DayCache(storage, `${path}/o-${organization}`, log);
    this.fetcher = new Fetcher({
      api: () => (connection.state.current.service?.id === service.id ? connection.api : undefined),
      cache: () => this.days,
      tryRun: (endpoint, work) => storage.tryRun(`${path}/${endpoint}`, LEASE_MS, work),
      onFetched: endpoint =>
        this.shared
          .tellFetched(endpoint)
          .catch((error: unknown) => log.error('Other windows cannot be told of new days', error)),
      belongs: organization => this.#belongs(organization),
      now,
    });
  }

  get organization(): string | undefined {
    return this.shared.get('organization')?.id;
  }

  /** The days of the organization known now. */
  get days(): DayCache {
    const organization = this.organization ?? '';
    if (this.#cache?.organization !== organization) {
      this.#cache = { organization, days: this.#open(organization) };
    }
    return this.#cache.days;
  }

  /** The key may belong to another organization than the one before; its days are kept apart. */
  async #belongs(organization: string | undefined): Promise<boolean> {
    const known = this.organization;
    if (organization === undefined || organization === known) return true;
    await this.shared.set('organization', { kind: 'organization', id: organization });
    return known === undefined;
  }
}

/** Usage as the dashboard and the status bar need it: from the cache at once, complete after a fetch (sections 2.1-2.6, 4.1). */
export class UsageData extends Disposable implements UsageSource {
  readonly #deps: UsageDataDeps;
  readonly #now: () => number;
  readonly #changed = this.register(new Emitter<void>());
  readonly #desk = this.register(new Slot<Desk>());
  #serviceId: string | undefined;
  #isReady: boolean;
  /** The key changed: whose days it sees is found out with the next fetch. */
  #verify = false;
  #directory: readonly DirectoryPerson[] = [];
  #revisions: readonly ControlRevision[] = [];

  constructor(deps: UsageDataDeps) {
    super();
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    const { connection } = deps;
    this.#isReady = connection.api !== undefined;
    this.register(connection.state.onDidChange(() => void this.ready().then(() => this.#changed.fire())));
    this.register(connection.onDidBecomeReady(() => void this.#onReady()));
  }

  readonly onDidChange = this.#changed.event;

  get bounds(): DayRange {
    const latest = latestDay(this.#now());
    return { start: EARLIEST_DAY, end: latest < EARLIEST_DAY ? EARLIEST_DAY : latest };
  }

  /** Finds out which service there is and what is known of it; makes no request. */
  async ready(): Promise<void> {
    await this.#open();
  }

  state(): ReturnType<UsageSource['state']> {
    const state = this.#deps.connection.state.current;
    const desk = this.#desk.value;
    if (state.kind === 'signedOut' || (state.kind === 'keyRejected' && desk?.organization === undefined)) {
      const sentence = state.reason ?? vscode.l10n.t('Sign in to see what your organization uses.');
      return { kind: 'signedOut', sentence };
    }
    const refusal = this.#refusal(desk);
    return refusal === undefined ? { kind: 'ready' } : { kind: 'forbidden', sentence: refusal.sentence };
  }

  async cached(query: UsageQuery): Promise<TabReport> {
    return this.#report(query, undefined);
  }

  async fetch(
    query: UsageQuery,
    options: Pick<EnsureOptions, 'again' | 'signal' | 'onProgress'>,
  ): Promise<TabReport> {
    const legal = this.#legal(query);
    const [problem] = await Promise.all([
      this.ensure(legal.tab, daysFor(legal, this.bounds), options),
      this.#loadExtras(legal, options.signal),
    ]);
    return this.#report(legal, problem);
  }

  csv(made: TabReport, sectionId?: string): string {
    return csvOf(made, sectionId);
  }

  json(made: TabReport): string {
    return jsonOf(made);
  }

  /** The known ones of these days; no request is made. */
  async known<E extends Endpoint>(
    endpoint: E,
    days: readonly Day[],
  ): Promise<ReadonlyMap<Day, DayRecord<E>>> {
    return (await this.#open())?.days.read(endpoint, days) ?? new Map<Day, DayRecord<E>>();
  }

  /**
   * Fetches those of the days that are missing. Resolves to why that was not possible, a sentence; rejects with an AbortError
   * only.
   */
  async ensure(
    endpoint: Endpoint,
    days: readonly Day[],
    options: EnsureOptions,
  ): Promise<string | undefined> {
    const { signal, again = false, background = false } = options;
    const asked = this.#now();
    try {
      signal.throwIfAborted();
      const desk = await this.#open();
      const state = this.#deps.connection.state.current;
      if (desk === undefined || state.kind !== 'signedIn') return this.#restingSentence();
      const refusal = this.#refusal(desk);
      if (refusal !== undefined && !again) return refusal.sentence;
      const failure = desk.shared.get('failure');
      const failedAt = failure?.at ?? 0;
      if (background && failure && failedAt > asked - FAILURE_MS && hasCome(failedAt, asked)) {
        return (await desk.fetcher.missing(endpoint, days)).length === 0 ? undefined : failure.sentence;
      }
      const progress = (fraction: number, pages: number): void =>
        options.onProgress?.(fraction, progressLabel(endpoint, fraction, days.length, pages));
      const work = (wanted: readonly Day[], since: number): Promise<void> =>
        desk.fetcher.ensure(endpoint, wanted, {
          since,
          signal,
          onProgress: progress,
          mayAsk: async () => {
            const sentence = await desk.shared.refusedSince(asked);
            if (sentence !== undefined) throw new Resting(sentence);
          },
          onFailure: async error => {
            if (!(error instanceof Resting || error instanceof OtherOrganization)) await this.#record(error);
          },
        });
      try {
        const verify = this.#verify;
        this.#verify = false;
        if (verify) await work([this.bounds.end], asked);
        await work(days, again ? asked : 0);
      } catch (error) {
        if (!(error instanceof OtherOrganization)) throw error;
        await work(days, 0);
      }
      for (const id of ['refusal', 'failure'] as const) if (desk.shared.get(id)) await desk.shared.remove(id);
      return undefined;
    } catch (error) {
      if (signal.aborted) throw abortError();
      return error instanceof Resting ? error.message : this.#sentence(error);
    }
  }

  /** True in the one window that may tell people about the missing role. */
  async claimRefusalNotice(): Promise<boolean> {
    const shared = this.#desk.value?.shared;
    if (this.#refusal(this.#desk.value)?.told !== false || shared === undefined) return false;
    let claimed = false;
    await shared.update('refusal', current => {
      claimed = current?.told === false;
      return current && { ...current, told: true };
    });
    return claimed;
  }

  /** True in the one window that may tell people that `percent` of a budget has been reached in `period`. */
  async claimBudgetNotice(period: string, budget: number, percent: number): Promise<boolean> {
    const shared = this.#desk.value?.shared;
    if (shared === undefined) return false;
    let claimed = false;
    await shared.update(
      'notice',
      current => {
        claimed = current === undefined || current.budget !== budget || current.told < percent;
        return claimed ? { kind: 'notice', budget, told: percent } : current;
      },
      `notice ${period}`,
    );
    return claimed;
  }

  async #open(): Promise<Desk | undefined> {
    const { service } = await this.#deps.connection.ready();
    if (this.isDisposed) return undefined;
    if (service?.id !== this.#serviceId) {
      this.#serviceId = service?.id;
      this.#directory = [];
      this.#revisions = [];
      const desk = service === undefined ? undefined : new Desk(service, this.#deps);
      this.#desk.set(desk);
      desk?.shared.onDidChange(ids => this.#onShared(desk, ids));
    }
    const desk = this.#desk.value;
    await desk?.shared.load().catch((error: unknown) => this.#deps.log.error('Usage cannot be read', error));
    return desk;
  }

  #onShared(desk: Desk, ids: readonly string[]): void {
    if (this.#desk.value !== desk) return;
    const news = desk.shared.takeNews(ids);
    if (news) desk.days.recheck();
    if (news || ids.includes('refusal')) this.#changed.fire();
  }

  async #onReady(): Promise<void> {
    const first = !this.#isReady;
    this.#isReady = true;
    if (first) return;
    this.#verify = true;
    const desk = await this.#open();
    if (desk?.shared.get('refusal')) await desk.shared.remove('refusal').catch(unhandled);
    this.#changed.fire();
  }

  #refusal(desk: Desk | undefined): { readonly sentence: string; readonly told: boolean } | undefined {
    const refusal = desk?.shared.get('refusal');
    return refusal !== undefined && refusal.at > this.#now() - REFUSAL_MS ? refusal : undefined;
  }

  #restingSentence(): string {
    const state = this.#deps.connection.state.current;
    if (state.kind !== 'signedIn' && state.reason !== undefined) return state.reason;
    return vscode.l10n.t('Sign in to see what your organization uses.');
  }

  #sentence(error: unknown): string {
    const { service } = this.#deps.connection.state.current;
    return errorSentence(error, service === undefined ? {} : { host: service.host });
  }

  /** Lets all windows know of a failure. */
  async #record(error: unknown): Promise<void> {
    const sentence = this.#sentence(error);
    const shared = this.#desk.value?.shared;
    const at = this.#now();
    const isRefusal = isApiError(error) && (error.kind === 'forbidden' || error.reason === 'jwt');
    try {
      if (isRefusal) {
        const told = shared?.get('refusal')?.told ?? false;
        await shared?.set('refusal', { kind: 'refusal', at, sentence, told });
      } else if ((isApiError(error) && error.kind !== 'cancelled') || error instanceof Unanswered) {
        await shared?.set('failure', { kind: 'failure', at, sentence });
      } else {
        this.#deps.log.error('Usage could not be fetched', error);
      }
    } catch (failed) {
      this.#deps.log.error('Other windows cannot be told of a failure', failed);
    }
  }

  async #loadExtras({ tab }: UsageQuery, signal: AbortSignal): Promise<void> {
    const { directory, controlRevisions, log } = this.#deps;
    if (this.#deps.connection.state.current.kind !== 'signedIn') return;
    const quietly = (error: unknown): undefined => {
      if (!signal.aborted) log.info(`A report does without: ${errorSentence(error)}`);
      return undefined;
    };
    const [people, revisions] = await Promise.all([
      tab === 'people' || tab === 'tokens' ? directory?.people(signal).catch(quietly) : undefined,
      controlRevisions?.revisions().catch(quietly),
    ]);
    this.#directory = people ?? this.#directory;
    this.#revisions = revisions ?? this.#revisions;
  }

  #legal(query: UsageQuery): UsageQuery {
    return { ...query, range: clampRange(query.range, this.bounds) };
  }

  async #report(query: UsageQuery, problem: string | undefined): Promise<TabReport> {
    const legal = this.#legal(query);
    const { bounds } = this;
    const desk = await this.#open();
    const known: ReadonlyMap<Day, DayRecord> =
      (await desk?.days.read(legal.tab, daysFor(legal, bounds))) ?? new Map<Day, DayRecord>();
    const reach = legal.range.end;
    const lists = legal.tab === 'people' && legal.person === undefined && this.#directory.length > 0;
    const extras = {
      bounds,
      orgId: desk?.organization,
      through: desk && (await lastDayOf(desk.days, legal.tab, bounds, { known, reach })),
      lastActivity: desk && lists ? await lastActivityIn(desk.days, bounds) : undefined,
      problem,
      directory: this.#directory,
      revisions: this.#revisions,
      salt: legal.pseudonyms ? await this.#salt(desk) : '',
    };
    return inTurns(reportSteps(legal, known, extras));
  }

  async #salt(desk: Desk | undefined): Promise<string> {
    const fresh = randomBytes(16).toString('hex');
    const record = await desk?.shared
      .update('names', current => current ?? { kind: 'names', salt: fresh })
      .catch(unhandled);
    return record?.salt ?? fresh;
  }
}

function progressLabel(endpoint: Endpoint, fraction: number, days: number, pages: number): string {
  if (endpoint === 'people' && pages > 0) {
    return pages === 1
      ? vscode.l10n.t('1 page of people read')
      : vscode.l10n.t('{0} pages of people read', pages);
  }
  const done = Math.round(fraction * days);
  return days === 1 ? vscode.l10n.t('{0} of 1 day', done) : vscode.l10n.t('{0} of {1} days', done, days);
}

function abortError(): Error {
  const error = new Error('Cancelled');
  error.name = 'AbortError';
  return error;
}
