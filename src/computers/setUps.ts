import * as vscode from 'vscode';
import { computerName, type Computer } from '../api';
import { commands } from '../contributions';
import type { Logger } from '../log';
import { notify } from '../ui/notify';
import { forNotification, oneLine } from '../util/text';
import { errorOf } from './model';

/** Tells once how a set-up ended that somebody has looked at in this window. */
export class SetUps {
  readonly #log: Logger;
  readonly #showDetails: (computerId: string) => Promise<void>;
  readonly #running = new Set<string>();

  constructor(log: Logger, showDetails: (computerId: string) => Promise<void>) {
    this.#log = log;
    this.#showDetails = showDetails;
  }

  /** What is known now. While nobody looks here, the window that is looked at tells. */
  see(computers: readonly Computer[], looking: boolean): void {
    for (const computer of computers) {
      const { id, status } = computer;
      if (status === undefined) continue;
      if (status === 'provisioning') {
        if (looking) this.#running.add(id);
      } else if (this.#running.delete(id) && looking) this.#tell(computer, status);
    }
  }

  /** Another service. */
  clear(): void {
    this.#running.clear();
  }

  #tell(computer: Computer, status: string): void {
    const { id: computerId } = computer;
    const name = oneLine(computerName(computer), 60);
    if (status === 'active') {
      notify(this.#log, 'info', forNotification(vscode.l10n.t('{0} is ready.', name)), [
        vscode.l10n.t('New session here'),
        () => vscode.commands.executeCommand(commands.sessions.create, { kind: 'computer', computerId }),
      ]);
      return;
    }
    const reason = errorOf(computer) ?? vscode.l10n.t('no reason was given');
    const sentence =
      status === 'error'
        ? vscode.l10n.t('{0} could not be set up: {1}', name, oneLine(reason, 200))
        : vscode.l10n.t('{0} is no longer being set up: {1}.', name, oneLine(status, 60));
    notify(this.#log, 'warning', forNotification(sentence, 400), [
      vscode.l10n.t('Show details'),
      () => this.#showDetails(computerId),
    ]);
  }
}
