import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ControlChange, OrganizationUser } from '../api';
import { openObject, recordSchema, taken } from '../api/records';
import { errorSentence } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { UsageOfPeople } from '../shared';
import type { SearchHit } from '../storage';
import { keyIn, listRecords, type ItemKind } from '../sync/stored';
import { ConnectedList, type ListDeps } from '../ui/connectedList';
import { Disposable, Emitter } from '../util/lifecycle';
import { supportedLanguage } from '../util/format';
import { oneLine } from '../util/text';
import { compareSettings, type SettingChange, type Settings } from './changes';

/** One revision of the controls (section 2.12), and one member of the organization (2.11). Times as the service wrote them. */
export type Revision = ControlChange;
export type Person = OrganizationUser;

/** Unix ms; `undefined` for what is no time. */
export function timeOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isFinite(time) ? time : undefined;
}

/** Name, else e-mail, else id. */
export function nameOf(person: Person): string {
  const full = [person.firstName, person.lastName].filter(part => (part ?? '').trim() !== '').join(' ');
  return full.trim() || (person.email ?? '').trim() || person.id;
}

/** Who made a revision: name, else e-mail, else id; `undefined` when the service does not say. */
export function whoOf({ user }: Revision): string | undefined {
  return [user?.name, user?.email, user?.id].find(text => text !== undefined && text.trim() !== '');
}

/** Whoever has not been seen for so long is inactive. */
const INACTIVE_MS = 30 * 24 * 60 * 60 * 1000;

/** Whether somebody was seen of late: signed in, or their agents worked. Nobody is inactive of whom either is not known. */
export function activityOf(
  { id, lastSignInAt }: Person,
  usage: UsageOfPeople | undefined,
  now: number,
): 'active' | 'inactive' | 'unknown' {
  const signIn = timeOf(lastSignInAt);
  if (usage?.people.has(id) === true || (signIn !== undefined && now - signIn <= INACTIVE_MS))
    return 'active';
  return usage?.none !== 0 || signIn === undefined ? 'unknown' : 'inactive';
}

/** Lists on the screen that are older than this are read again, ms. */
export const FRESH_MS = 15 * 60_000;

/** A revision beside the one known before it. Nothing is known of what came before the first one: all its settings are listed as changes. */
export interface KnownRevision extends Revision {
  readonly before: Revision | undefined;
  readonly changes: readonly SettingChange[];
}

export type ListName = 'people' | 'controls';

function pathOf(serviceId: string, name: ListName): string {
  return `services/${serviceId}/lists/${name}`;
}

const personKind: ItemKind<Person> = {
  schema: recordSchema(() => openObject({ id: z.string() })),
  text: person => ({
    text: [nameOf(person), person.email ?? '', person.id].map(text => oneLine(text)).join('\n'),
  }),
};

/** A line a setting, as `sandbox.enabled: true`: the first revision that says so has changed it. */
const revisionKind: ItemKind<Revision> = {
  schema: recordSchema(() => openObject({ revision: z.number(), settings: taken<Settings>() })),
  text: revision => {
    const lines = compareSettings(undefined, revision.settings).map(
      ({ path, after }) => `${path}: ${JSON.stringify(after)}`,
    );
    return { text: [oneLine(whoOf(revision) ?? ''), ...lines].join('\n'), at: timeOf(revision.updatedAt) };
  },
};

export interface OrganizationDataDeps extends ListDeps {
  /** Who was active lately, where the key may read that. */
  readonly usage?: (() => Promise<UsageOfPeople | undefined>) | undefined;
  /** Unix ms. */
  readonly now?: () => number;
}

/** People and control history of the service in use as last known, with what people use and what each revision changed. */
export class OrganizationData extends Disposable {
  readonly people: ConnectedList<Person>;
  readonly controls: ConnectedList<Revision>;
  readonly now: () => number;
  readonly #deps: OrganizationDataDeps;
  readonly #changed = this.register(new Emitter<void>());
  #usage: { readonly of: string | undefined; readonly people: UsageOfPeople } | undefined;
  /** Nobody pays for usage before somebody looks at people. */
  #asked: { readonly of: string | undefined; readonly at: number; readonly done: Promise<void> } | undefined;
  /** What follows from the lists as they are. */
  #sorted: readonly Person[] | undefined;
  #history: readonly KnownRevision[] | undefined;

  constructor(deps: OrganizationDataDeps) {
    super();
    this.#deps = deps;
    this.now = deps.now ?? Date.now;
    const people: ConnectedList<Person> = new ConnectedList({
      ...deps,
      ...personKind,
      keyOf: ({ id }) => id,
      pathOf: ({ service }) => service && pathOf(service.id, 'people'),
      pages: (api, signal) => api.pages('users', { signal }),
    });
    const controls: ConnectedList<Revision> = new ConnectedList({
      ...deps,
      ...revisionKind,
      keyOf: ({ revision }) => String(revision),
      pathOf: ({ service }) => service && pathOf(service.id, 'controls'),
      pages: (api, signal) => api.pages('controlHistory', { signal }),
    });
    [this.people, this.controls] = [this.register(people), this.register(controls)];
    for (const { state } of [people, controls])
      this.register(
        state.onDidChange(() => {
          [this.#sorted, this.#history] = [undefined, undefined];
          this.#changed.fire();
        }),
      );
    this.register(deps.connection.onDidBecomeReady(() => (this.#asked = this.#usage = undefined)));
  }

  readonly onDidChange = this.#changed.event;

  get serviceId(): string | undefined {
    return this.#deps.connection.state.current.service?.id;
  }

  /** Everybody, by name. */
  get sortedPeople(): readonly Person[] {
    return (this.#sorted ??= byName(this.people.state.current.items, vscode.env.language));
  }

  get usage(): UsageOfPeople | undefined {
    return this.#usage?.of === this.serviceId ? this.#usage?.people : undefined;
  }

  /** Resolves when the usage of people is there, or cannot be had. It is asked for again after a while, not each time a row is drawn. */
  async askUsage(): Promise<void> {
    await this.#deps.connection.ready();
    const [of, at, asked] = [this.serviceId, this.now(), this.#asked];
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
    return (this.#history ??= historyOf(this.controls.state.current.items));
  }

  /** Resolves when what is kept of the service in use has been read, or could not be. */
  async ready(): Promise<void> {
    await Promise.all([this.people.open(), this.controls.open()]);
  }

  /** Reads what is due. */
  async freshen(signal?: AbortSignal): Promise<void> {
    const lists = [this.people, this.controls];
    await Promise.all(lists.map(list => list.freshen(FRESH_MS, signal)));
  }

  /** Reads both lists now, and the usage of people where it was asked for. */
  async refresh(): Promise<void> {
    await Promise.all([this.people.refresh(), this.controls.refresh()]);
    if (this.#asked === undefined) return;
    this.#asked = undefined;
    await this.askUsage();
  }
}

function byName(people: readonly Person[], language: string): readonly Person[] {
  const { compare } = new Intl.Collator(supportedLanguage(language), { numeric: true });
  return people.toSorted((a, b) => compare(nameOf(a), nameOf(b)) || (a.id < b.id ? -1 : 1));
}

export function controlRecords(serviceId: string) {
  return listRecords(pathOf(serviceId, 'controls'), revisionKind);
}

/** The revisions as other programs are told of them, the newest first; what changed is found out when it is asked for. */
export function publicControls(items: readonly Revision[]) {
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

/** What can be found of the organization of a service, and what opens it. */
export function searchedOrganization(
  serviceId: string,
  open: () => Promise<Pick<CommandHandlers<'organization'>, 'showUser' | 'openChanges'>>,
) {
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
