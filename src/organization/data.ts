import {
  isApiError,
  type ApiClient,
  type ControlChange,
  type ItemProblem,
  type OrganizationUser,
} from '../api';
import type { Connection } from '../connection';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { ListFailure } from '../sync/listState';
import { RemoteList } from '../sync/remoteList';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { supportedLanguage } from '../util/format';
import { allSettings, compareSettings, WHOLE, type SettingChange } from './changes';
import {
  choosePeople,
  groupByDay,
  passesHistory,
  sortRevisions,
  type HistoryFilter,
  type PeopleFilter,
  type Person,
  type Revision,
  type UsageOfPeople,
} from './model';
import { pathOf, personKind, revisionKind, type ListName } from './searched';

export type { ListName } from './searched';

/** The part of the service's interface used here (sections 4.3 and 4.4). */
export interface OrganizationApi {
  readonly organization: Pick<ApiClient['organization'], 'users' | 'controlHistory'>;
}

export interface OrganizationDataDeps {
  readonly connection: Pick<Connection, 'ready' | 'onDidBecomeReady'> & {
    readonly api: OrganizationApi | undefined;
  };
  readonly storage: Storage;
  readonly log: Logger;
  /** What to tell of a failed request. */
  readonly failureOf: (error: unknown, what: ListName) => Omit<ListFailure, 'at'>;
  readonly language: string;
  /** Unix ms. */
  readonly now: () => number;
}

/** People and control history of the service in use as last known, what changed from revision to revision, and what of it is shown. */
export class OrganizationData extends Disposable {
  readonly people: RemoteList<Person>;
  readonly controls: RemoteList<Revision>;
  readonly #deps: OrganizationDataDeps;
  readonly #changed = this.register(new Emitter<ListName>());
  #serviceId: string | undefined;
  #arranged: Arranged | undefined;
  #byId: ReadonlyMap<string, Person> | undefined;
  /** By the two revisions compared. */
  readonly #changes = new WeakMap<Revision, { before: Revision | undefined; changes: SettingChange[] }>();
  #peopleFilter: PeopleFilter = {};
  #historyFilter: HistoryFilter = {};
  #usage: UsageOfPeople | undefined;
  #shownPeople: readonly Person[] | undefined;
  #days: ReadonlyMap<string, readonly Revision[]> | undefined;

