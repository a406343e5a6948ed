import type * as vscode from 'vscode';
import type { Kept } from '../protocol';

const MEMORY = 'agentConsole.chat.places';
/** Sessions whose place is stored, the latest, and opened parts of each. */
const MOST = 200;
const MOST_OPENED = 100;

/** Where sessions were read in this window and what was opened there, also after a reload. */
export class ReadingPlaces {
  readonly #memory: Pick<vscode.Memento, 'get' | 'update'>;
  #places: ReadonlyMap<string, Kept>;

  constructor(memory: Pick<vscode.Memento, 'get' | 'update'>) {
    this.#memory = memory;
    this.#places = new Map(memory.get<readonly (readonly [string, Kept])[]>(MEMORY) ?? []);
  }

  /** `key` names the service and the session. */
  get(key: string): Kept {
    return this.#places.get(key) ?? {};
  }

  keep(key: string, { scroll, opened = [] }: Kept): void {
    const others = [...this.#places].filter(([other]) => other !== key);
    const isAtEnd = scroll === undefined && opened.length === 0;
    const own = [key, { scroll, opened: opened.slice(-MOST_OPENED) }] as const;
    const all = isAtEnd ? others : [...others, own].slice(-MOST);
    this.#places = new Map(all);
    void this.#memory.update(MEMORY, all);
  }
}
