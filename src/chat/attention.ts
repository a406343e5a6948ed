import { Disposable, Slot, type IDisposable } from '../util/disposable';

export interface AttentionOptions {
  /** Has the session's status followed until disposed. */
  readonly watch: () => IDisposable;
  /** Asks once how the session stands. */
  readonly refresh: () => void;
  /** Whether the service of the session cannot be asked now. */
  readonly isBlocked: () => boolean;
}

/** How much a panel has asked of the service: nothing while nobody sees it, nor while its service is not the one in use. */
export class Attention extends Disposable {
  readonly #options: AttentionOptions;
  readonly #watch = this.register(new Slot<IDisposable>());
  #visible = false;
  #due = false;

  constructor(options: AttentionOptions) {
    super();
    this.#options = options;
  }

  setVisible(visible: boolean): void {
    this.#visible = visible;
    this.update();
  }

  /** The service can be asked again: now if the panel is seen, else once it is. */
  becameReady(): void {
    if (!this.#options.isBlocked()) this.#due = true;
    this.update();
  }

  /** To be called whenever `isBlocked` may have changed. */
  update(): void {
    if (this.isDisposed) return;
    if (!this.#visible || this.#options.isBlocked()) {
      this.#watch.set(undefined);
      return;
    }
    if (this.#watch.value === undefined) this.#watch.set(this.#options.watch());
    if (!this.#due) return;
    this.#due = false;
    this.#options.refresh();
  }
}
