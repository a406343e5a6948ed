import { activityOf, isWaiting, titleOf, type SessionStatus } from '../store/model';
import type { SessionRecord } from '../store/record';
import { isWorking } from '../store/record';

export const GROUPINGS = ['attention', 'computer', 'workspace'] as const;
export const SORTINGS = ['activity', 'created', 'name'] as const;

/** By what sessions are put together, and in what order they stand within. */
export type Grouping = (typeof GROUPINGS)[number];
export type Sorting = (typeof SORTINGS)[number];

/** Groups of the first grouping, in the order shown; `computer` and `workspace` are those of the others. */
const ATTENTION = ['waiting', 'running', 'pinned', 'today', 'week', 'earlier', 'archived'] as const;
export type GroupKind = (typeof ATTENTION)[number] | 'computer' | 'workspace';

export interface SessionGroup {
  /** The same for the same group, whatever is in it. */
  readonly key: string;
  readonly kind: GroupKind;
  /** Of a group by computer or workspace: its name, or nothing where it is not known. */
  readonly name?: string | undefined;
  readonly sessionIds: readonly string[];
}

export interface Arrangement {
  readonly grouping: Grouping;
  readonly sorting: Sorting;
  /** Local midnight, Unix ms. */
  readonly startOfToday: number;
  readonly startOfWeek: number;
  /** For order by name. */
  readonly language: string;
  readonly statusOf: (record: SessionRecord) => SessionStatus;
  readonly computerName: (record: SessionRecord) => string | undefined;
}

/** Every session in exactly one group; empty groups are left out. */
export function groupSessions(records: Iterable<SessionRecord>, how: Arrangement): SessionGroup[] {
  const groups = new Map<string, { kind: GroupKind; name?: string; records: SessionRecord[] }>();
  for (const record of records) {
    const place = placeOf(record, how);
    const group = groups.get(place.key);
    if (group === undefined) groups.set(place.key, { ...place, records: [record] });
    else group.records.push(record);
  }
  const compare = orderOf(how);
  return [...groups]
    .map(([key, { kind, name, records: members }]) => ({
      key,
      kind,
      name,
      // A group by computer or workspace has no group of pinned ones beside it.
      sessionIds: members
        .sort((a, b) => (isNamed(kind) ? pinnedFirst(a, b) : 0) || compare(a, b))
        .map(record => record.sessionId),
    }))
    .sort(compareGroups(how.language));
}

function placeOf(record: SessionRecord, how: Arrangement): { key: string; kind: GroupKind; name?: string } {
  if (record.local.archivedAt !== undefined) return { key: 'archived', kind: 'archived' };
  if (how.grouping === 'computer') {
    const id = record.session?.computerId ?? '';
    const place = { key: `computer/${id}`, kind: 'computer' } as const;
    return id === '' ? place : { ...place, name: how.computerName(record) ?? id };
  }
  if (how.grouping === 'workspace') {
    const { workspace } = record;
    const place = { key: `workspace/${workspace?.uri ?? ''}`, kind: 'workspace' } as const;
    return workspace === undefined ? place : { ...place, name: workspace.name };
  }
  const kind = attentionOf(record, how);
  return { key: kind, kind };
}

function attentionOf(record: SessionRecord, how: Arrangement): GroupKind {
  if (isWaiting(record)) return 'waiting';
  // What is not known now is not running, whatever it was last.
  if (isWorking(how.statusOf(record).value)) return 'running';
  if (record.local.pinned === true) return 'pinned';
  const activity = activityOf(record);
  if (activity >= how.startOfToday) return 'today';
  return activity >= how.startOfWeek ? 'week' : 'earlier';
}

function orderOf({ sorting, language }: Arrangement): (a: SessionRecord, b: SessionRecord) => number {
  const created = (record: SessionRecord): number => record.session?.createdAt ?? record.addedAt;
  const byId = (a: SessionRecord, b: SessionRecord): number => (a.sessionId < b.sessionId ? -1 : 1);
  if (sorting === 'created') return (a, b) => created(b) - created(a) || byId(a, b);
  if (sorting === 'activity') return (a, b) => activityOf(b) - activityOf(a) || byId(a, b);
  const collator = new Intl.Collator(language, { numeric: true });
  const name = (record: SessionRecord): string => titleOf(record) ?? record.sessionId;
  return (a, b) => collator.compare(name(a), name(b)) || byId(a, b);
}

function pinnedFirst(a: SessionRecord, b: SessionRecord): number {
  return Number(b.local.pinned ?? false) - Number(a.local.pinned ?? false);
}

function isNamed(kind: GroupKind): boolean {
  return kind === 'computer' || kind === 'workspace';
}

/** In the order above; computers and workspaces by name, the one without a name after them, archived sessions last. */
function compareGroups(language: string): (a: SessionGroup, b: SessionGroup) => number {
  const collator = new Intl.Collator(language, { numeric: true });
  const rank = ({ kind, name }: SessionGroup): number => {
    if (kind === 'archived') return 100;
    if (isNamed(kind)) return name === undefined ? 99 : 98;
    return ATTENTION.findIndex(known => known === kind);
  };
  return (a, b) =>
    rank(a) - rank(b) || collator.compare(a.name ?? '', b.name ?? '') || (a.key < b.key ? -1 : 1);
}

/**
 * How many rows the focus has to go down (up where negative) from a session's row to one that stays when `leaving` go: the next
 * of its group, else the one before, else what is beside the group.
 */
export function stepFrom(
  groups: readonly SessionGroup[],
  sessionId: string,
  leaving: ReadonlySet<string>,
): number {
  const group = groups.findIndex(({ sessionIds }) => sessionIds.includes(sessionId));
  const ids = groups[group]?.sessionIds ?? [];
  const at = ids.indexOf(sessionId);
  if (at < 0) return 0;
  const next = ids.findIndex((id, index) => index > at && !leaving.has(id));
  if (next >= 0) return next - at;
  const before = ids.findLastIndex((id, index) => index < at && !leaving.has(id));
  if (before >= 0) return before - at;
  return group < groups.length - 1 ? ids.length - at : -(at + 2);
}

/** Midnight of today and of the first day of the week, in the person's own time zone; Unix ms. 1 is Monday, 7 Sunday. */
export function startsOf(
  now: number,
  firstDay: number,
): { readonly startOfToday: number; readonly startOfWeek: number } {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  const startOfToday = day.getTime();
  day.setDate(day.getDate() - ((day.getDay() - firstDay + 7) % 7));
  return { startOfToday, startOfWeek: day.getTime() };
}
