export function signal<T>(value: T): { value: T } {
  return { value };
}
