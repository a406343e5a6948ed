import type { ApiClient, Session } from '../../api';
import type { Logger } from '../../log';
import { Disposable } from '../../util/disposable';
import type { Observable } from '../../util/event';
import { isActive, type SessionStatus } from '../store/model';
import type { SessionIndex } from '../store/sessionIndex';

export interface ServiceListDeps {
  readonly index: SessionIndex;
  /** The client of the current service; `undefined` while signed out or resting. */
  readonly api: () => { readonly extras: Pick<ApiClient['extras'], 'sessions'> } | undefined;
  /** Whether what only some services offer may be used; asked before each page. */
  readonly isWanted: () => boolean;
  readonly statusOf: (sessionId: string) => SessionStatus;
  /** Whether this window has the focus: without it nothing is asked (trust.md 31). */
  readonly focused: Observable<boolean>;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  readonly mostPages?: number;
  readonly now?: () => number;
}

/** Pages of a hundred sessions: whoever has more finds the others by their ids. */
const MOST_PAGES = 20;

/**
 * The list of sessions that some services offer beside the documented interface (interface-notes, extras). What it names enters
 * the index; where there is none, the index stays the only memory, and nobody is told.
 */
export class ServiceList extends Disposable {
  readonly #deps: ServiceListDeps;
  #reading: { readonly done: Promise<void>; readonly abort: AbortController } | undefined;
  #wanted = false;

  constructor(deps: ServiceListDeps) {
    super();
    this.#deps = deps;
    this.register(
      deps.focused.onDidChange(focused => {
        if (focused && this.#wanted) void this.read();
      }),
    );
  }

  /** Reads it now, or when the window gets the focus. Never rejects; callers at the same time share one reading. */
  read(): Promise<void> {
    this.#wanted = !this.#deps.focused.current;
    if (this.#wanted || this.isDisposed) return Promise.resolve();
    if (this.#reading !== undefined) return this.#reading.done;
    const abort = new AbortController();
    const done = this.#read(abort.signal)
      .catch((error: unknown) => {
        if (!abort.signal.aborted)
          this.#deps.log.debug(`The list of the service could not be read: ${String(error)}`);
      })
      .finally(() => {
        if (this.#reading?.abort === abort) this.#reading = undefined;
      });
    this.#reading = { done, abort };
    return done;
  }

  /** Gives up what is being read: of another service, or not wanted any more. */
  cancel(): void {
    this.#wanted = false;
    this.#reading?.abort.abort();
    this.#reading = undefined;
  }

  override dispose(): void {
    this.cancel();
    super.dispose();
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { index, api, isWanted, log, mostPages = MOST_PAGES, now = Date.now } = this.#deps;
    const [client, { serviceId }] = [api(), index];
    if (client === undefined || serviceId === undefined) return;
    let [cursor, failures]: [string | undefined, number] = [undefined, 0];
    for (let page = 0; page < mostPages && isWanted(); page++) {
      const at = now();
      const answer = await client.extras.sessions(cursor, { signal });
      if (answer === 'missing') break;
      if (signal.aborted || api() !== client) return;
      // A page is stored at once: its sessions share what storing them needs to look up.
      const unknown = answer.items.filter(session => !this.#isKnown(session));
      const learnt = await Promise.allSettled(
        unknown.map(session => index.learn(serviceId, { session, origin: 'listed', at })),
      );
      failures += learnt.filter(({ status }) => status === 'rejected').length;
      if (answer.cursor === undefined || answer.cursor === cursor) break;
      cursor = answer.cursor;
    }
    if (failures > 0) log.warn(`${String(failures)} sessions of the service's list could not be stored`);
  }

  /** Nothing is written about a session that rests as it did. */
  #isKnown(session: Session): boolean {
    const record = this.#deps.index.get(session.sessionId);
    if (record?.session === undefined || record.statusAfterSend !== undefined) return false;
    const status = this.#deps.statusOf(session.sessionId);
    if (status.problem !== undefined || isActive(status)) return false;
    return JSON.stringify(record.session) === JSON.stringify(session);
  }
}
