/** The session id in an argument of a command: the id, or something that carries one, such as a row of a tree. */
export function readSessionId(target: unknown): string | undefined {
  if (typeof target === 'string') return target.trim() === '' ? undefined : target.trim();
  const sessionId = (target as { readonly sessionId?: unknown } | null | undefined)?.sessionId;
  return typeof sessionId === 'string' && sessionId !== '' ? sessionId : undefined;
}
