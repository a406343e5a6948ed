import * as vscode from 'vscode';
import type { CommandHandlers } from '../contributions';
import type { ListViewDeps } from '../ui/connectedList';
import { saveText } from '../ui/window';
import { pick, pickItem, type Choice } from '../ui/pick';
import { factsDocument, format, joined } from '../ui/text';
import { Tree, type TreeNode } from '../ui/tree';
import { setMessage, viewMessage } from '../ui/viewStatus';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable } from '../util/lifecycle';
import { settingsOf, stableText, warningsOf, type SessionChoice } from './changes';
import { FRESH_MS, nameOf, OrganizationData, timeOf, whoOf } from './data';
import type { KnownRevision, ListName, OrganizationDataDeps, Person, Revision } from './data';
import {
  changeText,
  dayText,
  historyCsv,
  makerText,
  noneText,
  organizationRows,
  peopleCsv,
  personFacts,
  personStatus,
  summaryText,
} from './rows';

export { controlRecords, searchedOrganization, publicControls } from './data';

/** Controls older than this are read again before a session is created. */
const POLICY_MS = 60 * 60_000;
/** Longest that a person waits for what is only asked to make an answer better, ms. */
const ASK_MS = 2_000;

export interface OrganizationDeps extends ListViewDeps, OrganizationDataDeps {
  readonly details: Pick<DetailsDocuments, 'show' | 'compare'>;
}

/** Users and control history (sections 2.11, 2.12, 4.3, 4.4). */
export class Organization extends Disposable {
  readonly #deps: OrganizationDeps;
  readonly #data: OrganizationData;
  readonly tree: Tree;
  readonly commands: CommandHandlers<'organization'>;
  /** Warns of sessions the newest controls known forbid. Never rejects. */
  readonly policy = {
    warnings: async (choice: SessionChoice): Promise<readonly string[]> => {
      await soon(this.#data.controls.freshen(POLICY_MS));
      return warningsOf(choice, this.#data.revisions[0]);
    },
  };

  constructor(deps: OrganizationDeps) {
    super();
    const { connection, view, focused } = deps;
    this.#deps = deps;
    const data = this.register(new OrganizationData(deps));
    this.#data = data;
    this.tree = this.register(
      new Tree({
        view,
        ready: () => data.ready(),
        roots: () => this.#roots(),
        onDraw: () => this.#showStatus(),
      }),
    );
    this.commands = {
      showUser: node => this.#showUser(node),
      export: node => this.#export(node),
      openChanges: async node => {
        const revision = await this.#revisionOf(node, vscode.l10n.t('Show the changes of which revision?'));
        if (revision !== undefined) await this.#compare(revision.before, revision);
      },
      compareRevisions: (node, nodes) => this.#compareTwo(node, nodes),
      showRevision: async node => {
        const revision = await this.#revisionOf(node, vscode.l10n.t('Show the controls of which revision?'));
        if (revision === undefined) return;
        const content = (): string => stableText(revision.settings);
        const name = `revision-${revision.revision}`;
        await deps.details.show(`controls ${data.serviceId}`, name, content, 'jsonc');
      },
    };
    this.register(data.onDidChange(() => this.tree.update()));
    this.register(connection.state.onDidChange(() => void data.ready().then(() => this.tree.update())));
    for (const list of [data.people, data.controls])
      list.follow({
        usualMs: () => FRESH_MS,
        isSeen: () => view.visible,
        onDidChangeSeen: [view.onDidChangeVisibility],
        focused,
      });
  }

  /** Everybody, as last read; reads if that is long ago. Nobody before the list was read to its end: some would be missing. */
  async people(signal?: AbortSignal) {
    await this.#data.freshen(signal);
    const { at, items } = this.#data.people.state.current;
    return (at === undefined ? [] : items).map(person => ({
      id: person.id,
      name: person.email ?? nameOf(person),
      lastSignInAt: timeOf(person.lastSignInAt),
    }));
  }

  /** Revisions with a day, newest first. */
  async revisions() {
    await this.#data.freshen();
    return this.#data.revisions.flatMap(revision => {
      const time = timeOf(revision.updatedAt);
      if (time === undefined) return [];
      return {
        revision: revision.revision,
        day: new Date(time).toISOString().slice(0, 10),
        who: whoOf(revision),
        changed: settingsOf(revision.changes),
      };
    });
  }

  /** Reads all that is shown now; a failure is told in the view. */
  refresh(): Promise<void> {
    return this.#data.refresh();
  }

