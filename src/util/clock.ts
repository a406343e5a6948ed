/** Clocks are set by so much while nobody notices, ms. */
const TOLERANCE_MS = 20_000;

/** Whether a recorded time (Unix ms) is not after `now`: one that has not come yet is of a clock that was wrong, and says nothing. */
export function hasCome(at: number, now: number): boolean {
  return at <= now + TOLERANCE_MS;
}
