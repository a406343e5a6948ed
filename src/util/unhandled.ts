/** Hands on the failure of something nobody waits for: it ends in the log (`logUnhandled` in log.ts), or fails the test that caused it. */
export function unhandled(error: unknown): undefined {
  void Promise.reject(error instanceof Error ? error : new Error(String(error)));
  return undefined;
}
