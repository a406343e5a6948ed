import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import type { History } from './history';
import { waitingEvents, type HookEvent } from './model';
import type { SessionNotes } from './sessionNotes';
import type { SessionsForHooks } from './sessions';
import { Watches } from './watches';

/** So many waiting sessions, the latest ones, are asked about; the others clear when something else asks. */
const WATCHED = 8;

export interface WaitingDeps {
  readonly history: Pick<History, 'events' | 'onDidChange'>;
  readonly notes: Pick<SessionNotes, 'get' | 'onDidChange'>;
  /** Loads the sessions; asked for once something waits. */
  readonly sessions: () => Promise<SessionsForHooks>;
  readonly onFailure: (error: unknown) => void;
}

/**
 * What waits for the person, the same in all windows: told by a hook, neither settled nor muted here, and not moved on since as
 * far as the sessions know (interface-notes 5).
 */
export class Waiting extends Disposable {
  readonly #deps: WaitingDeps;
  readonly #changed = this.register(new Emitter<void>());
  readonly #watches = this.register(new Watches());
  #events: readonly HookEvent[] = [];
  #sessions: SessionsForHooks | undefined;
  #isAsked = false;

  constructor(deps: WaitingDeps) {
    super();
    this.#deps = deps;
    this.register(deps.history.onDidChange(() => this.update()));
    this.register(deps.notes.onDidChange(() => this.update()));
    this.update();
  }

  readonly onDidChange = this.#changed.event;

  /** The longest waiting first. */
  get events(): readonly HookEvent[] {
    return this.#events;
  }

  update(): void {
    if (this.isDisposed) return;
    const { history, notes } = this.#deps;
    const sessions = this.#sessions;
    const events = waitingEvents(history.events, id => notes.get(id)).filter(
      ({ sessionId, at }) => sessionId === undefined || sessions?.stillWaits?.(sessionId, at) !== false,
    );
    const isSame =
      events.length === this.#events.length && events.every((event, i) => event === this.#events[i]);
    this.#events = events;
    if (events.length > 0) this.#load();
    this.#watch();
    if (!isSame) this.#changed.fire();
  }

  #load(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#deps.sessions().then(
      sessions => {
        if (this.isDisposed) return;
        this.#sessions = sessions;
        const subscription = sessions.onDidChange?.(() => this.update());
        if (subscription !== undefined) this.register(subscription);
        this.update();
      },
      (error: unknown) => {
        this.#isAsked = false;
        this.#deps.onFailure(error);
      },
    );
  }

  /** No view need be open for a session to be seen moving on. */
  #watch(): void {
    const latest = this.#events.slice(-WATCHED).map(({ sessionId }) => sessionId ?? '');
    this.#watches.set(latest, id => this.#sessions?.watch?.(id));
  }
}
