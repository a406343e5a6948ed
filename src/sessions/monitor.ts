import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { isApiError, type ApiClient, type Session } from '../api';
import { Disposable, toDisposable, type IDisposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { Poller } from '../util/poller';
import { SharedRequests } from '../util/shared';
import type { WindowFocus } from '../util/windowFocus';
import { begun, LEASE_MS, untilDue, type Turn } from './checks';
import { statusOf, type SessionStatus, type StatusProblem } from './model';
import type { SessionIndex } from './sessionIndex';

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
}

interface Watched {
  holders: number;
  /** Holders for whom the session is in front of the person, not a row among others. */
  inFront: number;
  /** Holders for whom it is asked about without the focus, too. */
  needed: number;
  eager: boolean;
  returned: boolean;
  readonly poller: Poller;
}

type Wish = Partial<Pick<Watched, 'eager' | 'returned'>>;

/**
 * Keeps the status of sessions true while somebody looks at them, backing off, resting. All windows together ask about a session
 * as often as one would: each tells the others when it asks, and the answer serves all.
 */
export class SessionMonitor extends Disposable {
  readonly #deps: MonitorDeps;
  readonly #name = randomBytes(6).toString('base64url');
  readonly #watched = new Map<string, Watched>();
  readonly #failures = new Map<string, number>();
  readonly #requests = new SharedRequests<Session>();
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly #now: () => number;
  /** Failures before this time are of another key or another service. */
  #since = 0;

  constructor(deps: MonitorDeps) {
    super();
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    this.register(
      deps.index.onDidChange(ids => {
        // What was learned elsewhere may make the next question due sooner.
        for (const [id, { poller }] of this.#watched) if (ids.length === 0 || ids.includes(id)) poller.poke();
      }),
    );
    this.register(deps.index.onDidCheck(ids => this.#onChecked(ids)));
    this.register(deps.focused.onDidChange(focused => this.#rest(!focused)));
  }

  /** Sessions whose status problem came or went; what the service answered is told by the index. */
  readonly onDidChange = this.#changed.event;

  statusOf(sessionId: string): SessionStatus {
    const record = this.#deps.index.get(sessionId);
    if (record === undefined) return { value: 'unknown' };
    return statusOf(record, this.#problemOf(sessionId), this.#now());
  }

  /**
   * While held, the session is checked: soon while the agent works, rarely otherwise. One that is in front of the person is also
   * checked when the window gets the focus again; one that is needed is checked whether or not the window has it.
   */
  watch(sessionId: string, why?: 'inFront' | 'needed'): IDisposable {
    const watched = this.#watched.get(sessionId) ?? this.#begin(sessionId);
    const count = (by: 1 | -1): void => {
      watched.holders += by;
      if (why !== undefined) watched[why] += by;
      if (watched.needed > 0 || this.#deps.focused.current) watched.poller.start();
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
      isShown: async () => {
        if (watched.needed === 0) await this.#deps.focused.isShown?.();
      },
      now: this.#now,
    });
    const watched: Watched = {
      holders: 0,
      inFront: 0,
      needed: 0,
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
      if (resting && watched.needed === 0) watched.poller.stop();
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
    const wish = { eager: watched.eager, returned: watched.returned };
    // Whoever pokes from here on wants a question of their own.
    watched.eager = false;
    watched.returned = false;
    const takenAt = await this.#take(serviceId, sessionId, wish);
    if (takenAt !== undefined) {
      const answered = await this.check(sessionId, signal).then(
        () => true,
        () => false,
      );
      if ((index.get(sessionId)?.checkedAt ?? 0) < takenAt) {
        await this.#letGo(serviceId, sessionId);
        // The question was under way before the turn: what the turn was taken for is still to be asked.
        if (answered) watched.eager ||= wish.eager || wish.returned;
      }
    }
    return Math.max(1, Math.min(this.#untilDue(sessionId, watched), 60_000));
  }

  #untilDue(sessionId: string, wish: Wish = {}): number {
    const turn = this.#turn(sessionId, wish);
    return turn === undefined ? Infinity : untilDue(turn);
  }

  #turn(sessionId: string, { eager = false, returned = false }: Wish): Turn | undefined {
    const { index, fastestMs } = this.#deps;
    const record = index.get(sessionId);
    if (record === undefined) return undefined;
    const status = statusOf(record, this.#problemOf(sessionId));
    const asked = { record, check: index.check(sessionId), status };
    return { ...asked, fastestMs: fastestMs(), eager, returned, now: this.#now() };
  }

  /** Takes the turn to ask; resolves to when, or to `undefined` when another window has taken it meanwhile. */
  async #take(serviceId: string, sessionId: string, wish: Wish): Promise<number | undefined> {
    let takenAt: number | undefined;
    await this.#deps.index.updateCheck(serviceId, sessionId, check => {
      const known = this.#turn(sessionId, wish);
      if (known === undefined) return check;
      const turn = { ...known, check };
      takenAt = untilDue(turn) <= 0 ? turn.now : undefined;
      return takenAt === undefined ? check : begun(turn, this.#name);
    });
    return takenAt;
  }

  /** A turn that brought no answer of its own holds nobody back. */
  async #letGo(serviceId: string, sessionId: string): Promise<void> {
    await this.#deps.index.updateCheck(serviceId, sessionId, check =>
      check?.by === this.#name && (check.failure?.at ?? 0) < check.at ? { ...check, by: '', at: 0 } : check,
    );
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
      if (sentence !== undefined) await this.#fail(serviceId, sessionId, problem);
      throw error;
    }
  }

  /** Tells all windows that a check has failed. */
  async #fail(serviceId: string, sessionId: string, failure: StatusProblem): Promise<void> {
    const { at } = failure;
    await this.#deps.index.updateCheck(serviceId, sessionId, check =>
      at < (check?.failure?.at ?? 0) && (check?.failure?.at ?? 0) <= this.#now()
        ? check
        : { ...(check ?? { at, by: this.#name, seen: '', unchanged: 0 }), failure },
    );
  }

  #problemOf(sessionId: string): StatusProblem | undefined {
    const failure = this.#deps.index.check(sessionId)?.failure;
    // A failure that is dated in the future is of a clock that was wrong.
    const isOurs = failure !== undefined && failure.at > this.#since && failure.at <= this.#now() + LEASE_MS;
    return isOurs ? failure : undefined;
  }

  #onChecked(sessionIds: readonly string[]): void {
    const changed = sessionIds.filter(id => {
      const at = this.#problemOf(id)?.at ?? 0;
      if ((this.#failures.get(id) ?? 0) === at) return false;
      this.#failures.set(id, at);
      return true;
    });
    if (changed.length > 0) this.#changed.fire(changed);
  }
}
