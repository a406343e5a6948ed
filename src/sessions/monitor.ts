import * as vscode from 'vscode';
import { isApiError, type ApiClient, type Session } from '../api';
import { errorSentence, type ConnectionState } from '../connection';
import { Disposable, toDisposable, type IDisposable } from '../util/lifecycle';
import { Poller } from '../util/poller';
import type { SessionsContext, SessionsDeps } from '.';
import { askedAt, isWorking, statusOf, untilDue, type SessionStatus, type StatusProblem } from './record';
import type { SessionIndex } from './sessionIndex';
import { SharedRequests } from '../util/promises';

export interface MonitorDeps extends Pick<SessionsDeps, 'focused' | 'fastestSeconds'> {
  readonly index: SessionIndex;
  readonly connection: {
    readonly api: Pick<ApiClient, 'one'> | undefined;
    readonly state: { readonly current: ConnectionState };
  };
  readonly now?: () => number;
  readonly apartMs?: number;
}

/** Between the questions of all windows: at most two a second, also where a timer is a little late. */
const APART_MS = 550;
/** A window that has asked and not renewed its lease for so long has gone. */
const QUESTION_MS = 20_000;
const LOOK_MS = 1_000;
/** It is looked at least so often, so that it is noticed when the machine has slept. */
const LONGEST_REST_MS = 15_000;

interface Watched {
  holders: number;
  /** Holders for whom the session is in front of the person, not a row among others. */
  inFront: number;
  /** Somebody has begun to look, or come back: however long nothing has changed, it is asked as if something had. */
  eager: boolean;
  asking?: AbortController | undefined;
  /** Another window asks: it is looked at again then, Unix ms. */
  elsewhereUntil: number;
}

/**
 * Keeps the status of sessions true while somebody looks at them in a window with the focus (trust.md 31). All windows together ask about
 * a session as often as one would, and about all of them at most twice a second: in each window what is in front of a person first, of
 * the others what was asked longest ago.
 */
export class SessionMonitor extends Disposable {
  readonly #deps: MonitorDeps;
  readonly #watched = new Map<string, Watched>();
  readonly #requests = new SharedRequests<Session>();
  readonly #now: () => number;
  readonly #poller: Poller;
  /** Failures before this time are of another key or another service. */
  #since = 0;

