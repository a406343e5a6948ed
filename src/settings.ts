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
  /** Largest file accepted as an attachment, in bytes. */
  maxAttachmentBytes: (): number => clamp(read('chat.maxAttachmentMegabytes', 10), 1, 100) * 1024 * 1024,
  /** Days without a sign-in or work of agents after which a user counts as inactive. */
  inactiveDays: (): number => clamp(read('organization.inactiveDays', 30), 1, 3650),
  /** This window listens to hook events; written by installing and uninstalling the hook. */
  hooksListen: (): boolean => read('hooks.listen', false),
  /** The client's settings file, as the person named it; empty when there is none. */
  hooksSettingsFile: (): string => read('hooks.settingsFile', ''),
  /** Hooks of the person's own, in the shape of section 6; `undefined` when there are none. */
  hooksOutgoing: (): unknown => {
    const value = vscode.workspace.getConfiguration('agentConsole').get<unknown>('hooks.outgoing');
    return typeof value === 'object' && value !== null && Object.keys(value).length > 0 ? value : undefined;
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
} as const;

type SettingKey =
  | 'baseUrl'
  | 'appUrl'
  | 'refresh.computers'
  | 'refresh.sessions'
  | 'chat.maxAttachmentMegabytes'
  | 'organization.inactiveDays'
  | 'hooks.listen'
  | 'hooks.settingsFile'
  | 'hooks.outgoing'
  | 'notifications.waiting'
  | 'notifications.finished'
  | 'notifications.subagentFinished'
  | 'notifications.ended'
  | 'notifications.minimumSeconds'
  | 'notifications.quietWhenFocused';

/** Every setting id, for the test that compares them with package.json. */
export const settingKeys: readonly SettingKey[] = [
  'baseUrl',
  'appUrl',
  'refresh.computers',
  'refresh.sessions',
  'chat.maxAttachmentMegabytes',
  'organization.inactiveDays',
  'hooks.listen',
  'hooks.settingsFile',
  'hooks.outgoing',
  'notifications.waiting',
  'notifications.finished',
  'notifications.subagentFinished',
  'notifications.ended',
  'notifications.minimumSeconds',
  'notifications.quietWhenFocused',
];

/** Stores the two addresses in the user's settings; `undefined` removes them. */
export async function storeAddresses(
  addresses: { readonly baseUrl: string; readonly appUrl: string } | undefined,
): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('agentConsole');
  await configuration.update('baseUrl', addresses?.baseUrl, vscode.ConfigurationTarget.Global);
  await configuration.update('appUrl', addresses?.appUrl, vscode.ConfigurationTarget.Global);
}

/** Writes down that the windows of this installation listen to hook events, and to whose settings file the hook went. */
export async function storeHookListening(listen: boolean, settingsFile?: string): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('agentConsole');
  await configuration.update('hooks.listen', listen || undefined, vscode.ConfigurationTarget.Global);
  if (settingsFile !== undefined)
    await configuration.update('hooks.settingsFile', settingsFile, vscode.ConfigurationTarget.Global);
}

/** Calls `listener` after one of the named settings changed. */
export function onDidChangeSettings(keys: readonly SettingKey[], listener: () => unknown): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration(event => {
    if (keys.some(key => event.affectsConfiguration(`agentConsole.${key}`))) listener();
  });
}

function read<T extends string | number | boolean>(key: SettingKey, fallback: T): T {
  const value = vscode.workspace.getConfiguration('agentConsole').get<unknown>(key);
  return typeof value === typeof fallback ? (value as T) : fallback;
}

function clamp(value: number, least: number, most: number): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : least;
}
