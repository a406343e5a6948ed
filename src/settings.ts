import * as vscode from 'vscode';
import type manifest from '../package.json';

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
  /** Named settings for new sessions, as the person wrote them. */
  sessionsPresets: (): unknown => configuration().get<unknown>('sessions.presets'),
  /** Whether the status bar shows the readiness of the active editor's repository. */
  readinessStatusBar: (): boolean => read('readiness.statusBar', true),
  /** Which days the status bar counts the tokens of; `off` hides it and fetches nothing for it. */
  usageStatusBar: (): UsageSpan => oneOf('usage.statusBar', usageSpans, '7days'),
  /** The person's own budget of billable tokens; 0 for none. */
  usageBudget: (): UsageBudget => {
    const stored = configuration().get<Readonly<Record<string, unknown>> | null>('usage.budget');
    const { tokens, per } = stored ?? {};
    return {
      tokens: typeof tokens === 'number' ? clamp(tokens, 0, Number.MAX_SAFE_INTEGER) : 0,
      per: per === 'day' ? 'day' : 'month',
    };
  },
  /** Hooks of the person's own, as written; `undefined` when there are none. */
  hooksOutgoing: (): unknown => {
    const value = configuration().get<unknown>('hooks.outgoing');
    const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0;
    return isEmpty ? undefined : value;
  },
  notifications: {
    about: (): readonly NoticeKind[] => {
      const chosen = configuration().get<unknown>('notifications.about');
      return Array.isArray(chosen) ? noticeKinds.filter(kind => chosen.includes(kind)) : usualNotices;
    },
    quietWhenFocused: (): boolean => read('notifications.quietWhenFocused', true),
  },
  /** Where a session's chat is opened. */
  chatLocation: () => oneOf('chat.location', ['panel', 'view'], 'panel'),
  /** Whether what only some services offer is tried. */
  extras: (): boolean => oneOf('extras', ['auto', 'off'], 'auto') === 'auto',
  /** Largest attachments accepted: a file, and all of one message together; bytes. */
  attachmentLimits: () => ({
    file: clamp(read('chat.maxAttachmentMegabytes', 10), 1, 100) * 1024 * 1024,
    message: clamp(read('chat.maxMessageMegabytes', 30), 1, 100) * 1024 * 1024,
  }),
  /** Whether assistants and other programs may ask to create sessions and to send messages. */
  toolsWrite: (): boolean => read('tools.write', false),
  /** The key that sends a message; the other one begins a new line. */
  sendKey: () => oneOf('chat.sendKey', ['enter', 'ctrl+enter'], 'enter'),
} as const;

/** What a person can be told of. */
export const noticeKinds = ['waiting', 'finished', 'ended', 'subagentFinished'] as const;
export type NoticeKind = (typeof noticeKinds)[number];
const usualNotices: readonly NoticeKind[] = ['waiting', 'finished'];

const usageSpans = ['lastDay', '7days', '30days', 'monthToDate', 'off'] as const;
export type UsageSpan = (typeof usageSpans)[number];

export interface UsageBudget {
  readonly tokens: number;
  readonly per: 'day' | 'month';
}

/** Every setting that package.json declares, without `agentConsole.`. */
type SettingKey = WithoutPrefix<KeyOfEach<(typeof manifest.contributes.configuration)[number]['properties']>>;
type KeyOfEach<Section> = Section extends Section ? keyof Section : never;
type WithoutPrefix<Id> = Id extends `agentConsole.${infer Key}` ? Key : never;

/** What the composer of the chat, the status bar and the hooks each follow. */
export const composerSettings: readonly SettingKey[] = [
  'chat.sendKey',
  'chat.maxAttachmentMegabytes',
  'chat.maxMessageMegabytes',
];
export const barSettings: readonly SettingKey[] = ['usage.statusBar', 'usage.budget', 'readiness.statusBar'];
export const hookSettings: readonly SettingKey[] = ['hooks.outgoing'];

/** Stores the two addresses in the user's settings. */
export async function storeAddresses(addresses: {
  readonly baseUrl: string;
  readonly appUrl: string;
}): Promise<void> {
  const stored = configuration();
  await stored.update('baseUrl', addresses.baseUrl, vscode.ConfigurationTarget.Global);
  await stored.update('appUrl', addresses.appUrl, vscode.ConfigurationTarget.Global);
}

/** What to tell of, where each kind had a setting of its own before: `undefined` for a kind whose setting was left alone. */
export function noticesFrom(
  chosen: Readonly<Partial<Record<NoticeKind, boolean | undefined>>>,
): readonly NoticeKind[] {
  return noticeKinds.filter(kind => chosen[kind] ?? usualNotices.includes(kind));
}

/** Carries over, once, what an earlier version kept in settings that are gone. */
export async function carryOverSettings(): Promise<void> {
  const stored = configuration();
  const chosen = (key: string): unknown => stored.inspect<unknown>(key)?.globalValue;
  const carry = async (key: SettingKey, value: unknown, gone: readonly string[]): Promise<void> => {
    await stored.update(key, value, vscode.ConfigurationTarget.Global);
    for (const old of gone) await stored.update(old, undefined, vscode.ConfigurationTarget.Global);
  };
  // The budget was a number beside its period.
  const tokens = chosen('usage.budget');
  const per = chosen('usage.budgetPeriod') === 'day' ? 'day' : 'month';
  if (typeof tokens === 'number')
    await carry('usage.budget', { tokens, per }, ['usage.budgetPeriod', 'usage.budgetThresholds']);
  // What to tell of had a setting for each kind.
  const kinds = noticeKinds.filter(kind => chosen(`notifications.${kind}`) !== undefined);
  const about = noticesFrom(
    Object.fromEntries(kinds.map(kind => [kind, chosen(`notifications.${kind}`) === true])),
  );
  const gone = kinds.map(kind => `notifications.${kind}`);
  if (gone.length > 0) await carry('notifications.about', about, gone);
}

/** Calls `listener` after one of the named settings changed. */
export function onDidChangeSettings(keys: readonly SettingKey[], listener: () => unknown): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration(event => {
    if (keys.some(key => event.affectsConfiguration(`agentConsole.${key}`))) listener();
  });
}

/** Whether a diff editor leaves the ends of long lines out of sight, by VS Code's own settings. */
export function isDiffUnwrapped(): boolean {
  const wrap = vscode.workspace.getConfiguration('diffEditor').get<string>('wordWrap');
  if (wrap === 'on' || wrap === 'off') return wrap === 'off';
  return vscode.workspace.getConfiguration('editor').get<string>('wordWrap') === 'off';
}

function read<T extends string | number | boolean>(key: SettingKey, fallback: T): T {
  const value = configuration().get<unknown>(key);
  return typeof value === typeof fallback ? (value as T) : fallback;
}

function oneOf<const T extends string>(key: SettingKey, choices: readonly T[], fallback: T): T {
  const chosen = configuration().get<unknown>(key);
  return choices.find(choice => choice === chosen) ?? fallback;
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('agentConsole');
}

function clamp(value: number, least: number, most: number): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : least;
}
