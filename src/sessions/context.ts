import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Connection, Service } from '../connection';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { TreeNode } from '../ui/tree';
import type { DetailsDocuments } from '../util/detailsDocuments';
import type { Event } from '../util/event';
import type { Formatter } from '../util/format';
import { middle, oneLine } from '../util/text';
import type { WindowFocus } from '../util/windowFocus';
import type { SessionPolicy } from './create';
import type { SessionMonitor } from './monitor';
import type { SessionRecord, SessionSignal, Workspace } from './record';
import type { SessionIndex } from './sessionIndex';
import type { ComputerFacts, SessionContext } from './words';

/** What the index is to hold of a session besides what the service says, when it enters; `read` messages are no news. */
export interface Seed {
  readonly sessionId: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly read?: number;
  readonly signal?: Pick<SessionSignal, 'kind' | 'message' | 'reason'>;
}

export interface SessionsDeps {
  readonly connection: Pick<Connection, 'state' | 'api' | 'ready' | 'onDidBecomeReady'>;
  readonly storage: Storage;
  readonly log: Logger;
  readonly view: vscode.TreeView<TreeNode>;
  readonly focused: WindowFocus;
  readonly fastestSeconds: () => number;
  readonly computers: {
    known(computerId: string): ComputerFacts | undefined;
    readonly onDidChange: Event<unknown>;
  };
  readonly changes: {
    of(sessionId: string): SessionContext['changes'];
    readonly onDidChange: Event<readonly string[]>;
  };
  readonly format: Formatter;
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
  readonly details: Pick<DetailsDocuments, 'show'>;
  readonly linkBase: Pick<vscode.Uri, 'scheme' | 'authority'>;
  readonly policy?: SessionPolicy | undefined;
  /** Named settings for new sessions, as the person wrote them. */
  readonly presets: () => unknown;
  readonly seeds: (service: Service) => Promise<readonly Seed[]>;
  /** Whether what only some services offer may be used; asked each time. */
  readonly extras: () => boolean;
}

export interface SessionsContext extends SessionsDeps {
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  /** Resolves when the index of the current service has been read. */
  readonly ready: () => Promise<void>;
}

export function contextOf(record: SessionRecord, context: SessionsContext): SessionContext {
  const { monitor, computers, changes, format, extras, connection } = context;
  return {
    status: monitor.statusOf(record.sessionId),
    computer: id => computers.known(id),
    changes: changes.of(record.sessionId),
    format,
    now: Date.now(),
    canStop: extras() && connection.api?.extras.canInterrupt === true,
  };
}

/** The workspace of this window: its file where it has one, else its first folder; `undefined` without any. */
export function currentWorkspace(): Workspace | undefined {
  const { workspaceFile, workspaceFolders, name } = vscode.workspace;
  const uri = workspaceFile ?? workspaceFolders?.[0]?.uri;
  return uri === undefined ? undefined : { uri: uri.toString(), name: oneLine(name ?? uri.path, 80) };
}

/** Whether a session belongs to this window: to its workspace, to one of its folders, or to something below one. */
export function isHere(workspace: Workspace | undefined): boolean {
  if (workspace === undefined) return false;
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  if (workspace.uri === workspaceFile?.toString()) return true;
  return workspaceFolders.some(({ uri }) => {
    const folder = uri.toString().replace(/\/$/, '');
    return workspace.uri === folder || workspace.uri.startsWith(`${folder}/`);
  });
}

/** The workspace of a working directory that a hook named: the folder of this window it lies in, else the directory itself. */
export function workspaceOfCwd(cwd: string | undefined): Workspace | undefined {
  if (cwd === undefined || !path.isAbsolute(cwd)) return undefined;
  const directory = vscode.Uri.file(cwd);
  const folder = vscode.workspace.getWorkspaceFolder(directory);
  if (folder !== undefined) return currentWorkspace();
  return {
    uri: directory.toString().replace(/\/$/, ''),
    name: middle(oneLine(path.basename(cwd) || cwd), 80),
  };
}
