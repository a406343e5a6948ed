import * as vscode from 'vscode';
import { forNotification, oneLine } from '../../util/text';
import type { ComputerFacts } from '../view/words';

/** What a new session is about to be. */
export interface PolicyChoice {
  readonly model?: string;
  readonly autonomyLevel?: string;
  readonly autonomyMode?: string;
  readonly specModeModel?: string;
  readonly computerProvider?: string;
}

/** What the organization has to say against a new session; each warning is a sentence for people. */
export interface SessionPolicy {
  warnings(choice: PolicyChoice): Promise<readonly string[]>;
}

/** Asks whether to go on in spite of what speaks against it. True at once when nothing does. */
export async function goOnInSpiteOf(warnings: readonly string[]): Promise<boolean> {
  if (warnings.length === 0) return true;
  const [first = '', ...rest] = warnings.map(warning => forNotification(warning, 500));
  const create = vscode.l10n.t('Create anyway');
  const detail = rest.join('\n\n');
  const options = detail === '' ? { modal: true } : { modal: true, detail };
  return (await vscode.window.showWarningMessage(first, options, create)) === create;
}

/** What a computer's state says against a session there. A computer that reports none may be tried. */
export function stateWarnings(computer: Pick<ComputerFacts, 'name' | 'status'> | undefined): string[] {
  if (computer?.status === undefined || computer.status === 'active') return [];
  const name = oneLine(computer.name, 60);
  switch (computer.status) {
    case 'provisioning':
      return [
        vscode.l10n.t('{0} is still being set up. A session may not start there before it is active.', name),
      ];
    case 'error':
      return [vscode.l10n.t('{0} is in error. A session there may never start.', name)];
    default:
      return [
        vscode.l10n.t('{0} is “{1}”. A session there may not start.', name, oneLine(computer.status, 40)),
      ];
  }
}
