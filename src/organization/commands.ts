import * as vscode from 'vscode';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { ListState } from '../sync/stored';
import { pick, type Choice } from '../ui/pick';
import { factsDocument, joined } from '../ui/text';
import type { DetailsDocuments } from '../util/detailsDocuments';
import type { Formatter } from '../util/format';
import { notify } from '../ui/notify';
import { saveText } from '../ui/saveText';
import type { ListName, OrganizationData } from './data';
import type { ControlDocuments } from './documents';
import { historyCsv, peopleCsv } from './exports';
import { dayOf, nameOf, timeOf, type Person, type Revision } from './model';
import { changeText, makerText, notSignedIn, personFacts, personStatus, summaryText } from './words';

export interface OrganizationCommandsDeps {
  readonly log: Logger;
  readonly data: OrganizationData;
  readonly documents: Pick<ControlDocuments, 'show' | 'compare'>;
  readonly details: Pick<DetailsDocuments, 'show'>;
  readonly format: Formatter;
  readonly now: () => number;
  readonly isSignedIn: () => boolean;
  /** Resolves when lists are there, read if they were not. */
  readonly listed: () => Promise<void>;
  /** Resolves when the usage of people is joined, or cannot be had. */
  readonly used: () => Promise<void>;
  /** The same, unless that takes long. */
  readonly usedSoon: () => Promise<void>;
}

/** What people do with users and control history. Without a row each command asks with a picker. */
export function organizationCommands(deps: OrganizationCommandsDeps): CommandHandlers<'organization'> {
  const { data, documents, details, format, now, log, listed, used, usedSoon } = deps;

  /** All of a list, or the reason why nothing is known: a picker without a row would not tell. */
  const some = <T>(items: readonly T[], { failure }: ListState<unknown>, none: string): readonly T[] => {
    if (items.length > 0) return items;
    throw new Error(deps.isSignedIn() ? (failure?.sentence ?? none) : notSignedIn());
  };
  const people = (): readonly Person[] =>
    some(data.sortedPeople, data.people.state.current, vscode.l10n.t('There are no users yet.'));
  const revisions = (): readonly Revision[] =>
    some(data.revisions, data.controls.state.current, vscode.l10n.t('There are no control revisions yet.'));

  const personOf = async (node: unknown): Promise<Person | undefined> => {
    const { personId } = (node ?? {}) as { readonly personId?: unknown };
    const known = typeof personId === 'string' ? data.person(personId) : undefined;
    // Without it, whoever has not signed in of late would count as inactive.
    const isUsageKnown = usedSoon();
    if (known === undefined) await listed();
    await isUsageKnown;
    if (known !== undefined) return known;
    const choices = people().map(person => ({
      label: nameOf(person),
      description: person.email ?? person.id,
      detail: personStatus(person, data.usage?.get(person.id), format, now()),
      value: person,
    }));
    return pick(choices, vscode.l10n.t('Find a user by name, e-mail or state'));
  };

  /** A revision, found by number, person, day or changed setting. */
  const choiceOf = (revision: Revision): Choice<Revision> => {
    const changes = data.changesOf(revision);
    const day = format.day(dayOf(timeOf(revision.updatedAt)));
    return {
      label: vscode.l10n.t('rev {0}', revision.revision),
      description: joined([day, makerText(revision), summaryText(changes)]),
      detail: changes.slice(0, 8).map(changeText).join('; '),
      value: revision,
    };
  };
  const knownRevision = (node: unknown): Revision | undefined => {
    const { revision } = (node ?? {}) as { readonly revision?: unknown };
    return typeof revision === 'number' ? data.revision(revision) : undefined;
  };
  const revisionOf = async (node: unknown, placeHolder: string): Promise<Revision | undefined> => {
    const known = knownRevision(node);
    if (known !== undefined) return known;
    await listed();
    return pick(revisions().map(choiceOf), placeHolder);
  };

  const save = async (what: ListName): Promise<void> => {
    let content: string;
    if (what === 'people') {
      await used();
      content = peopleCsv(people(), data.usage, now());
    } else
      content = historyCsv(
        revisions(),
        revision => data.changesOf(revision),
        revision => data.before(revision),
      );
    const file = await saveText({
      name: what === 'people' ? 'organization-users.csv' : 'control-history.csv',
      content,
      title: vscode.l10n.t('Export as CSV'),
    });
    if (file === undefined) return;
    notify(log, 'info', vscode.l10n.t('The table was exported.'), [
      vscode.l10n.t('Open'),
      () => vscode.commands.executeCommand('vscode.open', file),
    ]);
  };

  return {
    showUser: async (node?: unknown) => {
      const person = await personOf(node);
      if (person === undefined) return;
      await details.show(person.id, nameOf(person), () => {
        const known = data.person(person.id) ?? person;
        const facts = personFacts(known, data.usage?.get(known.id), format);
        return factsDocument(nameOf(known), [['', facts]], known);
      });
    },
    export: async (node?: unknown) => {
      await listed();
      const what = groupOf(node) ?? (await pickGroup());
      if (what !== undefined) await save(what);
    },
    openChanges: async (node?: unknown) => {
      const revision = await revisionOf(node, vscode.l10n.t('Show the changes of which revision?'));
      if (revision !== undefined) await documents.compare(data.before(revision), revision);
    },
    /** Two selected rows, or the two that are asked for; the older one is on the left. */
    compareRevisions: async (node?: unknown, nodes?: unknown) => {
      const selected = Array.isArray(nodes) ? nodes.flatMap(each => knownRevision(each) ?? []) : [];
      const [first, second] = new Set(selected);
      const one = first ?? (await revisionOf(node, vscode.l10n.t('Compare which revision? (1/2)')));
      if (one === undefined) return;
      const others = data.revisions.filter(revision => revision !== one);
      if (others.length === 0) throw new Error(vscode.l10n.t('There is no other control revision yet.'));
      const question = vscode.l10n.t('Compare revision {0} with which one? (2/2)', one.revision);
      const other = second ?? (await pick(others.map(choiceOf), question));
      if (other === undefined) return;
      const [before, after] = one.revision < other.revision ? [one, other] : [other, one];
      await documents.compare(before, after);
    },
    showRevision: async (node?: unknown) => {
      const revision = await revisionOf(node, vscode.l10n.t('Show the controls of which revision?'));
      if (revision !== undefined) await documents.show(revision);
    },
  };
}

/** The group a row stands for. */
function groupOf(node: unknown): ListName | undefined {
  const { id } = (node ?? {}) as { readonly id?: unknown };
  return id === 'group/people' ? 'people' : id === 'group/controls' ? 'controls' : undefined;
}

function pickGroup(): Promise<ListName | undefined> {
  return pick<ListName>(
    [
      { label: vscode.l10n.t('Users'), value: 'people' },
      { label: vscode.l10n.t('Control history'), value: 'controls' },
    ],
    vscode.l10n.t('Export as CSV'),
  );
}
