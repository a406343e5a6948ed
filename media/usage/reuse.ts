/**
 * `after`, with every part that is equal to the same part of `before` replaced by it: what did not change is the same object,
 * and need not be drawn again. For plain data.
 */
export function reuse<T>(before: unknown, after: T): T {
  if (Object.is(before, after)) return after;
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after))
    return after;
  const keys = Object.keys(after);
  let equal = keys.length === Object.keys(before).length;
  const made = (Array.isArray(after) ? [] : {}) as Record<string, unknown>;
  for (const key of keys) {
    const part = reuse(before[key], (after as Record<string, unknown>)[key]);
    made[key] = part;
    equal &&= Object.hasOwn(before, key) && Object.is(part, before[key]);
  }
  return (equal ? before : made) as T;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
