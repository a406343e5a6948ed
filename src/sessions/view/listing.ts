import * as vscode from 'vscode';
import { supportedLanguage } from '../../util/format';
import { oneLine } from '../../util/text';
import type { SessionsContext } from '../context';
import { activityOf, isWaiting, titleOf, type SessionStatus } from '../store/model';
import { isWorking, type SessionRecord } from '../store/record';
import { currentWorkspace, isHere } from '../store/workspaces';
import { computerName } from './words';

/** By what sessions are put together, and in what order they stand within. */
export const GROUPINGS = ['attention', 'computer', 'workspace'] as const;
export const SORTINGS = ['activity', 'created', 'name'] as const;

export interface Arrangement {
  readonly grouping: (typeof GROUPINGS)[number];
  readonly sorting: (typeof SORTINGS)[number];
  /** Unix ms. */
  readonly now: number;
  /** For names. */
  readonly language: string;
  readonly statusOf: (record: SessionRecord) => SessionStatus;
  readonly computerName: (record: SessionRecord) => string | undefined;
}

export interface SessionGroup {
  /** The same for the same group, whatever is in it. */
  readonly key: string;
  readonly label: string;
  readonly sessionIds: readonly string[];
}

/** Every session in exactly one group; empty groups are left out. */
export function groupSessions(records: Iterable<SessionRecord>, how: Arrangement): SessionGroup[] {
  const { compare: byName } = new Intl.Collator(how.language, { numeric: true });
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
  const sorted = [...records].sort(
    (a, b) => isFirst(b) - isFirst(a) || compare(a, b) || (a.sessionId < b.sessionId ? -1 : 1),
  );
  const placeOf = placesOf(how);
  const groups = new Map<string, ReturnType<typeof placeOf> & { readonly sessionIds: string[] }>();
  for (const record of sorted) {
    const place = placeOf(record);
    const group = groups.get(place.key) ?? { ...place, sessionIds: [] };
    group.sessionIds.push(record.sessionId);
    groups.set(place.key, group);
  }
  return [...groups.values()].sort(
    (a, b) => a.rank - b.rank || byName(a.label, b.label) || (a.key < b.key ? -1 : 1),
  );
}

function placesOf({ grouping, now, statusOf, computerName: nameOf }: Arrangement) {
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
    if (isWorking(statusOf(record).value)) return place('running');
    if (local.pinned === true) return place('pinned');
    const activity = activityOf(record);
    return place(activity >= today ? 'today' : activity >= week ? 'week' : 'earlier');
  };
}

/** How a person wants the sessions listed in this workspace. */
interface ViewOptions extends Pick<Arrangement, 'grouping' | 'sorting'> {
  /** Only sessions of this workspace, where there is one. */
  readonly onlyHere: boolean;
}

const OPTIONS = 'sessions.viewOptions';

/** Which sessions the view lists, in what groups and order. */
export class Listing {
  readonly #context: SessionsContext;

  constructor(context: SessionsContext) {
    this.#context = context;
  }

  groups(): SessionGroup[] {
    const { monitor, computers } = this.#context;
    return groupSessions(this.visible(), {
      ...this.#options(),
      now: Date.now(),
      language: supportedLanguage(vscode.env.language),
      statusOf: record => monitor.statusOf(record.sessionId),
      computerName: record => computerName(record, id => computers.known(id)),
    });
  }

  visible(): readonly SessionRecord[] {
    const all = [...this.#context.index.records.values()];
    return this.#options().onlyHere && currentWorkspace() !== undefined
      ? all.filter(({ workspace }) => isHere(workspace))
      : all;
  }

  /** Asks how the view is arranged: one choice, of any kind, at a time. Resolves to whether there was one. */
  async pickOptions(): Promise<boolean> {
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
    const options = { placeHolder: vscode.l10n.t('How are sessions listed?'), ignoreFocusOut: true };
    const chosen = await vscode.window.showQuickPick(items, options);
    if (chosen?.change === undefined) return false;
    await this.#context.memory.update(OPTIONS, { ...now, ...chosen.change });
    return true;
  }

  #options(): ViewOptions {
    const kept: Partial<Record<string, unknown>> = this.#context.memory.get(OPTIONS) ?? {};
    return {
      grouping: GROUPINGS.find(known => known === kept['grouping']) ?? 'attention',
      sorting: SORTINGS.find(known => known === kept['sorting']) ?? 'activity',
      onlyHere: kept['onlyHere'] === true,
    };
  }
}
