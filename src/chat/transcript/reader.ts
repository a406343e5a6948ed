import * as vscode from 'vscode';
import { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/event';
import type { StoredMessage } from './messages';
import { frontiers, type Frontier } from './model';
import type { Break } from './rows';
import type { Transcript } from './transcript';
import { walk } from './walk';

export interface ReaderOptions {
  readonly transcript: Transcript;
  /** Reads one message; `undefined` while the service cannot be asked. */
  readonly get: () => ((messageId: string, signal: AbortSignal) => Promise<StoredMessage>) | undefined;
  /** A sentence for a failed question; `undefined` when it was cancelled. */
  readonly describe: (error: unknown) => string | undefined;
  /** Questions of one walk. */
  readonly cap?: number;
}

const CAP = 200;

/** The documented way: reads what can be reached from the known messages of a session by the ancestor walk, one question at a time. */
export class Reader extends Disposable {
  readonly #options: ReaderOptions;
  readonly #changed = this.register(new Emitter<void>());
  /** Sentences by the id that was asked for. */
  readonly #failed = new Map<string, string>();
  readonly #abort = new AbortController();
  #asking: string | undefined;
  #running: Promise<void> | undefined;

  constructor(options: ReaderOptions) {
    super();
    this.#options = options;
  }

  readonly onDidChange = this.#changed.event;

  /** Where something is missing, by the message below it. */
  breaks(): ReadonlyMap<string, Break> {
    const found = this.#frontiers().filter(({ ask, below }) => ask !== below);
    return new Map(found.map(({ ask, below }) => [below, this.#breakAt(ask)]));
  }

  /** Reads on where it can; joins a reading that goes on already. With `retry`, also where it failed before. */
  read(retry: boolean): Promise<void> {
    if (retry && this.#running === undefined) this.#failed.clear();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      this.#changed.fire();
    });
    return this.#running;
  }

  override dispose(): void {
    this.#abort.abort();
    super.dispose();
  }

  async #run(): Promise<void> {
    const { transcript, cap = CAP, describe } = this.#options;
    const { signal } = this.#abort;
    let left = cap;
    for (;;) {
      const get = this.#options.get();
      const next = this.#frontiers().find(({ ask }) => !this.#failed.has(ask));
      if (get === undefined || next === undefined || left <= 0 || signal.aborted) return;
      this.#asking = next.ask;
      this.#changed.fire();
      const isKnown = (id: string): boolean => transcript.known.get(id)?.message !== undefined;
      const end = await walk(next.ask, {
        isKnown,
        get,
        keep: messages => transcript.keep(messages),
        cap: left,
        signal,
      }).finally(() => (this.#asking = undefined));
      left -= Math.max(1, end.asked);
      if (end.kind !== 'failed') continue;
      const sentence = describe(end.error);
      if (sentence === undefined) return;
      this.#failed.set(end.at, sentence);
      this.#changed.fire();
    }
  }

  #frontiers(): Frontier[] {
    return frontiers(this.#options.transcript.known);
  }

  #breakAt(ask: string): Break {
    const failed = this.#failed.get(ask);
    if (failed !== undefined) {
      return { state: 'failed', sentence: vscode.l10n.t('Earlier messages could not be read: {0}', failed) };
    }
    return { state: this.#asking !== undefined ? 'reading' : 'stopped' };
  }
}
