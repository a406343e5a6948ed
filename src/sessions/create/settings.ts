import * as vscode from 'vscode';
import type { SessionSettings } from '../../api';
import { joined } from '../../ui/text';

/** What a client may send as `sessionSettings`: every field of section 2.8 but `tokenUsage`. */
export type SendableSettings = Omit<SessionSettings, 'tokenUsage'>;

/** What each setting holds, in the order it is shown. */
const KINDS = {
  model: 'text',
  reasoningEffort: 'text',
  interactionMode: 'text',
  autonomyLevel: 'text',
  autonomyMode: 'text',
  specModeModel: 'text',
  specModeReasoningEffort: 'text',
  enabledToolIds: 'list',
  disabledToolIds: 'list',
  tags: 'tags',
  providerLock: 'text',
  providerLockTimestamp: 'text',
  apiProviderLock: 'text',
  assistantActiveTimeMs: 'number',
  archivedAt: 'text',
} as const;

export type KnownSetting = keyof typeof KINDS;
export const settingNames = Object.keys(KINDS) as readonly KnownSetting[];

/** What a setting of a session is called. */
export function settingLabel(name: KnownSetting): string {
  const labels: Record<KnownSetting, string> = {
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
  return labels[name];
}

/** The value of a setting in words; empty without one. */
export function settingText(settings: SendableSettings, name: KnownSetting): string {
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

/** The settings on one line, such as `atlas-large · reasoning high`; empty without any. */
export function settingsSummary(settings: SendableSettings): string {
  return joined(
    settingNames.map(name => {
      const value = settingText(settings, name);
      if (value === '' || name === 'model') return value;
      if (name === 'reasoningEffort') return vscode.l10n.t('reasoning {0}', value);
      if (name === 'autonomyLevel') return vscode.l10n.t('autonomy {0}', value);
      return vscode.l10n.t('{0}: {1}', settingLabel(name), value);
    }),
  );
}

export interface Preset {
  readonly name: string;
  readonly settings: SendableSettings;
  /** Fields that are no settings, left out. */
  readonly wrong: readonly string[];
}

/** The presets of the setting, in the order they are written. */
export function readPresets(value: unknown): Preset[] {
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, preset]) => {
    const entries = Object.entries(isObject(preset) ? preset : {});
    const isGood = ([key, item]: readonly [string, unknown]): boolean =>
      key in KINDS && isValue(KINDS[key as KnownSetting], item);
    const wrong = entries.filter(entry => !isGood(entry)).map(([key]) => key);
    return { name, settings: Object.fromEntries(entries.filter(isGood)), wrong };
  });
}

function isValue(kind: (typeof KINDS)[KnownSetting], value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && value.trim() !== '';
    case 'number':
      return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    case 'list':
      return Array.isArray(value) && value.every(item => typeof item === 'string');
    case 'tags':
      return Array.isArray(value) && value.every(isTag);
  }
}

function isTag(value: unknown): boolean {
  if (!isObject(value) || typeof value['name'] !== 'string') return false;
  return value['metadata'] === undefined || isObject(value['metadata']);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