  constructor(deps: OrganizationDataDeps) {
    super();
    this.#deps = deps;
    const { connection, storage, log, now } = deps;
    const common = (what: ListName) => ({
      storage,
      log,
      now,
      failureOf: (error: unknown) =>
        isApiError(error) && error.kind === 'cancelled' ? undefined : deps.failureOf(error, what),
    });
    this.people = this.register(
      new RemoteList<Person>({
        ...common('people'),
        keyOf: ({ id }) => id,
        ...personKind,
        pages: signal => mapped(connection.api?.organization.users({}, { signal }), personOf),
      }),
    );
    this.controls = this.register(
      new RemoteList<Revision>({
        ...common('controls'),
        keyOf: ({ revision }) => String(revision),
        ...revisionKind,
        pages: signal => mapped(connection.api?.organization.controlHistory({}, { signal }), revisionOf),
      }),
    );
    this.register(this.people.state.onDidChange(() => this.#forget('people')));
    this.register(this.controls.state.onDidChange(() => this.#forget('controls')));
    this.register(
      connection.onDidBecomeReady(() => {
        this.people.forgive();
        this.controls.forgive();
      }),
    );
  }

  readonly onDidChange = this.#changed.event;

  get serviceId(): string | undefined {
    return this.#serviceId;
  }

  /** Newest first. */
  get revisions(): readonly Revision[] {
    return this.#arrangement.revisions;
  }

  person(id: string): Person | undefined {
    this.#byId ??= new Map(this.people.state.current.items.map(person => [person.id, person]));
    return this.#byId.get(id);
  }

  revision(number: number): Revision | undefined {
    return this.#arrangement.byNumber.get(number);
  }

  /** The revision known before this one; not always the number before, since one may be unreadable. */
  before(revision: Revision): Revision | undefined {
    return this.#arrangement.before.get(revision.revision);
  }

  /** What a revision changed. Nothing is known of what came before the first one: all its settings are listed. */
  changesOf(revision: Revision): readonly SettingChange[] {
    const before = this.before(revision);
    const known = this.#changes.get(revision);
    if (known !== undefined && known.before === before) return known.changes;
    const changes = before === undefined ? allSettings(revision) : compareSettings(before, revision);
    this.#changes.set(revision, { before, changes });
    return changes;
  }

  get peopleFilter(): PeopleFilter {
    return this.#peopleFilter;
  }

  get historyFilter(): HistoryFilter {
    return this.#historyFilter;
  }

  get usage(): UsageOfPeople | undefined {
    return this.#usage;
  }

  isFiltered(what: ListName): boolean {
    const filter = what === 'people' ? this.#peopleFilter : this.#historyFilter;
    return Object.values(filter).some(value => value !== undefined);
  }

  /** Everybody the filter lets through, by name. */
  get shownPeople(): readonly Person[] {
    const { language, now } = this.#deps;
    return (this.#shownPeople ??= choosePeople(this.people.state.current.items, this.#peopleFilter, {
      usage: this.#usage,
      now: now(),
      compare: new Intl.Collator(supportedLanguage(language), { numeric: true }).compare,
    }));
  }

  /** The revisions the filter lets through, by local day, the newest first. */
  get days(): ReadonlyMap<string, readonly Revision[]> {
    const passes = (each: Revision): boolean =>
      passesHistory(each, this.#historyFilter, revision => this.changesOf(revision));
    return (this.#days ??= groupByDay(
      this.isFiltered('controls') ? this.revisions.filter(passes) : this.revisions,
    ));
  }

  filterPeople(filter: PeopleFilter): void {
    this.#peopleFilter = filter;
    this.#forget('people');
  }

  filterHistory(filter: HistoryFilter): void {
    this.#historyFilter = filter;
    this.#forget('controls');
  }

  setUsage(usage: UsageOfPeople | undefined): void {
    if (usage === this.#usage) return;
    this.#usage = usage;
    this.#forget('people');
  }

  /** Resolves when what is kept of the service in use has been read. Rejects when that cannot be read. */
  async ready(): Promise<void> {
    const { service } = await this.#deps.connection.ready();
    if (service?.id !== this.#serviceId) {
      this.#serviceId = service?.id;
      // Nothing asked for before makes sense.
      [this.#peopleFilter, this.#historyFilter, this.#usage] = [{}, {}, undefined];
    }
    const path = (name: ListName): string | undefined => service && pathOf(service.id, name);
    await Promise.all([this.people.use(path('people')), this.controls.use(path('controls'))]);
  }

  /** A revision of a service, also of one that is not in use. */
  async settingsOf(serviceId: string, number: number): Promise<Revision | undefined> {
    if (serviceId !== this.#serviceId)
      return this.controls.kept(pathOf(serviceId, 'controls'), String(number));
    await this.ready();
    return this.revision(number);
  }

  /** Reads what is older than `maxAgeMs`, unless the key has no right to it. Rejects as `ready` does. */
  async freshen(maxAgeMs: number, signal?: AbortSignal): Promise<void> {
    await Promise.all([
      this.freshenOne(this.people, { usualMs: maxAgeMs }, signal),
      this.freshenOne(this.controls, { usualMs: maxAgeMs }, signal),
    ]);
  }

  /** As `freshen`, for one of the lists. */
  async freshenOne(
    list: RemoteList<Person> | RemoteList<Revision>,
    pace: { readonly usualMs: number; readonly retryMs?: number },
    signal?: AbortSignal,
  ): Promise<void> {
    await this.ready();
    if (list.state.current.reading !== undefined || list.untilDue(pace) === 0) await list.read(signal);
  }

  /** Reads both lists now. */
  async refresh(): Promise<void> {
    await this.ready();
    await Promise.all([this.people.read(), this.controls.read()]);
  }

  get #arrangement(): Arranged {
    return (this.#arranged ??= arranged(this.controls.state.current.items));
  }

  #forget(what: ListName): void {
    if (what === 'people') [this.#byId, this.#shownPeople] = [undefined, undefined];
    else [this.#arranged, this.#days] = [undefined, undefined];
    this.#changed.fire(what);
  }
}

interface Arranged {
  readonly revisions: readonly Revision[];
  readonly byNumber: ReadonlyMap<number, Revision>;
  readonly before: ReadonlyMap<number, Revision>;
}

function arranged(items: readonly Revision[]): Arranged {
  const revisions = sortRevisions(items);
  const byNumber = new Map(revisions.map(revision => [revision.revision, revision]));
  const before = new Map(
    revisions.flatMap((revision, index) => {
      const earlier = revisions[index + 1];
      return earlier === undefined ? [] : [[revision.revision, earlier] as const];
    }),
  );
  return { revisions, byNumber, before };
}

interface Read<T> {
  readonly items: readonly T[];
  readonly problems: readonly ItemProblem[];
}

function mapped<F, T>(
  pages: AsyncIterable<Read<F>> | undefined,
  map: (item: F, problems: readonly ItemProblem[]) => T,
): AsyncIterable<Read<T>> | undefined {
  return (
    pages && {
      async *[Symbol.asyncIterator]() {
        for await (const { items, problems } of pages) {
          yield { items: items.map(item => map(item, problems)), problems };
        }
      },
    }
  );
}

function personOf({
  id,
  email,
  firstName,
  lastName,
  createdAt,
  lastSignInAt,
  metadata,
}: OrganizationUser): Person {
  return defined<Person>({ id, email, firstName, lastName, createdAt, lastSignInAt, metadata });
}

/** With which of its settings could not be read: they must not look as if they had been taken away. */
function revisionOf(change: ControlChange, problems: readonly ItemProblem[]): Revision {
  const { revision, settings, user, updatedAt } = change;
  const unread = problems.flatMap(({ id, field }) =>
    id === String(revision) && field?.startsWith(`${WHOLE}.`) === true
      ? field.slice(WHOLE.length + 1).replace(/\[.*$/, '')
      : [],
  );
  return defined<Revision>({
    revision,
    settings: settings ?? {},
    user: user && defined({ id: user.id, email: user.email, name: user.name }),
    updatedAt,
    unread: settings === undefined ? [WHOLE] : unread.length === 0 ? undefined : unread,
  });
}

type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

/** Without the fields that are not there. */
function defined<T extends object>(value: Loose<T>): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}
