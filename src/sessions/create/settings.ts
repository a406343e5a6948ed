import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { readSession, type SessionSettings } from '../../api';
import { joined } from '../../ui/text';

/** What a client may send as `sessionSettings`: every field of section 2.8 but `tokenUsage`. */
export type SendableSettings = Omit<SessionSettings, 'tokenUsage'>;
export type KnownSetting = keyof SendableSettings;

/** What each setting of a session is called, in the order they are shown. */
export function settingLabels(): Readonly<Record<KnownSetting, string>> {
  return {
    model: vscode.l10n.t('Model'),
    reasoningEffort: vscode.l10n.t('Reasoning effort'),
    interactionMode: vscode.l10n.t('Interaction mode'),
    autonomyLevel: vscode.l10n.t('Autonomy level'),
    autonomyMode: vscode.l10n.t('Autonomy mode'),
    specModeModel: vscode.l10n.t('Model for specifications'),
    specModeReasoningEffort: vscode.l10n.t('Reasoning effort for specifications'),
    enabledToolIds: vscode.l10n.t('Tools enabled'),
    disabledToolIds: vscode.l10n.t('Tools disabled'),
    tags: vscode.l10n.t('Tags'),
    providerLock: vscode.l10n.t('Locked to model provider'),
    providerLockTimestamp: vscode.l10n.t('Locked since'),
    apiProviderLock: vscode.l10n.t('Locked to API provider'),
    assistantActiveTimeMs: vscode.l10n.t('Agent active'),
    archivedAt: vscode.l10n.t('Archived at the service'),
  };
}

/** The value of a setting in words; empty without one. */
export function settingText(settings: SendableSettings, name: KnownSetting): string {
  const value = settings[name];
  if (value === undefined) return '';
  if (!Array.isArray(value)) return String(value);
  return value
    .map((item: NonNullable<SessionSettings['tags']>[number] | string) => {
      if (typeof item === 'string') return item;
      return joined([item.name, item.metadata && JSON.stringify(item.metadata)], ' ');
    })
    .join(', ');
}

/** The settings on one line, such as `atlas-large · reasoning high`; empty without any. */
export function settingsSummary(settings: SendableSettings): string {
  const parts = Object.entries(settingLabels()).map(([name, label]) => {
    const value = settingText(settings, name as KnownSetting);
    if (value === '' || name === 'model') return value;
    if (name === 'reasoningEffort') return vscode.l10n.t('reasoning {0}', value);
    if (name === 'autonomyLevel') return vscode.l10n.t('autonomy {0}', value);
    return vscode.l10n.t('{0}: {1}', label, value);
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
  const labels = settingLabels();
  return entriesOf(value).map(([name, preset]) => {
    const read = readSession({ sessionId: name, sessionSettings: preset })?.sessionSettings;
    const known = new Map<string, unknown>(entriesOf(read));
    const isGood = ([key, item]: readonly [string, unknown]): boolean =>
      key in labels && item !== '' && isDeepStrictEqual(known.get(key), item);
    const entries = entriesOf(preset);
    const wrong = entries.filter(entry => !isGood(entry)).map(([key]) => key);
    return { name, settings: Object.fromEntries(entries.filter(isGood)), wrong };
  });
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
