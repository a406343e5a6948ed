import * as vscode from 'vscode';
import type { ApiClient, Computer, ItemProblem } from '../api';
import { Disposable } from '../util/disposable';
import { ObservableValue, type Observable } from '../util/event';
import { Poller } from '../util/poller';
import { SharedRequests } from '../util/shared';
import { nextListing, sortComputers, type Calm } from './model';
import type { KnownList, SharedList } from './sharedList';

export interface Failure {
  /** Unix ms. */
  readonly at: number;
  readonly sentence: string;
}

/** The list as last known. A failure never replaces what was listed before it. */
export interface ComputerListState {
  readonly computers: readonly Computer[];
  /** Computers of the answer that could not be read. */
  readonly problems: readonly ItemProblem[];
  /** When the service last answered; Unix ms, `undefined` before. */
  readonly at?: number | undefined;
  /** Why the newest attempt failed. */
  readonly failure?: Failure | undefined;
}

const NOTHING: ComputerListState = { computers: [], problems: [] };
const LIVELY: Calm = { unchanged: 0, failures: 0 };

export interface ComputerListDeps {
  readonly api: () => { readonly computers: Pick<ApiClient['computers'], 'list' | 'get'> } | undefined;
  readonly usualMs: () => number;
  /** The sentence for a failed request; `undefined` when it was only cancelled. */
  readonly sentence: (error: unknown) => string | undefined;
  readonly language: string;
  /** What the windows of this person know together. */
  readonly shared?: SharedList;
  /** Resolves while the window that looks is there. */
  readonly isShown?: (() => Promise<void>) | undefined;
  readonly now?: () => number;
}

/** The computers of the current service, read again while somebody looks (section 4.10). */
export class ComputerList extends Disposable {
  readonly #deps: ComputerListDeps;
  readonly #now: () => number;
  readonly #state = this.register(new ObservableValue<ComputerListState>(NOTHING));
  readonly #requests = new SharedRequests<void>();
  readonly #poller: Poller;
  /** Computers read one by one, with the time of the question, until a list is asked for later. */
  readonly #readSince = new Map<string, { readonly at: number; readonly computer: Computer }>();
  /** Since when what is known counts for nothing, Unix ms. */
  #staleSince: number | undefined;
  /** How long nothing has happened: the longer, the more rarely this window asks. */
  #calm = LIVELY;

