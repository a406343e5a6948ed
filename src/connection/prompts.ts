import * as vscode from 'vscode';
import { withSignal } from '../util/cancellation';
import { errorSentence } from '../util/errorSentence';
import { openAddress } from '../util/openAddress';
import { forNotification, forQuickPick, plain } from '../util/text';
import type { AccessRow } from './check';

/** One question of several that belong together. */
export interface Step {
  readonly title: string;
  /** From 1. */
  readonly step: number;
  readonly totalSteps: number;
  readonly prompt: string;
  readonly placeholder?: string;
  readonly value: string;
  /** Shown as dots. */
  readonly secret: boolean;
  /** What was wrong with this value the last time. */
  readonly problem?: string | undefined;
  /** A page that helps to answer. */
  readonly link?: { readonly tooltip: string; readonly address: string };
  /** A sentence while the value cannot be used, `undefined` when it can. */
  readonly validate: (value: string) => string | undefined;
}

export type StepAnswer =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'back' }
  | { readonly kind: 'cancelled' };

/** Everything the connection asks of a person and tells them. */
export type Prompts = Pick<VscodePrompts, keyof VscodePrompts>;

/** The prompts as VS Code shows them. */
export class VscodePrompts {
  ask(step: Step): Promise<StepAnswer> {
    const input = vscode.window.createInputBox();
    const link: vscode.QuickInputButton = {
      iconPath: new vscode.ThemeIcon('link-external'),
      tooltip: step.link?.tooltip ?? '',
    };
    input.title = step.title;
    input.step = step.step;
    input.totalSteps = step.totalSteps;
    input.prompt = step.prompt;
    input.placeholder = step.placeholder ?? '';
    input.value = step.value;
    input.password = step.secret;
    input.ignoreFocusOut = true;
    input.validationMessage = step.problem;
    input.buttons = [
      ...(step.step > 1 ? [vscode.QuickInputButtons.Back] : []),
      ...(step.link === undefined ? [] : [link]),
    ];
    return new Promise<StepAnswer>(resolve => {
      const end = (answer: StepAnswer): void => {
        resolve(answer);
        input.dispose();
      };
      input.onDidChangeValue(value => {
        // An empty box needs no reproach while somebody is about to type.
        input.validationMessage = value.trim() === '' ? undefined : step.validate(value);
      });
      input.onDidAccept(() => {
        const problem = step.validate(input.value);
        if (problem === undefined) end({ kind: 'value', value: input.value });
        else input.validationMessage = problem;
      });
      input.onDidTriggerButton(button => {
        if (button === vscode.QuickInputButtons.Back) end({ kind: 'back' });
        else if (step.link !== undefined) void this.openExternal(step.link.address);
      });
      input.onDidHide(() => end({ kind: 'cancelled' }));
      input.show();
    });
  }

  /** Shows that something is under way; the signal aborts when the person cancels. */
  async progress<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const location = vscode.ProgressLocation.Notification;
    return vscode.window.withProgress({ location, title, cancellable: true }, (_progress, token) =>
      withSignal(token, work),
    );
  }

  /** A notification; resolves to the button that was pressed. */
  async tell(
    severity: 'info' | 'warning' | 'error',
    message: string,
    ...buttons: readonly string[]
  ): Promise<string | undefined> {
    const text = forNotification(message, 1_000);
    switch (severity) {
      case 'info':
        return vscode.window.showInformationMessage(text, ...buttons);
      case 'warning':
        return vscode.window.showWarningMessage(text, ...buttons);
      case 'error':
        return vscode.window.showErrorMessage(text, ...buttons);
    }
  }

  /** A question that must be answered before anything else. */
  async confirm(message: string, detail: string, button: string): Promise<boolean> {
    const options = { modal: true, detail: forNotification(detail, 1_000) };
    return (await vscode.window.showInformationMessage(forNotification(message), options, button)) === button;
  }

  /** Shows rows as `read` hands them over; resolves when closed. */
  showAccess(
    title: string,
    read: (signal: AbortSignal, onRows: (rows: readonly AccessRow[]) => void) => Promise<void>,
  ): Promise<void> {
    const pick = vscode.window.createQuickPick();
    const abort = new AbortController();
    pick.title = title;
    pick.placeholder = vscode.l10n.t('Each row was checked once, just now');
    pick.ignoreFocusOut = true;
    pick.matchOnDetail = true;
    pick.busy = true;
    read(abort.signal, rows => {
      if (!abort.signal.aborted) pick.items = rows.map(toItem);
    })
      .catch((error: unknown) => (pick.placeholder = forQuickPick(errorSentence(error), 500)))
      .finally(() => (pick.busy = false));
    return new Promise(resolve => {
      pick.onDidAccept(() => pick.hide());
      pick.onDidHide(() => {
        abort.abort();
        pick.dispose();
        resolve();
      });
      pick.show();
    });
  }

  async openExternal(address: string): Promise<void> {
    await openAddress(address);
  }
}

const icons: Readonly<Record<AccessRow['state'], string>> = {
  checking: '$(loading~spin)',
  readable: '$(pass)',
  refused: '$(circle-slash)',
  unknown: '$(warning)',
};

function toItem({ what, state, detail }: AccessRow): vscode.QuickPickItem {
  return { label: `${icons[state]} ${what}`, detail: plain(forQuickPick(detail, 500)), alwaysShow: true };
}
