import * as vscode from 'vscode';
import type { IDisposable } from './disposable';
import { ObservableValue, type Observable } from './event';

/** Whether this window has the focus. */
export function windowFocus(): Observable<boolean> & IDisposable {
  const focused = new ObservableValue(vscode.window.state.focused);
  const subscription = vscode.window.onDidChangeWindowState(state => focused.set(state.focused));
  return {
    get current() {
      return focused.current;
    },
    onDidChange: focused.onDidChange,
    dispose: () => {
      subscription.dispose();
      focused.dispose();
    },
  };
}
