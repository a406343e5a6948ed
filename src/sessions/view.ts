import * as vscode from 'vscode';
import { errorSentence, type Service } from '../connection';
import { commands, setContext } from '../contributions';
import { format, joined } from '../ui/text';
import { retryNode, Tree, type Row, type TreeNode } from '../ui/tree';
import { listContext, setMessage, viewMessage } from '../ui/viewStatus';
import { Disposable, Slot, type IDisposable } from '../util/lifecycle';
import { supportedLanguage } from '../util/format';
import { oneLine } from '../util/text';
import type { SessionsContext } from '.';
import { contextOf, currentWorkspace, isHere } from './access';
import {
  activityOf,
  isActive,
  isUnread,
  isWaiting,
  isWorking,
  statusOf,
  titleOf,
  type SessionRecord,
} from './record';
import { computerName, sessionRow } from './words';

export const GROUPINGS = ['attention', 'computer', 'workspace'] as const;
export const SORTINGS = ['activity', 'created', 'name'] as const;

interface ViewOptions extends Pick<Arrangement, 'grouping' | 'sorting'> {
  readonly onlyHere: boolean;
}

const OPTIONS = 'sessions.viewOptions';

/** The Sessions view: its rows, what is asked about while it is visible, its badge, its counts, its message. */
export class SessionsView extends Disposable {
  readonly #context: SessionsContext;
  readonly tree: Tree;
  readonly #watch = this.register(new Slot<IDisposable>());

