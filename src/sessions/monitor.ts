import * as vscode from 'vscode';
import type { ApiClient, Session } from '../api';
import { Disposable, toDisposable, type IDisposable } from '../util/disposable';
import { Emitter, type Observable } from '../util/event';
import { Poller } from '../util/poller';
import { SharedRequests } from '../util/shared';
import { nextCheck, statusOf, type SessionStatus, type StatusProblem } from './model';
import type { SessionIndex } from './sessionIndex';

export interface MonitorDeps {
  readonly index: SessionIndex;
  /** The client of the current service; `undefined` while signed out or resting. */
  readonly api: () => { readonly sessions: Pick<ApiClient['sessions'], 'get'> } | undefined;
  /** Whether this window has the focus: without it nothing is asked (trust.md 31). */
  readonly focused: Observable<boolean>;
  readonly fastestMs: () => number;
  /** The sentence for a failed check; `undefined` when it was only cancelled. */
  readonly sentence: (error: unknown) => string | undefined;
  readonly now?: () => number;
}

interface Watched {
  holders: number;
  unchanged: number;
  rests: boolean;
  last: string | undefined;
  readonly poller: Poller;
}

/** Keeps the status of sessions true while somebody looks at them: one check in flight a session, backing off, resting. */
export class SessionMonitor extends Disposable {
  readonly #deps: MonitorDeps;
  readonly #watched = new Map<string, Watched>();
  readonly #problems = new Map<string, StatusProblem>();
  readonly #requests = new SharedRequests<Session>();
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly #now: () => number;

  constructor(deps: MonitorDeps) {
    super();
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    this.register(
      deps.index.onDidChange(() => {
        for (const [id, watched] of this.#watched) {
          if (watched.rests && deps.index.get(id) !== undefined) watched.poller.poke();
        }
      }),
    );
    this.register(deps.focused.onDidChange(focused => this.#rest(!focused)));
  }

  /** Sessions whose status problem came or went; what the service answered is told by the index. */
  readonly onDidChange = this.#changed.event;

  statusOf(sessionId: string): SessionStatus {
    const record = this.#deps.index.get(sessionId);
    return record === undefined ? { value: 'unknown' } : statusOf(record, this.#problems.get(sessionId));
  }

  /** While held, the session is checked: soon while the agent works, rarely otherwise. */
  watch(sessionId: string): IDisposable {
    const watched = this.#watched.get(sessionId) ?? this.#begin(sessionId);
    watched.holders++;
    return toDisposable(() => {
      watched.holders--;
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
      watched.unchanged = 0;
      watched.poller.poke();
    }
  }

  /** Forgets the problems of another service. */
  reset(): void {
    this.#requests.abortAll();
    this.#problems.clear();
    this.poke();
  }

  override dispose(): void {
    for (const watched of this.#watched.values()) watched.poller.dispose();
    this.#watched.clear();
    this.#requests.abortAll();
    super.dispose();
  }

  #begin(sessionId: string): Watched {
    const poller = new Poller({ run: signal => this.#round(sessionId, signal), now: this.#now });
    const watched: Watched = { holders: 0, unchanged: 0, rests: false, last: undefined, poller };
    this.#watched.set(sessionId, watched);
    if (this.#deps.focused.current) poller.start();
    return watched;
  }

  #rest(resting: boolean): void {
    for (const watched of this.#watched.values()) {
      if (resting) watched.poller.stop();
      else watched.poller.start();
    }
  }

  async #round(sessionId: string, signal: AbortSignal): Promise<number> {
    const watched = this.#watched.get(sessionId);
    if (watched === undefined || this.#deps.api() === undefined) return Infinity;
    // Nothing is asked about a session of another service, or one that was removed; it is when its record comes.
    watched.rests = this.#deps.index.get(sessionId) === undefined;
    if (watched.rests) return Infinity;
    const wait = this.#untilDue(sessionId, watched);
    if (wait > 0) return wait;
    await this.check(sessionId, signal).catch(() => undefined);
    const record = this.#deps.index.get(sessionId);
    const status = this.statusOf(sessionId);
    const seen = `${status.value} ${String(record?.session?.messageCount)} ${String(record?.session?.updatedAt)}`;
    watched.unchanged = seen === watched.last ? watched.unchanged + 1 : 0;
    watched.last = seen;
    return nextCheck(status, watched.unchanged, this.#deps.fastestMs());
  }

  /** Another window may have asked a moment ago: its answer serves this one too. */
  #untilDue(sessionId: string, watched: Watched): number {
    const status = this.statusOf(sessionId);
    if (status.problem !== undefined || status.at === undefined || watched.last === undefined) return 0;
    const due = status.at + nextCheck(status, watched.unchanged, this.#deps.fastestMs()) * 0.9;
    return Math.min(due - this.#now(), 60_000);
  }

  async #ask(sessionId: string, signal: AbortSignal): Promise<Session> {
    const api = this.#deps.api();
    const { serviceId } = this.#deps.index;
    if (api === undefined || serviceId === undefined) {
      throw new Error(vscode.l10n.t('Sign in first: Agent Console is not connected to a service.'));
    }
    const startedAt = this.#now();
    try {
      const computerId = this.#deps.index.get(sessionId)?.session?.computerId;
      const session = await api.sessions.get(sessionId, {
        ...(computerId === undefined ? {} : { computerId }),
        signal,
      });
      // An answer is as old as its question: what a send answered meanwhile is newer.
      if (this.#deps.index.serviceId !== serviceId) {
        throw new Error(vscode.l10n.t('Another service was chosen meanwhile.'));
      }
      await this.#deps.index.observe(serviceId, session, startedAt);
      this.#setProblem(sessionId, undefined);
      return session;
    } catch (error) {
      const sentence = this.#deps.index.serviceId === serviceId ? this.#deps.sentence(error) : undefined;
      if (sentence !== undefined) this.#setProblem(sessionId, { at: this.#now(), sentence });
      throw error;
    }
  }

  #setProblem(sessionId: string, problem: StatusProblem | undefined): void {
    const had = this.#problems.has(sessionId);
    if (problem === undefined) this.#problems.delete(sessionId);
    else this.#problems.set(sessionId, problem);
    if (had || problem !== undefined) this.#changed.fire([sessionId]);
  }
}
