import * as vscode from 'vscode';
import { ObservableValue, type IDisposable, type Observable } from './lifecycle';

/** Whether a window has the focus, as far as its extension host was told. */
export interface WindowFocus extends Observable<boolean> {
  /**
   * Resolves when the window's own side answers, which it does only while there is one: a browser tab that is gone may leave its
   * extension host behind for hours, which is told nothing and takes its views for visible. Callers at the same time share a question.
   */
  readonly isShown?: () => Promise<void>;
}

/** Whether this window has the focus. */
export function windowFocus(): Required<WindowFocus> & IDisposable {
  const focused = new ObservableValue(vscode.window.state.focused);
  const subscription = vscode.window.onDidChangeWindowState(state => focused.set(state.focused));
  let shown: Promise<void> | undefined;
  return {
    get current() {
      return focused.current;
    },
    onDidChange: focused.onDidChange,
    isShown: () => {
      const answered = (): void => {
        shown = undefined;
      };
      // The window's side does nothing and says so; the extension host would answer most other questions by itself.
      shown ??= Promise.resolve(vscode.commands.executeCommand('noop')).then(answered, answered);
      return shown;
    },
    dispose: () => {
      subscription.dispose();
      focused.dispose();
    },
  };
}
