import * as l10n from '@vscode/l10n';
import {
  amountText,
  Formatter,
  supportedLanguage,
  type Amount,
  type Cell,
  type Column,
  type Day,
  type Unit,
} from '../../src/usage/protocol';

/** Numbers and dates in the person's language. */
export let words = new Formatter('en');
export let language = 'en';

export function setLanguage(wanted: string): void {
  language = supportedLanguage(wanted);
  words = new Formatter(language);
}

/** Short, for figures and axes: `4.2M`, `3.4`, `12%`. */
export function short(value: number, unit: Unit): string {
  if (unit === 'percent') return words.as({ style: 'percent', maximumFractionDigits: 1 }, value);
  if (unit === 'ratio' && Math.abs(value) < 1000) return words.as({ maximumFractionDigits: 2 }, value);
  return words.compact(value);
}

/** In full, for tables and tooltips. */
export function exact(value: number, unit: Unit): string {
  if (unit === 'percent') return words.as({ style: 'percent', maximumFractionDigits: 2 }, value);
  return words.as({ maximumFractionDigits: unit === 'ratio' ? 3 : 6 }, value);
}

/** A table's cell as text; nothing for what is not known. Words may stand in the place of a day. */
export function cellText(cell: Cell, kind: Column['kind']): string {
  if (typeof cell === 'string')
    return kind === 'day' && /^\d{4}-\d\d-\d\d$/.test(cell) ? words.day(cell) : cell;
  return figureText(cell, value => (kind === 'text' || kind === 'day' ? String(value) : exact(value, kind)));
}

/** A figure that may be missing, with how much of it is known; nothing for what is not known. */
export function figureText(
  amount: Amount | null,
  numberText: (value: number) => string,
  partText = (known: string, of: string) => l10n.t('{0} of {1}', known, of),
): string {
  return amountText(amount, numberText, (known, of) => partText(words.number(known), words.number(of)));
}

/** A UTC day, wherever it is read: `Friday, 20 November 2026`, or as `options` say. */
export function dayText(day: Day, options: Intl.DateTimeFormatOptions = { dateStyle: 'full' }): string {
  const time = Date.parse(day);
  return Number.isFinite(time) ? words.date({ ...options, timeZone: 'UTC' }, time) : day;
}
