import { activityOf, isWaiting, titleOf, type SessionStatus } from '../store/model';
import { isWorking, type SessionRecord } from '../store/record';

/** By what sessions are put together, and in what order they stand within. */
export const GROUPINGS = ['attention', 'computer', 'workspace'] as const;
export const SORTINGS = ['activity', 'created', 'name'] as const;

/** Groups of the first grouping in the order shown, but for the last two, which are those of the others. */
const KINDS = ['waiting', 'running', 'pinned', 'today', 'week', 'earlier', 'computer', 'workspace'] as const;
export type GroupKind = (typeof KINDS)[number] | 'archived';

export interface SessionGroup {
  /** The same for the same group, whatever is in it. */
  readonly key: string;
  readonly kind: GroupKind;
  /** Of a group by computer or workspace: its name, or nothing where it is not known. */
  readonly name?: string | undefined;
  readonly sessionIds: readonly string[];
}

export interface Arrangement {
  readonly grouping: (typeof GROUPINGS)[number];
  readonly sorting: (typeof SORTINGS)[number];
  /** Unix ms. */
  readonly now: number;
  /** For names, and for the first day of the week. */
  readonly language: string;
  readonly statusOf: (record: SessionRecord) => SessionStatus;
  readonly computerName: (record: SessionRecord) => string | undefined;
}

/** Every session in exactly one group; empty groups are left out. */
export function groupSessions(records: Iterable<SessionRecord>, how: Arrangement): SessionGroup[] {
  const { compare: byName } = new Intl.Collator(how.language, { numeric: true });
  const orderOf = {
    activity: (a: SessionRecord, b: SessionRecord) => activityOf(b) - activityOf(a),
    created: (a: SessionRecord, b: SessionRecord) => createdAt(b) - createdAt(a),
    name: (a: SessionRecord, b: SessionRecord) =>
      byName(titleOf(a) ?? a.sessionId, titleOf(b) ?? b.sessionId),
  }[how.sorting];
  const isPinned = ({ local }: SessionRecord): number => Number(local.pinned ?? false);
  const starts = startsOf(how.now, how.language);
  const places = new Map<string, Omit<SessionGroup, 'sessionIds'>>();
  const groups = Map.groupBy(records, record => {
    const place = placeOf(record, how, starts);
    places.set(place.key, place);
    return place.key;
  });
  return [...places.values()]
    .map(place => {
      const members = (groups.get(place.key) ?? []).sort(
        (a, b) =>
          // A group by computer or workspace has no group of pinned ones beside it.
          (isNamed(place.kind) ? isPinned(b) - isPinned(a) : 0) ||
          orderOf(a, b) ||
          (a.sessionId < b.sessionId ? -1 : 1),
      );
      return { ...place, sessionIds: members.map(({ sessionId }) => sessionId) };
    })
    .sort((a, b) => rank(a) - rank(b) || byName(a.name ?? '', b.name ?? '') || (a.key < b.key ? -1 : 1));
}

/** Computers and workspaces by name, the one without a name after them, archived sessions last. */
function rank({ kind, name }: SessionGroup): number {
  const at = kind === 'archived' ? KINDS.length : KINDS.indexOf(kind);
  return isNamed(kind) && name === undefined ? at + 0.5 : at;
}

function isNamed(kind: GroupKind): boolean {
  return kind === 'computer' || kind === 'workspace';
}

function placeOf(
  record: SessionRecord,
  { grouping, computerName, statusOf }: Arrangement,
  { today, week }: ReturnType<typeof startsOf>,
): Omit<SessionGroup, 'sessionIds'> {
  const { local, session, workspace } = record;
  const only = (kind: GroupKind): Omit<SessionGroup, 'sessionIds'> => ({ key: kind, kind });
  if (local.archivedAt !== undefined) return only('archived');
  if (grouping === 'computer') {
    const { computerId = '' } = session ?? {};
    const name = computerId === '' ? undefined : (computerName(record) ?? computerId);
    return { key: `computer/${computerId}`, kind: 'computer', name };
  }
  if (grouping === 'workspace')
    return { key: `workspace/${workspace?.uri ?? ''}`, kind: 'workspace', name: workspace?.name };
  if (isWaiting(record)) return only('waiting');
  // What is not known now is not running, whatever it was last.
  if (isWorking(statusOf(record).value)) return only('running');
  if (local.pinned === true) return only('pinned');
  const activity = activityOf(record);
  return only(activity >= today ? 'today' : activity >= week ? 'week' : 'earlier');
}

function createdAt({ session, addedAt }: SessionRecord): number {
  return session?.createdAt ?? addedAt;
}

/** Midnight of today and of the first day of the week, as the language has it, in the person's own time zone; Unix ms. */
function startsOf(now: number, language: string): { readonly today: number; readonly week: number } {
  const locale = new Intl.Locale(language) as { getWeekInfo?(): { readonly firstDay: number } };
  // 1 is Monday, 7 Sunday.
  const firstDay = locale.getWeekInfo?.().firstDay ?? 1;
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  const today = day.getTime();
  day.setDate(day.getDate() - ((day.getDay() - firstDay + 7) % 7));
  return { today, week: day.getTime() };
}
