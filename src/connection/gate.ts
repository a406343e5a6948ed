import type { RequestGate } from '../api';
import type { Logger } from '../log';
import { endOfPause, type ConnectionRecords, type Pause } from './records';

/** Pauses a service asked for, kept where every window sees them. */
export class SharedGate implements RequestGate {
  readonly #records: ConnectionRecords;
  readonly #log: Logger;
  readonly #own = new Map<string, Pause>();
  readonly #now: () => number;

  /** The records must be loaded, and followed by somebody. */
  constructor(records: ConnectionRecords, log: Logger, now: () => number = () => Date.now()) {
    this.#records = records;
    this.#log = log;
    this.#now = now;
  }

  pausedUntil(origin: string): number {
    return Math.max(endOfPause(this.#own.get(origin), this.#now()), this.#records.pausedUntil(origin));
  }

  pause(origin: string, untilMs: number): void {
    const at = this.#now();
    const until = Math.max(untilMs, endOfPause(this.#own.get(origin), at));
    this.#own.set(origin, { until, at });
    this.#records.pause(origin, untilMs).catch((error: unknown) => {
      this.#log.error('Other windows cannot be told of a pause', error);
    });
  }
}
