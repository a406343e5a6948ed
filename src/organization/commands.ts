import * as vscode from 'vscode';
import type { CommandHandlers } from '../contributions';
import { outline } from '../util/details';
import type { DetailsDocuments } from '../util/detailsDocuments';
import type { Formatter } from '../util/format';
import { saveText } from '../util/saveText';
import { forNotification, oneLine } from '../util/text';
import type { OrganizationData } from './data';
import type { ControlDocuments } from './documents';
import { historyCsv, peopleCsv } from './exports';
import { personStatus } from './facts';
import { isInactive, nameOf, type Person, type Revision } from './model';
import { pickHistoryFilter, pickPeopleFilter, pickPerson, pickRevision } from './pickers';
import type { Shown } from './shown';
import type { OrganizationTree, OrganizationTreeNode } from './tree';
import { notSignedIn, permalinkText, revisionsExported, usersExported, type Calendar } from './words';

export interface OrganizationCommandsDeps {
  readonly data: OrganizationData;
  readonly shown: Shown;
  readonly tree: OrganizationTree;
  readonly view: vscode.TreeView<OrganizationTreeNode>;
  readonly documents: ControlDocuments;
  readonly details: Pick<DetailsDocuments, 'show'>;
  readonly format: Formatter;
  readonly calendar: Calendar;
  readonly inactiveDays: () => number;
  readonly now: () => number;
  /** Host of the service, as shown to people. */
  readonly host: () => string | undefined;
  /** Resolves when lists are there, read if they were not. */
  readonly listed: () => Promise<void>;
  /** Resolves when the usage of people is joined, or cannot be had. */
  readonly used: () => Promise<void>;
  /** As `used`, but soon. */
  readonly usedSoon: () => Promise<unknown>;
  readonly refresh: () => Promise<void>;
}

/** What people do with users and control history. Without a row each command asks with a picker. */
export class OrganizationCommands {
  readonly #deps: OrganizationCommandsDeps;
  readonly handlers: CommandHandlers<'organization'>;

  constructor(deps: OrganizationCommandsDeps) {
    this.#deps = deps;
    const { shown, data } = deps;
    this.handlers = {
      refresh: () => deps.refresh(),
      stop: () => data.stop(),
      findUser: () => this.#findUser(),
      findRevision: () => this.#findRevision(),
      filterUsers: () => this.#filterUsers(),
      filter: () => this.#filter(),
      clearFilter: () => {
        shown.filterPeople({ sort: shown.peopleFilter.sort });
        shown.filterHistory({});
      },
      showMore: (node?: unknown) => {
        const what = field(node, 'what');
        if (what === 'people' || what === 'days') shown.showMore(what);
      },
      showUser: (node?: unknown) => this.#showUser(node),
      copyEmail: (node?: unknown, nodes?: unknown) => this.#copyEmail(node, nodes),
      copyUserId: (node?: unknown, nodes?: unknown) => this.#copyUserId(node, nodes),
      exportUsers: (target?: unknown) => this.#exportUsers(uriOf(target)),
      exportHistory: (target?: unknown) => this.#exportHistory(uriOf(target)),
      openChanges: (node?: unknown) => this.#openChanges(node),
      compareRevisions: (node?: unknown, nodes?: unknown) => this.#compare(node, nodes),
      showCurrent: async () => {
        await deps.listed();
        const [newest] = this.#someRevisions();
        await deps.documents.show(newest);
      },
      showRevision: async (node?: unknown) => {
        const revision = await this.#revision(node, vscode.l10n.t('Show the controls of a revision'));
        if (revision !== undefined) await deps.documents.show(revision);
      },
      copyPermalink: async (node?: unknown) => {
        const revision = await this.#revision(node, vscode.l10n.t('Copy a reference to a revision'));
        if (revision === undefined) return;
        const text = permalinkText(revision, data.before(revision), data.changesOf(revision), deps.host());
        await vscode.env.clipboard.writeText(text);
      },
    };
  }

