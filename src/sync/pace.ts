/** How often a list is read, ms. */
export interface Pace {
  /** While nothing happens. */
  readonly usualMs: number;
  /** After something has happened; as usual when left out. */
  readonly soonMs?: number | undefined;
  /** After a first failure; as soon as otherwise, and five minutes at most, when left out. */
  readonly retryMs?: number | undefined;
}

/** How often in a row the list said the same, and how often nobody answered. */
export interface Calm {
  readonly unchanged: number;
  readonly failures: number;
}

/** The longest first wait after a failure. */
const RETRY_MS = 5 * 60_000;
/** The longest wait after failures, unless a list is usually read more rarely. */
const SLOWEST_MS = 120_000;

/** Milliseconds until a list is read again: soon after a change, later while nothing happens, with backoff while nobody answers. */
export function pauseOf(
  { usualMs, soonMs = usualMs, retryMs = Math.min(soonMs, RETRY_MS) }: Pace,
  { unchanged, failures }: Calm,
): number {
  const first = Math.min(soonMs, usualMs);
  if (failures === 0) return Math.min(usualMs, first * 1.5 ** Math.min(unchanged, 12));
  return Math.min(Math.max(usualMs, SLOWEST_MS), retryMs * 2 ** Math.min(failures - 1, 8));
}
