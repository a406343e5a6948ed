/** The pause a service asked for, shared by whoever sends to it: no request leaves before it is over (trust.md 25). */
export interface RequestGate {
  /** Unix ms until which nothing may be sent to `origin`; 0 or a past time when nothing is paused. */
  pausedUntil(origin: string): number;
  pause(origin: string, untilMs: number): void;
}

/** Longest pause a service can ask for, in ms: a mistaken header must not lock people out for good. */
const LONGEST_PAUSE = 24 * 60 * 60 * 1000;

/**
 * When the service wants the next request at the earliest (Unix ms), from `Retry-After` in seconds or as a date. A date is
 * read against the service's own clock. `undefined` without the header, or when it says nothing usable.
 */
export function retryAtOf(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,15}$/.test(value)) return now + Math.min(Number(value) * 1000, LONGEST_PAUSE);
  const at = /[a-z]/i.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(at)) return undefined;
  const theirs = Date.parse(headers.get('date') ?? '');
  const wait = at - (Number.isNaN(theirs) ? now : theirs);
  return wait > 0 ? now + Math.min(wait, LONGEST_PAUSE) : undefined;
}
