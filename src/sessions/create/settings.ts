import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { settingNames, type SessionSettings } from '../../api';
import { readSession } from '../../api/records';
import { joined } from '../../ui/text';
import { readableName } from '../../util/text';

/** What a client may send as `sessionSettings`: every field of section 2.8 but `tokenUsage`. */
export type SendableSettings = Omit<SessionSettings, 'tokenUsage'>;

/** The value of a setting in words; empty without one. */
export function settingText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(settingText).join(', ');
  const { name, metadata } = (value ?? {}) as { readonly name?: unknown; readonly metadata?: unknown };
  const more = metadata === undefined ? '' : JSON.stringify(metadata);
  if (typeof name === 'string') return joined([name, more], ' ');
  return value === undefined ? '' : JSON.stringify(value);
}

/** The settings on one line, such as `atlas-large · reasoning high`; empty without any. */
export function settingsSummary(settings: SendableSettings): string {
  const parts = Object.entries(settings).map(([name, given]) => {
    const value = settingText(given);
    if (value === '' || name === 'model') return value;
    if (name === 'reasoningEffort') return vscode.l10n.t('reasoning {0}', value);
    if (name === 'autonomyLevel') return vscode.l10n.t('autonomy {0}', value);
    return vscode.l10n.t('{0}: {1}', readableName(name), value);
  });
  return joined(parts);
}

export interface Preset {
  readonly name: string;
  readonly settings: SendableSettings;
  /** Fields that are no settings, left out. */
  readonly wrong: readonly string[];
}

/** The presets of the setting, in the order they are written. */
export function readPresets(value: unknown): Preset[] {
  return entriesOf(value).map(([name, preset]) => {
    const read = readSession({ sessionId: name, sessionSettings: preset })?.sessionSettings;
    const known = new Map<string, unknown>(entriesOf(read));
    const isGood = ([key, item]: readonly [string, unknown]): boolean =>
      settingNames.includes(key) && item !== '' && isDeepStrictEqual(known.get(key), item);
    const entries = entriesOf(preset);
    const wrong = entries.filter(entry => !isGood(entry)).map(([key]) => key);
    return { name, settings: Object.fromEntries(entries.filter(isGood)), wrong };
  });
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
