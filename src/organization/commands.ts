import * as vscode from 'vscode';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { ListState } from '../sync/listState';
import { pick } from '../ui/pick';
import { factsDocument } from '../ui/text';
import type { DetailsDocuments } from '../util/detailsDocuments';
import type { Formatter } from '../util/format';
import { notify } from '../util/notify';
import { saveText } from '../util/saveText';
import { forNotification } from '../util/text';
import type { ListName, OrganizationData } from './data';
import type { ControlDocuments } from './documents';
import { historyCsv, peopleCsv } from './exports';
import { nameOf, type Person, type Revision } from './model';
import { personChoice, pickFilter, pickGroup, revisionChoice } from './pickers';
import { exportedText, notSignedIn, personFacts } from './words';

export interface OrganizationCommandsDeps {
  readonly log: Logger;
  readonly data: OrganizationData;
  readonly documents: Pick<ControlDocuments, 'show' | 'compare'>;
  readonly details: Pick<DetailsDocuments, 'show'>;
  readonly format: Formatter;
  readonly now: () => number;
  readonly isSignedIn: () => boolean;
  /** Brings the rows of a list, which may have moved, into view. */
  readonly reveal: (group: ListName) => Thenable<void>;
  /** Resolves when lists are there, read if they were not. */
  readonly listed: () => Promise<void>;
  /** Resolves when the usage of people is joined, or cannot be had. */
  readonly used: () => Promise<void>;
  /** As `used`, but soon. */
  readonly usedSoon: () => Promise<unknown>;
}

/** What people do with users and control history. Without a row each command asks with a picker. */
export class OrganizationCommands {
  readonly #deps: OrganizationCommandsDeps;
  readonly handlers: CommandHandlers<'organization'>;

  constructor(deps: OrganizationCommandsDeps) {
    this.#deps = deps;
    const { data, documents } = deps;
    this.handlers = {
      filter: async (node?: unknown) => {
        await deps.listed();
        const lists = (['people', 'controls'] as const).filter(
          list => data[list].state.current.items.length > 0,
        );
        const group = groupOf(node) ?? (lists.length === 1 ? lists[0] : undefined);
        if (group === 'controls') this.#some(group);
        else this.#some('people');
        const filter = await pickFilter(group, data);
        if (filter === undefined) return;
        const { people, controls } = filter;
        if (people !== undefined) data.filterPeople(people);
        if (controls !== undefined) data.filterHistory(controls);
        await deps.reveal(people === undefined ? 'controls' : 'people');
      },
      showUser: (node?: unknown) => this.#showUser(node),
      export: async (node?: unknown) => {
        await deps.listed();
        const group = groupOf(node) ?? (await pickGroup());
        if (group !== undefined) await (group === 'people' ? this.#exportUsers() : this.#exportHistory());
      },
      openChanges: async (node?: unknown) => {
        const revision = await this.#revision(node, vscode.l10n.t('Show the changes of which revision?'));
        if (revision !== undefined) await documents.compare(data.before(revision), revision);
      },
      compareRevisions: (node?: unknown, nodes?: unknown) => this.#compare(node, nodes),
      showRevision: async (node?: unknown) => {
        const revision = await this.#revision(node, vscode.l10n.t('Show the controls of which revision?'));
        if (revision !== undefined) await documents.show(revision);
      },
    };
  }

  async #showUser(node: unknown): Promise<void> {
    const { data, details, format } = this.#deps;
    const person = await this.#person(node);
    if (person === undefined) return;
    await details.show(
      person.id,
      nameOf(person),
      () => {
        const known = data.person(person.id) ?? person;
        return factsDocument(
          nameOf(known),
          [['', personFacts(known, data.usage?.get(known.id), format)]],
          known,
        );
      },
      'md',
    );
  }

