import * as vscode from 'vscode';

/** What a step of a flow ended with, when it was not a value: going back, or giving up. */
export type Left = 'back' | 'cancelled';

export interface Option<T> extends vscode.QuickPickItem {
  readonly value?: T;
}

/** Chooses one of several; a list may come later. The list is searchable by label and description. */
export async function pickStep<T>(step: {
  readonly title: string;
  readonly placeholder: string;
  readonly options: readonly Option<T>[] | Promise<readonly Option<T>[]>;
  readonly canGoBack: boolean;
  /** Takes what is typed as a value of its own. */
  readonly typed?: (text: string) => Option<T> | undefined;
}): Promise<{ readonly value: T } | Left> {
  const picker = vscode.window.createQuickPick<Option<T>>();
  picker.title = step.title;
  picker.placeholder = step.placeholder;
  picker.matchOnDescription = true;
  picker.ignoreFocusOut = true;
  if (step.canGoBack) picker.buttons = [vscode.QuickInputButtons.Back];
  let options: readonly Option<T>[] = [];
  const show = (): void => {
    const own = picker.value.trim() === '' ? undefined : step.typed?.(picker.value.trim());
    picker.items = own === undefined ? options : [own, ...options];
  };
  const chosen = new Promise<{ readonly value: T } | Left>((resolve, reject) => {
    if (step.typed !== undefined) picker.onDidChangeValue(show);
    picker.onDidTriggerButton(() => resolve('back'));
    picker.onDidHide(() => resolve('cancelled'));
    picker.onDidAccept(() => {
      const value = picker.selectedItems[0]?.value;
      if (value !== undefined) resolve({ value });
    });
    picker.show();
    picker.busy = true;
    Promise.resolve(step.options).then(loaded => {
      options = loaded;
      picker.busy = false;
      show();
    }, reject);
  });
  try {
    return await chosen;
  } finally {
    picker.dispose();
  }
}

export interface StepButton {
  readonly id: string;
  /** A codicon. */
  readonly icon: string;
  readonly tooltip: string;
}

/** Asks for a text. A button ends the step too, with what was typed so far. */
export async function inputStep(step: {
  readonly title: string;
  readonly prompt: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly buttons?: readonly StepButton[];
  /** Why a text will not do. */
  readonly problem?: (text: string) => string | undefined;
  /** Hears what is typed while it is typed. */
  readonly changed?: (text: string) => void;
}): Promise<{ readonly text: string; readonly button?: string } | Left> {
  const input = vscode.window.createInputBox();
  const buttons = (step.buttons ?? []).map(({ id, icon, tooltip }) => {
    return { id, iconPath: new vscode.ThemeIcon(icon), tooltip };
  });
  input.title = step.title;
  input.prompt = step.prompt;
  input.value = step.value;
  input.placeholder = step.placeholder;
  input.ignoreFocusOut = true;
  input.buttons = [vscode.QuickInputButtons.Back, ...buttons];
  try {
    return await new Promise(resolve => {
      input.onDidChangeValue(text => {
        input.validationMessage = step.problem?.(text);
        step.changed?.(text);
      });
      input.onDidHide(() => resolve('cancelled'));
      input.onDidTriggerButton(button => {
        const own = buttons.find(known => known === button);
        resolve(own === undefined ? 'back' : { text: input.value, button: own.id });
      });
      input.onDidAccept(() => {
        const problem = step.problem?.(input.value);
        input.validationMessage = problem;
        if (problem === undefined) resolve({ text: input.value });
      });
      input.show();
    });
  } finally {
    input.dispose();
  }
}
