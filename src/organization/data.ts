import { setTimeout as delay } from 'node:timers/promises';
import { isApiError, type ApiClient, type ControlChange, type OrganizationUser, type Page } from '../api';
import type { Connection } from '../connection';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { Disposable, Slot, type IDisposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { Archive } from './archive';
import { compareSettings, allSettings, type SettingChange } from './changes';
import { Listing, type ListingDeps, type ListingFailure } from './listing';
import { sortRevisions, type Person, type Revision } from './model';
import { isObject } from './stable';

/** After a failure, what cannot wait asks again at the earliest. */
const AGAIN_MS = 60_000;

/** The part of the service's interface used here (sections 4.3 and 4.4). */
export interface OrganizationApi {
  readonly organization: Pick<ApiClient['organization'], 'users' | 'controlHistory'>;
}

export interface OrganizationDataDeps {
  readonly connection: Pick<Connection, 'state' | 'ready' | 'onDidBecomeReady'> & {
    readonly api: OrganizationApi | undefined;
  };
  readonly storage: Storage;
  readonly log: Logger;
  /** What to tell of a failed request. */
  readonly failureOf: (error: unknown, what: 'people' | 'controls') => Omit<ListingFailure, 'at'>;
  /** Unix ms. */
  readonly now: () => number;
}

/** People and control history of the service in use, as last known, with what changed from revision to revision. */
export class OrganizationData extends Disposable {
  readonly people: Listing<Person>;
  readonly controls: Listing<Revision>;
  readonly #deps: OrganizationDataDeps;
  readonly #archives: { readonly people: Archive<Person>; readonly controls: Archive<Revision> };
  readonly #watches = [this.register(new Slot<IDisposable>()), this.register(new Slot<IDisposable>())];
  readonly #changed = this.register(new Emitter<'people' | 'controls'>());
  /** Newest first. */
  #revisions: readonly Revision[] = [];
  #before = new Map<number, Revision>();
  #byNumber = new Map<number, Revision>();
  #byId: ReadonlyMap<string, Person> | undefined;
  /** By the two revisions compared. */
  #changes = new WeakMap<
    Revision,
    { readonly before: Revision | undefined; readonly changes: SettingChange[] }
  >();
  #serviceId: string | undefined;
  /** Requests may answer differently than before: another key. */
  #stale = false;
  #begun = false;

  constructor(deps: OrganizationDataDeps) {
    super();
    this.#deps = deps;
    const { storage } = deps;
    const people = new Archive<Person>({
      storage,
      name: 'people',
      partSize: 1_000,
      order: items => items,
      decode: value =>
        isObject(value) && typeof value['id'] === 'string' ? (value as unknown as Person) : undefined,
    });
    const controls = new Archive<Revision>({
      storage,
      name: 'controls',
      partSize: 50,
      order: items => sortRevisions(items).reverse(),
      decode: value =>
        isObject(value) && typeof value['revision'] === 'number' && isObject(value['settings'])
          ? (value as unknown as Revision)
          : undefined,
    });
    this.#archives = { people, controls };
    this.people = this.register(
      new Listing<Person>({
        ...this.#listing(people, 'people'),
        keyOf: ({ id }) => id,
        pages: signal => mapped(deps.connection.api?.organization.users({}, { signal }), personsOf),
      }),
    );
    this.controls = this.register(
      new Listing<Revision>({
        ...this.#listing(controls, 'controls'),
        keyOf: ({ revision }) => revision,
        pages: signal =>
          mapped(deps.connection.api?.organization.controlHistory({}, { signal }), revisionsOf),
      }),
    );
    this.register(
      this.people.state.onDidChange(() => {
        this.#byId = undefined;
        this.#changed.fire('people');
      }),
    );
    this.register(
      this.controls.state.onDidChange(() => {
        this.#arrange();
        this.#changed.fire('controls');
      }),
    );
    this.register(
      deps.connection.onDidBecomeReady(() => {
        // The first one only says that there is a service at all.
        this.#stale = this.#begun;
        this.people.forgive();
        this.controls.forgive();
      }),
    );
  }

  readonly onDidChange = this.#changed.event;

  /** Newest first. */
  get revisions(): readonly Revision[] {
    return this.#revisions;
  }

  get serviceId(): string | undefined {
    return this.#serviceId;
  }

  person(id: string): Person | undefined {
    this.#byId ??= new Map(this.people.state.current.items.map(person => [person.id, person]));
    return this.#byId.get(id);
  }

  revision(number: number): Revision | undefined {
    return this.#byNumber.get(number);
  }

  /** The revision known before this one; not always the number before, since one may be unreadable. */
  before(revision: Revision): Revision | undefined {
    return this.#before.get(revision.revision);
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

  /** Resolves when what is kept of the service in use has been read. Rejects when that cannot be read. */
  async ready(): Promise<void> {
    const { service } = await this.#deps.connection.ready();
    await this.#use(service?.id);
    this.#begun = true;
  }

  /** Resolves when what is kept of a service has been read, also of one that is not in use. */
  async settingsOf(serviceId: string, number: number): Promise<Revision | undefined> {
    if (serviceId === this.#serviceId) await this.controls.use(serviceId);
    if (serviceId === this.#serviceId) return this.revision(number);
    const kept = await this.#archives.controls.load(serviceId);
    return kept?.items.find(({ revision }) => revision === number);
  }

  /** Reads what is older than `maxAgeMs`, unless the key has no right to it. Never rejects for a request. */
  async freshen(maxAgeMs: number, signal?: AbortSignal): Promise<void> {
    await this.ready();
    const stale = this.#stale;
    this.#stale = false;
    const needs = ({ state }: Listing<Person> | Listing<Revision>): boolean => {
      const { at = 0, failure, stopped, reading } = state.current;
      if (reading !== undefined) return true;
      if (failure?.forbidden === true) return false;
      // A reading that a person stopped is not begun again behind their back.
      if (stopped === true) return false;
      return stale || this.#deps.now() - Math.max(at, failure?.at ?? 0) > maxAgeMs;
    };
    await Promise.all([this.people, this.controls].filter(needs).map(listing => listing.read(signal)));
  }

  /**
   * The revisions, newest first, read again when older than `maxAgeMs`. What takes longer than `waitMs` is not waited for, but
   * goes on. Rejects as `ready` does.
   */
  async revisionsWithin(maxAgeMs: number, waitMs: number): Promise<readonly Revision[]> {
    await this.ready();
    const { at = 0, failure, stopped } = this.controls.state.current;
    const now = this.#deps.now();
    // A failed reading is tried again soon, but not for each one who asks.
    const failed = failure !== undefined && now - failure.at <= Math.min(maxAgeMs, AGAIN_MS);
    if (failure?.forbidden !== true && !failed && stopped !== true && now - at > maxAgeMs) {
      const enough = new AbortController();
      const waited = delay(waitMs, undefined, { signal: enough.signal }).catch(() => undefined);
      await Promise.race([this.controls.read(), waited]);
      enough.abort();
    }
    return this.revisions;
  }

  /** Reads both lists now. */
  async refresh(): Promise<void> {
    await this.ready();
    this.#stale = false;
    await Promise.all([this.people.read(), this.controls.read()]);
  }

  stop(): void {
    this.people.stop();
    this.controls.stop();
  }

  async #use(serviceId: string | undefined): Promise<void> {
    if (serviceId !== this.#serviceId) {
      this.#serviceId = serviceId;
      this.#watch(serviceId);
    }
    await Promise.all([this.people.use(serviceId), this.controls.use(serviceId)]);
  }

  /** Hears what other windows have read. */
  #watch(serviceId: string | undefined): void {
    const follow = <T>(archive: Archive<T>, listing: Listing<T>): IDisposable | undefined => {
      if (serviceId === undefined) return undefined;
      return archive.records(serviceId).onDidChange(ids => {
        if (!ids.includes('head')) return;
        listing.adopt(serviceId).catch((error: unknown) => {
          this.#deps.log.error('What another window has read of the organization cannot be read', error);
        });
      });
    };
    this.#watches[0]?.set(follow(this.#archives.people, this.people));
    this.#watches[1]?.set(follow(this.#archives.controls, this.controls));
  }

  #listing<T>(
    archive: Archive<T>,
    what: 'people' | 'controls',
  ): Pick<ListingDeps<T>, 'load' | 'save' | 'failureOf' | 'now'> {
    const { now, failureOf, log } = this.#deps;
    return {
      now,
      load: serviceId => archive.load(serviceId),
      save: async (serviceId, kept) => {
        try {
          await archive.save(serviceId, kept);
        } catch (error) {
          // What was read is shown all the same; it is only not there the next time.
          log.error('What was read of the organization cannot be kept', error);
        }
      },
      failureOf: error =>
        isApiError(error) && error.kind === 'cancelled' ? undefined : failureOf(error, what),
    };
  }

  #arrange(): void {
    this.#revisions = sortRevisions(this.controls.state.current.items);
    this.#byNumber = new Map(this.#revisions.map(revision => [revision.revision, revision]));
    this.#before = new Map();
    this.#revisions.forEach((revision, index) => {
      const before = this.#revisions[index + 1];
      if (before !== undefined) this.#before.set(revision.revision, before);
    });
  }
}

