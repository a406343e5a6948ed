import * as vscode from 'vscode';
import { EARLIEST_DAY, latestDay } from '../api';
import { errorSentence } from '../connection';
import { isSame } from '../util/compare';
import { Disposable, Emitter, Slot, unhandled } from '../util/lifecycle';
import { ServiceDays, type DaysDeps, type EnsureOptions } from './days';
import { addDays, clampRange, daysOf } from './report/calendar';
import type { DirectoryPerson } from './report/people';
import { daysFor, report, type ControlRevision } from './report/report';
import type { Ability, Day, DayRange, Steps, TabId, TabReport, UsageQuery } from './report/types';

export interface UsageDataDeps extends DaysDeps {
  /** The organization's users and changes of its controls, from a cache where there is one. */
  readonly organization?: () => Promise<{
    people(signal?: AbortSignal): Promise<readonly DirectoryPerson[]>;
    revisions(): Promise<readonly ControlRevision[]>;
  }>;
}

/** Usage as the dashboard and the status bar need it: from the store at once, complete after a fetch (sections 2.1-2.6, 4.1). */
export class UsageData extends Disposable {
  readonly #deps: UsageDataDeps;
  readonly #now: () => number;
  readonly #changed = this.register(new Emitter<void>());
  readonly #service = this.register(new Slot<ServiceDays>());
  #serviceId: string | undefined;
  #directory: readonly DirectoryPerson[] = [];
  #revisions: readonly ControlRevision[] = [];

  constructor(deps: UsageDataDeps) {
    super();
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    const { connection } = deps;
    this.register(connection.state.onDidChange(() => void this.#onOther()));
    this.register(connection.onDidBecomeReady(() => void this.#onOther()));
  }

  /** Something known changed: another window fetched, sign-in changed. */
  readonly onDidChange = this.#changed.event;

  /** First and last day that may be asked for; `end` is yesterday, UTC. */
  get bounds(): DayRange {
    return { start: EARLIEST_DAY, end: latestDay(this.#now()) };
  }

  /** The last so many days that may be asked for. */
  lastDays(count: number): Day[] {
    const { end } = this.bounds;
    return daysOf(clampRange({ start: addDays(end, 1 - count), end }, this.bounds));
  }

  state(): Ability {
    const state = this.#deps.connection.state.current;
    const service = this.#service.value;
    if (state.kind === 'signedOut' || (state.kind === 'keyRejected' && service?.organization === undefined))
      return { kind: 'signedOut', sentence: state.reason ?? signInFirst() };
    const refusal = service?.refusal;
    return refusal === undefined ? { kind: 'ready' } : { kind: 'forbidden', sentence: refusal };
  }

  /** The report from what is known now; never waits for the network, and with `isQuiet` asks nobody anything. */
  async report(query: UsageQuery, isQuiet = false): Promise<TabReport> {
    if (!isQuiet) this.#loadExtras(query).catch(unhandled);
    const { bounds } = this;
    const service = await this.open();
    const known = (await service?.known(query.tab)) ?? new Map();
    const extras = {
      ...{ bounds, directory: this.#directory, revisions: this.#revisions },
      orgId: service?.organization,
      // A service that has just failed is not asked by itself: why is said, with what can be done.
      problem: service?.failureOf(query.tab),
      salt: query.pseudonyms ? ((await service?.salt()) ?? '') : '',
    };
    return inTurns(report({ ...query, range: clampRange(query.range, bounds) }, known, extras));
  }

  /**
   * Fetches the missing days of a report, or all `again`, and what else it tells of. Resolves to why that was not possible, a
   * sentence; rejects with an AbortError only.
   */
  async fetch(query: UsageQuery, options: EnsureOptions): Promise<string | undefined> {
    const days = daysFor(clampRange(query.range, this.bounds), this.bounds);
    const [problem] = await Promise.all([
      this.ensure(query.tab, days, options),
      this.#loadExtras(query, options.signal),
    ]);
    return problem;
  }

  /** Fetches those of the days that are missing. Resolves to why that was not possible, a sentence; rejects with an AbortError only. */
  async ensure(endpoint: TabId, days: readonly Day[], options: EnsureOptions): Promise<string | undefined> {
    try {
      options.signal.throwIfAborted();
      const service = await this.open();
      const state = this.#deps.connection.state.current;
      if (state.kind !== 'signedIn') return state.reason ?? signInFirst();
      return await service?.ensure(endpoint, days, options);
    } catch (error) {
      options.signal.throwIfAborted();
      this.#deps.log.error('Usage could not be fetched', error);
      return errorSentence(error);
    }
  }

  /** The days of the service in use, where there is one; makes no request. */
  async open(): Promise<ServiceDays | undefined> {
    const { service } = await this.#deps.connection.ready();
    if (this.isDisposed) return undefined;
    if (service?.id !== this.#serviceId) {
      this.#serviceId = service?.id;
      [this.#directory, this.#revisions] = [[], []];
      const opened = service && new ServiceDays(service, this.#deps, () => this.#changed.fire());
      this.#service.set(opened);
    }
    const opened = this.#service.value;
    await opened?.shared
      .load()
      .catch((error: unknown) => this.#deps.log.error('Usage cannot be read', error));
    return opened;
  }

  /** There is another key, or none. Who signs out and in again may have another role. */
  async #onOther(): Promise<void> {
    [this.#directory, this.#revisions] = [[], []];
    const days = await this.open();
    if (this.#deps.connection.state.current.kind !== 'signedIn') await days?.forgive().catch(unhandled);
    this.#changed.fire();
  }

  /** Finds out what else reports have to say of people and of controls. */
  async #loadExtras({ tab }: UsageQuery, signal?: AbortSignal): Promise<void> {
    const { connection, organization, log } = this.#deps;
    if (organization === undefined || connection.state.current.kind !== 'signedIn') return;
    await this.open();
    const lists = await organization();
    const id = this.#serviceId;
    const quietly = (error: unknown): undefined => {
      if (signal?.aborted !== true) log.info(`A report does without: ${errorSentence(error)}`);
      return undefined;
    };
    const [read, changes] = await Promise.all([
      tab === 'people' || tab === 'tokens' ? lists.people(signal).catch(quietly) : undefined,
      lists.revisions().catch(quietly),
    ]);
    const before = [this.#directory, this.#revisions];
    const now = [read ?? this.#directory, changes ?? this.#revisions] as const;
    if (id !== this.#serviceId || isSame(before, now)) return;
    [this.#directory, this.#revisions] = now;
    this.#changed.fire();
  }
}

function signInFirst(): string {
  return vscode.l10n.t('Sign in to see your organization’s usage.');
}

/** How long the thread works before others have their turn, ms. */
const TURN_MS = 8;

/** Does work a few milliseconds at a time. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  let began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - began < TURN_MS) continue;
    await new Promise(resolve => setImmediate(resolve));
    began = performance.now();
  }
}
