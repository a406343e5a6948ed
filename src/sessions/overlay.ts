/**
 * What people keep about a session on this machine: the service has no call to rename, pin or archive, so it never learns of
 * these (interface-notes 3). Times are Unix ms.
 */
export interface Overlay {
  readonly name?: string | undefined;
  readonly pinned?: boolean | undefined;
  readonly archivedAt?: number | undefined;
  /** Its agent waits in silence: no bell, no badge, no notification. */
  readonly muted?: boolean | undefined;
  /** How many messages the session had when it was last looked at. */
  readonly readCount?: number | undefined;
  /** When any of these was last changed by a person. */
  readonly changedAt?: number | undefined;
}

export const NO_OVERLAY: Overlay = {};

/** Whether there is more to read than when it was last looked at. A session nobody has looked at here is not unread. */
export function isUnread(local: Overlay, messageCount: number | undefined): boolean {
  return local.readCount !== undefined && (messageCount ?? 0) > local.readCount;
}
