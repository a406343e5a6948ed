/** What a key event says, as far as it matters here. */
export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
  readonly keyCode: number;
}

export type SendKey = 'enter' | 'ctrl+enter';

/** Whether this key sends. While an input method composes, Enter belongs to it; some say so only by the key code. */
export function sends(event: Key, sendKey: SendKey, composing: boolean): boolean {
  if (event.key !== 'Enter' || event.shiftKey || event.altKey) return false;
  if (composing || event.isComposing || event.keyCode === 229) return false;
  return sendKey === 'enter' || event.ctrlKey || event.metaKey;
}

/** A walk through earlier messages, away from a draft and back. */
export class HistoryWalk {
  #texts: readonly string[] = [];
  #at = -1;
  #draft = '';

  get isAway(): boolean {
    return this.#at >= 0;
  }

  /** What was being written when the walk began. */
  get draft(): string {
    return this.#draft;
  }

  /** Begins at the latest of `texts`; what to show, `undefined` when there is none. */
  begin(texts: readonly string[], draft: string): string | undefined {
    this.#texts = texts.filter((text, index) => index > 0 || text !== draft);
    this.#draft = draft;
    this.#at = this.#texts.length > 0 ? 0 : -1;
    return this.#texts[0];
  }

  older(): string | undefined {
    const text = this.#texts[this.#at + 1];
    if (text !== undefined) this.#at++;
    return text;
  }

  /** The next newer one, in the end the draft. */
  newer(): string | undefined {
    if (!this.isAway) return undefined;
    this.#at--;
    return this.#at < 0 ? this.#draft : this.#texts[this.#at];
  }

  /** Ends the walk where it is. */
  end(): void {
    this.#at = -1;
  }
}
