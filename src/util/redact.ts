/** What stands where a secret was. */
export const REDACTED = '[redacted]';

/**
 * Takes out what looks like a credential: `Authorization` values in any case, `Bearer x`, JWTs, credentials inside
 * addresses, and `key=…`/`token=…` query values. For log lines, diagnostics and error texts (trust.md 21).
 */
export function redact(text: string): string {
  return text
    .replace(/(authorization["']?\s*[:=]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',}]+/gi, `$1${REDACTED}`)
    .replace(/\b(bearer)\s+[A-Za-z0-9._~+/=-]+/gi, REDACTED)
    .replace(/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, REDACTED)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s:@]+:[^/\s@]+@/gi, `$1${REDACTED}@`)
    .replace(/([?&](?:api[_-]?key|key|token|access[_-]?token|secret)=)[^&\s#]+/gi, `$1${REDACTED}`);
}
