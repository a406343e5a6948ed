import { type IDisposable, toDisposable, unhandled } from './disposable';

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
