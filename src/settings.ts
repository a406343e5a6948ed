import * as vscode from 'vscode';

/** Typed readers of `agentConsole.*`. Values are read when asked for, never kept. */
export const settings = {
  /** The service's address as stored by sign-in; empty when there is none. Scope application. */
  baseUrl: (): string => read('baseUrl', ''),
  /** The web application's address (readiness reports, settings page); empty when there is none. Scope application. */
  appUrl: (): string => read('appUrl', ''),
  /** Seconds between refreshes of visible lists of computers. */
  computersRefreshSeconds: (): number => clamp(read('refresh.computers', 30), 5, 3600),
  /** Seconds between status checks of a visible running session, at the fastest. */
  sessionsRefreshSeconds: (): number => clamp(read('refresh.sessions', 3), 1, 600),
  /** Days without a sign-in or work of agents after which a user counts as inactive. */
  inactiveDays: (): number => clamp(read('organization.inactiveDays', 30), 1, 3650),
  /** By what the sessions are grouped: `attention`, `computer` or `workspace`. */
  sessionsGroupBy: (): string => read('sessions.groupBy', 'attention'),
  /** How sessions are ordered within a group: `activity`, `created` or `name`. */
  sessionsSortBy: (): string => read('sessions.sortBy', 'activity'),
  /** Which sessions are listed: those of this `workspace`, or `all`. */
  sessionsScope: (): string => read('sessions.scope', 'all'),
  /** Words and conditions that listed sessions must meet; empty for all. */
  sessionsFilter: (): string => read('sessions.filter', ''),
  /** After so many characters a title is cut, so that state and age stay in view beside it. */
  sessionsTitleLength: (): number => clamp(read('sessions.titleLength', 24), 8, 200),
  /** Named settings for new sessions, as the person wrote them. */
  sessionsPresets: (): unknown => configuration().get<unknown>('sessions.presets'),
  /** Whether the status bar shows the readiness of the active editor's repository. */
  readinessStatusBar: (): boolean => read('readiness.statusBar', true),
  /** Whether folders of applications are marked in the Explorer. */
  readinessDecorations: (): boolean => read('readiness.decorations', true),
  /** Minutes between readings of new readiness reports. */
  readinessRefreshMinutes: (): number => clamp(read('readiness.refreshMinutes', 60), 5, 1440),
  /** Which days the status bar counts the tokens of; `off` hides it and fetches nothing for it. */
  usageStatusBar: (): UsageSpan => {
    const span = read<string>('usage.statusBar', 'lastDay');
    return usageSpans.find(known => known === span) ?? 'lastDay';
  },
  /** The person's own budget of billable tokens; 0 for none. */
  usageBudget: (): UsageBudget => ({
    tokens: clamp(read('usage.budget', 0), 0, Number.MAX_SAFE_INTEGER),
    period: read<string>('usage.budgetPeriod', 'month') === 'day' ? 'day' : 'month',
    thresholds: [...new Set(readNumbers('usage.budgetThresholds', [80, 100]))]
      .filter(percent => percent > 0)
      .sort((a, b) => a - b),
  }),
  /** Whether windows listen to hook events: `auto`, where hooks are installed on their machine. */
  hooksListen: (): 'auto' | 'on' | 'off' => {
    const listen = read<string>('hooks.listen', 'auto');
    return listen === 'on' || listen === 'off' ? listen : 'auto';
  },
  /** The client's settings file, as the person named it; empty when there is none. */
  hooksSettingsFile: (): string => read('hooks.settingsFile', ''),
  /** Hooks of the person's own, as written; `undefined` when there are none. */
  hooksOutgoing: (): unknown => {
    const value = configuration().get<unknown>('hooks.outgoing');
    const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0;
    return isEmpty ? undefined : value;
  },
  notifications: {
    waiting: (): boolean => read('notifications.waiting', true),
    finished: (): boolean => read('notifications.finished', true),
    subagentFinished: (): boolean => read('notifications.subagentFinished', false),
    ended: (): boolean => read('notifications.ended', true),
    /** Work that was surely shorter is not told, seconds. */
    minimumSeconds: (): number => clamp(read('notifications.minimumSeconds', 0), 0, 86_400),
    quietWhenFocused: (): boolean => read('notifications.quietWhenFocused', false),
  },
  /** Where a session's chat is opened. */
  chatLocation: (): 'panel' | 'view' =>
    read<string>('chat.location', 'panel') === 'view' ? 'view' : 'panel',
  /** Whether what only some services offer is tried. */
  extras: (): boolean => read<string>('extras', 'auto') !== 'off',
  /** Largest attachments accepted: a file, an image, and all of one message together; bytes. */
  attachmentLimits: () => ({
    file: clamp(read('chat.maxAttachmentMegabytes', 10), 1, 100) * 1024 * 1024,
    image: clamp(read('chat.maxImageMegabytes', 5), 1, 100) * 1024 * 1024,
    message: clamp(read('chat.maxMessageMegabytes', 30), 1, 100) * 1024 * 1024,
  }),
  /** The key that sends a message; the other one begins a new line. */
  sendKey: (): 'enter' | 'ctrl+enter' =>
    read<string>('chat.sendKey', 'enter') === 'ctrl+enter' ? 'ctrl+enter' : 'enter',
  /** What becomes of a pasted text of at least `characters`. */
  largePaste: () => {
    const choices = ['ask', 'inline', 'file'] as const;
    const chosen = read<string>('chat.largePaste', 'ask');
    return {
      choice: choices.find(choice => choice === chosen) ?? 'ask',
      characters: clamp(read('chat.largePasteCharacters', 5000), 500, 1_000_000),
    };
  },
} as const;

