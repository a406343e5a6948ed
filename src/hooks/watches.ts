import { Disposable, type IDisposable } from '../util/disposable';

/** Holds a watch on each of a changing set of sessions. */
export class Watches extends Disposable {
  readonly #held = new Map<string, IDisposable>();

  /** Lets go of sessions that are not among these; `watch` may have nothing to hold. */
  set(ids: Iterable<string>, watch: (id: string) => IDisposable | undefined): void {
    const wanted = new Set(this.isDisposed ? [] : ids);
    for (const [id, held] of this.#held) {
      if (wanted.has(id)) continue;
      held.dispose();
      this.#held.delete(id);
    }
    for (const id of wanted) {
      const held = this.#held.has(id) ? undefined : watch(id);
      if (held !== undefined) this.#held.set(id, held);
    }
  }

  override dispose(): void {
    super.dispose();
    this.set([], () => undefined);
  }
}
