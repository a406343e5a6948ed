/** Whether two values are the same JSON, whatever the order of their names; what is `undefined` is not there. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [from, to] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return Array.isArray(a) === Array.isArray(b) && [...names].every(name => isSame(from[name], to[name]));
}

/** Clocks are set by so much while nobody notices, ms. */
const TOLERANCE_MS = 20_000;

/** Whether a recorded time (Unix ms) is not after `now`: one that has not come yet is of a clock that was wrong, and says nothing. */
export function hasCome(at: number, now: number): boolean {
  return at <= now + TOLERANCE_MS;
}

/** The order of texts by their characters, the same in every language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
