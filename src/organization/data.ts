import type { Connection } from '../connection';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { ConnectedList } from '../ui/connectedList';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { supportedLanguage } from '../util/format';
import { compareSettings, type SettingChange } from './changes';
import { nameOf, type Person, type Revision, type UsageOfPeople } from './model';
import { pathOf, personKind, revisionKind } from './searched';

export type { ListName } from './searched';

export interface OrganizationDataDeps {
  readonly connection: Pick<Connection, 'state' | 'api' | 'ready' | 'onDidBecomeReady'>;
  readonly storage: Storage;
  readonly log: Logger;
  readonly language: string;
  /** Unix ms. */
  readonly now: () => number;
}

/** People and control history of the service in use as last known, and what changed from revision to revision. */
export class OrganizationData extends Disposable {
  readonly people: ConnectedList<Person>;
  readonly controls: ConnectedList<Revision>;
  readonly #deps: OrganizationDataDeps;
  readonly #changed = this.register(new Emitter<void>());
  #serviceId: string | undefined;
  #usage: UsageOfPeople | undefined;
  #sortedPeople: readonly Person[] | undefined;
  #history: History | undefined;
  /** By the two revisions compared. */
  readonly #changes = new WeakMap<Revision, { before: Revision | undefined; changes: SettingChange[] }>();

  constructor(deps: OrganizationDataDeps) {
    super();
    this.#deps = deps;
    const { connection, storage, log, now } = deps;
    const common = { connection, storage, log, now };
    this.people = this.register(
      new ConnectedList<Person>({
        ...common,
        keyOf: ({ id }) => id,
        ...personKind,
        pathOf: ({ service }) => service && pathOf(service.id, 'people'),
        pages: (api, signal) => api.pages('users', { signal }),
      }),
    );
    this.controls = this.register(
      new ConnectedList<Revision>({
        ...common,
        keyOf: ({ revision }) => String(revision),
        ...revisionKind,
        pathOf: ({ service }) => service && pathOf(service.id, 'controls'),
        pages: (api, signal) => api.pages('controlHistory', { signal }),
      }),
    );
    for (const list of [this.people, this.controls])
      this.register(
        list.state.onDidChange(() => {
          this.#sortedPeople = this.#history = undefined;
          this.#changed.fire();
        }),
      );
  }

  readonly onDidChange = this.#changed.event;

  get serviceId(): string | undefined {
    return this.#serviceId;
  }

  person(id: string): Person | undefined {
    return this.people.state.current.items.find(person => person.id === id);
  }

  /** Everybody, by name. */
  get sortedPeople(): readonly Person[] {
    return (this.#sortedPeople ??= byName(this.people.state.current.items, this.#deps.language));
  }

  get usage(): UsageOfPeople | undefined {
    return this.#usage;
  }

  setUsage(usage: UsageOfPeople): void {
    if (usage === this.#usage) return;
    this.#usage = usage;
    this.#changed.fire();
  }

  /** Newest first. */
  get revisions(): readonly Revision[] {
    return this.#known.revisions;
  }

  revision(number: number): Revision | undefined {
    return this.revisions.find(({ revision }) => revision === number);
  }

  /** The revision known before this one; not always the number before. */
  before(revision: Revision): Revision | undefined {
    return this.#known.before.get(revision);
  }

  /** What a revision changed. Nothing is known of what came before the first one: all its settings are listed. */
  changesOf(revision: Revision): readonly SettingChange[] {
    const before = this.before(revision);
    const known = this.#changes.get(revision);
    if (known !== undefined && known.before === before) return known.changes;
    const changes = compareSettings(before?.settings, revision.settings);
    this.#changes.set(revision, { before, changes });
    return changes;
  }

  /** Resolves when what is kept of the service in use has been read, or could not be. */
  async ready(): Promise<void> {
    const { service } = await this.#deps.connection.ready();
    if (service?.id !== this.#serviceId) [this.#serviceId, this.#usage] = [service?.id, undefined];
    await Promise.all([this.people.open(), this.controls.open()]);
  }

  /** A revision of a service, also of one that is not in use. */
  async settingsOf(serviceId: string, number: number): Promise<Revision | undefined> {
    if (serviceId !== this.#serviceId)
      return this.controls.kept(pathOf(serviceId, 'controls'), String(number));
    await this.ready();
    return this.revision(number);
  }

  /** Reads what is due. */
  async freshen(usualMs: number, signal?: AbortSignal): Promise<void> {
    await this.ready();
    await Promise.all([this.people.freshen({ usualMs }, signal), this.controls.freshen({ usualMs }, signal)]);
  }

  /** Reads both lists now. */
  async refresh(): Promise<void> {
    await this.ready();
    await Promise.all([this.people.read(), this.controls.read()]);
  }

  get #known(): History {
    return (this.#history ??= historyOf(this.controls.state.current.items));
  }
}

function byName(people: readonly Person[], language: string): readonly Person[] {
  const { compare } = new Intl.Collator(supportedLanguage(language), { numeric: true });
  return people
    .map(person => ({ person, name: nameOf(person) }))
    .sort((a, b) => compare(a.name, b.name) || (a.person.id < b.person.id ? -1 : 1))
    .map(({ person }) => person);
}

interface History {
  readonly revisions: readonly Revision[];
  readonly before: ReadonlyMap<Revision, Revision | undefined>;
}

function historyOf(items: readonly Revision[]): History {
  const revisions = items.toSorted((a, b) => b.revision - a.revision);
  const before = new Map(revisions.map((revision, index) => [revision, revisions[index + 1]]));
  return { revisions, before };
}
