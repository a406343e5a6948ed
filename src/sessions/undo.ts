import * as vscode from 'vscode';
import { forNotification } from '../util/text';

/** Tells something with a button to go with it; resolves to the button when it was pressed. */
export type Tell = (sentence: string, button: string) => Thenable<string | undefined>;

/** What can be taken back in this window: the newest act by a button of its notice, all of them by a command. */
export class Undo {
  readonly #tell: Tell;
  readonly #steps: (() => Promise<void>)[] = [];

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** Keeps what takes an act back that is plain to see. */
  add(takeBack: () => Promise<void>): void {
    this.#steps.push(takeBack);
  }

  /** Tells what was done and offers to take it back; resolves without waiting for an answer. */
  offer(sentence: string, takeBack: () => Promise<void>, onFailure: (error: unknown) => void): void {
    this.add(takeBack);
    const button = vscode.l10n.t('Undo');
    void this.#tell(forNotification(sentence), button).then(answer => {
      if (answer === button) this.#run(takeBack).catch(onFailure);
    });
  }

  /** Takes back the newest act that has not been taken back. */
  async last(): Promise<void> {
    const step = this.#steps.at(-1);
    if (step === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is nothing to undo.'));
      return;
    }
    await this.#run(step);
  }

  async #run(step: () => Promise<void>): Promise<void> {
    const at = this.#steps.indexOf(step);
    if (at < 0) return;
    this.#steps.splice(at, 1);
    await step();
  }
}
