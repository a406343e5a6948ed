import * as vscode from 'vscode';
import { redact } from './util/redact';

/** What every part writes to. Messages are single sentences without message bodies; keys are taken out before they are kept. */
export interface Logger {
  trace(message: string): void;
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, cause?: unknown): void;
}

/**
 * The one log channel, "Agent Console" in the Output panel; made when the first line is written. After `dispose` nothing is
 * written: VS Code's channel would throw then, in the midst of whatever is still ending.
 */
export class OutputLog implements Logger, vscode.Disposable {
  #channel: vscode.LogOutputChannel | undefined;
  #disposed = false;

  trace(message: string): void {
    this.#open()?.trace(redact(message));
  }
  debug(message: string): void {
    this.#open()?.debug(redact(message));
  }
  info(message: string): void {
    this.#open()?.info(redact(message));
  }
  warn(message: string): void {
    this.#open()?.warn(redact(message));
  }
  error(message: string, cause?: unknown): void {
    const because = cause instanceof Error ? `: ${cause.name}: ${cause.message}` : '';
    this.#open()?.error(redact(`${message}${because}`));
  }

  show(): void {
    this.#open()?.show(true);
  }

  dispose(): void {
    this.#disposed = true;
    this.#channel?.dispose();
  }

  #open(): vscode.LogOutputChannel | undefined {
    if (this.#disposed) return undefined;
    return (this.#channel ??= vscode.window.createOutputChannel('Agent Console', { log: true }));
  }
}
