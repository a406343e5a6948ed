import { watch, type FSWatcher } from 'node:fs';
import { Disposable } from './lifecycle';

const DEBOUNCE_MS = 50;
/** Network disks tell nobody about changes made elsewhere. */
const SLOW_POLL_MS = 30_000;
/** Where the system cannot watch at all (no watches left, unsupported disk). */
const POLL_MS = 2_000;

export interface FolderWatchOptions {
  readonly folder: string;
  /** Notices about other files in it are of no interest. */
  readonly file?: string;
  readonly onChange: () => void;
  readonly onUnavailable: (reason: string) => void;
  /** Notices within this time are one, ms. */
  readonly debounceMs?: number;
  /** Between looks where the system cannot watch, ms. */
  readonly pollMs?: number;
}

/** Says when something in a folder may have changed, by the system's notices and by looking now and then. */
export class FolderWatch extends Disposable {
  readonly #options: FolderWatchOptions;
  #watcher: FSWatcher | undefined;
  #debounce: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;

  constructor(options: FolderWatchOptions) {
    super();
    this.#options = options;
    this.#start();
  }

  override dispose(): void {
    super.dispose();
    this.#watcher?.close();
    clearTimeout(this.#debounce);
    clearInterval(this.#poll);
  }

  #start(): void {
    const { folder, file } = this.#options;
    try {
      this.#watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (file === undefined || name === null || name === file) this.#soon();
      });
      this.#watcher.on('error', error => this.#lost(error));
      this.#pollEvery(SLOW_POLL_MS);
    } catch (error) {
      this.#lost(error);
    }
    // What changed while the watcher was being set up.
    this.#soon();
  }

  #lost(error: unknown): void {
    this.#watcher?.close();
    if (this.isDisposed) return;
    this.#options.onUnavailable(String(error));
    this.#pollEvery(this.#options.pollMs ?? POLL_MS);
  }

  #pollEvery(ms: number): void {
    if (this.isDisposed) return;
    clearInterval(this.#poll);
    this.#poll = setInterval(this.#options.onChange, ms);
    this.#poll.unref();
  }

  #soon(): void {
    if (this.#debounce !== undefined || this.isDisposed) return;
    this.#debounce = setTimeout(() => {
      this.#debounce = undefined;
      this.#options.onChange();
    }, this.#options.debounceMs ?? DEBOUNCE_MS);
    this.#debounce.unref();
  }
}
