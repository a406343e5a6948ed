import * as vscode from 'vscode';
import type { SettingName } from './fields';

/** What a setting of a session is called. */
export function settingLabel(name: SettingName): string {
  const labels: Record<SettingName, string> = {
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
