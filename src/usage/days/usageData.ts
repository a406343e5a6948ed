import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { EARLIEST_DAY, isApiError, latestDay, openObject, recordSchema, type RecordOf } from '../../api';
import { errorSentence, type Connection, type Service } from '../../connection';
import type { Logger } from '../../log';
import type { Storage } from '../../storage';
import { isSame } from '../../sync/same';
import { hasCome } from '../../util/clock';
import { Disposable, Slot } from '../../util/disposable';
import { Emitter } from '../../util/event';
import { unhandled } from '../../util/unhandled';
import { clampRange } from '../report/calendar';
import type { ControlRevision, DirectoryPerson } from '../report/names';
import { daysFor, report } from '../report/report';
import { inTurns } from '../report/steps';
import type { Ability, Day, DayRange, TabReport, UsageQuery } from '../report/types';
import type { DayRecord, Endpoint } from './day';
import { Days, Unanswered } from './days';

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

/** What windows agree on about the usage of one service. */
const sharedSchema = recordSchema(() =>
  openObject({
    /** The organization the days belong to. */
    id: z.exactOptional(z.string()),
    /** When the service refused (403, or a JWT) or failed, and the sentence for people. */
    at: z.exactOptional(z.number()),
    sentence: z.exactOptional(z.string()),
    /** Whether people have been told of a refusal, or of which threshold of a budget. */
    told: z.exactOptional(z.union([z.boolean(), z.number()])),
    budget: z.exactOptional(z.number()),
    /** What made-up names are made from. */
    salt: z.exactOptional(z.string()),
  }),
);
type Shared = RecordOf<typeof sharedSchema>;

/** Another window was refused after this one was asked: the sentence it was given. */
class Resting extends Error {
  override readonly name = 'Resting';
}

/** What belongs to one service: its days, and what windows agree on. */
class ServiceUsage extends Disposable {
  readonly shared;
  readonly days: Days;
  readonly #now: () => number;

  constructor(
    { id }: Service,
    { storage, connection, log, now = Date.now }: UsageDataDeps,
    onChange: () => void,
  ) {
    super();
    this.#now = now;
    const path = `services/${id}/usage`;
    this.shared = storage.collection<Shared>({ path: `${path}/state`, version: 1, schema: sharedSchema });
    this.days = this.register(
      new Days({
        ...{ storage, log, now },
        pathOf: () => `${path}/o-${this.organization ?? ''}`,
        api: () => (connection.state.current.service?.id === id ? connection.api : undefined),
        belongsTo: async organization => {
          if (organization === undefined || organization === this.organization) return;
          await this.shared.put('organization', { id: organization });
        },
      }),
    );
    this.register(this.days.onDidChange(onChange));
    this.register(
      this.shared.onDidChange(ids => {
        if (ids.includes('refusal') || ids.includes('organization')) onChange();
      }),
    );
  }

  get organization(): string | undefined {
    return this.shared.get('organization')?.id;
  }

  get refusal(): Shared | undefined {
    const refusal = this.shared.get('refusal');
    return (refusal?.at ?? 0) > this.#now() - REFUSAL_MS ? refusal : undefined;
  }

