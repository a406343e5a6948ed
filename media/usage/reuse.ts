/**
 * `after`, with every part that is equal to the same part of `before` replaced by it: what did not change is the same object,
 * and need not be drawn again. For plain data.
 */
export function reuse<T>(before: unknown, after: T): T {
  if (Object.is(before, after)) return after;
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after))
    return after;
  // A part may have any name: `__proto__` is one, too, and no prototype.
  const parts = Object.entries(after).map(([key, part]): [string, unknown] => [
    key,
    reuse(Object.hasOwn(before, key) ? before[key] : undefined, part),
  ]);
  const isSame =
    parts.length === Object.keys(before).length &&
    parts.every(([key, part]) => Object.hasOwn(before, key) && Object.is(part, before[key]));
  if (isSame) return before as T;
  return (Array.isArray(after) ? parts.map(([, part]) => part) : Object.fromEntries(parts)) as T;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
