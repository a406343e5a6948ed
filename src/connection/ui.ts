import * as vscode from 'vscode';
import { withSignal } from '../util/cancellation';
import { forNotification, forQuickPick, plain } from '../util/text';
import type { AccessRow } from './access';
import type { Prompts, Step, StepAnswer } from './prompts';

/** The prompts as VS Code shows them. */
export class VscodePrompts implements Prompts {
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

  async progress<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const location = vscode.ProgressLocation.Notification;
    return vscode.window.withProgress({ location, title, cancellable: true }, (_progress, token) =>
      withSignal(token, work),
    );
  }

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

  async confirm(message: string, detail: string, button: string): Promise<boolean> {
    const options = { modal: true, detail: forNotification(detail, 1_000) };
    return (await vscode.window.showInformationMessage(forNotification(message), options, button)) === button;
  }

  showAccess(
    title: string,
    read: (signal: AbortSignal, onRows: (rows: readonly AccessRow[]) => void) => Promise<void>,
  ): Promise<void> {
    const pick = vscode.window.createQuickPick();
    const again: vscode.QuickInputButton = {
      iconPath: new vscode.ThemeIcon('refresh'),
      tooltip: vscode.l10n.t('Check again'),
    };
    let round = new AbortController();
    const start = (): void => {
      round.abort();
      const current = (round = new AbortController());
      pick.busy = true;
      read(current.signal, rows => {
        if (!current.signal.aborted) pick.items = rows.map(toItem);
      })
        .finally(() => {
          if (round === current) pick.busy = false;
        })
        .catch(() => undefined);
    };
    pick.title = title;
    pick.placeholder = vscode.l10n.t('Each row was asked for once just now');
    pick.ignoreFocusOut = true;
    pick.matchOnDetail = true;
    pick.buttons = [again];
    return new Promise(resolve => {
      pick.onDidTriggerButton(start);
      pick.onDidAccept(() => pick.hide());
      pick.onDidHide(() => {
        round.abort();
        pick.dispose();
        resolve();
      });
      pick.show();
      start();
    });
  }

  async openExternal(address: string): Promise<void> {
    await vscode.env.openExternal(vscode.Uri.parse(address, true));
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
