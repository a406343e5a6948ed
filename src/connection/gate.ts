import type { RequestGate } from '../api';
import type { Logger } from '../log';
import type { ConnectionRecords } from './records';

/** Pauses a service asked for, kept where every window sees them. */
export class SharedGate implements RequestGate {
  readonly #records: ConnectionRecords;
  readonly #log: Logger;
  readonly #own = new Map<string, number>();

  /** The records must be loaded, and followed by somebody. */
  constructor(records: ConnectionRecords, log: Logger) {
    this.#records = records;
    this.#log = log;
  }

  pausedUntil(origin: string): number {
    return Math.max(this.#own.get(origin) ?? 0, this.#records.pausedUntil(origin));
  }

  pause(origin: string, untilMs: number): void {
    this.#own.set(origin, Math.max(untilMs, this.#own.get(origin) ?? 0));
    this.#records.pause(origin, untilMs).catch((error: unknown) => {
      this.#log.error('Other windows cannot be told of a pause', error);
    });
  }
}
