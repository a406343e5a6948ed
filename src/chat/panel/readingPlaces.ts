import type * as vscode from 'vscode';
import type { Logger } from '../../log';
import { Disposable } from '../../util/disposable';
import type { Kept } from '../protocol';

const MEMORY = 'agentConsole.chat.places';
/** Sessions whose place is stored, the latest, and opened parts of each. */
const MOST = 200;
const MOST_OPENED = 100;
/** A place is written so much after the last move, ms. */
const WRITE_DELAY = 300;

/** Where sessions were read in this window and what was opened there, also after a reload. */
export class ReadingPlaces extends Disposable {
  readonly #memory: Pick<vscode.Memento, 'get' | 'update'>;
  readonly #log: Pick<Logger, 'error'>;
  readonly #places: Map<string, Kept>;
  #timer: NodeJS.Timeout | undefined;

  constructor(memory: Pick<vscode.Memento, 'get' | 'update'>, log: Pick<Logger, 'error'>) {
    super();
    this.#log = log;
    this.#memory = memory;
    this.#places = new Map(memory.get<readonly (readonly [string, Kept])[]>(MEMORY) ?? []);
  }

  /** `key` names the service and the session. */
  get(key: string): Kept {
    return this.#places.get(key) ?? {};
  }

  keep(key: string, { scroll, opened = [] }: Kept): void {
    this.#places.delete(key);
    if (scroll !== undefined || opened.length > 0)
      this.#places.set(key, { scroll, opened: opened.slice(-MOST_OPENED) });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), WRITE_DELAY);
  }

  /** Never rejects. */
  async flush(): Promise<void> {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      await this.#memory.update(MEMORY, [...this.#places].slice(-MOST));
    } catch (error) {
      this.#log.error('Where sessions were read could not be kept', error);
    }
  }

  override dispose(): void {
    void this.flush();
    super.dispose();
  }
}
