import * as vscode from 'vscode';
import { isApiError, type ApiClient, type Session } from '../api';
import { errorSentence, type ConnectionState } from '../connection';
import { Disposable, toDisposable, type IDisposable } from '../util/lifecycle';
import { Poller } from '../util/poller';
import type { SessionsContext, SessionsDeps } from '.';
import { askedAt, isWorking, untilDue } from './record';
import type { SessionIndex } from './sessionIndex';
import { SharedRequests } from '../util/promises';

export interface MonitorDeps extends Pick<SessionsDeps, 'focused' | 'fastestSeconds' | 'log'> {
  readonly index: SessionIndex;
  readonly connection: {
    readonly api: Pick<ApiClient, 'one'> | undefined;
    readonly state: { readonly current: ConnectionState };
  };
}

/** Between the questions of all windows: at most two a second, also where a timer is a little late. */
const APART_MS = 550;
/** It is looked at least so often, so that it is noticed when the machine has slept. */
const LONGEST_REST_MS = 15_000;

interface Watched {
  holders: number;
  /** Holders for whom the session is in front of the person, not a row among others. */
  inFront: number;
  /** Somebody has begun to look, or come back: however long nothing has changed, it is asked as if something had. */
  eager: boolean;
  asking?: AbortController | undefined;
}

/**
 * Keeps the status of sessions true while somebody looks at them in a window with the focus (trust.md 31). All windows together ask at
 * most twice a second: in each window what is in front of a person first, of the others what was asked longest ago.
 */
export class SessionMonitor extends Disposable {
  readonly #deps: MonitorDeps;
  readonly #watched = new Map<string, Watched>();
  readonly #requests = new SharedRequests<Session>();
  readonly #poller: Poller;