  async #exportUsers(): Promise<void> {
    const { data, now, used } = this.#deps;
    await used();
    const all = this.#some('people').length;
    const text = peopleCsv(data.shownPeople, data.usage, now());
    await this.#export('people', text, data.shownPeople.length, all);
  }

  async #exportHistory(): Promise<void> {
    const { data } = this.#deps;
    const all = this.#some('controls').length;
    const revisions = [...data.days.values()].flat();
    const text = historyCsv(
      revisions,
      revision => data.changesOf(revision),
      revision => data.before(revision),
    );
    await this.#export('controls', text, revisions.length, all);
  }

  async #export(what: ListName, content: string, count: number, all: number): Promise<void> {
    const { log, format } = this.#deps;
    const file = await saveText({
      name: what === 'people' ? 'organization-users.csv' : 'control-history.csv',
      content,
      title: vscode.l10n.t('Export as CSV'),
    });
    if (file === undefined) return;
    notify(log, 'info', forNotification(exportedText(count, all, format)), [
      vscode.l10n.t('Open'),
      () => vscode.commands.executeCommand('vscode.open', file),
    ]);
  }

  /** Two selected rows, or the two that are asked for; the older one is on the left. */
  async #compare(node: unknown, nodes: unknown): Promise<void> {
    const { data, documents } = this.#deps;
    const selected = listOf(nodes).flatMap(each => this.#revisionOf(each) ?? []);
    const [first, second] = new Set(selected);
    const one = first ?? (await this.#revision(node, vscode.l10n.t('Compare which revision? (1/2)')));
    if (one === undefined) return;
    const others = data.revisions.filter(revision => revision !== one);
    if (others.length === 0) throw new Error(vscode.l10n.t('There is no other control revision yet.'));
    const question = vscode.l10n.t('Compare revision {0} with which one? (2/2)', one.revision);
    const other = second ?? (await this.#pickRevision(others, question));
    if (other === undefined) return;
    const [before, after] = one.revision < other.revision ? [one, other] : [other, one];
    await documents.compare(before, after);
  }

  async #person(node: unknown): Promise<Person | undefined> {
    const { data, format, now, listed, usedSoon } = this.#deps;
    const known = this.#personOf(node);
    if (known !== undefined) return known;
    await Promise.all([listed(), usedSoon()]);
    const people = new Set([...data.shownPeople, ...this.#some('people')]);
    return pick(
      [...people].map(person => personChoice(person, data.usage?.get(person.id), format, now())),
      vscode.l10n.t('Find a user by name, e-mail or state'),
    );
  }

  async #revision(node: unknown, placeHolder: string): Promise<Revision | undefined> {
    const known = this.#revisionOf(node);
    if (known !== undefined) return known;
    await this.#deps.listed();
    return this.#pickRevision(this.#some('controls'), placeHolder);
  }

  #pickRevision(revisions: readonly Revision[], placeHolder: string): Promise<Revision | undefined> {
    const { data, format } = this.#deps;
    return pick(
      revisions.map(revision => revisionChoice(revision, data.changesOf(revision), format)),
      placeHolder,
    );
  }

  #some(what: 'people'): readonly Person[];
  #some(what: 'controls'): readonly Revision[];
  /** All of a list, or the reason why nothing is known: a picker without a row would not tell. */
  #some(what: ListName): readonly (Person | Revision)[] {
    const { data, isSignedIn } = this.#deps;
    const state: ListState<unknown> = data[what].state.current;
    const all = what === 'people' ? data.people.state.current.items : data.revisions;
    if (all.length > 0) return all;
    if (!isSignedIn()) throw new Error(notSignedIn());
    const none =
      what === 'people'
        ? vscode.l10n.t('There are no users yet.')
        : vscode.l10n.t('There are no control revisions yet.');
    throw new Error(state.failure?.sentence ?? none);
  }

  #personOf(node: unknown): Person | undefined {
    const { personId } = (node ?? {}) as { readonly personId?: unknown };
    return typeof personId === 'string' ? this.#deps.data.person(personId) : undefined;
  }

  #revisionOf(node: unknown): Revision | undefined {
    const { revision } = (node ?? {}) as { readonly revision?: unknown };
    return typeof revision === 'number' ? this.#deps.data.revision(revision) : undefined;
  }
}

/** The group a row stands for. */
function groupOf(node: unknown): ListName | undefined {
  const { id } = (node ?? {}) as { readonly id?: unknown };
  return id === 'group/people' ? 'people' : id === 'group/controls' ? 'controls' : undefined;
}

function listOf(nodes: unknown): readonly unknown[] {
  return Array.isArray(nodes) ? nodes : [];
}
