import type { SessionSettings } from '../api';

/** What a client may send as `sessionSettings`: every field of section 2.8 but `tokenUsage`. */
export type SendableSettings = Omit<SessionSettings, 'tokenUsage'>;
export type SettingName =
  | 'model'
  | 'reasoningEffort'
  | 'interactionMode'
  | 'autonomyLevel'
  | 'autonomyMode'
  | 'specModeModel'
  | 'specModeReasoningEffort'
  | 'enabledToolIds'
  | 'disabledToolIds'
  | 'tags'
  | 'providerLock'
  | 'providerLockTimestamp'
  | 'apiProviderLock'
  | 'assistantActiveTimeMs'
  | 'archivedAt';

export interface Field {
  readonly name: SettingName;
  readonly kind: 'text' | 'number' | 'list' | 'tags';
  /** Values seen at services; any other text may be given as well. */
  readonly suggestions: readonly string[];
}

const EFFORTS = ['none', 'dynamic', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** In the order of the form: what people choose most, first. */
export const FIELDS: readonly Field[] = [
  text('model'),
  text('reasoningEffort', EFFORTS),
  text('interactionMode', ['auto', 'spec', 'agi', 'mission']),
  text('autonomyLevel', ['off', 'low', 'medium', 'high']),
  text('autonomyMode', ['normal', 'spec', 'auto-low', 'auto-medium', 'auto-high']),
  text('specModeModel'),
  text('specModeReasoningEffort', EFFORTS),
  { name: 'enabledToolIds', kind: 'list', suggestions: [] },
  { name: 'disabledToolIds', kind: 'list', suggestions: [] },
  { name: 'tags', kind: 'tags', suggestions: [] },
  text('providerLock'),
  text('providerLockTimestamp'),
  text('apiProviderLock'),
  { name: 'assistantActiveTimeMs', kind: 'number', suggestions: [] },
  text('archivedAt'),
];

function text(name: SettingName, suggestions: readonly string[] = []): Field {
  return { name, kind: 'text', suggestions };
}

/** A field's value as a person types it; empty without a value. */
export function valueText(settings: SendableSettings, { name }: Field): string {
  const value = settings[name];
  if (value === undefined) return '';
  if (!Array.isArray(value)) return String(value);
  return value
    .map(item => {
      if (typeof item === 'string') return item;
      return item.metadata === undefined ? item.name : `${item.name} ${JSON.stringify(item.metadata)}`;
    })
    .join(', ');
}

/**
 * The settings after a person typed this for a field; an empty text takes the field out. Tags are separated by commas, each may be
 * followed by its metadata as a JSON object. Throws a short reason when the text is no value of the field.
 */
export function withValue(
  settings: SendableSettings,
  { name, kind }: Field,
  typed: string,
): SendableSettings {
  const given = typed.trim();
  const rest = Object.fromEntries(Object.entries(settings).filter(([key]) => key !== name));
  if (given === '') return rest;
  switch (kind) {
    case 'text':
      return { ...rest, [name]: given };
    case 'number': {
      const value = Number(given);
      if (!Number.isSafeInteger(value) || value < 0) throw new RangeError('number');
      return { ...rest, [name]: value };
    }
    case 'list': {
      const items = [...new Set(given.split(',').map(item => item.trim()))].filter(item => item !== '');
      return items.length === 0 ? rest : { ...rest, [name]: items };
    }
    case 'tags': {
      const tags = readTags(given);
      return tags.length === 0 ? rest : { ...rest, [name]: tags };
    }
  }
}

/** The fields of an object that are settings a client may send, and those that are not, by name. */
export function readSettings(value: unknown): {
  readonly settings: SendableSettings;
  readonly wrong: readonly string[];
} {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { settings: {}, wrong: [''] };
  const entries = Object.entries(value);
  const good = entries.filter(([key, item]) => isValue(FIELDS.find(field => field.name === key)?.kind, item));
  const wrong = entries.filter(entry => !good.includes(entry)).map(([key]) => key);
  return { settings: Object.fromEntries(good), wrong };
}

export interface Preset {
  readonly name: string;
  readonly settings: SendableSettings;
  /** Fields that are no settings, left out. */
  readonly wrong: readonly string[];
}

/** The presets of the setting, in the order they are written. */
export function readPresets(value: unknown): Preset[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).map(([name, settings]) => ({ name, ...readSettings(settings) }));
}

function isValue(kind: Field['kind'] | undefined, value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && value.trim() !== '';
    case 'number':
      return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    case 'list':
      return Array.isArray(value) && value.every(item => typeof item === 'string');
    case 'tags':
      return Array.isArray(value) && value.every(isTag);
    case undefined:
      return false;
  }
}

function isTag(value: unknown): boolean {
  const { name, metadata } = (value ?? {}) as { readonly name?: unknown; readonly metadata?: unknown };
  return typeof name === 'string' && (metadata === undefined || isObject(metadata));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readTags(typed: string): NonNullable<SendableSettings['tags']> {
  return splitOutside(typed).flatMap(part => {
    const at = part.indexOf('{');
    const name = (at < 0 ? part : part.slice(0, at)).trim();
    if (at < 0) return name === '' ? [] : [{ name }];
    if (name === '') throw new SyntaxError('tag');
    const metadata: unknown = JSON.parse(part.slice(at));
    if (!isObject(metadata)) throw new SyntaxError('tag');
    return [{ name, metadata }];
  });
}

/** Splits at commas that stand in no JSON object. */
function splitOutside(typed: string): string[] {
  const parts: string[] = [];
  let [depth, start, quoted] = [0, 0, false];
  for (let at = 0; at < typed.length; at++) {
    const character = typed[at];
    if (quoted && character === '\\') at++;
    else if (character === '"' && depth > 0) quoted = !quoted;
    else if (!quoted && character === '{') depth++;
    else if (!quoted && character === '}') depth--;
    else if (character === ',' && depth === 0) {
      parts.push(typed.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, typed.slice(start)];
}
