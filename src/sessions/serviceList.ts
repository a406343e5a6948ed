import type { Session } from '../api';
import { Disposable } from '../util/disposable';
import { SharedRequests } from '../util/promises';
import type { SessionsContext } from '.';
import { isWorking } from './record';

type ServiceListContext = Pick<SessionsContext, 'index' | 'connection' | 'extras' | 'focused' | 'log'>;

/** Pages of a hundred sessions: whoever has more finds the others by their ids. */
const MOST_PAGES = 20;

/**
 * The list of sessions that some services offer beside the documented interface (interface-notes, extras). What it names enters
 * the index; where there is none, the index stays the only memory, and nobody is told.
 */
export class ServiceList extends Disposable {
  readonly #context: ServiceListContext;
  readonly #requests = new SharedRequests<void>();
  #isMissed = false;

  constructor(context: ServiceListContext) {
    super();
    this.#context = context;
    this.register(
      context.focused.onDidChange(focused => {
        if (focused && this.#isMissed) void this.read();
      }),
    );
  }

  /** Reads it now, or when the window gets the focus. Never rejects; callers at the same time share one reading. */
  async read(): Promise<void> {
    const { focused, log } = this.#context;
    this.#isMissed = !focused.current;
    if (this.#isMissed || this.isDisposed) return;
    await this.#requests
      .run('list', signal => this.#read(signal))
      .catch((error: unknown) => log.debug(`The list of the service could not be read: ${String(error)}`));
  }

  cancel(): void {
    this.#isMissed = false;
    this.#requests.abortAll();
  }

  override dispose(): void {
    this.cancel();
    super.dispose();
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { index, connection, extras, log } = this.#context;
    const [{ api }, { serviceId }] = [connection, index];
    if (api === undefined || serviceId === undefined) return;
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES && extras(); page++) {
      const at = Date.now();
      const answer = await api.extras.sessions(cursor, { signal });
      if (answer === 'missing' || signal.aborted || connection.api !== api) return;
      // A page is stored at once: its sessions share what storing them needs to look up.
      const news = answer.items.filter(session => !this.#isKnown(session));
      const learnt = await Promise.allSettled(
        news.map(session => index.learn(serviceId, { session, origin: 'listed', at })),
      );
      const failures = learnt.filter(({ status }) => status === 'rejected').length;
      if (failures > 0) log.warn(`${failures} sessions of the service's list could not be stored`);
      if (answer.cursor === undefined || answer.cursor === cursor) return;
      cursor = answer.cursor;
    }
  }

  /** Nothing is written about a session that rests as it did. */
  #isKnown(session: Session): boolean {
    const record = this.#context.index.get(session.sessionId);
    if (record?.statusAfterSend !== undefined || record?.check?.problem !== undefined) return false;
    return !isWorking(session.status) && JSON.stringify(record?.session) === JSON.stringify(session);
  }
}
