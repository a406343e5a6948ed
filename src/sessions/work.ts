/** The work of a session that goes on, or that was the last; Unix ms. */
export interface Work {
  /** When it began at the earliest: `undefined` where nothing tells. */
  readonly from?: number | undefined;
  /** When it was last known to go on. */
  readonly at: number;
}

interface Known {
  readonly status: string | undefined;
  /** When the status was told. */
  readonly checkedAt?: number | undefined;
  readonly work?: Work | undefined;
}

/** The service says that the agent has work. */
export function isWorking(status: string | undefined): boolean {
  return status === 'running' || status === 'pending';
}

/**
 * What is known of a session's work once it has this status at `at`. Work that a message has set off began with the message; other
 * work, at some time after the session was last seen without any.
 */
export function workAfter(
  known: Known,
  status: string | undefined,
  at: number,
  isSend: boolean,
): Work | undefined {
  if (!isWorking(status)) return known.work;
  if (isWorking(known.status)) return { from: known.work?.from, at };
  return { from: isSend && known.status !== undefined ? at : known.checkedAt, at };
}

/** When the work that ended at `until` began at the earliest, as far as known; Unix ms. */
export function workBegan({ status, checkedAt, work }: Known, until: number): number | undefined {
  const times = [work?.from, isWorking(status) ? undefined : checkedAt];
  const before = times.filter(time => time !== undefined).filter(time => time <= until);
  return before.length > 0 ? Math.max(...before) : undefined;
}

/** Reads what was stored. */
export function decodeWork(value: unknown): Work | undefined {
  const { from, at } = (value ?? {}) as Partial<Work>;
  if (typeof at !== 'number') return undefined;
  return typeof from === 'number' ? { from, at } : { at };
}
