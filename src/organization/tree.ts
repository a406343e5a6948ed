import * as vscode from 'vscode';
import { Disposable, toDisposable } from '../util/disposable';
import type { OrganizationData } from './data';
import { dayOf, timeOf } from './model';
import type { Rows } from './rows';
import type { Shown } from './shown';

export type GroupName = 'people' | 'controls';

interface GroupNode {
  readonly kind: 'group';
  readonly group: GroupName;
}
export interface PersonNode {
  readonly kind: 'person';
  readonly personId: string;
}
interface DayNode {
  readonly kind: 'day';
  readonly day: string;
}
export interface RevisionNode {
  readonly kind: 'revision';
  readonly revision: number;
}
interface ChangeNode {
  readonly kind: 'change';
  readonly revision: number;
  readonly index: number;
}
/** An item that came to a set or went from it. */
interface EntryNode {
  readonly kind: 'entry';
  readonly revision: number;
  readonly index: number;
  readonly entry: number;
}
interface MoreNode {
  readonly kind: 'more';
  readonly what: 'people' | 'days';
}
/** Entries of an answer that could not be read; with `index`, one of them. */
interface ProblemNode {
  readonly kind: 'problem';
  readonly group: GroupName;
  readonly index?: number;
}
/** What stands where a group has no rows: why, and what helps. */
interface EmptyNode {
  readonly kind: 'empty';
  readonly group: GroupName;
}

export type OrganizationTreeNode =
  | GroupNode
  | PersonNode
  | DayNode
  | RevisionNode
  | ChangeNode
  | EntryNode
  | MoreNode
  | ProblemNode
  | EmptyNode;

export interface OrganizationTreeDeps {
  readonly data: OrganizationData;
  readonly shown: Shown;
  readonly rows: Rows;
  /** Resolves when there is something to show or to say; to whether the groups are to be shown. */
  readonly ready: () => Promise<boolean>;
  /** Somebody looks at people. */
  readonly peopleAsked: () => void;
}

/** Pages can come faster than rows are drawn. */
const DRAW_MS = 100;

/** Users and control history. Nodes are made once for each thing, so that selection survives refreshes. */
export class OrganizationTree extends Disposable implements vscode.TreeDataProvider<OrganizationTreeNode> {
  readonly #deps: OrganizationTreeDeps;
  readonly #nodes = new Map<string, OrganizationTreeNode>();
  readonly #waiting = new Set<GroupName>();
  #timer: NodeJS.Timeout | undefined;
  readonly #changed = this.register(new vscode.EventEmitter<OrganizationTreeNode | undefined>());

  constructor(deps: OrganizationTreeDeps) {
    super();
    this.#deps = deps;
    this.register(deps.shown.onDidChange(group => this.#drawSoon(group)));
    this.register(toDisposable(() => clearTimeout(this.#timer)));
  }

  readonly onDidChangeTreeData = this.#changed.event;

  /** Draws all rows again. */
  redraw(): void {
    this.#changed.fire(undefined);
  }

  async getChildren(node?: OrganizationTreeNode): Promise<OrganizationTreeNode[]> {
    const { data, shown } = this.#deps;
    switch (node?.kind) {
      case undefined:
        if (!(await this.#deps.ready())) return [];
        return [
          this.#node({ kind: 'group', group: 'people' }),
          this.#node({ kind: 'group', group: 'controls' }),
        ];
      case 'group': {
        const { group } = node;
        if (group === 'people') this.#deps.peopleAsked();
        const rows = group === 'people' ? this.#people() : this.#days();
        const { problems } = data[group].state.current;
        if (problems.length > 0) rows.push(this.#node({ kind: 'problem', group }));
        return rows.length > 0 ? rows : [this.#node({ kind: 'empty', group })];
      }
      case 'day':
        return (shown.days.get(node.day) ?? []).map(({ revision }) => this.revisionNode(revision));
      case 'revision': {
        const { revision } = node;
        const found = data.revision(revision);
        const changes = found === undefined ? [] : data.changesOf(found);
        return changes.map((_, index) => this.#node({ kind: 'change', revision, index }));
      }
      case 'change': {
        const found = data.revision(node.revision);
        const set = found && data.changesOf(found)[node.index]?.set;
        const entries = set === undefined ? 0 : set.added.length + set.removed.length;
        const { revision, index } = node;
        return Array.from({ length: entries }, (_, entry) =>
          this.#node({ kind: 'entry', revision, index, entry }),
        );
      }
      case 'problem':
        if (node.index !== undefined) return [];
        return data[node.group].state.current.problems.map((_, index) =>
          this.#node({ kind: 'problem', group: node.group, index }),
        );
      default:
        return [];
    }
  }

  getParent(node: OrganizationTreeNode): OrganizationTreeNode | undefined {
    switch (node.kind) {
      case 'group':
        return undefined;
      case 'person':
        return this.#node({ kind: 'group', group: 'people' });
      case 'day':
        return this.#node({ kind: 'group', group: 'controls' });
      case 'revision': {
        const found = this.#deps.data.revision(node.revision);
        return this.#node({ kind: 'day', day: dayOf(timeOf(found?.updatedAt)) });
      }
      case 'change':
        return this.revisionNode(node.revision);
      case 'entry':
        return this.#node({ kind: 'change', revision: node.revision, index: node.index });
      case 'more':
        return this.#node({ kind: 'group', group: node.what === 'people' ? 'people' : 'controls' });
      case 'problem':
        return node.index === undefined
          ? this.#node({ kind: 'group', group: node.group })
          : this.#node({ kind: 'problem', group: node.group });
      case 'empty':
        return this.#node({ kind: 'group', group: node.group });
    }
  }

  getTreeItem(node: OrganizationTreeNode): vscode.TreeItem {
    return this.#deps.rows.item(node);
  }

  groupNode(group: GroupName): OrganizationTreeNode {
    return this.#node({ kind: 'group', group });
  }

  personNode(personId: string): OrganizationTreeNode {
    return this.#node({ kind: 'person', personId });
  }

  revisionNode(revision: number): OrganizationTreeNode {
    return this.#node({ kind: 'revision', revision });
  }

  #drawSoon(group: GroupName): void {
    this.#waiting.add(group);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const groups = [...this.#waiting];
      this.#waiting.clear();
      for (const each of groups) this.#changed.fire(this.groupNode(each));
    }, DRAW_MS);
  }

  #people(): OrganizationTreeNode[] {
    const { people, limit } = this.#deps.shown;
    const rows = people.slice(0, limit.people).map(({ id }) => this.personNode(id));
    if (people.length > limit.people) rows.push(this.#node({ kind: 'more', what: 'people' }));
    return rows;
  }

  #days(): OrganizationTreeNode[] {
    const { days, limit } = this.#deps.shown;
    const rows = [...days.keys()].slice(0, limit.days).map(day => this.#node({ kind: 'day', day }));
    if (days.size > limit.days) rows.push(this.#node({ kind: 'more', what: 'days' }));
    return rows;
  }

  /** The one node for what this one stands for. */
  #node(wanted: OrganizationTreeNode): OrganizationTreeNode {
    const key = Object.values(wanted).join('/');
    let node = this.#nodes.get(key);
    if (node === undefined) this.#nodes.set(key, (node = wanted));
    return node;
  }
}
