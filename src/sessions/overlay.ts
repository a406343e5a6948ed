/**
 * What people keep about a session on this machine: the service has no call to rename, pin or archive, so it never learns of
 * these (interface-notes 3). Times are Unix ms.
 */
export interface Overlay {
  readonly name?: string | undefined;
  readonly pinned?: boolean | undefined;
  readonly archivedAt?: number | undefined;
  readonly notes?: string | undefined;
  /** When the notes were last changed. */
  readonly notesAt?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  /** How many messages the session had when it was last looked at; -1 when a person marked it as unread. */
  readonly readCount?: number | undefined;
  /** When any of these was last changed by a person. */
  readonly changedAt?: number | undefined;
}

export const NO_OVERLAY: Overlay = {};

/** Reads a stored overlay; fields of a wrong type are left out. */
export function decodeOverlay(value: unknown): Overlay {
  const { name, pinned, archivedAt, notes, notesAt, tags, readCount, changedAt } = (value ?? {}) as Partial<
    Record<keyof Overlay, unknown>
  >;
  return {
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(pinned === true ? { pinned } : {}),
    ...(typeof archivedAt === 'number' ? { archivedAt } : {}),
    ...(typeof notes === 'string' && notes !== '' ? { notes } : {}),
    ...(typeof notesAt === 'number' ? { notesAt } : {}),
    ...(Array.isArray(tags) && tags.length > 0
      ? { tags: tags.filter((tag: unknown): tag is string => typeof tag === 'string') }
      : {}),
    ...(typeof readCount === 'number' ? { readCount } : {}),
    ...(typeof changedAt === 'number' ? { changedAt } : {}),
  };
}

/** Whether there is more to read than when it was last looked at. A session nobody has looked at here is not unread. */
export function isUnread(local: Overlay, messageCount: number | undefined): boolean {
  return local.readCount !== undefined && (messageCount ?? 0) > local.readCount;
}
