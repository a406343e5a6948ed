import { type IDisposable } from '../../src/util/disposable';

/** Timers that can all be ended at once. */
export class Waits implements IDisposable {
  readonly #pending = new Set<() => void>();
  #disposed = false;

  /** Resolves to true after `ms`, to false as soon as this object is disposed. */
  wait(ms: number): Promise<boolean> {
    if (this.#disposed) return Promise.resolve(false);
    return new Promise(resolve => {
      const end = (): void => {
        clearTimeout(timer);
        this.#pending.delete(end);
        resolve(!this.#disposed);
      };
      const timer = setTimeout(end, ms);
      this.#pending.add(end);
    });
  }

  dispose(): void {
    this.#disposed = true;
    for (const end of [...this.#pending]) end();
  }
}
