import * as vscode from 'vscode';
import { errorSentence, type Connection } from '../connection';
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
  type PersonUsage,
  type Revision,
  type UsageOfPeople,
} from './model';

/** Lists on the screen that are older than this are read again, ms. */
export const FRESH_MS = 15 * 60_000;

/** A revision beside the one known before it. Nothing is known of what came before the first one: all its settings are listed as changes. */
export interface KnownRevision extends Revision {
  readonly before: Revision | undefined;
  readonly changes: readonly SettingChange[];
}

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
  /** Who was active lately, where the key may read that. */
  readonly usage?: (() => Promise<UsageOfPeople | undefined>) | undefined;
  /** Unix ms. */
  readonly now: () => number;
}

/** People and control history of the service in use as last known, with what people use and what each revision changed. */
export class OrganizationData extends Disposable {
  readonly people: ConnectedList<Person>;
  readonly controls: ConnectedList<Revision>;
  readonly #deps: OrganizationDataDeps;
  readonly #changed = this.register(new Emitter<void>());
  #usage: { readonly of: string | undefined; readonly people: UsageOfPeople } | undefined;
  /** Nobody pays for usage before somebody looks at people. */
  #asked: { readonly of: string | undefined; readonly at: number; readonly done: Promise<void> } | undefined;
  readonly #sorted: () => readonly Person[];
  readonly #history: () => readonly KnownRevision[];

  constructor(deps: OrganizationDataDeps) {
    super();
    this.#deps = deps;
    const { connection, storage, log, now, language } = deps;
    const common = { connection, storage, log, now };
    const people = new ConnectedList<Person>({
      ...common,
      keyOf: ({ id }) => id,
      ...personKind,
      pathOf: ({ service }) => service && pathOf(service.id, 'people'),
      pages: (api, signal) => api.pages('users', { signal }),
    });
    const controls = new ConnectedList<Revision>({
      ...common,
      keyOf: ({ revision }) => String(revision),
      ...revisionKind,
      pathOf: ({ service }) => service && pathOf(service.id, 'controls'),
      pages: (api, signal) => api.pages('controlHistory', { signal }),
    });
    this.people = this.register(people);
    this.controls = this.register(controls);
    this.#sorted = derived(
      () => people.state.current.items,
      items => byName(items, language),
    );
    this.#history = derived(() => controls.state.current.items, historyOf);
    for (const { state } of [people, controls]) this.register(state.onDidChange(() => this.#changed.fire()));
    this.register(connection.onDidBecomeReady(() => (this.#asked = undefined)));
  }

  readonly onDidChange = this.#changed.event;

  get serviceId(): string | undefined {
    return this.#deps.connection.state.current.service?.id;
  }

  person(id: string): Person | undefined {
    return this.people.state.current.items.find(person => person.id === id);
  }

  /** Everybody, by name. */
  get sortedPeople(): readonly Person[] {
    return this.#sorted();
  }

  usageOf({ id }: Person): PersonUsage | undefined {
    return this.usage?.get(id);
  }

  get usage(): UsageOfPeople | undefined {
    return this.#usage?.of === this.serviceId ? this.#usage?.people : undefined;
  }

  /** Resolves when the usage of people is there, or cannot be had. It is asked for again after a while, not each time a row is drawn. */
  async askUsage(): Promise<void> {
    const { connection, now } = this.#deps;
    await connection.ready();
    const [of, at, asked] = [this.serviceId, now(), this.#asked];
    const isFresh = asked !== undefined && asked.of === of && at - asked.at < FRESH_MS;
    await (this.#asked = isFresh ? asked : { of, at, done: this.#joinUsage(of) }).done;
  }

  async #joinUsage(of: string | undefined): Promise<void> {
    try {
      const people = await this.#deps.usage?.();
      if (people === undefined || of !== this.serviceId) return;
      this.#usage = { of, people };
      this.#changed.fire();
    } catch (error) {
      this.#deps.log.warn(`Usage of people is not known: ${errorSentence(error)}`);
    }
  }

  /** Newest first. */
  get revisions(): readonly KnownRevision[] {
    return this.#history();
  }

  revision(number: number): KnownRevision | undefined {
    return this.revisions.find(({ revision }) => revision === number);
  }

  /** Resolves when what is kept of the service in use has been read, or could not be. */
  async ready(): Promise<void> {
    await Promise.all([this.people.open(), this.controls.open()]);
  }

  /** Reads what is due. */
  async freshen(signal?: AbortSignal): Promise<void> {
    const lists = [this.people, this.controls];
    await Promise.all(lists.map(list => list.freshen({ usualMs: FRESH_MS }, signal)));
  }

  /** Reads both lists now, and the usage of people where it was asked for. */
  async refresh(): Promise<void> {
    await Promise.all([this.people.refresh(), this.controls.refresh()]);
    if (this.#asked === undefined) return;
    this.#asked = undefined;
    await this.askUsage();
  }
}

/** What follows from something, made anew only when that is another. */
function derived<From, To>(from: () => From, make: (from: From) => To): () => To {
  let known: { readonly from: From; readonly to: To } | undefined;
  return () => {
    const now = from();
    if (known?.from !== now) known = { from: now, to: make(now) };
    return known.to;
  };
}

function byName(people: readonly Person[], language: string): readonly Person[] {
  const { compare } = new Intl.Collator(supportedLanguage(language), { numeric: true });
  return people
    .map(person => ({ person, name: nameOf(person) }))
    .sort((a, b) => compare(a.name, b.name) || (a.person.id < b.person.id ? -1 : 1))
    .map(({ person }) => person);
}

/** How the revisions of the controls of a service are kept. */
export function controlRecords(serviceId: string) {
  return listRecords(pathOf(serviceId, 'controls'), revisionKind);
}

/** The revisions as other programs are told of them, the newest first; what changed is found out when it is asked for. */
export function toldControls(items: readonly Revision[]) {
  return historyOf(items).map(revision => ({
    revision: revision.revision,
    at: timeOf(revision.updatedAt),
    by: whoOf(revision),
    changes: () =>
      revision.changes.map(({ path, kind, direction, before, after }) => ({
        ...{ path, kind, direction, before: jsonOf(before), after: jsonOf(after) },
      })),
  }));
}

/** A value as one text, so that nothing in it can be taken for more than a value. */
function jsonOf(value: unknown): string | undefined {
  return value === undefined ? undefined : oneLine(JSON.stringify(value), 500);
}

/** Revisions, newest first, each with the one known before it: not always the number before. */
function historyOf(items: readonly Revision[]): readonly KnownRevision[] {
  const revisions = items.toSorted((a, b) => b.revision - a.revision);
  return revisions.map((revision, index) => {
    const before = revisions[index + 1];
    let changes: readonly SettingChange[] | undefined;
    return {
      ...revision,
      before,
      get changes() {
        return (changes ??= compareSettings(before?.settings, revision.settings));
      },
    };
  });
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
      records: controlRecords(serviceId),
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
