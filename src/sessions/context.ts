import type { Connection } from '../connection';
import type { Logger } from '../log';
import type { Formatter } from '../util/format';
import type { SessionMonitor } from './status/monitor';
import type { SessionRecord } from './store/record';
import type { SessionIndex } from './store/sessionIndex';
import type { ComputerFacts, SessionContext } from './view/words';

/** What the parts of this feature share. */
export interface SessionsContext {
  readonly connection: Pick<Connection, 'state' | 'api' | 'ready'>;
  readonly index: SessionIndex;
  readonly monitor: Pick<SessionMonitor, 'statusOf' | 'watch' | 'check' | 'poke'>;
  /** What this window knows of a computer. */
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly format: Formatter;
  readonly log: Logger;
  /** Resolves when the index of the current service has been read. */
  readonly ready: () => Promise<void>;
  /** Whether the agents of the current service can be stopped. */
  readonly canStop: () => boolean;
}

/** What is needed to tell of a session now. */
export function contextOf(record: SessionRecord, context: SessionsContext): SessionContext {
  const { monitor, computer, format, canStop } = context;
  const status = monitor.statusOf(record.sessionId);
  return { status, computer, format, now: Date.now(), canStop: canStop() };
}
