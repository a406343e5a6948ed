import { Disposable, ObservableValue, type Event, type Observable } from '../util/lifecycle';
import { Poller } from '../util/poller';
import type { WindowFocus } from '../util/windowFocus';
import type { Pace, RemoteList } from './remoteList';

/** How soon to look again when another window asks. */
const LOOK_MS = 1_000;

export interface RefresherOptions {
  readonly list: Pick<RemoteList<object>, 'state' | 'readInTurn' | 'untilDue'>;
  readonly pace: () => Pace;
  /** Whether somebody sees something of the list, such as a view that is visible. */
  readonly isSeen: () => boolean;
  /** Whatever may change that. */
  readonly onDidChangeSeen: readonly Event<unknown>[];
  readonly focused: WindowFocus;
  /** Awaited before the list is looked at: what is kept of the service in use has been read. */
  readonly ready: () => Promise<unknown>;
  /** Whether there is a service to ask. */
  readonly canAsk: () => boolean;
  readonly now?: (() => number) | undefined;
}

/** Keeps a list fresh while somebody looks at it, in a window with the focus. All windows together ask as often as one would. */
export class Refresher extends Disposable {
  readonly #options: RefresherOptions;
  readonly #poller: Poller;
  readonly #isSeen = this.register(new ObservableValue(false));

  constructor(options: RefresherOptions) {
    super();
    this.#options = options;
    const { focused, list, onDidChangeSeen, now = Date.now } = options;
    const run = (signal: AbortSignal): Promise<number> => this.#round(signal);
    this.#poller = this.register(new Poller({ run, isShown: focused.isShown, now }));
    for (const event of [...onDidChangeSeen, focused.onDidChange]) this.register(event(() => this.look()));
    // What was learned meanwhile, here or in another window, may make the next reading due sooner or later.
    this.register(
      list.state.onDidChange(({ reading }) => {
        if (reading === undefined) this.#poller.poke();
      }),
    );
    this.look();
  }

  /** Whether somebody looks. */
  get isSeen(): Observable<boolean> {
    return this.#isSeen;
  }

  /** Requests make sense again, or something else has changed. */
  poke(): void {
    this.#poller.poke();
  }

  /** Finds out whether somebody looks. */
  look(): void {
    const { focused, isSeen } = this.#options;
    const seen = focused.current && isSeen();
    if (seen) this.#poller.start();
    else this.#poller.stop();
    this.#isSeen.set(seen);
  }

  async #round(signal: AbortSignal): Promise<number> {
    const { list, pace, ready, canAsk } = this.#options;
    if (!canAsk()) return Infinity;
    await ready();
    const rest = list.untilDue(pace());
    if (rest > 0) return rest;
    const isDone = await list.readInTurn(pace(), signal);
    return (isDone && list.untilDue(pace())) || LOOK_MS;
  }
}