function mapped<F, T>(
  pages: AsyncIterable<Page<F>> | undefined,
  map: (page: Page<F>) => Page<T>,
): AsyncIterable<Page<T>> | undefined {
  return (
    pages && {
      async *[Symbol.asyncIterator]() {
        for await (const page of pages) yield map(page);
      },
    }
  );
}

function personsOf(page: Page<OrganizationUser>): Page<Person> {
  const items = page.items.map(({ id, email, firstName, lastName, createdAt, lastSignInAt, metadata }) =>
    defined<Person>({ id, email, firstName, lastName, createdAt, lastSignInAt, metadata }),
  );
  return { ...page, items };
}

/** With each revision, which of its settings could not be read: they must not look as if they had been taken away. */
function revisionsOf(page: Page<ControlChange>): Page<Revision> {
  const unread = new Map<string, string[]>();
  for (const { id, field } of page.problems) {
    const path = field?.startsWith('settings.') === true ? field.slice('settings.'.length) : undefined;
    if (id === undefined || path === undefined) continue;
    unread.set(id, [...(unread.get(id) ?? []), path.replace(/\[.*$/, '')]);
  }
  const items = page.items.map(({ revision, settings, user, updatedAt }) =>
    defined<Revision>({
      revision,
      settings,
      user: user && defined({ id: user.id, email: user.email, name: user.name }),
      updatedAt,
      unread: unread.get(String(revision)),
    }),
  );
  return { ...page, items };
}

type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

/** Without the fields that are not there. */
function defined<T extends object>(value: Loose<T>): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}