  constructor(context: SessionsContext) {
    super();
    const { index, connection, log, ready, view } = context;
    this.#context = context;
    this.tree = this.register(
      new Tree({
        view,
        // Where they cannot be read, the index knows why, and the view says it.
        ready: () => ready().catch((error: unknown) => log.warn(`Sessions cannot be read: ${String(error)}`)),
        roots: () => this.#roots(),
        onDraw: () => this.#show(),
      }),
    );
    this.register(index.onDidChange(ids => this.update(ids)));
    this.register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.update()));
    this.register(connection.state.onDidChange(() => this.update()));
  }

  /** These sessions may say something else; without any, all of them. */
  update(sessionIds: readonly string[] = []): void {
    this.tree.update(sessionIds.length === 0 ? undefined : new Set(sessionIds.map(rowId)));
  }

  async pickOptions(): Promise<void> {
    const now = this.#options();
    const choices: readonly (readonly [label: string, change?: Partial<ViewOptions>])[] = [
      [vscode.l10n.t('Group by')],
      [vscode.l10n.t('Status'), { grouping: 'attention' }],
      [vscode.l10n.t('Computer'), { grouping: 'computer' }],
      [vscode.l10n.t('Workspace'), { grouping: 'workspace' }],
      [vscode.l10n.t('Sort by')],
      [vscode.l10n.t('Latest activity'), { sorting: 'activity' }],
      [vscode.l10n.t('Newest session'), { sorting: 'created' }],
      [vscode.l10n.t('Name'), { sorting: 'name' }],
      [vscode.l10n.t('Show')],
      [vscode.l10n.t('All sessions'), { onlyHere: false }],
      [vscode.l10n.t('Only sessions of this workspace'), { onlyHere: true }],
    ];
    // The last three are of a workspace.
    const end = currentWorkspace() === undefined ? -3 : undefined;
    const items = choices.slice(0, end).map(([label, change]) => {
      const { Separator, Default } = vscode.QuickPickItemKind;
      const isNow = Object.entries(change ?? {}).every(
        ([key, value]) => now[key as keyof ViewOptions] === value,
      );
      const description = change !== undefined && isNow ? vscode.l10n.t('now') : '';
      return { label, description, change, kind: change === undefined ? Separator : Default };
    });
    // A page that gets the focus back from the palette late would close it.
    const options = { placeHolder: vscode.l10n.t('Choose how sessions are listed'), ignoreFocusOut: true };
    const chosen = await vscode.window.showQuickPick(items, options);
    if (chosen?.change === undefined) return;
    await this.#context.memory.update(OPTIONS, { ...now, ...chosen.change });
    this.update();
  }

  /** Takes the keyboard from a row of this view to one that stays when these go: the next of its group, else the one before, else any. */
  async stepAside(row: unknown, leaving: readonly SessionRecord[]): Promise<void> {
    const { id } = (row ?? {}) as Partial<TreeNode>;
    const groups = this.#groups().map(({ records }) => records.map(({ sessionId }) => rowId(sessionId)));
    const own = groups.find(ids => ids.some(each => each === id));
    if (id === undefined || own === undefined) return;
    const at = own.indexOf(id);
    const gone = new Set(leaving.map(({ sessionId }) => rowId(sessionId)));
    const next = [...own.slice(at), ...own.slice(0, at).reverse(), ...groups.flat()]
      .map(each => (gone.has(each) ? undefined : this.tree.node(each)))
      .find(node => node !== undefined);
    if (next !== undefined) await this.#context.view.reveal(next, { select: false, focus: true });
  }

  #roots(): readonly TreeNode[] {
    const { index, connection } = this.#context;
    if (connection.state.current.kind === 'signedOut') return [];
    if (index.failure !== undefined) return [retryNode(commands.console.refresh)];
    if (!index.isOpen) return [];
    return this.#groups().map(group => this.#groupNode(group));
  }

  #groups(): readonly SessionGroup[] {
    const { computers } = this.#context;
    return groupSessions(this.#visible(), {
      ...this.#options(),
      now: Date.now(),
      computerName: record => computerName(record, id => computers.known(id)),
    });
  }

  #visible(): readonly SessionRecord[] {
    const all = [...this.#context.index.records.values()];
    return this.#options().onlyHere && currentWorkspace() !== undefined
      ? all.filter(({ workspace }) => isHere(workspace))
      : all;
  }

  #options(): ViewOptions {
    const kept: Partial<Record<string, unknown>> = this.#context.memory.get(OPTIONS) ?? {};
    return {
      grouping: GROUPINGS.find(known => known === kept['grouping']) ?? 'attention',
      sorting: SORTINGS.find(known => known === kept['sorting']) ?? 'activity',
      onlyHere: kept['onlyHere'] === true,
    };
  }

  #groupNode({ key, label, records }: SessionGroup): TreeNode {
    const description = format.number(records.length);
    const row: Row = {
      label,
      description,
      open: key !== 'archived',
      context: 'sessionGroup',
      spoken:
        records.length === 1
          ? vscode.l10n.t('Group {0}, 1 session', label)
          : vscode.l10n.t('Group {0}, {1} sessions', label, description),
    };
    const children = (): readonly TreeNode[] => records.map(record => this.#sessionNode(record));
    return { id: `group/${key}`, kind: 'group', row: () => row, children };
  }

  #sessionNode(record: SessionRecord): TreeNode {
    const { sessionId } = record;
    const row = (): Row => sessionRow(record, contextOf(record, this.#context));
    return { id: rowId(sessionId), kind: 'session', ...{ sessionId }, row };
  }

  /** What stands around the rows, and what is asked about. */
  #show(): void {
    const { index, connection, monitor, view } = this.#context;
    const state = connection.state.current;
    const { failure, isOpen, records, unreadable: problems } = index;
    const sentence = failure === undefined ? undefined : { sentence: errorSentence(failure) };
    const list = { items: [...records.keys()], at: isOpen ? 0 : undefined, failure: sentence, problems };
    setContext('agentConsole.sessions', listContext(list));
    const [shown, all] = [this.#visible().length, records.size].map(count => format.number(count));
    view.description =
      state.kind === 'signedOut' ? '' : joined([records.size > 0 && all, serviceLabel(state.service)]);
    const isSignedIn = state.kind === 'signedIn';
    const message = viewMessage({ connection: state, lists: [list], now: Date.now() });
    const hidden =
      isSignedIn && shown !== all
        ? vscode.l10n.t('Only sessions of this workspace are shown: {0} of {1}.', shown ?? '', all ?? '')
        : undefined;
    setMessage(view, message ?? hidden);
    this.#watch.set(monitor.watch(this.#wanted()));
    view.badge = isSignedIn ? this.#badge() : undefined;
  }

  /** Counts what waits for the person and what has come to rest unread, not what runs. */
  #badge(): vscode.ViewBadge | undefined {
    const listed = [...this.#context.index.records.values()].filter(
      ({ local }) => local.archivedAt === undefined,
    );
    const waiting = listed.filter(isWaiting).length;
    const rests = (record: SessionRecord): boolean => !isWorking(statusOf(record, Date.now()).value);
    const unread = listed.filter(each => !isWaiting(each) && isUnread(each) && rests(each)).length;
    const parts = [
      waiting > 0 && vscode.l10n.t('Waiting for you: {0}', waiting),
      unread > 0 && vscode.l10n.t('Unread: {0}', unread),
    ];
    const value = waiting + unread;
    return value === 0 ? undefined : { value, tooltip: joined(parts, ', ') };
  }

  /** What is checked while the view is visible: what works or waits, and until it answers what could not be asked about. */
  #wanted(): readonly string[] {
    const { index, view } = this.#context;
    const wanted = [...(view.visible ? index.records.values() : [])].filter(record => {
      const status = statusOf(record, Date.now());
      const isLost = status.problem !== undefined && status.problem.lasts !== true;
      return record.local.archivedAt === undefined && (isWaiting(record) || isActive(status) || isLost);
    });
    return wanted.map(({ sessionId }) => sessionId);
  }
}