export const usageSpans = ['lastDay', '7days', '30days', 'monthToDate', 'off'] as const;
export type UsageSpan = (typeof usageSpans)[number];

export interface UsageBudget {
  readonly tokens: number;
  readonly period: 'day' | 'month';
  /** Percent of `tokens`, rising. */
  readonly thresholds: readonly number[];
}

type SettingKey =
  | 'baseUrl'
  | 'appUrl'
  | 'refresh.computers'
  | 'refresh.sessions'
  | 'chat.maxAttachmentMegabytes'
  | 'organization.inactiveDays'
  | 'sessions.groupBy'
  | 'sessions.sortBy'
  | 'sessions.scope'
  | 'sessions.filter'
  | 'sessions.titleLength'
  | 'sessions.presets'
  | 'readiness.statusBar'
  | 'readiness.decorations'
  | 'readiness.refreshMinutes'
  | 'usage.statusBar'
  | 'usage.budget'
  | 'usage.budgetPeriod'
  | 'usage.budgetThresholds'
  | 'hooks.listen'
  | 'hooks.settingsFile'
  | 'hooks.outgoing'
  | 'notifications.waiting'
  | 'notifications.finished'
  | 'notifications.subagentFinished'
  | 'notifications.ended'
  | 'notifications.minimumSeconds'
  | 'notifications.quietWhenFocused'
  | 'chat.location'
  | 'extras'
  | 'chat.maxImageMegabytes'
  | 'chat.maxMessageMegabytes'
  | 'chat.sendKey'
  | 'chat.largePaste'
  | 'chat.largePasteCharacters';

/** Every setting id, for the test that compares them with package.json. */
export const settingKeys: readonly SettingKey[] = [
  'baseUrl',
  'appUrl',
  'refresh.computers',
  'refresh.sessions',
  'chat.maxAttachmentMegabytes',
  'organization.inactiveDays',
  'sessions.groupBy',
  'sessions.sortBy',
  'sessions.scope',
  'sessions.filter',
  'sessions.titleLength',
  'sessions.presets',
  'readiness.statusBar',
  'readiness.decorations',
  'readiness.refreshMinutes',
  'usage.statusBar',
  'usage.budget',
  'usage.budgetPeriod',
  'usage.budgetThresholds',
  'hooks.listen',
  'hooks.settingsFile',
  'hooks.outgoing',
  'notifications.waiting',
  'notifications.finished',
  'notifications.subagentFinished',
  'notifications.ended',
  'notifications.minimumSeconds',
  'notifications.quietWhenFocused',
  'chat.location',
  'extras',
  'chat.maxImageMegabytes',
  'chat.maxMessageMegabytes',
  'chat.sendKey',
  'chat.largePaste',
  'chat.largePasteCharacters',
];

/** The settings of the chat's composer. */
export const composerKeys = settingKeys.filter(key => key.startsWith('chat.'));

/** Stores the two addresses in the user's settings; `undefined` removes them. */
export async function storeAddresses(
  addresses: { readonly baseUrl: string; readonly appUrl: string } | undefined,
): Promise<void> {
  const stored = configuration();
  await stored.update('baseUrl', addresses?.baseUrl, vscode.ConfigurationTarget.Global);
  await stored.update('appUrl', addresses?.appUrl, vscode.ConfigurationTarget.Global);
}

/** Stores one setting of the Sessions view in the user's settings; its default removes it. */
export async function storeSessionsSetting(
  key: 'groupBy' | 'sortBy' | 'scope' | 'filter' | 'presets',
  value: unknown,
): Promise<void> {
  await configuration().update(`sessions.${key}`, value, vscode.ConfigurationTarget.Global);
}

/** Stores in the user's settings which days the status bar counts. */
export async function storeUsageSpan(span: UsageSpan): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('agentConsole');
  await configuration.update('usage.statusBar', span, vscode.ConfigurationTarget.Global);
}

/** Lets windows listen to hook events again, and writes down to whose settings file the hook went. */
export async function storeHookListening(settingsFile?: string): Promise<void> {
  const stored = configuration();
  if (settings.hooksListen() === 'off')
    await stored.update('hooks.listen', undefined, vscode.ConfigurationTarget.Global);
  if (settingsFile !== undefined)
    await stored.update('hooks.settingsFile', settingsFile, vscode.ConfigurationTarget.Global);
}

/** Calls `listener` after one of the named settings changed. */
export function onDidChangeSettings(keys: readonly SettingKey[], listener: () => unknown): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration(event => {
    if (keys.some(key => event.affectsConfiguration(`agentConsole.${key}`))) listener();
  });
}

/** VS Code's own setting that turns its Git extension off. */
export const gitSetting = {
  isOff: (): boolean => vscode.workspace.getConfiguration('git').get('enabled') === false,
  onDidChange: (listener: () => unknown): vscode.Disposable =>
    vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration('git.enabled')) listener();
    }),
};

function read<T extends string | number | boolean>(key: SettingKey, fallback: T): T {
  const value = configuration().get<unknown>(key);
  return typeof value === typeof fallback ? (value as T) : fallback;
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('agentConsole');
}

function readNumbers(key: SettingKey, fallback: readonly number[]): readonly number[] {
  const value = configuration().get<unknown>(key);
  return Array.isArray(value) ? value.filter(item => typeof item === 'number') : fallback;
}

function clamp(value: number, least: number, most: number): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : least;
}
