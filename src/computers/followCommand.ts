import * as vscode from 'vscode';
import type { Computer } from '../api';
import { commands } from '../contributions';
import { withSignal } from '../util/cancellation';
import type { Formatter } from '../util/format';
import { forNotification, oneLine } from '../util/text';
import type { ComputerList } from './computerList';
import { followComputer, type Outcome } from './follow';
import { errorOf, isRunning } from './model';
import { stateText } from './row';

export interface FollowCommandDeps {
  readonly list: ComputerList;
  readonly format: Formatter;
  readonly sentence: (error: unknown) => string | undefined;
  readonly showDetails: (computerId: string) => Promise<void>;
}

/** Follows computers that are being set up, with progress, and tells once how it ended. */
export class FollowCommand {
  readonly #deps: FollowCommandDeps;
  readonly #followed = new Set<string>();

  constructor(deps: FollowCommandDeps) {
    this.#deps = deps;
  }

  async run(computerId: string): Promise<void> {
    const { list } = this.#deps;
    const name = oneLine(list.find(computerId)?.name ?? computerId, 60);
    // Whoever follows already will be told.
    if (this.#followed.has(computerId)) return;
    this.#followed.add(computerId);
    const title = forNotification(vscode.l10n.t('Following {0}', name));
    try {
      const outcome = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title, cancellable: true },
        (progress, token) =>
          withSignal(token, signal =>
            followComputer({
              read: asked => list.refreshOne(computerId, asked),
              tell: (computer, error) => progress.report({ message: this.#progress(computer, error) }),
              signal,
            }),
          ),
      );
      void this.#tell(computerId, name, outcome);
    } finally {
      this.#followed.delete(computerId);
    }
  }

  #progress(computer: Computer | undefined, error: unknown): string {
    if (computer === undefined) return forNotification(this.#deps.sentence(error) ?? '');
    const step = computer.provisioningSteps?.find(isRunning);
    const state = stateText(computer, this.#deps.format);
    return forNotification(step?.name === undefined ? state : `${state} · ${step.name}`, 120);
  }

  async #tell(computerId: string, name: string, outcome: Outcome): Promise<void> {
    if (outcome.kind === 'cancelled') return;
    if (outcome.kind === 'failed') {
      const reason = this.#deps.sentence(outcome.error) ?? '';
      const sentence = vscode.l10n.t('{0} is no longer followed. {1}', name, reason);
      await vscode.window.showWarningMessage(forNotification(sentence, 500));
      return;
    }
    const { computer } = outcome;
    if (computer.status === 'active') {
      const create = vscode.l10n.t('New session here');
      const answer = await vscode.window.showInformationMessage(
        forNotification(vscode.l10n.t('{0} is ready.', name)),
        create,
      );
      if (answer !== create) return;
      await vscode.commands.executeCommand(commands.sessions.create, { kind: 'computer', computerId });
      return;
    }
    const details = vscode.l10n.t('Show details');
    const sentence =
      computer.status === 'error'
        ? vscode.l10n.t(
            '{0} could not be set up: {1}',
            name,
            oneLine(errorOf(computer) ?? vscode.l10n.t('no reason given'), 200),
          )
        : vscode.l10n.t('{0} is no longer being set up: {1}.', name, stateText(computer, this.#deps.format));
    const answer = await vscode.window.showWarningMessage(forNotification(sentence, 400), details);
    if (answer === details) await this.#deps.showDetails(computerId);
  }
}
