import * as vscode from 'vscode';
import type { ApiClient, Computer, ItemProblem } from '../api';
import { Disposable } from '../util/disposable';
import { ObservableValue, type Observable } from '../util/event';
import { Poller } from '../util/poller';
import { SharedRequests } from '../util/shared';
import { nextListing, sortComputers } from './model';

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

export interface ComputerListDeps {
  readonly api: () => { readonly computers: Pick<ApiClient['computers'], 'list' | 'get'> } | undefined;
  readonly usualMs: () => number;
  /** The sentence for a failed request; `undefined` when it was only cancelled. */
  readonly sentence: (error: unknown) => string | undefined;
  readonly language: string;
  readonly now?: () => number;
}

/** The computers of the current service, read again while somebody looks (section 4.10). */
export class ComputerList extends Disposable {
  readonly #deps: ComputerListDeps;
  readonly #now: () => number;
  readonly #state = this.register(new ObservableValue<ComputerListState>(NOTHING));
  readonly #requests = new SharedRequests<void>();
  readonly #poller: Poller;
  /** Computers read one by one while a list is on its way. */
  #readMeanwhile = new Map<string, Computer>();
  #stale = false;

  constructor(deps: ComputerListDeps) {
    super();
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    this.#poller = this.register(new Poller({ run: signal => this.#round(signal), now: this.#now }));
  }

  get state(): Observable<ComputerListState> {
    return this.#state;
  }

  /** A computer of the list. */
  find(id: string): Computer | undefined {
    return this.#state.current.computers.find(computer => computer.id === id);
  }

  /** Polls while `visible`; the newest list counts until `usualMs` has passed. */
  setVisible(visible: boolean): void {
    if (visible) this.#poller.start();
    else this.#poller.stop();
  }

  /** Requests make sense again: whoever looks gets a new list at once. */
  wake(): void {
    const { failure, ...known } = this.#state.current;
    if (failure !== undefined) this.#state.set(known);
    this.#stale = true;
    this.#poller.poke();
  }

  /** Reads the list now. Never rejects: a failure is part of the state. */
  refresh(signal?: AbortSignal): Promise<void> {
    return this.#requests.run('list', shared => this.#read(shared), signal).catch(() => undefined);
  }

  /** Reads one computer and puts it in its place in the list (section 4.9). Rejects with the request's error. */
  async refreshOne(id: string, signal?: AbortSignal): Promise<Computer> {
    const api = this.#deps.api();
    if (api === undefined)
      throw new Error(vscode.l10n.t('Sign in first: Agent Console is not connected to a service.'));
    const computer = await api.computers.get(id, signal === undefined ? {} : { signal });
    if (this.#deps.api() !== api) throw new Error(vscode.l10n.t('Another service was chosen meanwhile.'));
    this.#readMeanwhile.set(id, computer);
    const { computers } = this.#state.current;
    const others = computers.filter(known => known.id !== id);
    this.#state.set({
      ...this.#state.current,
      computers: sortComputers([...others, computer], this.#deps.language),
    });
    return computer;
  }

  /** Forgets everything: another service. */
  clear(): void {
    this.#requests.abortAll();
    this.#state.set(NOTHING);
    this.#poller.poke();
  }

  override dispose(): void {
    this.#requests.abortAll();
    super.dispose();
  }

  async #round(signal: AbortSignal): Promise<number> {
    if (this.#deps.api() === undefined) return Infinity;
    const { at, failure, computers } = this.#state.current;
    const wait = nextListing(computers, this.#deps.usualMs());
    const age = this.#now() - (failure?.at ?? at ?? 0);
    if (!this.#stale && age < wait * 0.9) return wait - age;
    await this.refresh(signal);
    return nextListing(this.#state.current.computers, this.#deps.usualMs());
  }

  async #read(signal: AbortSignal): Promise<void> {
    const api = this.#deps.api();
    if (api === undefined) return;
    this.#stale = false;
    const newer = (this.#readMeanwhile = new Map<string, Computer>());
    try {
      const { items, problems } = await api.computers.list({ signal });
      if (signal.aborted) return;
      // A list is as old as its question: what was read one by one meanwhile is newer.
      const computers = [...items.filter(({ id }) => !newer.has(id)), ...newer.values()];
      this.#state.set({
        computers: sortComputers(computers, this.#deps.language),
        problems,
        at: this.#now(),
      });
    } catch (error) {
      const sentence = this.#deps.sentence(error);
      if (sentence === undefined || signal.aborted) return;
      this.#state.set({ ...this.#state.current, failure: { at: this.#now(), sentence } });
    }
  }
}