  /** Throws what a request of any window was refused with at or after `time` (Unix ms). */
  async throwIfRefused(time: number): Promise<void> {
    for (const kind of ['refusal', 'failure']) {
      const { at = 0, sentence } = (await this.shared.read(kind)) ?? {};
      if (at >= time && hasCome(at, this.#now())) throw new Resting(sentence);
    }
  }

  /** Forgets that the service refused or failed. */
  async forgive(): Promise<void> {
    for (const kind of ['refusal', 'failure']) if (this.shared.get(kind)) await this.shared.remove(kind);
  }
}

/** Usage as the dashboard and the status bar need it: from the store at once, complete after a fetch (sections 2.1-2.6, 4.1). */
export class UsageData extends Disposable {
  readonly #deps: UsageDataDeps;
  readonly #now: () => number;
  readonly #changed = this.register(new Emitter<void>());
  readonly #service = this.register(new Slot<ServiceUsage>());
  #serviceId: string | undefined;
  #isReady: boolean;
  /** The key changed: whose days it sees is found out with the next fetch. */
  #verify = false;
  #directory: readonly DirectoryPerson[] = [];
  #revisions: readonly ControlRevision[] = [];
  /** Why days could not be fetched the last time, by what was asked for. */
  readonly #problems = new Map<string, string>();

  constructor(deps: UsageDataDeps) {
    super();
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    const { connection } = deps;
    this.#isReady = connection.api !== undefined;
    this.register(connection.state.onDidChange(() => void this.ready().then(() => this.#changed.fire())));
    this.register(connection.onDidBecomeReady(() => void this.#onReady()));
  }

  /** Something known changed: another window fetched, sign-in changed. */
  readonly onDidChange = this.#changed.event;

  /** First and last day that may be asked for; `end` is yesterday, UTC. */
  get bounds(): DayRange {
    const latest = latestDay(this.#now());
    return { start: EARLIEST_DAY, end: latest < EARLIEST_DAY ? EARLIEST_DAY : latest };
  }

  /** Finds out which service there is and what is known of it; makes no request. */
  async ready(): Promise<void> {
    await this.#open();
  }

  state(): Ability {
    const state = this.#deps.connection.state.current;
    const service = this.#service.value;
    if (state.kind === 'signedOut' || (state.kind === 'keyRejected' && service?.organization === undefined))
      return { kind: 'signedOut', sentence: state.reason ?? signInFirst() };
    const refusal = service?.refusal;
    return refusal === undefined
      ? { kind: 'ready' }
      : { kind: 'forbidden', sentence: refusal.sentence ?? '' };
  }

  /** The report from what is known now; never waits for the network. */
  async cached(query: UsageQuery): Promise<TabReport> {
    const problem = this.#problems.get(daysKey(query));
    const made = await this.#report(query, undefined);
    this.#loadExtras(query).then(isNew => {
      if (isNew) this.#changed.fire();
    }, unhandled);
    return made.missing === undefined ? made : { ...made, missing: { ...made.missing, problem } };
  }

  /**
   * Fetches missing days (or all again with `again`) and resolves with the complete report; rejects with an AbortError only. Why
   * days are missing is in `missing.problem`.
   */
  async fetch(
    query: UsageQuery,
    options: Pick<EnsureOptions, 'again' | 'signal' | 'onProgress'>,
  ): Promise<TabReport> {
    const range = clampRange(query.range, this.bounds);
    const [problem] = await Promise.all([
      this.ensure(query.tab, daysFor({ range }, this.bounds), options),
      this.#loadExtras(query, options.signal),
    ]);
    if (problem !== undefined) this.#problems.set(daysKey(query), problem);
    return this.#report(query, problem);
  }

  /** All days known of an endpoint; no request is made. */
  async known<E extends Endpoint>(endpoint: E): Promise<ReadonlyMap<Day, DayRecord<E>>> {
    return (await this.#open())?.days.known(endpoint) ?? new Map<Day, DayRecord<E>>();
  }

  /** Fetches those of the days that are missing. Resolves to why that was not possible, a sentence; rejects with an AbortError only. */
  async ensure(
    endpoint: Endpoint,
    days: readonly Day[],
    options: EnsureOptions,
  ): Promise<string | undefined> {
    const { signal, again = false, background = false } = options;
    const asked = this.#now();
    try {
      signal.throwIfAborted();
      const service = await this.#open();
      const state = this.#deps.connection.state.current;
      if (state.kind !== 'signedIn') return state.reason ?? signInFirst();
      if (service === undefined) return signInFirst();
      if (service.refusal !== undefined && !again) return service.refusal.sentence;
      const { at = 0, sentence } = service.shared.get('failure') ?? {};
      if (background && at > asked - FAILURE_MS && hasCome(at, asked))
        return (await service.days.missing(endpoint, days)).length === 0 ? undefined : sentence;
      const work = (wanted: readonly Day[], since: number): Promise<void> =>
        service.days.ensure(endpoint, wanted, {
          since,
          signal,
          onProgress: (fraction, pages) =>
            options.onProgress?.(fraction, progressLabel(endpoint, fraction, days.length, pages)),
          mayAsk: () => service.throwIfRefused(asked),
          onFailure: error => this.#record(service, error),
        });
      const verify = this.#verify;
      this.#verify = false;
      if (verify) await work([this.bounds.end], asked);
      await work(days, again ? asked : 0);
      await service.forgive();
      for (const key of this.#problems.keys()) if (key.startsWith(endpoint)) this.#problems.delete(key);
      return undefined;
    } catch (error) {
      if (signal.aborted) throw Object.assign(new Error('Cancelled'), { name: 'AbortError' });
      return error instanceof Resting ? error.message : this.#sentence(error);
    }
  }

  /** True in the one window that may tell people about the missing role. */
  async claimRefusalNotice(): Promise<boolean> {
    let claimed = false;
    await this.#service.value?.shared.update('refusal', current => {
      claimed = current?.told === false;
      return claimed ? { ...current, told: true } : current;
    });
    return claimed;
  }

  /** True in the one window that may tell people that `percent` of a budget has been reached in `period`. */
  async claimBudgetNotice(period: string, budget: number, percent: number): Promise<boolean> {
    let claimed = false;
    await this.#service.value?.shared.update(`notice ${period}`, current => {
      claimed = current?.budget !== budget || Number(current.told) < percent;
      return claimed ? { budget, told: percent } : current;
    });
    return claimed;
  }

  async #open(): Promise<ServiceUsage | undefined> {
    const { service } = await this.#deps.connection.ready();
    if (this.isDisposed) return undefined;
    if (service?.id !== this.#serviceId) {
      this.#serviceId = service?.id;
      [this.#directory, this.#revisions] = [[], []];
      this.#problems.clear();
      const opened = service && new ServiceUsage(service, this.#deps, () => this.#changed.fire());
      this.#service.set(opened);
    }
    const opened = this.#service.value;
    await opened?.shared
      .load()
      .catch((error: unknown) => this.#deps.log.error('Usage cannot be read', error));
    return opened;
  }

  async #onReady(): Promise<void> {
    const first = !this.#isReady;
    this.#isReady = true;
    if (first) return;
    this.#verify = true;
    const service = await this.#open();
    if (service?.shared.get('refusal')) await service.shared.remove('refusal').catch(unhandled);
    this.#changed.fire();
  }

  #sentence(error: unknown): string {
    const { service } = this.#deps.connection.state.current;
    return errorSentence(error, service === undefined ? {} : { host: service.host });
  }

  /** Lets all windows know of a failure. */
  async #record({ shared }: ServiceUsage, error: unknown): Promise<void> {
    if (error instanceof Resting) return;
    const failure = { at: this.#now(), sentence: this.#sentence(error) };
    const isRefusal = isApiError(error) && (error.kind === 'forbidden' || error.reason === 'jwt');
    try {
      if (isRefusal) await shared.put('refusal', { ...failure, told: shared.get('refusal')?.told ?? false });
      else if ((isApiError(error) && error.kind !== 'cancelled') || error instanceof Unanswered)
        await shared.put('failure', failure);
      else this.#deps.log.error('Usage could not be fetched', error);
    } catch (failed) {
      this.#deps.log.error('Other windows cannot be told of a failure', failed);
    }
  }

  /** Resolves to whether reports have something new to say of people or of controls. */
  async #loadExtras({ tab }: UsageQuery, signal?: AbortSignal): Promise<boolean> {
    const { connection, directory, controlRevisions, log } = this.#deps;
    if (connection.state.current.kind !== 'signedIn') return false;
    await this.#open();
    const id = this.#serviceId;
    const quietly = (error: unknown): undefined => {
      if (signal?.aborted !== true) log.info(`A report does without: ${errorSentence(error)}`);
      return undefined;
    };
    const [read, changes] = await Promise.all([
      tab === 'people' || tab === 'tokens' ? directory?.people(signal).catch(quietly) : undefined,
      controlRevisions?.revisions().catch(quietly),
    ]);
    const before = [this.#directory, this.#revisions];
    const [people, revisions] = [read ?? this.#directory, changes ?? this.#revisions];
    if (id !== this.#serviceId || isSame(before, [people, revisions])) return false;
    [this.#directory, this.#revisions] = [people, revisions];
    return true;
  }

  async #report(query: UsageQuery, problem: string | undefined): Promise<TabReport> {
    const { bounds } = this;
    const service = await this.#open();
    const known = (await service?.days.known(query.tab)) ?? new Map<Day, DayRecord>();
    const extras = {
      ...{ bounds, problem, directory: this.#directory, revisions: this.#revisions },
      orgId: service?.organization,
      salt: query.pseudonyms ? await this.#salt(service) : '',
    };
    return inTurns(report({ ...query, range: clampRange(query.range, bounds) }, known, extras));
  }

  async #salt(service: ServiceUsage | undefined): Promise<string> {
    const salt = randomBytes(16).toString('hex');
    const kept = await service?.shared.update('names', current => current ?? { salt }).catch(unhandled);
    return kept?.salt ?? salt;
  }
}

function daysKey({ tab, range }: UsageQuery): string {
  return [tab, range.start, range.end].join(' ');
}

function signInFirst(): string {
  return vscode.l10n.t('Sign in to see what your organization uses.');
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
