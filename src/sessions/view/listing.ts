import * as vscode from 'vscode';
import { oneLine } from '../../util/text';
import {
  activityOf,
  isWaiting,
  titleOf,
  type SessionStatus,
  isWorking,
  type SessionRecord,
} from '../store/record';

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
