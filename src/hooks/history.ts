import * as fs from 'node:fs/promises';
import { FolderWatch } from '../storage';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { EVENT_FILE, readEvent } from './handover';
import type { HookEvent } from './model';
import { privateFolder } from './place';

/** The events that some window has taken, the same for all windows. */
export class History extends Disposable {
  readonly #folder: string;
  readonly #events = new Map<string, HookEvent>();
  readonly #changed = this.register(new Emitter<void>());
  #reading: Promise<void> | undefined;
  #again = false;

  constructor(folder: string) {
    super();
    this.#folder = folder;
    this.register(
      new FolderWatch({
        folder,
        prepare: () =>
          privateFolder(folder).then(
            () => true,
            () => false,
          ),
        onChange: () => void this.load(),
        onUnavailable: () => undefined,
      }),
    );
  }

  readonly onDidChange = this.#changed.event;

  /** The latest first. */
  get events(): readonly HookEvent[] {
    return [...this.#events.values()].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  }

  /** Reads what is new; never rejects. */
  load(): Promise<void> {
    this.#again = true;
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  async #read(): Promise<void> {
    while (this.#again && !this.isDisposed) {
      this.#again = false;
      const names = new Set(await fs.readdir(this.#folder).catch(() => [] as string[]));
      let changed = false;
      for (const name of this.#events.keys())
        if (!names.has(name)) changed = this.#events.delete(name) || changed;
      for (const name of names) {
        if (this.#events.has(name) || !EVENT_FILE.test(name)) continue;
        const event = (await readEvent(this.#folder, name))?.event;
        if (event === undefined) continue;
        this.#events.set(name, event);
        changed = true;
      }
      if (changed) this.#changed.fire();
    }
  }
}