  async #findUser(): Promise<void> {
    const { tree, view, shown } = this.#deps;
    const person = await this.#person(undefined);
    if (person === undefined) return;
    shown.uncover('people', id => id === person.id);
    await view.reveal(tree.personNode(person.id), { select: true, focus: true });
  }

  async #findRevision(): Promise<void> {
    const { tree, view, shown } = this.#deps;
    const revision = await this.#revision(undefined, vscode.l10n.t('Find a revision'));
    if (revision === undefined) return;
    shown.uncover('days', day => shown.days.get(day)?.includes(revision) === true);
    await view.reveal(tree.revisionNode(revision.revision), { select: true, focus: true, expand: true });
  }

  async #filterUsers(): Promise<void> {
    const { shown, inactiveDays, listed } = this.#deps;
    await listed();
    const filter = await pickPeopleFilter(shown.peopleFilter, inactiveDays());
    if (filter === undefined) return;
    shown.filterPeople(filter);
    await this.#reveal('people');
  }

  async #filter(): Promise<void> {
    const { shown, data, now, listed } = this.#deps;
    await listed();
    this.#someRevisions();
    const filter = await pickHistoryFilter(shown.historyFilter, data, now());
    if (filter === undefined) return;
    shown.filterHistory(filter);
    await this.#reveal('controls');
  }

  /** Rows may have moved out of sight. */
  async #reveal(group: 'people' | 'controls'): Promise<void> {
    const { view, tree } = this.#deps;
    await view.reveal(tree.groupNode(group), { select: false, focus: false, expand: true });
  }

  async #showUser(node: unknown): Promise<void> {
    const { data, details, format } = this.#deps;
    const person = await this.#person(node);
    if (person === undefined) return;
    const known = (): Person => data.person(person.id) ?? person;
    await details.show(person.id, nameOf(person), () => outline(known(), format));
  }

  /** Of all selected rows, or of one. */
  async #copyEmail(node: unknown, nodes: unknown): Promise<void> {
    const emails = listOf(nodes)
      .map(each => field(each, 'personId'))
      .map(id => (typeof id === 'string' ? this.#deps.data.person(id)?.email : undefined))
      .filter(email => email !== undefined && email !== '');
    if (emails.length > 0) {
      await vscode.env.clipboard.writeText(emails.map(email => oneLine(email ?? '')).join(', '));
      return;
    }
    const person = await this.#person(node);
    if (person === undefined) return;
    if ((person.email ?? '') === '') {
      throw new Error(vscode.l10n.t('The service has no e-mail of {0}.', oneLine(nameOf(person))));
    }
    await vscode.env.clipboard.writeText(oneLine(person.email ?? ''));
  }

  /** Of all selected rows, or of one. */
  async #copyUserId(node: unknown, nodes: unknown): Promise<void> {
    const ids = listOf(nodes)
      .map(each => field(each, 'personId'))
      .filter(id => typeof id === 'string');
    if (ids.length === 0) ids.push(...[await this.#person(node)].flatMap(person => person?.id ?? []));
    if (ids.length > 0) await vscode.env.clipboard.writeText(ids.map(id => oneLine(id)).join(', '));
  }

  async #exportUsers(target: vscode.Uri | undefined): Promise<void> {
    const { shown, format, now, inactiveDays, listed, used } = this.#deps;
    await Promise.all([listed(), used()]);
    const all = this.#somePeople().length;
    const text = peopleCsv(shown.people, shown.usage, now(), inactiveDays());
    const file = await saveCsv('organization-users.csv', text, target);
    if (file === undefined) return;
    this.#tellExported(file, usersExported(shown.people.length, all, format));
  }

  async #exportHistory(target: vscode.Uri | undefined): Promise<void> {
    const { data, shown, format, listed } = this.#deps;
    await listed();
    this.#someRevisions();
    const revisions = [...shown.days.values()].flat();
    const text = historyCsv(
      revisions,
      revision => data.changesOf(revision),
      revision => data.before(revision),
    );
    const file = await saveCsv('control-history.csv', text, target);
    if (file === undefined) return;
    this.#tellExported(file, revisionsExported(revisions.length, data.revisions.length, format));
  }

  /** Not waited for: the notification stays as long as the person likes. */
  #tellExported(file: vscode.Uri, sentence: string): void {
    const open = vscode.l10n.t('Open');
    void vscode.window.showInformationMessage(forNotification(sentence), open).then(answer => {
      if (answer === open) void vscode.commands.executeCommand('vscode.open', file);
    });
  }

  async #openChanges(node: unknown): Promise<void> {
    const { data, documents } = this.#deps;
    const revision = await this.#revision(node, vscode.l10n.t('Show what a revision changed'));
    if (revision !== undefined) await documents.compare(data.before(revision), revision);
  }

  /** Two selected rows, or the two that are asked for; the older one is on the left. */
  async #compare(node: unknown, nodes: unknown): Promise<void> {
    const { data, documents } = this.#deps;
    const selected = listOf(nodes)
      .map(each => this.#revisionOf(each))
      .filter(revision => revision !== undefined);
    const [first, second] = new Set(selected);
    const one = first ?? (await this.#revision(node, vscode.l10n.t('Compare which revision? (1/2)')));
    if (one === undefined) return;
    const others = data.revisions.filter(revision => revision !== one);
    if (others.length === 0) throw new Error(vscode.l10n.t('No other control revision is known yet.'));
    const other =
      second ??
      (await pickRevision(
        others,
        data,
        this.#deps.calendar,
        vscode.l10n.t('Compare revision {0} with which one? (2/2)', one.revision),
      ));
    if (other === undefined) return;
    const [before, after] = one.revision < other.revision ? [one, other] : [other, one];
    await documents.compare(before, after);
  }

  async #person(node: unknown): Promise<Person | undefined> {
    const { data, shown, format, now, inactiveDays, listed, usedSoon } = this.#deps;
    const id = field(node, 'personId');
    if (typeof id === 'string') return data.person(id);
    await Promise.all([listed(), usedSoon()]);
    const items = this.#somePeople();
    const people = shown.isPeopleFiltered ? [...new Set([...shown.people, ...items])] : shown.people;
    return pickPerson(people, person => {
      const usage = shown.usage?.get(person.id);
      const inactive = isInactive(person, usage, now(), inactiveDays());
      return personStatus(person, usage, inactive, format, now());
    });
  }

  async #revision(node: unknown, placeHolder: string): Promise<Revision | undefined> {
    const { data, calendar, listed } = this.#deps;
    const known = this.#revisionOf(node);
    if (known !== undefined) return known;
    await listed();
    return pickRevision(this.#someRevisions(), data, calendar, placeHolder);
  }

  /** Everybody, or the reason why nobody is known: a picker without a row would not tell. */
  #somePeople(): Some<Person> {
    const { people } = this.#deps.data;
    return this.#some(people, people.state.current.items, vscode.l10n.t('No user is known yet.'));
  }

  #someRevisions(): Some<Revision> {
    const { controls, revisions } = this.#deps.data;
    return this.#some(controls, revisions, vscode.l10n.t('No control revision is known yet.'));
  }

  #some<T>({ state }: OrganizationData['people' | 'controls'], items: readonly T[], none: string): Some<T> {
    const [first, ...others] = items;
    if (first !== undefined) return [first, ...others];
    if (this.#deps.host() === undefined) throw new Error(notSignedIn());
    throw new Error(state.current.failure?.sentence ?? none);
  }

  #revisionOf(node: unknown): Revision | undefined {
    const number = field(node, 'revision');
    return typeof number === 'number' ? this.#deps.data.revision(number) : undefined;
  }
}

/** At least one. */
type Some<T> = readonly [T, ...T[]];

function saveCsv(
  name: string,
  content: string,
  target: vscode.Uri | undefined,
): Promise<vscode.Uri | undefined> {
  return saveText({ name, content, target, title: vscode.l10n.t('Export as CSV') });
}

function listOf(nodes: unknown): readonly unknown[] {
  return Array.isArray(nodes) ? nodes : [];
}

function field(node: unknown, name: string): unknown {
  return typeof node === 'object' && node !== null && name in node
    ? (node as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function uriOf(target: unknown): vscode.Uri | undefined {
  return target instanceof vscode.Uri ? target : undefined;
}
