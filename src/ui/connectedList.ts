import type * as vscode from 'vscode';
import { isApiError, type ApiClient, type Page } from '../api';
import type { Connection, ConnectionState } from '../connection';
import { commands, setContext } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { RemoteList, type RemoteListOptions } from '../sync/remoteList';
import { errorSentence } from '../util/errorSentence';
import { ObservableValue, type Event, type Observable } from '../util/lifecycle';
import { Poller } from '../util/poller';
import type { WindowFocus } from '../util/windowFocus';
import { retryNode, type TreeNode } from './tree';
import { listContext, setMessage, viewMessage } from './viewStatus';

/** What every view of lists of the service is made of. */
export interface ListViewDeps {
  readonly connection: Pick<Connection, 'state' | 'api' | 'ready' | 'onDidBecomeReady' | 'keyMark'>;
  readonly storage: Storage;
  readonly log: Logger;
  readonly view: vscode.TreeView<TreeNode>;
  readonly focused: WindowFocus;
}
/** As much of it as a list needs. */
export type ListDeps = Pick<ListViewDeps, 'connection' | 'storage' | 'log'>;

interface ConnectedListOptions<T extends object>
  extends ListDeps, Omit<RemoteListOptions<T>, 'pages' | 'failureOf' | 'key' | keyof ListDeps> {
  /** Where the list is kept; `undefined` where nothing is to be shown. */
  readonly pathOf: (state: ConnectionState) => string | undefined;
  readonly pages: (api: ApiClient, signal: AbortSignal) => AsyncIterable<Pick<Page<T>, 'items' | 'problems'>>;
}

interface Seen {
  /** How often the list is worth reading, ms. */
  readonly usualMs: () => number;
  /** Whether somebody sees something of the list, such as a view that is visible. */
  readonly isSeen: () => boolean;
  /** Whatever may change that. */
  readonly onDidChangeSeen: readonly Event<unknown>[];
  readonly focused: WindowFocus;
}

/** How soon to look again when another window asks. */
const LOOK_MS = 1_000;

/** A list of the service in use, as a view shows it. */
export class ConnectedList<T extends object> extends RemoteList<T> {
  readonly #options: ConnectedListOptions<T>;
  /** What is kept cannot be read. */
  #shut: { readonly sentence: string } | undefined;

  constructor(options: ConnectedListOptions<T>) {
    const { connection, pages } = options;
    super({
      ...options,
      pages: signal => connection.api && pages(connection.api, signal),
      failureOf: error => failureOf(error, connection.state.current),
      key: () => connection.keyMark('lists'),
    });
    this.#options = options;
  }

  /**
   * Keeps the list fresh while somebody looks at it, in a window with the focus, and tells whether somebody does. All windows together
   * ask as often as one would.
   */
  follow({ usualMs, isSeen, onDidChangeSeen, focused }: Seen): Observable<boolean> {
    const { connection, now = Date.now } = this.#options;
    const run = (signal: AbortSignal): Promise<number> => this.#round(usualMs, signal);
    const poller = this.register(new Poller({ run, isShown: focused.isShown, now }));
    const isLookedAt = this.register(new ObservableValue(false));
    const look = (): void => {
      isLookedAt.set(focused.current && isSeen());
      if (isLookedAt.current) poller.start();
      else poller.stop();
    };
    for (const event of [...onDidChangeSeen, focused.onDidChange]) this.register(event(look));
    // What was learned meanwhile, here or in another window, may make the next reading due sooner or later.
    this.register(
      this.state.onDidChange(({ reading }) => {
        if (reading === undefined) poller.poke();
      }),
    );
    this.register(connection.onDidBecomeReady(() => this.forgive()));
    look();
    return isLookedAt;
  }

  async #round(usualMs: () => number, signal: AbortSignal): Promise<number> {
    if (this.#options.connection.api === undefined) return Infinity;
    await this.open();
    const rest = this.untilDue(usualMs());
    if (rest > 0) return rest;
    const isDone = await this.readInTurn(usualMs(), signal);
    return (isDone && this.untilDue(usualMs())) || LOOK_MS;
  }

  /** Shows what is kept of the service in use. Never rejects: where that cannot be read, the service is asked all the same. */
  async open(): Promise<void> {
    const { connection, pathOf, log } = this.#options;
    const state = await connection.ready();
    try {
      await this.use(pathOf(state));
      this.#shut = undefined;
    } catch (error) {
      log.error('What is kept of a list cannot be read', error);
      this.#shut = { sentence: errorSentence(error) };
    }
  }

  /** Resolves when the list has been asked for once, whatever came of it. */
  async listed(): Promise<void> {
    await this.open();
    const { at, failure } = this.state.current;
    if (at === undefined && failure === undefined) await this.read();
  }

  /** Reads the list where what is known counts no more. */
  async freshen(usualMs: number, signal?: AbortSignal): Promise<void> {
    await this.open();
    if (this.state.current.reading !== undefined || this.untilDue(usualMs) === 0) await this.read(signal);
  }

  /** Reads the list now. Never rejects: a failure is told in the view. */
  async refresh(signal?: AbortSignal): Promise<void> {
    await this.open();
    await this.read(signal);
  }

  /** With why there is nothing, or nothing new. */
  get shown() {
    const state = this.state.current;
    return { ...state, failure: this.#shut ?? state.failure };
  }

  /** Says above the rows of a view why they are old or what is left out, and to its welcomes how the list stands. */
  showStatus(context: 'agentConsole.computers' | 'agentConsole.readiness', view: { message?: string }): void {
    const { shown } = this;
    const connection = this.#options.connection.state.current;
    setMessage(view, viewMessage({ connection, lists: [shown], now: Date.now() }));
    setContext(context, listContext(shown));
  }

  /** The row to try again with, after a failure that left nothing to show. */
  get retryRows(): readonly TreeNode[] {
    const { items, failure } = this.shown;
    const isSignedIn = this.#options.connection.state.current.kind === 'signedIn';
    return isSignedIn && items.length === 0 && failure !== undefined
      ? [retryNode(commands.console.refresh)]
      : [];
  }
}

function failureOf(error: unknown, { service }: ConnectionState) {
  const sentence = errorSentence(error, { host: service?.source === 'sample' ? service.host : undefined });
  if (!isApiError(error)) return { sentence };
  const { kind, reason, status } = error;
  if (kind === 'cancelled') return undefined;
  return { sentence, cause: [kind, reason, status].join(' '), forbidden: kind === 'forbidden' };
}