  constructor(deps: MonitorDeps) {
    super();
    this.#deps = deps;
    const { index, focused } = deps;
    this.#poller = this.register(
      new Poller({
        run: signal => this.#round(signal),
        isShown: focused.isShown,
        // What was known before is old: all is asked about as if it had just come into view.
        onWake: () => this.#hurry(),
      }),
    );
    // What was learned elsewhere may make the next question due sooner.
    this.register(index.onDidChange(() => this.#poller.poke()));
    this.register(
      focused.onDidChange(() => {
        for (const watched of this.#watched.values()) {
          watched.asking?.abort();
          watched.eager ||= watched.inFront > 0;
        }
        this.#follow();
      }),
    );
  }

  /**
   * While held, the sessions are checked: soon while their agents work, rarely otherwise. One that is in front of the person is also
   * checked when the window gets the focus again.
   */
  watch(sessionIds: readonly string[], why?: 'inFront'): IDisposable {
    const isInFront = Number(why !== undefined);
    const held = sessionIds.map(id => {
      const watched = this.#watched.get(id) ?? { holders: 0, inFront: 0, eager: true };
      this.#watched.set(id, watched);
      watched.holders++;
      watched.inFront += isInFront;
      return [id, watched] as const;
    });
    this.#follow();
    return toDisposable(() => {
      for (const [id, watched] of held) {
        watched.inFront -= isInFront;
        if (--watched.holders > 0) continue;
        watched.asking?.abort();
        this.#watched.delete(id);
      }
      this.#follow();
    });
  }

  /** Asks now; callers at the same time share one request. Rejects with the error of the request. */
  check(sessionId: string, signal?: AbortSignal): Promise<Session> {
    return this.#requests.run(sessionId, shared => this.#ask(sessionId, shared), signal);
  }

  /** Wakes what rests: after a send, or a new sign-in. */
  poke(sessionId?: string): void {
    this.#hurry(sessionId);
    this.#poller.poke();
  }

  override dispose(): void {
    this.#watched.clear();
    this.#requests.abortAll();
    super.dispose();
  }

  #hurry(only?: string): void {
    for (const [id, watched] of this.#watched) if (only === undefined || id === only) watched.eager = true;
  }

  #follow(): void {
    if (!this.#deps.focused.current || this.#watched.size === 0) this.#poller.stop();
    else if (this.#poller.isRunning) this.#poller.poke();
    else this.#poller.start();
  }

  async #round(signal: AbortSignal): Promise<number> {
    const { index, connection } = this.#deps;
    if (index.serviceId === undefined || connection.api === undefined) return Infinity;
    if (this.#next() !== undefined)
      await index.tryRun('turn', APART_MS, turn => {
        // Nobody gives it back: it lapses when the next question of all windows may be asked.
        turn.keep();
        return this.#askNext(signal);
      });
    // All windows look equally often.
    if (this.#next() !== undefined) return 5 + (APART_MS / 6) * (0.5 + Math.random());
    const due = Math.min(...[...this.#watched.keys()].map(id => this.#untilDue(id)));
    return due === Infinity ? Infinity : Math.max(1, Math.min(due, LONGEST_REST_MS));
  }

  /** Begins to ask about the session whose turn it is. */
  async #askNext(signal: AbortSignal): Promise<void> {
    const { index, log } = this.#deps;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      // Another window may just have asked.
      await index.read(next);
      if (signal.aborted) return;
      const watched = this.#watched.get(next);
      if (watched === undefined || this.#untilDue(next) > 0) continue;
      const asking = (watched.asking = new AbortController());
      // Whoever pokes from here on wants a question of their own.
      watched.eager = false;
      this.check(next, asking.signal)
        .catch((error: unknown) => {
          if (!asking.signal.aborted) log.debug(`A session could not be checked: ${String(error)}`);
        })
        .finally(() => {
          watched.asking = undefined;
          this.#poller.poke();
        });
      return;
    }
  }

  #next(): string | undefined {
    const { index } = this.#deps;
    const rank = (id: string): number =>
      (this.#watched.get(id)?.inFront ?? 0) > 0 ? -1 : askedAt(index.get(id), Date.now());
    return [...this.#watched.keys()]
      .filter(id => this.#untilDue(id) <= 0)
      .sort((a, b) => rank(a) - rank(b))[0];
  }

  #untilDue(sessionId: string): number {
    const { index, fastestSeconds } = this.#deps;
    const [record, watched] = [index.get(sessionId), this.#watched.get(sessionId)];
    // Nothing is asked about a session of another service, or one that was removed; it is when its record comes.
    if (record === undefined || watched === undefined || watched.asking !== undefined) return Infinity;
    const wish = { eager: watched.eager, inFront: watched.inFront > 0 };
    return untilDue(record, wish, fastestSeconds() * 1_000, Date.now());
  }

  async #ask(sessionId: string, signal: AbortSignal): Promise<Session> {
    const { index, connection } = this.#deps;
    const [{ api }, { serviceId }] = [connection, index];
    if (api === undefined || serviceId === undefined) throw new Error(vscode.l10n.t('Sign in first.'));
    // An answer or a failure is as old as its question: what a send answered meanwhile is newer.
    const at = Date.now();
    try {
      const computerId = index.get(sessionId)?.session?.computerId;
      const session = await api.one('session', { ids: { sessionId }, query: { computerId }, signal });
      if (index.serviceId !== serviceId)
        throw new Error(vscode.l10n.t('You have since switched to another service.'));
      await index.observe(serviceId, session, at);
      return session;
    } catch (error) {
      const kind = isApiError(error) ? error.kind : undefined;
      if (!signal.aborted && kind !== 'cancelled' && index.serviceId === serviceId) {
        const sentence = errorSentence(error, { host: connection.state.current.service?.host });
        const lasts = kind === 'notFound' || kind === 'forbidden';
        await index.fail(serviceId, sessionId, { at, sentence, ...(lasts ? { lasts } : {}) });
      }
      throw error;
    }
  }
}

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
  /** The ids that the newest reading has brought. */
  readonly told = new Set<string>();
  #isMissed = false;

  constructor(context: ServiceListContext) {
    super();
    this.#context = context;
    this.register(toDisposable(() => this.#requests.abortAll()));
    this.register(
      context.focused.onDidChange(focused => {
        if (focused && this.#isMissed) void this.read();
      }),
    );
  }

  /** Reads it now, or when the window gets the focus. Never rejects; callers at the same time share one reading. */
  async read(): Promise<void> {
    const { focused, index, log } = this.#context;
    this.#isMissed = !focused.current;
    if (this.#isMissed || this.isDisposed) return;
    await this.#requests
      .run(index.serviceId ?? '', signal => this.#read(signal))
      .catch((error: unknown) => log.debug(`The list of the service could not be read: ${String(error)}`));
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { index, connection, extras, log } = this.#context;
    const [{ api }, { serviceId }] = [connection, index];
    if (api === undefined || serviceId === undefined) return;
    this.told.clear();
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES && extras(); page++) {
      const at = Date.now();
      const answer = await api.extras.sessions(cursor, { signal });
      if (signal.aborted) return;
      if (answer === 'missing' || connection.api !== api) {
        // Trying again costs nothing where the service has no list.
        this.#isMissed = true;
        return;
      }
      for (const { sessionId } of answer.items) this.told.add(sessionId);
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
