import type { Logger } from '../../src/log';

/** A log that keeps its lines, to be read by a test. */
export function silentLog(): Logger & { readonly lines: readonly string[] } {
  const lines: string[] = [];
  const keep = (message: string, cause?: unknown): void => {
    lines.push(cause instanceof Error ? `${message}: ${cause.name}: ${cause.message}` : message);
  };
  return { lines, debug: keep, info: keep, warn: keep, error: keep };
}
