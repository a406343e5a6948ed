import * as vscode from 'vscode';
import type { SearchHit } from '../storage';
import { keyIn, listRecords, type ItemKind } from '../sync/stored';
import { oneLine } from '../util/text';
import { compareSettings } from './changes';
import { nameOf, personSchema, revisionSchema, timeOf, whoOf, type Person, type Revision } from './model';

export type ListName = 'people' | 'controls';

/** Where a list of the organization is kept. */
export function pathOf(serviceId: string, name: ListName): string {
  return `services/${serviceId}/lists/${name}`;
}

export const personKind: ItemKind<Person> = {
  schema: personSchema,
  text: person => ({
    text: [nameOf(person), person.email ?? '', person.id].map(text => oneLine(text)).join('\n'),
  }),
};

/** A line a setting, as `sandbox.enabled: true`: the first revision that says so has changed it. */
export const revisionKind: ItemKind<Revision> = {
  schema: revisionSchema,
  text: revision => {
    const lines = compareSettings(undefined, revision.settings).map(
      ({ path, after }) => `${path}: ${JSON.stringify(after)}`,
    );
    return { text: [oneLine(whoOf(revision) ?? ''), ...lines].join('\n'), at: timeOf(revision.updatedAt) };
  },
};

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
