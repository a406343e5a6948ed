/** Something that holds a listener, timer, file or process until it is told to let go. */
export interface IDisposable {
  dispose(): void;
}

/** Base of everything that owns other disposables. Disposing twice does nothing the second time; one that throws does not keep the others. */
export abstract class Disposable implements IDisposable {
  readonly #owned = new Set<IDisposable>();
  #disposed = false;

  get isDisposed(): boolean {
    return this.#disposed;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const item of [...this.#owned].reverse()) end(item);
    this.#owned.clear();
  }

  /** Ties `item` to this object; if this object is gone already, `item` goes at once. */
  protected register<T extends IDisposable>(item: T): T {
    if (this.#disposed) end(item);
    else this.#owned.add(item);
    return item;
  }
}

/** Holds one disposable at a time; setting another disposes the one before. */
export class Slot<T extends IDisposable> implements IDisposable {
  #value: T | undefined;
  #disposed = false;

  get value(): T | undefined {
    return this.#value;
  }

  set(value: T | undefined): void {
    end(this.#value);
    this.#value = undefined;
    if (this.#disposed) end(value);
    else this.#value = value;
  }

  dispose(): void {
    this.#disposed = true;
    this.set(undefined);
  }
}

/** Disposes of something that may throw while it goes. */
function end(item: IDisposable | undefined): void {
  try {
    item?.dispose();
  } catch (error) {
    unhandled(error);
  }
}

/** A disposable from a function that runs at most once. */
export function toDisposable(run: () => void): IDisposable {
  let done = false;
  return {
    dispose: () => {
      if (done) return;
      done = true;
      run();
    },
  };
}

/** Does something again and again until disposed. */
export function every(ms: number, act: () => void): IDisposable {
  const timer = setInterval(act, ms);
  return toDisposable(() => clearInterval(timer));
}

/** Hands on the failure of something nobody waits for: it ends in the log (`logUnhandled` in log.ts), or fails the test that caused it. */
export function unhandled(error: unknown): undefined {
  // Made here: one of VS Code's or of another extension does not show whose failure it is.
  const message = error instanceof Error ? error.message : String(error);
  void Promise.reject(new Error(message, { cause: error }));
  return undefined;
}

/** As much of `vscode.Event` as is used, so parts that know nothing of VS Code can offer events to parts that do. */
export type Event<T> = (listener: (value: T) => unknown) => IDisposable;

/** Fires events. One listener that throws does not keep the others from hearing; its error reaches the log. */
export class Emitter<T> implements IDisposable {
  readonly #listeners = new Set<(value: T) => unknown>();

  readonly event: Event<T> = listener => {
    // Its own for each subscription: one listener may be there twice.
    const heard = (value: T): unknown => listener(value);
    this.#listeners.add(heard);
    return toDisposable(() => this.#listeners.delete(heard));
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        unhandled(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

/** A value that is replaced as a whole, and says when. */
export interface Observable<T> {
  readonly current: T;
  readonly onDidChange: Event<T>;
}

/** The writable side of an `Observable`. Setting an identical value fires nothing. */
export class ObservableValue<T> implements Observable<T>, IDisposable {
  readonly #emitter = new Emitter<T>();
  #current: T;

  constructor(initial: T) {
    this.#current = initial;
  }

  readonly onDidChange = this.#emitter.event;

  get current(): T {
    return this.#current;
  }

  set(value: T): void {
    if (Object.is(this.#current, value)) return;
    this.#current = value;
    this.#emitter.fire(value);
  }

  dispose(): void {
    this.#emitter.dispose();
  }
}