  constructor(deps: ComputerListDeps) {
    super();
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    const { isShown } = deps;
    this.#poller = this.register(new Poller({ run: signal => this.#round(signal), isShown, now: this.#now }));
    if (deps.shared !== undefined) this.register(deps.shared.onDidChange(() => this.#adopt()));
  }

  get state(): Observable<ComputerListState> {
    return this.#state;
  }

  /** A computer of the list. */
  find(id: string): Computer | undefined {
    return this.#state.current.computers.find(computer => computer.id === id);
  }

  /** When what is known of a computer was told, Unix ms, where a later attempt to ask has failed: nobody knows how it stands now. */
  unknownSince(id: string): number | undefined {
    const { at = 0, failure } = this.#state.current;
    const told = Math.max(at, this.#readSince.get(id)?.at ?? 0);
    return failure !== undefined && failure.at >= told ? told : undefined;
  }

  /** Polls while `visible`; the newest list counts until its time has passed. */
  setVisible(visible: boolean): void {
    if (visible && !this.#poller.isRunning) this.#calm = LIVELY;
    if (visible) this.#poller.start();
    else this.#poller.stop();
  }

  /** Requests make sense again: whoever looks gets a new list at once. */
  wake(): void {
    const { failure, ...known } = this.#state.current;
    if (failure !== undefined) this.#state.set(known);
    this.#staleSince = this.#now();
    this.#stir();
  }

  /** Reads the list unless a window has done so lately. Never rejects. */
  async readFirst(): Promise<void> {
    this.#adopt();
    const { at, failure } = this.#state.current;
    if (this.#now() - Math.max(at ?? 0, failure?.at ?? 0) > this.#deps.usualMs()) await this.refresh();
  }

  /** Reads the list now, for a person, and soon again where something is being set up. Never rejects: a failure is part of the state. */
  async refresh(signal?: AbortSignal): Promise<void> {
    this.#calm = LIVELY;
    await this.#ask(signal);
    this.#poller.poke();
  }

  #ask(signal?: AbortSignal): Promise<void> {
    return this.#requests.run('list', shared => this.#read(shared), signal).catch(() => undefined);
  }

  /** Reads one computer and puts it in its place in the list (section 4.9). Rejects with the request's error. */
  async refreshOne(id: string, signal?: AbortSignal): Promise<Computer> {
    const api = this.#deps.api();
    if (api === undefined)
      throw new Error(vscode.l10n.t('Sign in first: Agent Console is not connected to a service.'));
    const at = this.#now();
    const computer = await api.computers.get(id, signal === undefined ? {} : { signal });
    if (this.#deps.api() !== api) throw new Error(vscode.l10n.t('Another service was chosen meanwhile.'));
    this.#readSince.set(id, { at, computer });
    const { computers } = this.#state.current;
    const others = computers.filter(known => known.id !== id);
    if (isNews(this.find(id), computer)) this.#stir();
    this.#state.set({
      ...this.#state.current,
      computers: sortComputers([...others, computer], this.#deps.language),
    });
    return computer;
  }

  /** Forgets everything: another service. */
  clear(): void {
    this.#requests.abortAll();
    this.#readSince.clear();
    this.#state.set(NOTHING);
    this.#stir();
  }

  override dispose(): void {
    this.#requests.abortAll();
    super.dispose();
  }

  async #round(signal: AbortSignal): Promise<number> {
    if (this.#deps.api() === undefined) return Infinity;
    const rest = this.#untilDue();
    if (rest > 0) return rest;
    const wait = this.#pause();
    const turn = await this.#deps.shared
      ?.take(this.#staleSince === undefined ? wait * 0.9 : 0)
      .catch(() => 0);
    if (turn !== undefined && turn > 0) return turn;
    // A question that was under way may have been answered while the turn was taken.
    const answered = this.#untilDue();
    if (answered > 0) {
      this.#tell(undefined);
      return answered;
    }
    await this.#ask(signal);
    return this.#pause();
  }

  /** Something has happened: the next rounds come soon again. */
  #stir(): void {
    this.#calm = LIVELY;
    this.#poller.poke();
  }

  /** How long the newest answer counts, ms. */
  #pause(): number {
    return nextListing(this.#state.current.computers, this.#deps.usualMs(), this.#calm);
  }

  /** How long what is known counts from now on, ms; 0 when it does not. */
  #untilDue(): number {
    const { at, failure } = this.#state.current;
    const wait = this.#pause();
    const age = this.#now() - (failure?.at ?? at ?? 0);
    return this.#staleSince === undefined && age < wait * 0.9 ? wait - age : 0;
  }

  async #read(signal: AbortSignal): Promise<void> {
    const api = this.#deps.api();
    if (api === undefined) return;
    this.#staleSince = undefined;
    const askedAt = this.#now();
    const before = [...this.#readSince];
    try {
      const { items, problems } = await api.computers.list({ signal });
      if (signal.aborted) return;
      const known = { computers: items, problems, askedAt, at: this.#now() };
      for (const [id, read] of before) if (this.#readSince.get(id) === read) this.#readSince.delete(id);
      this.#show(known);
      this.#tell(known);
    } catch (error) {
      const sentence = this.#deps.sentence(error);
      if (sentence === undefined || signal.aborted) {
        this.#tell(undefined);
        return;
      }
      const failure = { at: this.#now(), sentence };
      this.#noteFailure();
      this.#state.set({ ...this.#state.current, failure });
      this.#tell(failure);
    }
  }

  /** A list is as old as its question: what was read one by one since is newer. */
  #show({ computers, problems, askedAt, at }: KnownList): void {
    if (askedAt >= (this.#staleSince ?? 0)) this.#staleSince = undefined;
    const newer = [...this.#readSince.values()].map(({ computer }) => computer);
    const others = computers.filter(({ id }) => !this.#readSince.has(id));
    const sorted = sortComputers([...others, ...newer], this.#deps.language);
    const isSame = !isNews(this.#state.current.computers, sorted);
    this.#calm = { unchanged: isSame ? this.#calm.unchanged + 1 : 0, failures: 0 };
    this.#state.set({ computers: sorted, problems, at });
  }

  #noteFailure(): void {
    this.#calm = { ...this.#calm, failures: this.#calm.failures + 1 };
  }

  /** Takes over what another window has learnt since; what is dated in the future is of a clock that was wrong. */
  #adopt(): void {
    if (this.#deps.api() === undefined) return;
    const { list, failure } = this.#deps.shared ?? {};
    const isLater = (time: number): boolean => {
      const { at = 0, failure: own } = this.#state.current;
      return time > Math.max(at, own?.at ?? 0) && time <= this.#now();
    };
    if (list !== undefined && isLater(list.at)) {
      for (const [id, read] of this.#readSince) if (read.at < list.askedAt) this.#readSince.delete(id);
      this.#show(list);
      // What another window saw change is asked about sooner than this window meant to.
      if (this.#calm.unchanged === 0) this.#poller.poke();
    }
    if (failure !== undefined && isLater(failure.at)) {
      this.#noteFailure();
      this.#state.set({ ...this.#state.current, failure });
    }
  }

  #tell(answer: Parameters<SharedList['tell']>[0]): void {
    // Where nothing can be stored, every window asks for itself.
    this.#deps.shared?.tell(answer).catch(() => undefined);
  }
}

function isNews(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}
