import * as vscode from 'vscode';
import { withSignal } from '../util/promises';
import type { Logger } from '../log';
import { confirmed, notify, type NoticeButton, openAddress } from '../ui/window';
import { forNotification, forQuickPick, plain } from '../util/text';

export interface AccessRow {
  readonly what: string;
  readonly state: 'readable' | 'refused' | 'unknown';
  /** A sentence for people. */
  readonly detail: string;
}

export interface Question {
  readonly title: string;
  readonly prompt: string;
  readonly placeHolder?: string;
  readonly value: string;
  readonly secret: boolean;
  /** What was wrong with this value the last time. */
  readonly problem?: string | undefined;
  /** A sentence while the value cannot be used, `undefined` when it can. */
  readonly validate: (value: string) => string | undefined;
}

/** Everything the connection asks of a person and tells them. */
export type Prompts = Pick<VscodePrompts, keyof VscodePrompts>;

export class VscodePrompts {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `undefined` when the person gives up. */
  async ask(question: Question): Promise<string | undefined> {
    const { title, prompt, placeHolder = '', value: known, secret: password, problem, validate } = question;
    const value = await vscode.window.showInputBox({
      ...{ title, prompt: problem ?? prompt, placeHolder, value: known, password, ignoreFocusOut: true },
      // An empty box needs no reproach while somebody is about to type.
      validateInput: text => (text.trim() === '' ? undefined : validate(text)),
    });
    const unusable = value === undefined ? undefined : validate(value);
    return unusable === undefined ? value : this.ask({ ...question, value: value ?? '', problem: unusable });
  }

  /** Shows that something is under way; the signal aborts when the person cancels. */
  async progress<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const location = vscode.ProgressLocation.Notification;
    return vscode.window.withProgress({ location, title, cancellable: true }, (_progress, token) =>
      withSignal(token, work),
    );
  }

  tell(kind: 'info' | 'warning', message: string, ...buttons: readonly NoticeButton[]): void {
    notify(this.#log, kind, forNotification(message, 1_000), ...buttons);
  }

  confirm(message: string, detail: string, button: string): Promise<boolean> {
    return confirmed(forNotification(message), forNotification(detail, 1_000), button);
  }

  /** Shows rows as soon as they are there; resolves when closed. */
  async showAccess(
    title: string,
    read: (signal: AbortSignal) => Promise<readonly AccessRow[]>,
  ): Promise<void> {
    const abort = new AbortController();
    const items = read(abort.signal).then(rows => rows.map(toItem));
    const placeHolder = vscode.l10n.t('Checked just now');
    await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true });
    abort.abort();
  }

  openExternal(address: string): Promise<void> {
    return openAddress(address);
  }
}

const icons: Readonly<Record<AccessRow['state'], string>> = {
  readable: '$(pass)',
  refused: '$(circle-slash)',
  unknown: '$(warning)',
};

function toItem({ what, state, detail }: AccessRow): vscode.QuickPickItem {
  return { label: `${icons[state]} ${what}`, detail: plain(forQuickPick(detail, 500)), alwaysShow: true };
}
