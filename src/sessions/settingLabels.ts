import * as vscode from 'vscode';
import type { SettingName } from './fields';

/** What a setting of a session is called. */
export function settingLabel(name: SettingName): string {
  const { t } = vscode.l10n;
  const labels: Record<SettingName, string> = {
    model: t('Model'),
    reasoningEffort: t('Reasoning effort'),
    interactionMode: t('Interaction mode'),
    autonomyLevel: t('Autonomy level'),
    autonomyMode: t('Autonomy mode'),
    specModeModel: t('Model for specifications'),
    specModeReasoningEffort: t('Reasoning effort for specifications'),
    enabledToolIds: t('Tools enabled'),
    disabledToolIds: t('Tools disabled'),
    tags: t('Tags at the service'),
    providerLock: t('Locked to model provider'),
    providerLockTimestamp: t('Locked since'),
    apiProviderLock: t('Locked to API provider'),
    assistantActiveTimeMs: t('Agent active'),
    archivedAt: t('Archived at the service'),
  };
  return labels[name];
}
