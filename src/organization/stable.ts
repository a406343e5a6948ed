import { sets, type Settings } from './catalogue';

/** Bidi and invisible characters that JSON leaves as they are. */
const HIDDEN = /[\u007f-\u009f\u200b-\u200f\u061c\u2028-\u202e\u2060-\u2069\ufeff]/gu;

export function isObject(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text that is the same for the same JSON value, whatever the order of its names. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return value === undefined ? '' : JSON.stringify(value);
  const names = Object.keys(value).filter(name => value[name] !== undefined);
  return `{${names
    .sort()
    .map(name => `${JSON.stringify(name)}:${canonical(value[name])}`)
    .join(',')}}`;
}

/**
 * Settings as JSON that compares well: names in order, one item a line, lists whose order has no meaning sorted. Hidden
 * characters are written as `\uXXXX`.
 */
export function stableText(settings: Settings): string {
  const json = JSON.stringify(ordered(settings, ''), undefined, 2);
  return `${json.replace(HIDDEN, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

function ordered(value: unknown, setting: string): unknown {
  if (Array.isArray(value)) {
    const items = value.map(item => ordered(item, `${setting}[]`));
    if (!sets.has(setting)) return items;
    const keyed = items.map(item => ({ key: canonical(item), item }));
    return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ item }) => item);
  }
  if (!isObject(value)) return value;
  // Names that look like numbers come first in any object; that order is stable too.
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(name => [name, ordered(value[name], setting === '' ? name : `${setting}.${name}`)]),
  );
}
