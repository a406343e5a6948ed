import { watch, type FSWatcher } from 'node:fs';
import type { IDisposable } from './disposable';

const DEBOUNCE_MS = 50;
/** Network disks tell nobody about changes made elsewhere. */
const SLOW_POLL_MS = 30_000;
/** Where the system cannot watch at all (no watches left, unsupported disk). */
const POLL_MS = 2_000;

export interface FolderWatchOptions {
  readonly folder: string;
  /** Makes the folder if there is none; resolves to false when that cannot be done. */
  readonly prepare: () => Promise<boolean>;
  readonly onChange: () => void;
  readonly onUnavailable: (reason: string) => void;
  /** Notices within this time are one, ms. */
  readonly debounceMs?: number;
  /** Between looks where the system cannot watch, ms. */
  readonly pollMs?: number;
}

/** Says when something in a folder may have changed, by the system's notices and by looking now and then. */
export class FolderWatch implements IDisposable {
  readonly #options: FolderWatchOptions;
  #watcher: FSWatcher | undefined;
  #debounce: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
    void this.#start();
  }

  dispose(): void {
    this.#disposed = true;
    this.#watcher?.close();
    this.#watcher = undefined;
    clearTimeout(this.#debounce);
    clearInterval(this.#poll);
  }

  get #pollMs(): number {
    return this.#options.pollMs ?? POLL_MS;
  }

  async #start(): Promise<void> {
    const ready = await this.#options.prepare();
    if (this.#disposed) return;
    if (ready) this.#watch();
    this.#pollEvery(this.#watcher === undefined ? this.#pollMs : SLOW_POLL_MS);
    // What changed while the watcher was being set up.
    this.#soon();
  }

  #watch(): void {
    try {
      const watcher = watch(this.#options.folder, { persistent: false }, () => this.#soon());
      watcher.on('error', error => this.#lost(error));
      this.#watcher = watcher;
    } catch (error) {
      this.#options.onUnavailable(String(error));
    }
  }

  #lost(error: Error): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    if (this.#disposed) return;
    this.#options.onUnavailable(String(error));
    this.#pollEvery(this.#pollMs);
  }

  #pollEvery(ms: number): void {
    clearInterval(this.#poll);
    this.#poll = setInterval(this.#options.onChange, ms);
    this.#poll.unref();
  }

  #soon(): void {
    if (this.#debounce !== undefined || this.#disposed) return;
    this.#debounce = setTimeout(() => {
      this.#debounce = undefined;
      this.#options.onChange();
    }, this.#options.debounceMs ?? DEBOUNCE_MS);
    this.#debounce.unref();
  }
}
