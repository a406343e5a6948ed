import { commands as registry } from 'vscode';

/**
 * Every command, view, panel, context key and setting id of the extension. Only `activate` registers
 * them (lint keeps it so), and a test compares this file with package.json.
 */
export const commands = {
  console: ids('agentConsole', 'refresh', 'showLog', 'copyDiagnostics'),
  connection: ids('agentConsole', 'signIn', 'signOut', 'useSampleService', 'showAccess'),
  computers: ids('agentConsole.computers', 'showDetails'),
  sessions: {
    ...ids('agentConsole.sessions', 'create', 'add', 'remove', 'restore', 'rename', 'pin', 'archive'),
    ...ids('agentConsole.sessions', 'unarchive', 'copyId', 'copyLink', 'showDetails', 'viewOptions'),
    ...ids('agentConsole.sessions', 'export', 'import'),
  },
  chat: {
    ...ids('agentConsole.sessions', 'open'),
    ...ids('agentConsole.chat', 'send', 'attachFiles', 'stop', 'find', 'export', 'attachSelection'),
  },
  search: { open: 'agentConsole.search' },
  changes: {
    ...ids('agentConsole.changes', 'show', 'chooseBranch', 'bringHome', 'takeAlong'),
    ...ids('agentConsole.changes', 'comment', 'removeComment', 'sendComments'),
  },
  organization: {
    ...ids('agentConsole.organization', 'showUser', 'export', 'openChanges'),
    ...ids('agentConsole.organization', 'compareRevisions', 'showRevision'),
  },
  readiness: ids('agentConsole.readiness', 'openReport', 'compare', 'fix', 'exportReport'),
  usage: ids('agentConsole.usage', 'open'),
  hooks: ids('agentConsole.hooks', 'install', 'uninstall', 'test', 'doctor', 'attention'),
  tools: ids('agentConsole.tools', 'copyMcpConfiguration'),
} as const;

function ids<P extends string, N extends string>(
  prefix: P,
  ...names: N[]
): { readonly [K in N]: `${P}.${K}` } {
  return Object.fromEntries(names.map(name => [name, `${prefix}.${name}`])) as never;
}

export const views = {
  sessions: 'agentConsole.sessions',
  computers: 'agentConsole.computers',
  organization: 'agentConsole.organization',
  readiness: 'agentConsole.readiness',
  chat: 'agentConsole.chatView',
} as const;

export const panels = {
  chat: 'agentConsole.chat',
  readinessReport: 'agentConsole.readinessReport',
  usage: 'agentConsole.usage',
} as const;

/** Schemes of read-only documents: made here, and files of a commit. */
export const documents = { details: 'agentconsole-details', changes: 'agentconsole-changes' } as const;

/** Of the comments on what agents changed. */
export const commentController = 'agentConsole.comments';

/** Context keys and the values they take; `undefined` until the part they speak of has been loaded. */
export interface ContextKeys {
  'agentConsole.connection': 'signedOut' | 'signedIn' | 'keyRejected';
  /** The service's addresses are known, even where its key is not. */
  'agentConsole.knownService': boolean;
  'agentConsole.environment': boolean;
  'agentConsole.computers': 'loading' | 'empty' | 'failed' | 'listed';
  'agentConsole.sessions': 'loading' | 'empty' | 'failed' | 'listed';
  'agentConsole.readiness': 'loading' | 'empty' | 'failed' | 'listed';
  /** A comment on what an agent changed waits to be sent. */
  'agentConsole.draftComments': boolean;
}

export type Feature = keyof typeof commands;

type Handler = (...args: unknown[]) => unknown;

/** One handler for each command of a feature; a missing one does not compile. */
export type CommandHandlers<F extends Feature> = {
  readonly [C in keyof (typeof commands)[F]]: Handler;
};

/** How the code of each feature is loaded. */
export type CommandLoaders = {
  readonly [F in Feature]: () => Promise<{ readonly commands: CommandHandlers<F> }>;
};

/** Sets one context key for `when` clauses. */
export function setContext<K extends keyof ContextKeys>(key: K, value: ContextKeys[K]): void {
  void registry.executeCommand('setContext', key, value);
}