  constructor(deps: MonitorDeps) {
    super();
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    const { index, focused } = deps;
    this.#poller = this.register(
      new Poller({
        run: signal => this.#round(signal),
        // What was known before is old: all is asked about as if it had just come into view.
        onWake: () => this.#hurry(),
        now: this.#now,
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

  statusOf(sessionId: string): SessionStatus {
    const record = this.#deps.index.get(sessionId);
    if (record === undefined) return { value: 'unknown' };
    return statusOf(record, this.#problemOf(sessionId), this.#now());
  }

  /**
   * While held, the session is checked: soon while the agent works, rarely otherwise. One that is in front of the person is also
   * checked when the window gets the focus again.
   */
  watch(sessionId: string, why?: 'inFront'): IDisposable {
    const none: Watched = { holders: 0, inFront: 0, eager: true, elsewhereUntil: 0 };
    const watched = this.#watched.get(sessionId) ?? none;
    this.#watched.set(sessionId, watched);
    const isInFront = Number(why !== undefined);
    watched.holders++;
    watched.inFront += isInFront;
    this.#follow();
    return toDisposable(() => {
      watched.inFront -= isInFront;
      if (--watched.holders > 0) return;
      watched.asking?.abort();
      this.#watched.delete(sessionId);
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

  /** Forgets the problems of another key or service. */
  reset(): void {
    this.#requests.abortAll();
    this.#since = this.#now();
    this.poke();
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
    const { index, connection, focused, apartMs = APART_MS } = this.#deps;
    while (!signal.aborted && this.#next() !== undefined) {
      await focused.isShown?.();
      if (index.serviceId === undefined || connection.api === undefined) return Infinity;
      // Nobody gives it back: it lapses when the next question of all windows may be asked.
      const isOurs = await index.tryRun('turn', apartMs, turn => {
        turn.keep();
        return Promise.resolve(true);
      });
      if (isOurs === true) await this.#askNext(signal);
      // All windows look equally often.
      const pause = 5 + (apartMs / 6) * (0.5 + Math.random());
      if (this.#next() !== undefined) await new Promise(resolve => setTimeout(resolve, pause));
    }
    const due = Math.min(...[...this.#watched.keys()].map(id => this.#untilDue(id)));
    return due === Infinity ? Infinity : Math.max(1, Math.min(due, LONGEST_REST_MS));
  }

  /** Begins to ask about one session that no other window asks about. */
  async #askNext(signal: AbortSignal): Promise<void> {
    for (let next = this.#next(); next !== undefined && !signal.aborted; next = this.#next())
      if (await this.#begin(next)) return;
  }

  #next(): string | undefined {
    const { index } = this.#deps;
    const rank = (id: string): number =>
      (this.#watched.get(id)?.inFront ?? 0) > 0 ? -1 : askedAt(index.get(id), this.#now());
    return [...this.#watched.keys()]
      .filter(id => this.#untilDue(id) <= 0)
      .sort((a, b) => rank(a) - rank(b))[0];
  }

  /** Begins to ask, unless that is not due any more or another window asks; resolves when it is clear whether it has begun. */
  #begin(sessionId: string): Promise<boolean> {
    const { index } = this.#deps;
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const asked = index.tryRun(sessionId, QUESTION_MS, async lease => {
      await index.read(sessionId);
      const watched = this.#watched.get(sessionId);
      const isDue = this.#untilDue(sessionId) <= 0 && lease.isHeld();
      if (watched === undefined || !isDue || !this.#deps.focused.current) return true;
      watched.asking = new AbortController();
      // Whoever pokes from here on wants a question of their own.
      watched.eager = false;
      const answer = this.check(sessionId, watched.asking.signal).catch(() => undefined);
      resolve(true);
      await answer;
      watched.asking = undefined;
      this.#poller.poke();
      return true;
    });
    asked.then(isHere => {
      const watched = this.#watched.get(sessionId);
      if (isHere === undefined && watched !== undefined) watched.elsewhereUntil = this.#now() + LOOK_MS;
      resolve(false);
    }, reject);
    return promise;
  }

  #untilDue(sessionId: string): number {
    const { index, fastestSeconds } = this.#deps;
    const [record, watched] = [index.get(sessionId), this.#watched.get(sessionId)];
    // Nothing is asked about a session of another service, or one that was removed; it is when its record comes.
    if (record === undefined || watched === undefined || watched.asking !== undefined) return Infinity;
    const status = statusOf(record, this.#problemOf(sessionId));
    const { eager, inFront, elsewhereUntil } = watched;
    const wish = { eager, inFront: inFront > 0 };
    const due = untilDue(record, status, wish, fastestSeconds() * 1_000, this.#now());
    return Math.max(due, elsewhereUntil - this.#now());
  }

  async #ask(sessionId: string, signal: AbortSignal): Promise<Session> {
    const { index, connection } = this.#deps;
    const [{ api }, { serviceId }] = [connection, index];
    if (api === undefined || serviceId === undefined)
      throw new Error(vscode.l10n.t('Sign in first: Agent Console is not connected to a service.'));
    // An answer or a failure is as old as its question: what a send answered meanwhile is newer.
    const at = this.#now();
    try {
      const computerId = index.get(sessionId)?.session?.computerId;
      const session = await api.one('session', { ids: { sessionId }, query: { computerId }, signal });
      if (index.serviceId !== serviceId)
        throw new Error(vscode.l10n.t('You switched to another service meanwhile.'));
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

  #problemOf(sessionId: string): StatusProblem | undefined {
    const problem = this.#deps.index.get(sessionId)?.check?.problem;
    return problem !== undefined && problem.at > this.#since ? problem : undefined;
  }
}

export class Watches implements IDisposable {
  readonly #monitor: Pick<SessionMonitor, 'watch'>;
  readonly #held = new Map<string, IDisposable>();

  constructor(monitor: Pick<SessionMonitor, 'watch'>) {
    this.#monitor = monitor;
  }

  set(ids: readonly string[]): void {
    const wanted = new Set(ids);
    for (const [id, held] of this.#held) {
      if (wanted.delete(id)) continue;
      held.dispose();
      this.#held.delete(id);
    }
    for (const id of wanted) this.#held.set(id, this.#monitor.watch(id));
  }

  dispose(): void {
    this.set([]);
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
