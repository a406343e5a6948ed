import * as vscode from 'vscode';
import { isApiError, type ApiClient, type Session } from '../../api';
import { hasCome } from '../../util/clock';
import { Disposable, toDisposable, type IDisposable } from '../../util/disposable';
import { Poller } from '../../util/poller';
import { SharedRequests } from '../../util/shared';
import type { WindowFocus } from '../../util/windowFocus';
import { askedAt, statusOf, untilDue, type SessionStatus, type StatusProblem } from '../store/model';
import { Pace } from './pace';
import type { SessionIndex } from '../store/sessionIndex';

export interface MonitorDeps {
  readonly index: SessionIndex;
  /** The client of the current service; `undefined` while signed out or resting. */
  readonly api: () => { readonly sessions: Pick<ApiClient['sessions'], 'get'> } | undefined;
  /** Whether this window has the focus: without it nothing is asked (trust.md 31). */
  readonly focused: WindowFocus;
  readonly fastestMs: () => number;
  /** The sentence for a failed check; `undefined` when it was only cancelled. */
  readonly sentence: (error: unknown) => string | undefined;
  readonly now?: () => number;
  /** Between the questions of all windows together, ms. */
  readonly apartMs?: number;
}

/** At most two questions a second, also where a timer is a little late. */
const APART_MS = 550;
/** A window that asked and says nothing for so long has gone. */
const LEASE_MS = 20_000;
/** How soon to look again when another window asks. */
const LOOK_MS = 1_000;

interface Watched {
  holders: number;
  /** Holders for whom the session is in front of the person, not a row among others. */
  inFront: number;
  eager: boolean;
  returned: boolean;
  readonly poller: Poller;
}

type Wish = Partial<Pick<Watched, 'eager' | 'returned'>>;

interface Question {
  /** Whether it is still this window's turn. */
  readonly mayAsk: () => boolean;
  readonly onLeft: () => void;
  readonly signal: AbortSignal;
}

/**
 * Keeps the status of sessions true while somebody looks at them, backing off, resting. All windows together ask about a session
 * as often as one would: one asks at a time, and the answer serves all.
 */
export class SessionMonitor extends Disposable {
  readonly #deps: MonitorDeps;
  readonly #watched = new Map<string, Watched>();
  readonly #requests = new SharedRequests<Session>();
  readonly #now: () => number;
  readonly #pace: Pace;
  /** Failures before this time are of another key or another service. */
  #since = 0;

