import { supportedLanguage } from '../kit/boot';
import { start } from './state';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const made = new Map<string, unknown>();

/** Each is made once: that takes longer than to use it. */
function kept<F>(key: string, make: () => F): F {
  const known = (made.get(key) as F | undefined) ?? make();
  made.set(key, known);
  return known;
}

const dates = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  kept(JSON.stringify(options), () => new Intl.DateTimeFormat(language(), options));

const units = (unit: string): Intl.NumberFormat =>
  kept(unit, () => new Intl.NumberFormat(language(), { style: 'unit', unit, unitDisplay: 'short' }));

export function language(): string {
  return supportedLanguage(start.value?.language);
}

/** Services also send times that are none. */
function isTime(at: number): boolean {
  return Math.abs(at) <= 8.64e15;
}

/** Hour and minute. */
export function timeOfDay(at: number): string {
  if (!isTime(at)) return '';
  return dates({ hour: 'numeric', minute: '2-digit' }).format(at);
}

/** Day and time in full. */
export function exactTime(at: number): string {
  if (!isTime(at)) return String(at);
  return dates({ dateStyle: 'full', timeStyle: 'long' }).format(at);
}

/** A day as a heading; the year only where it is another one. */
export function dayName(at: number): string {
  if (!isTime(at)) return '';
  const sameYear = new Date(at).getFullYear() === new Date().getFullYear();
  return dates({
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(sameYear ? {} : { year: 'numeric' }),
  }).format(at);
}

/** A span such as `12 sec` or `2 min`. */
export function span(ms: number): string {
  if (ms < MINUTE) return units('second').format(Math.floor(ms / 1000));
  if (ms < HOUR) return units('minute').format(Math.floor(ms / MINUTE));
  if (ms < DAY) return units('hour').format(Math.floor(ms / HOUR));
  return units('day').format(Math.floor(ms / DAY));
}
