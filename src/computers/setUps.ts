import * as vscode from 'vscode';
import { computerName, type Computer } from '../api';
import { commands } from '../contributions';
import type { Logger } from '../log';
import type { Formatter } from '../util/format';
import { notify } from '../util/notify';
import { forNotification, oneLine } from '../util/text';
import { errorOf } from './model';
import { stateText } from './rows';

export interface SetUpsDeps {
  readonly log: Logger;
  readonly format: Formatter;
  readonly showDetails: (computerId: string) => Promise<void>;
}

/** Tells once how a set-up ended that somebody has looked at in this window. */
export class SetUps {
  readonly #deps: SetUpsDeps;
  readonly #running = new Set<string>();

  constructor(deps: SetUpsDeps) {
    this.#deps = deps;
  }

  /** What is known now. While nobody looks here, the window that is looked at tells. */
  see(computers: readonly Computer[], looking: boolean): void {
    for (const computer of computers) {
      const { id, status } = computer;
      if (status === undefined) continue;
      if (status === 'provisioning') {
        if (looking) this.#running.add(id);
      } else if (this.#running.delete(id) && looking) this.#tell(computer);
    }
  }

  /** Another service. */
  clear(): void {
    this.#running.clear();
  }

  #tell(computer: Computer): void {
    const { log, format, showDetails } = this.#deps;
    const { id: computerId, status } = computer;
    const name = oneLine(computerName(computer), 60);
    if (status === 'active') {
      notify(log, 'info', forNotification(vscode.l10n.t('{0} is ready.', name)), [
        vscode.l10n.t('New session here'),
        () => vscode.commands.executeCommand(commands.sessions.create, { kind: 'computer', computerId }),
      ]);
      return;
    }
    const sentence =
      status === 'error'
        ? vscode.l10n.t(
            '{0} could not be set up: {1}',
            name,
            oneLine(errorOf(computer) ?? vscode.l10n.t('no reason was given'), 200),
          )
        : vscode.l10n.t('{0} is no longer being set up: {1}.', name, stateText(computer, format));
    notify(log, 'warning', forNotification(sentence, 400), [
      vscode.l10n.t('Show details'),
      () => showDetails(computerId),
    ]);
  }
}
