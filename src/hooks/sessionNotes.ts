import type { Collection } from '../storage';
import type { Event } from '../util/event';
import type { SessionNote } from './model';

/** Notes older than this are forgotten, ms. */
const KEPT_MS = 60 * 24 * 60 * 60_000;

/** Which sessions are muted, and up to when each one no longer asks for attention; shared by all windows. */
export class SessionNotes {
  readonly #notes: Collection<SessionNote>;

  constructor(notes: Collection<SessionNote>) {
    this.#notes = notes;
  }

  get onDidChange(): Event<readonly string[]> {
    return this.#notes.onDidChange;
  }

  get(sessionId: string): SessionNote | undefined {
    return this.#notes.get(sessionId);
  }

  get muted(): readonly SessionNote[] {
    return [...this.#notes.values.values()].filter(note => note.muted === true).sort((a, b) => b.at - a.at);
  }

  /** Reads what is stored and drops what is old. */
  async load(): Promise<void> {
    const notes = await this.#notes.load();
    const old = [...notes.values()].filter(note => Date.now() - note.at > KEPT_MS);
    for (const note of old) await this.#notes.remove(note.sessionId);
  }

  async clear(sessionId: string, until: number): Promise<void> {
    await this.#change(sessionId, note =>
      (note?.clearedAt ?? 0) >= until ? note : { ...note, sessionId, clearedAt: until, at: Date.now() },
    );
  }

  async setMuted(sessionId: string, muted: boolean): Promise<void> {
    await this.#change(sessionId, note =>
      (note?.muted === true) === muted ? note : { ...note, sessionId, muted, at: Date.now() },
    );
  }

  async #change(
    sessionId: string,
    change: (note: SessionNote | undefined) => SessionNote | undefined,
  ): Promise<void> {
    await this.#notes.update(sessionId, change);
  }
}
