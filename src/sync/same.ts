/** Whether two values are the same JSON, whatever the order of their names; what is `undefined` is not there. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => isSame(item, b[index]))
    );
  }
  const [from, to] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  const names = Object.keys(from);
  return (
    names.every(
      name => from[name] === undefined || (Object.hasOwn(to, name) && isSame(from[name], to[name])),
    ) && Object.keys(to).every(name => to[name] === undefined || Object.hasOwn(from, name))
  );
}