  constructor(deps: MonitorDeps) {
    super();
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    const { index, apartMs = APART_MS } = deps;
    this.#pace = this.register(
      new Pace({ tryRun: (ttlMs, work) => index.tryRun('turn', ttlMs, work), apartMs }),
    );
    this.register(
      deps.index.onDidChange(ids => {
        // What was learned elsewhere may make the next question due sooner.
        for (const [id, { poller }] of this.#watched) if (ids.length === 0 || ids.includes(id)) poller.poke();
      }),
    );
    this.register(deps.focused.onDidChange(focused => this.#rest(!focused)));
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
    const watched = this.#watched.get(sessionId) ?? this.#begin(sessionId);
    const count = (by: 1 | -1): void => {
      watched.holders += by;
      if (why !== undefined) watched[why] += by;
      if (this.#deps.focused.current) watched.poller.start();
      else watched.poller.stop();
    };
    count(1);
    return toDisposable(() => {
      count(-1);
      if (watched.holders > 0) return;
      watched.poller.dispose();
      this.#watched.delete(sessionId);
    });
  }

  /** Asks now; callers at the same time share one request. Rejects with the error of the request. */
  check(sessionId: string, signal?: AbortSignal): Promise<Session> {
    return this.#requests.run(sessionId, shared => this.#ask(sessionId, shared), signal);
  }

  /** Wakes what rests: after a send, a new sign-in or a refresh. */
  poke(sessionId?: string): void {
    for (const [id, watched] of this.#watched) {
      if (sessionId !== undefined && id !== sessionId) continue;
      watched.eager = true;
      watched.poller.poke();
    }
  }

  /** The machine has slept: the next round of each watched session asks, however long nothing had changed before. */
  wake(): void {
    for (const watched of this.#watched.values()) watched.eager = true;
  }

  /** Forgets the problems of another key or service. */
  reset(): void {
    this.#requests.abortAll();
    this.#since = this.#now();
    this.poke();
  }

  override dispose(): void {
    for (const watched of this.#watched.values()) watched.poller.dispose();
    this.#watched.clear();
    this.#requests.abortAll();
    super.dispose();
  }

  #begin(sessionId: string): Watched {
    const poller = new Poller({
      run: signal => this.#round(sessionId, signal),
      isShown: async () => this.#deps.focused.isShown?.(),
      now: this.#now,
    });
    const watched: Watched = {
      holders: 0,
      inFront: 0,
      eager: true,
      returned: false,
      poller,
    };
    this.#watched.set(sessionId, watched);
    return watched;
  }

  #rest(resting: boolean): void {
    for (const watched of this.#watched.values()) {
      watched.returned = !resting && watched.inFront > 0;
      if (resting) watched.poller.stop();
      else watched.poller.start();
    }
  }

  async #round(sessionId: string, signal: AbortSignal): Promise<number> {
    const { index } = this.#deps;
    const watched = this.#watched.get(sessionId);
    const { serviceId } = index;
    if (watched === undefined || serviceId === undefined || this.#deps.api() === undefined) return Infinity;
    // Nothing is asked about a session of another service, or one that was removed; it is when its record comes.
    if (index.get(sessionId) === undefined) return Infinity;
    const wait = this.#untilDue(sessionId, watched);
    if (wait > 0) return Math.min(wait, 60_000);
    let question: Promise<boolean> = Promise.resolve(false);
    await this.#pace.turn({
      isFirst: () => watched.inFront > 0,
      isDue: () => this.#untilDue(sessionId, watched) <= 0,
      askedAt: () => askedAt(index.get(sessionId) ?? {}, this.#now()),
      ask: turn => {
        const left = Promise.withResolvers<boolean>();
        const mayAsk = (): boolean => turn.isHeld() && !signal.aborted;
        question = this.#askInTurn(sessionId, watched, { mayAsk, onLeft: () => left.resolve(true), signal });
        const end = (): void => left.resolve(false);
        question.then(end, end);
        return left.promise;
      },
      signal,
    });
    const isElsewhere = await question;
    return Math.max(isElsewhere ? LOOK_MS : 1, Math.min(this.#untilDue(sessionId, watched), 60_000));
  }

  /** Asks unless that is not due any more; resolves to whether another window is asking. */
  async #askInTurn(
    sessionId: string,
    watched: Watched,
    { mayAsk, onLeft, signal }: Question,
  ): Promise<boolean> {
    const { index } = this.#deps;
    const { serviceId } = index;
    if (serviceId === undefined) return false;
    const isDone = await index.tryRun(sessionId, LEASE_MS, async lease => {
      await index.read(serviceId, sessionId);
      if (this.#untilDue(sessionId, watched) > 0 || !lease.isHeld() || !mayAsk()) return true;
      const { eager, returned } = watched;
      // Whoever pokes from here on wants a question of their own.
      watched.eager = false;
      watched.returned = false;
      const at = this.#now();
      const answer = this.check(sessionId, signal);
      onLeft();
      const isAnswered = await answer.then(
        () => true,
        () => false,
      );
      // The question was under way before the turn: what the turn was taken for is still to be asked.
      if (isAnswered && (index.get(sessionId)?.checkedAt ?? 0) < at) watched.eager ||= eager || returned;
      return true;
    });
    return isDone === undefined;
  }

  #untilDue(sessionId: string, { eager = false, returned = false }: Wish = {}): number {
    const { index, fastestMs } = this.#deps;
    const record = index.get(sessionId);
    if (record === undefined) return Infinity;
    const status = statusOf(record, this.#problemOf(sessionId));
    return untilDue(record, status, { fastestMs: fastestMs(), eager, returned }, this.#now());
  }

  async #ask(sessionId: string, signal: AbortSignal): Promise<Session> {
    const api = this.#deps.api();
    const { index } = this.#deps;
    const { serviceId } = index;
    if (api === undefined || serviceId === undefined) {
      throw new Error(vscode.l10n.t('Sign in first: Agent Console is not connected to a service.'));
    }
    const startedAt = this.#now();
    try {
      const computerId = index.get(sessionId)?.session?.computerId;
      const session = await api.sessions.get(sessionId, {
        ...(computerId === undefined ? {} : { computerId }),
        signal,
      });
      // An answer is as old as its question: what a send answered meanwhile is newer.
      if (index.serviceId !== serviceId) {
        throw new Error(vscode.l10n.t('Another service was chosen meanwhile.'));
      }
      await index.observe(serviceId, session, startedAt);
      return session;
    } catch (error) {
      const sentence = index.serviceId === serviceId ? this.#deps.sentence(error) : undefined;
      // A failure, too, is as old as its question: an answer to a later one counts.
      const lasts = isApiError(error) && (error.kind === 'notFound' || error.kind === 'forbidden');
      const problem = { at: startedAt, sentence: sentence ?? '', ...(lasts ? { lasts } : {}) };
      if (sentence !== undefined) await index.fail(serviceId, sessionId, problem);
      throw error;
    }
  }

  #problemOf(sessionId: string): StatusProblem | undefined {
    const problem = this.#deps.index.get(sessionId)?.check?.problem;
    const isOurs = problem !== undefined && problem.at > this.#since && hasCome(problem.at, this.#now());
    return isOurs ? problem : undefined;
  }
}