function serviceLabel(service: Service): string {
  return service.source === 'sample' ? vscode.l10n.t('sample data') : service.host;
}

function rowId(sessionId: string): string {
  return `session/${sessionId}`;
}

export interface Arrangement {
  readonly grouping: (typeof GROUPINGS)[number];
  readonly sorting: (typeof SORTINGS)[number];
  /** Unix ms. */
  readonly now: number;
  readonly computerName: (record: SessionRecord) => string | undefined;
}

interface SessionGroup {
  readonly key: string;
  readonly label: string;
  readonly records: readonly SessionRecord[];
}

/** Every session in exactly one group; empty groups are left out. */
export function groupSessions(all: Iterable<SessionRecord>, how: Arrangement): SessionGroup[] {
  const { compare: byName } = new Intl.Collator(supportedLanguage(vscode.env.language), { numeric: true });
  const created = ({ session, addedAt }: SessionRecord): number => session?.createdAt ?? addedAt;
  const name = (record: SessionRecord): string => titleOf(record) ?? record.sessionId;
  // Where pinned sessions have no group of their own, they come first in theirs.
  const isFirst = ({ local }: SessionRecord): number =>
    Number(how.grouping !== 'attention' && local.pinned === true);
  const compare = {
    activity: (a: SessionRecord, b: SessionRecord) => activityOf(b) - activityOf(a),
    created: (a: SessionRecord, b: SessionRecord) => created(b) - created(a),
    name: (a: SessionRecord, b: SessionRecord) => byName(name(a), name(b)),
  }[how.sorting];
  const sorted = [...all].sort(
    (a, b) => isFirst(b) - isFirst(a) || compare(a, b) || (a.sessionId < b.sessionId ? -1 : 1),
  );
  const placeOf = placesOf(how);
  const groups = new Map<string, ReturnType<typeof placeOf> & { readonly records: SessionRecord[] }>();
  for (const record of sorted) {
    const place = placeOf(record);
    const group = groups.get(place.key) ?? { ...place, records: [] };
    group.records.push(record);
    groups.set(place.key, group);
  }
  return [...groups.values()].sort(
    (a, b) => a.rank - b.rank || byName(a.label, b.label) || (a.key < b.key ? -1 : 1),
  );
}

function placesOf({ grouping, now, computerName: nameOf }: Arrangement) {
  /** In the order shown. Computers and workspaces with a name stand before those without one. */
  const labels = {
    waiting: vscode.l10n.t('Waiting for input'),
    running: vscode.l10n.t('Running'),
    pinned: vscode.l10n.t('Pinned'),
    today: vscode.l10n.t('Today'),
    week: vscode.l10n.t('Last 7 days'),
    earlier: vscode.l10n.t('Earlier'),
    computer: vscode.l10n.t('Unknown computer'),
    workspace: vscode.l10n.t('Unknown workspace'),
    archived: vscode.l10n.t('Archived'),
  };
  const order = Object.keys(labels);
  const place = (key: keyof typeof labels, id = '', name = '') => {
    const rank = order.indexOf(key);
    return id === ''
      ? { key, label: labels[key], rank }
      : { key: `${key}/${id}`, label: oneLine(name, 80), rank: rank - 0.5 };
  };
  const day = new Date(now);
  const today = day.setHours(0, 0, 0, 0);
  const week = day.setDate(day.getDate() - 6);
  return (record: SessionRecord) => {
    const { local, session, workspace } = record;
    if (local.archivedAt !== undefined) return place('archived');
    if (grouping === 'computer')
      return place('computer', session?.computerId, nameOf(record) ?? session?.computerId);
    if (grouping === 'workspace') return place('workspace', workspace?.uri, workspace?.name);
    if (isWaiting(record)) return place('waiting');
    // What is not known now is not running, whatever it was last.
    if (isWorking(statusOf(record, now).value)) return place('running');
    if (local.pinned === true) return place('pinned');
    const activity = activityOf(record);
    return place(activity >= today ? 'today' : activity >= week ? 'week' : 'earlier');
  };
}
