import type { Logger } from '../log';
import type { UnreadableRecord } from '../storage';
import { redact } from '../util/redact';
import { oneLine } from '../util/text';
import { APP_VARIABLE, BASE_VARIABLE, hostOf, KEY_VARIABLE, type Environment } from './addresses';
import type { ConnectionState } from './types';

const KEPT_PROBLEMS = 20;

/** Passes lines on to the log and remembers the last warnings and errors. */
export class ProblemLog implements Logger {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #problems: string[] = [];

  constructor(log: Logger, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
  }

  /** `TIME: what went wrong`, the oldest first. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  trace(message: string): void {
    this.#log.trace(message);
  }
  debug(message: string): void {
    this.#log.debug(message);
  }
  info(message: string): void {
    this.#log.info(message);
  }
  warn(message: string): void {
    this.#log.warn(message);
    this.#note(message);
  }
  error(message: string, cause?: unknown): void {
    this.#log.error(message, cause);
    this.#note(cause instanceof Error ? `${message}: ${cause.name}: ${cause.message}` : message);
  }

  #note(problem: string): void {
    this.#problems.push(`${new Date(this.#now()).toISOString()}: ${oneLine(redact(problem), 500)}`);
    if (this.#problems.length > KEPT_PROBLEMS) this.#problems.shift();
  }
}

export interface DiagnosticFacts {
  readonly state: ConnectionState;
  readonly environment: Environment;
  readonly servesSample: boolean;
  readonly unreadable: readonly UnreadableRecord[];
  readonly problems: readonly string[];
}

/** The connection for somebody who is asked for help; English, like the log. Hosts without paths, no key, no message. */
export function diagnosticsText({
  state,
  environment,
  servesSample,
  unreadable,
  problems,
}: DiagnosticFacts): string {
  const isSet = (name: string): boolean => (environment[name] ?? '').trim() !== '';
  const set = [BASE_VARIABLE, APP_VARIABLE, KEY_VARIABLE].filter(isSet);
  const lines = [`Connection: ${state.kind}`];
  if (state.kind !== 'signedIn' && state.reason !== undefined) lines.push(`Reason: ${state.reason}`);
  if (state.kind !== 'signedOut') {
    const { source, baseUrl, appUrl } = state.service;
    lines.push(`Source: ${source}${servesSample ? ', served by this window' : ''}`);
    lines.push(`Service: ${hostOf(baseUrl)}`, `Web application: ${hostOf(appUrl)}`);
  }
  lines.push(`Environment variables set: ${set.length === 0 ? 'none' : set.join(', ')}`);
  lines.push(`Stored records of the connection that cannot be read: ${unreadable.length}`);
  lines.push(...unreadable.map(({ id, reason }) => `- ${id}: ${reason}`));
  lines.push(`Recent problems: ${problems.length}`, ...problems.map(problem => `- ${problem}`));
  return lines.map(line => oneLine(redact(line), 1_000)).join('\n');
}
