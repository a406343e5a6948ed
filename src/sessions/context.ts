import type * as vscode from 'vscode';
import type { Connection, Service } from '../connection';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { TreeNode } from '../ui/tree';
import type { DetailsDocuments } from '../util/detailsDocuments';
import type { Event } from '../util/event';
import type { Formatter } from '../util/format';
import type { WindowFocus } from '../util/windowFocus';
import type { SessionPolicy } from './create/newSessions';
import type { SessionMonitor } from './status/monitor';
import type { SessionRecord, SessionSignal } from './store/record';
import type { SessionIndex } from './store/sessionIndex';
import type { ComputerFacts, SessionContext } from './view/words';

/** What the index is to hold of a session besides what the service says, when it enters. */
export interface Seed {
  readonly sessionId: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  /** Messages that have been read. */
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
    /** What this window knows of a computer. */
    known(computerId: string): ComputerFacts | undefined;
    readonly onDidChange: Event<unknown>;
  };
  readonly format: Formatter;
  /** How the person wants this workspace's view. */
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
  readonly details: Pick<DetailsDocuments, 'show'>;
  /** What the editor calls links to this extension. */
  readonly linkBase: Pick<vscode.Uri, 'scheme' | 'authority'>;
  /** What the organization has to say against a session that is about to be made. */
  readonly policy?: SessionPolicy | undefined;
  /** Named settings for new sessions, as the person wrote them. */
  readonly presets: () => unknown;
  /** The sessions every index of a service begins with; none but for the sample. */
  readonly seeds: (service: Service) => Promise<readonly Seed[]>;
  /** Whether what only some services offer may be used; asked each time. */
  readonly extras: () => boolean;
}

/** What the parts of this feature share. */
export interface SessionsContext extends SessionsDeps {
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  /** Resolves when the index of the current service has been read. */
  readonly ready: () => Promise<void>;
}

/** What is needed to describe a session as it is now. */
export function contextOf(record: SessionRecord, context: SessionsContext): SessionContext {
  const { monitor, computers, format, extras, connection } = context;
  return {
    status: monitor.statusOf(record.sessionId),
    computer: id => computers.known(id),
    format,
    now: Date.now(),
    canStop: extras() && connection.api?.extras.canInterrupt === true,
  };
}
