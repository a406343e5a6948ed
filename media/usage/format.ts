import * as l10n from '@vscode/l10n';
import {
  amountText,
  type Amount,
  type Cell,
  type Column,
  type Day,
  type Unit,
} from '../../src/usage/show/protocol';
import { supportedLanguage } from '../kit/boot';

const made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

function numbers(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `n${JSON.stringify(options)}`;
  const known = made.get(key) as Intl.NumberFormat | undefined;
  const format = known ?? new Intl.NumberFormat(language(), options);
  made.set(key, format);
  return format;
}

function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `d${JSON.stringify(options)}`;
  const known = made.get(key) as Intl.DateTimeFormat | undefined;
  // A day of the service is a UTC day, wherever it is read.
  const format = known ?? new Intl.DateTimeFormat(language(), { ...options, timeZone: 'UTC' });
  made.set(key, format);
  return format;
}

let shownIn = 'en';

export function language(): string {
  return shownIn;
}

/** Numbers and dates are written as in this language from now on. */
export function setLanguage(wanted: string): void {
  shownIn = supportedLanguage(wanted);
  made.clear();
}

/** Short, for figures and axes: `4.2M`, `3.4`, `12 %`. */
export function short(value: number, unit: Unit): string {
  if (unit === 'percent') return percent(value, 1);
  if (unit === 'ratio' && Math.abs(value) < 1000) return numbers({ maximumFractionDigits: 2 }).format(value);
  return numbers({ notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** In full, for tables and tooltips. */
export function exact(value: number, unit: Unit): string {
  if (unit === 'percent') return percent(value, 2);
  return numbers({ maximumFractionDigits: unit === 'ratio' ? 3 : 6 }).format(value);
}

function percent(value: number, digits: number): string {
  return numbers({ style: 'percent', maximumFractionDigits: digits }).format(value);
}

/** A change such as `+12 %`. */
export function relative(change: number): string {
  const digits = Math.abs(change) < 0.1 ? 1 : 0;
  return numbers({ style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: digits }).format(
    change,
  );
}

/** A change of a percentage, in its own points. */
export function points(change: number): string {
  return numbers({ signDisplay: 'exceptZero', maximumFractionDigits: 1 }).format(change * 100);
}

export function whole(value: number): string {
  return numbers({}).format(value);
}

/** Words may stand in the place of a day, and a browser makes a day of many words. */
const ISO_DAY = /^\d{4}-\d\d-\d\d$/;

/** A table's cell as text; nothing for what is not known. */
export function cellText(cell: Cell, kind: Column['kind']): string {
  if (typeof cell === 'string') return kind === 'day' && ISO_DAY.test(cell) ? shortDay(cell) : cell;
  return figureText(cell, value => (kind === 'text' || kind === 'day' ? String(value) : exact(value, kind)));
}

/** A figure that may be missing, with how much of it is known; nothing for what is not known. */
export function figureText(
  amount: Amount | null,
  numberText: (value: number) => string,
  partText = (known: string, of: string) => l10n.t('{0} of {1}', known, of),
): string {
  return amountText(amount, numberText, (known, of) => partText(whole(known), whole(of)));
}

/** `20 Nov 2026`. */
export function shortDay(day: Day): string {
  return named(day, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** `Friday, 20 November 2026`. */
export function longDay(day: Day): string {
  return named(day, { dateStyle: 'full' });
}

/** For axes: `20 Nov`. */
export function axisDay(day: Day): string {
  return named(day, { day: 'numeric', month: 'short' });
}

/** For axes: `Nov`, with the year in January. */
export function axisMonth(day: Day, withYear: boolean): string {
  return named(day, { month: 'short', ...(withYear ? { year: 'numeric' } : {}) });
}

function named(day: Day, options: Intl.DateTimeFormatOptions): string {
  const time = Date.parse(day);
  return Number.isFinite(time) ? dates(options).format(time) : day;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span such as `2 min` or `3 days`. */
export function span(ms: number): string {
  const unit = (name: string, count: number): string =>
    numbers({ style: 'unit', unit: name, unitDisplay: 'short' }).format(Math.floor(count));
  if (ms < HOUR) return unit('minute', ms / MINUTE);
  if (ms < DAY) return unit('hour', ms / HOUR);
  return unit('day', ms / DAY);
}

/** A time in full, in the person's own zone. */
export function exactTime(at: number): string {
  if (Math.abs(at) > 8.64e15) return String(at);
  return new Intl.DateTimeFormat(language(), { dateStyle: 'full', timeStyle: 'long' }).format(at);
}
