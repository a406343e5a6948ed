import * as vscode from 'vscode';
import type { Connection } from '../connection';
import type { Logger } from '../log';
import type { SearchHit, Storage } from '../storage';
import { keyIn, listRecords, type ItemKind } from '../sync/stored';
import { ConnectedList } from '../ui/connectedList';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { supportedLanguage } from '../util/format';
import { oneLine } from '../util/text';
import { compareSettings, type SettingChange } from './changes';
import {
  nameOf,
  personSchema,
  revisionSchema,
  timeOf,
  whoOf,
  type Person,
  type Revision,
  type UsageOfPeople,
} from './model';

export type ListName = 'people' | 'controls';

/** Where a list of the organization is kept. */
function pathOf(serviceId: string, name: ListName): string {
  return `services/${serviceId}/lists/${name}`;
}

const personKind: ItemKind<Person> = {
  schema: personSchema,
  text: person => ({
    text: [nameOf(person), person.email ?? '', person.id].map(text => oneLine(text)).join('\n'),
  }),
};

/** A line a setting, as `sandbox.enabled: true`: the first revision that says so has changed it. */
const revisionKind: ItemKind<Revision> = {
  schema: revisionSchema,
  text: revision => {
    const lines = compareSettings(undefined, revision.settings).map(
      ({ path, after }) => `${path}: ${JSON.stringify(after)}`,
    );
    return { text: [oneLine(whoOf(revision) ?? ''), ...lines].join('\n'), at: timeOf(revision.updatedAt) };
  },
};

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

interface Opening {
  readonly showUser: (user: { readonly personId: string }) => unknown;
  readonly openChanges: (change: { readonly revision: number }) => unknown;
}

/** What can be found of the organization of a service, and what opens it. */
export function searchedOrganization(serviceId: string, open: () => Promise<Opening>) {
  return [
    {
      records: listRecords(pathOf(serviceId, 'people'), personKind),
      found: ({ id, first: label }: SearchHit) => ({
        label,
        description: vscode.l10n.t('user'),
        isUndated: true,
        open: async () => (await open()).showUser({ personId: keyIn(id) }),
      }),
    },
    {
      records: listRecords(pathOf(serviceId, 'controls'), revisionKind),
      found: ({ id, first, line }: SearchHit) => ({
        // Of revisions that say the same, the one that was the first to say it.
        key: line === first ? undefined : line,
        isOlderBetter: true,
        label: vscode.l10n.t('Revision {0}', keyIn(id)),
        description: first,
        open: async () => (await open()).openChanges({ revision: Number(keyIn(id)) }),
      }),
    },
  ];
}
