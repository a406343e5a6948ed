import type { ApiClient, Session } from '../../api';
import type { Logger } from '../../log';
import { Disposable } from '../../util/disposable';
import type { Observable } from '../../util/event';
import { SharedRequests } from '../../util/promises';
import { isWorking } from '../store/record';
import type { SessionIndex } from '../store/sessionIndex';

export interface ServiceListDeps {
  readonly index: SessionIndex;
  /** The client of the current service; `undefined` while signed out or resting. */
  readonly api: () => { readonly extras: Pick<ApiClient['extras'], 'sessions'> } | undefined;
  /** Whether what only some services offer may be used; asked before each page. */
  readonly isWanted: () => boolean;
  /** Whether this window has the focus: without it nothing is asked (trust.md 31). */
  readonly focused: Observable<boolean>;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  readonly mostPages?: number;
}

/** Pages of a hundred sessions: whoever has more finds the others by their ids. */
const MOST_PAGES = 20;

/**
 * The list of sessions that some services offer beside the documented interface (interface-notes, extras). What it names enters
 * the index; where there is none, the index stays the only memory, and nobody is told.
 */
export class ServiceList extends Disposable {
  readonly #deps: ServiceListDeps;
  readonly #requests = new SharedRequests<void>();
  #isMissed = false;

  constructor(deps: ServiceListDeps) {
    super();
    this.#deps = deps;
    this.register(
      deps.focused.onDidChange(focused => {
        if (focused && this.#isMissed) void this.read();
      }),
    );
  }

  /** Reads it now, or when the window gets the focus. Never rejects; callers at the same time share one reading. */
  async read(): Promise<void> {
    this.#isMissed = !this.#deps.focused.current;
    if (this.#isMissed || this.isDisposed) return;
    await this.#requests.run('list', signal =>
      this.#read(signal).catch((error: unknown) => {
        if (!signal.aborted)
          this.#deps.log.debug(`The list of the service could not be read: ${String(error)}`);
      }),
    );
  }

  /** Gives up what is being read: of another service, or not wanted any more. */
  cancel(): void {
    this.#isMissed = false;
    this.#requests.abortAll();
  }

  override dispose(): void {
    this.cancel();
    super.dispose();
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { index, api, isWanted, log, mostPages = MOST_PAGES } = this.#deps;
    const [client, { serviceId }] = [api(), index];
    if (client === undefined || serviceId === undefined) return;
    let cursor: string | undefined;
    for (let page = 0; page < mostPages && isWanted(); page++) {
      const at = Date.now();
      const answer = await client.extras.sessions(cursor, { signal });
      if (answer === 'missing' || signal.aborted || api() !== client) return;
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
    const record = this.#deps.index.get(session.sessionId);
    if (record?.statusAfterSend !== undefined || record?.check?.problem !== undefined) return false;
    return !isWorking(session.status) && JSON.stringify(record?.session) === JSON.stringify(session);
  }
}