  #roots(): readonly TreeNode[] {
    const data = this.#data;
    const isEmpty = [data.people, data.controls].every(({ state }) => state.current.items.length === 0);
    const { kind } = this.#deps.connection.state.current;
    return kind === 'signedOut' || (kind === 'keyRejected' && isEmpty) ? [] : organizationRows(data);
  }

  /** Why there is none to choose from. */
  #none(list: ListName): string {
    const state = this.#deps.connection.state.current;
    if (state.kind === 'signedOut') return vscode.l10n.t('Sign in to see the organization.');
    if (state.kind === 'keyRejected') return state.reason;
    return this.#data[list].shown.failure?.sentence ?? noneText(list);
  }

  async #showUser(node: unknown): Promise<void> {
    const { details } = this.#deps;
    const data = this.#data;
    const { personId } = (node ?? {}) as { readonly personId?: unknown };
    const find = (wanted: unknown) => data.sortedPeople.find(({ id }) => id === wanted);
    // Without it, nobody can be said to be inactive.
    const isUsageKnown = soon(data.askUsage());
    await data.ready();
    if (find(personId) === undefined) await data.freshen();
    await isUsageKnown;
    const person = find(personId) ?? (await this.#pickPerson());
    if (person === undefined) return;
    await details.show(person.id, nameOf(person), () => {
      const known = find(person.id) ?? person;
      return factsDocument(nameOf(known), [['', personFacts(known, data.usage)]], known);
    });
  }

  #pickPerson(): Promise<Person | undefined> {
    const choices = this.#data.sortedPeople.map(person => ({
      label: nameOf(person),
      description: person.email ?? person.id,
      detail: personStatus(person, this.#data.usage, this.#data.now()),
      value: person,
    }));
    return pickItem(choices, vscode.l10n.t('Find a user by name, e-mail or state'), this.#none('people'));
  }

  async #export(node: unknown): Promise<void> {
    await this.#data.freshen();
    const { id } = (node ?? {}) as { readonly id?: unknown };
    const choices = [
      { label: vscode.l10n.t('Users'), value: 'people' },
      { label: vscode.l10n.t('Control history'), value: 'controls' },
    ] as const;
    const title = vscode.l10n.t('Export as CSV');
    const what = choices.find(({ value }) => id === `group/${value}`)?.value ?? (await pick(choices, title));
    if (what === undefined) return;
    const isPeople = what === 'people';
    if (isPeople) await this.#data.askUsage();
    const { sortedPeople, usage, revisions } = this.#data;
    if ((isPeople ? sortedPeople : revisions).length === 0) throw new Error(this.#none(what));
    await saveText({
      name: isPeople ? 'organization-users.csv' : 'control-history.csv',
      content: isPeople ? peopleCsv(sortedPeople, usage, this.#data.now()) : historyCsv(revisions),
      title,
    });
  }

  #rowRevision(node: unknown): KnownRevision | undefined {
    const { revision: wanted } = (node ?? {}) as { readonly revision?: unknown };
    return this.#data.revisions.find(({ revision }) => revision === wanted);
  }

  /** The revision of a row, or else one that the person finds by number, person, day or changed setting. */
  async #revisionOf(node: unknown, placeHolder: string): Promise<KnownRevision | undefined> {
    await this.#data.ready();
    const known = this.#rowRevision(node);
    if (known !== undefined) return known;
    await this.#data.freshen();
    return pickItem(this.#choices(), placeHolder, this.#none('controls'));
  }

  #choices(but?: Revision): readonly Choice<KnownRevision>[] {
    return this.#data.revisions
      .filter(({ revision }) => revision !== but?.revision)
      .map(revision => ({
        label: vscode.l10n.t('rev {0}', revision.revision),
        description: joined([dayText(revision), makerText(revision), summaryText(revision.changes)]),
        detail: revision.changes.slice(0, 8).map(changeText).join('; '),
        value: revision,
      }));
  }

  /** Two selected rows, or the two that are asked for; the older one is on the left. */
  async #compareTwo(node: unknown, nodes: unknown): Promise<void> {
    const selected = Array.isArray(nodes) ? nodes.flatMap(each => this.#rowRevision(each) ?? []) : [];
    const [first, second] = new Set(selected);
    const one = first ?? (await this.#revisionOf(node, vscode.l10n.t('Compare which revision? (1/2)')));
    if (one === undefined) return;
    const question = vscode.l10n.t('Compare revision {0} with which one? (2/2)', one.revision);
    const none = vscode.l10n.t('There is no other control revision yet.');
    const other = second ?? (await pickItem(this.#choices(one), question, none));
    if (other === undefined) return;
    await (one.revision < other.revision ? this.#compare(one, other) : this.#compare(other, one));
  }

  /** Shows what differs between two revisions; without `before`, all of `after`. */
  async #compare(before: Revision | undefined, after: Revision): Promise<void> {
    const title =
      before === undefined
        ? vscode.l10n.t('Controls: revision {0}', after.revision)
        : vscode.l10n.t('Controls: revision {0} ↔ {1}', before.revision, after.revision);
    const { details } = this.#deps;
    await details.compare({
      id: `controls ${this.#data.serviceId} ${before?.revision} ${after.revision}`,
      name: `revision-${after.revision}.jsonc`,
      title: `${title} (${joined([makerText(after), dayText(after)], ', ')})`,
      before: before === undefined ? '{}\n' : stableText(before.settings),
      after: stableText(after.settings),
    });
  }

  /** What the view says above its rows: one sentence for each thing that is wrong, the same one only once. */
  #showStatus(): void {
    const { connection, view } = this.#deps;
    const lists = [this.#data.people.shown, this.#data.controls.shown];
    setMessage(view, viewMessage({ connection: connection.state.current, lists, now: this.#data.now() }));
    // Progress stands here and in no row: a row that says something else is drawn again with all below it.
    const read = lists.flatMap(({ reading }) => reading?.count ?? []);
    view.description =
      read.length === 0 ? '' : vscode.l10n.t('{0} read so far…', format.number(read.reduce((a, b) => a + b)));
  }
}

/** Waits for what only makes an answer better, but not long: it goes on by itself. */
async function soon(work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const timer = setTimeout(resolve, ASK_MS);
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
