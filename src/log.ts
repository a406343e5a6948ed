import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import type { IDisposable } from './util/lifecycle';
import { redact, withoutOwn } from './util/redact';
import { oneLine } from './util/text';

const KEPT_PROBLEMS = 20;

/** What every part writes to. Messages are single sentences without message bodies; keys are taken out before they are kept. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  /** With the stack of `cause` and of what caused that in turn. */
  error(message: string, cause?: unknown): void;
  /** Takes a person's own key out of every line from now on. */
  keepOut?(key: string): void;
}

/**
 * The one log channel, "Agent Console" in the Output panel; made when the first line is written. After `dispose` nothing is
 * written: VS Code's channel would throw then, in the midst of whatever is still ending.
 */
export class OutputLog implements Logger, vscode.Disposable {
  #channel: vscode.LogOutputChannel | undefined;
  #disposed = false;
  readonly #keys = new Set<string>();
  readonly #problems: string[] = [];

  /** `TIME: what went wrong`, the latest warnings and errors, the oldest first; for diagnostics. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  debug(message: string): void {
    this.#open()?.debug(this.clean(message));
  }
  info(message: string): void {
    this.#open()?.info(this.clean(message));
  }
  warn(message: string): void {
    this.#open()?.warn(this.#note(message));
  }
  error(message: string, cause?: unknown): void {
    const because = cause === undefined ? [] : causes(cause);
    this.#open()?.error(this.#note([message, ...because].join('\nCaused by ')));
  }

  keepOut(key: string): void {
    this.#keys.add(key);
  }

  show(): void {
    this.#open()?.show(true);
  }

  dispose(): void {
    this.#disposed = true;
    this.#channel?.dispose();
  }

  /** A text without the person's keys and other secrets. */
  clean(line: string): string {
    let rest = line;
    for (const key of this.#keys) rest = withoutOwn(rest, key);
    return redact(rest);
  }

  #note(problem: string): string {
    const line = this.clean(problem);
    this.#problems.push(`${new Date().toISOString()}: ${oneLine(line, 500)}`);
    if (this.#problems.length > KEPT_PROBLEMS) this.#problems.shift();
    return line;
  }

  #open(): vscode.LogOutputChannel | undefined {
    if (this.#disposed) return undefined;
    return (this.#channel ??= vscode.window.createOutputChannel('Agent Console', { log: true }));
  }
}

/** Logs what fails in code of `folder` while nobody waits for it, such as a listener or a promise that was let go. */
export function logUnhandled(log: Logger, folder: string): IDisposable {
  const places = [folder, pathToFileURL(folder).href];
  const listener = (reason: unknown): void => {
    if (reason instanceof Error && places.some(place => reason.stack?.includes(place)))
      log.error('Unexpected failure', reason);
  };
  process.on('unhandledRejection', listener);
  return { dispose: () => void process.off('unhandledRejection', listener) };
}

/** An error and its causes, eight at most. */
function causes(error: unknown): readonly string[] {
  const chain: string[] = [];
  for (let next = error; next !== undefined && chain.length < 8;) {
    const { stack, name, message, cause, errors } = next as Partial<AggregateError>;
    chain.push(stack ?? (message === undefined ? JSON.stringify(next) : `${name ?? 'Error'}: ${message}`));
    next = cause ?? (errors as readonly unknown[] | undefined)?.[0];
  }
  return chain;
}
