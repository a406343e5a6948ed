import * as vscode from 'vscode';
import { Disposable, Slot, type IDisposable } from './disposable';

/** What was told to VS Code has been drawn when it has asked for nothing for so long. */
const DRAWN_MS = 400;
const LONGEST_WAIT_MS = 1_500;

export interface FindHost {
  readonly run: (command: 'list.find' | 'list.closeFind') => Thenable<unknown>;
  /** Somebody has put the cursor somewhere in a text, has gone to another editor or window. */
  readonly onDidEdit: (listener: () => void) => IDisposable;
  /** Rows rest for no longer after find was opened. */
  readonly longestMs: number;
}

const editor: FindHost = {
  run: command => vscode.commands.executeCommand(command),
  onDidEdit: listener =>
    vscode.Disposable.from(
      vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
        if (kind !== undefined) listener();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => listener()),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (!focused) listener();
      }),
    ),
  longestMs: 5 * 60_000,
};

/**
 * VS Code's find in the trees. Whenever a tree is drawn anew, VS Code gives the keyboard to its rows, out of the find box that
 * somebody is typing in; so rows rest while find is in use. VS Code does not tell when its box is left: what a person does
 * elsewhere tells, and so does time.
 */
export class FindInTrees extends Disposable {
  readonly #host: FindHost;
  readonly #ended = this.register(new vscode.EventEmitter<void>());
  readonly #listening = this.register(new Slot<IDisposable>());
  #isInUse = false;
  #stirredAt = 0;

  constructor(host: FindHost = editor) {
    super();
    this.#host = host;
  }

  readonly onDidEnd = this.#ended.event;

  get isInUse(): boolean {
    return this.#isInUse;
  }

  /** Rows are being drawn. */
  stir(): void {
    this.#stirredAt = Date.now();
  }

  /** Opens the find box, once the rows that are being drawn are there. */
  async open(): Promise<void> {
    this.#begin();
    const until = Date.now() + LONGEST_WAIT_MS;
    const left = (): number => Math.min(this.#stirredAt + DRAWN_MS, until) - Date.now();
    for (let rest = left(); rest > 0; rest = left()) await new Promise(resolve => setTimeout(resolve, rest));
    await this.#host.run('list.find');
  }

  async close(): Promise<void> {
    await this.#host.run('list.closeFind');
    this.end();
  }

  /** Find is over, or somebody does something else: what has changed meanwhile may be drawn. */
  end(): void {
    if (!this.#isInUse) return;
    this.#isInUse = false;
    this.#listening.set(undefined);
    this.#ended.fire();
  }

  #begin(): void {
    this.#isInUse = true;
    const limit = setTimeout(() => this.end(), this.#host.longestMs);
    const edit = this.#host.onDidEdit(() => this.end());
    this.#listening.set({
      dispose: () => {
        clearTimeout(limit);
        edit.dispose();
      },
    });
  }
}
