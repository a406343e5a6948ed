import * as vscode from 'vscode';
import { forNotification, oneLine } from '../util/text';
import type { inputStep, Left } from './steps';

/** The first message of a new session, as far as it is written. */
export interface FirstMessage {
  readonly text: string;
  readonly files: readonly vscode.Uri[];
}

/** What asking needs of the editor. */
export interface FirstMessageSteps {
  readonly title: string;
  readonly input: typeof inputStep;
  /** Files the person chooses; `undefined` when cancelled. */
  readonly chooseFiles: () => Thenable<readonly vscode.Uri[] | undefined>;
  /** Hears of every change, so that leaving in the middle loses nothing. */
  readonly keep: (message: FirstMessage) => void;
}

/** Asks for the first message and its files; empty when the session is to begin without one. */
export async function askFirstMessage(
  begun: FirstMessage,
  { title, input, chooseFiles, keep }: FirstMessageSteps,
): Promise<FirstMessage | Left> {
  let message = begun;
  const change = (changed: Partial<FirstMessage>): void => keep((message = { ...message, ...changed }));
  for (;;) {
    const names = message.files.map(file => oneLine(file.path.split('/').at(-1) ?? '', 40)).join(', ');
    const typed = await input({
      title,
      value: message.text,
      placeholder: vscode.l10n.t('First message to the agent; empty to write it in the chat'),
      prompt:
        names === ''
          ? vscode.l10n.t('Enter creates the session. The paper clip attaches files.')
          : forNotification(vscode.l10n.t('Attached: {0}. Enter creates the session and sends.', names)),
      buttons: [
        { id: 'attach', icon: 'attach', tooltip: vscode.l10n.t('Attach files…') },
        ...(names === ''
          ? []
          : [{ id: 'clear', icon: 'clear-all', tooltip: vscode.l10n.t('Remove the files') }]),
      ],
      problem: value =>
        value.trim() === '' && message.files.length > 0
          ? vscode.l10n.t('Files need a message that goes with them.')
          : undefined,
      changed: text => change({ text }),
    });
    if (typeof typed === 'string') return typed;
    change({ text: typed.text });
    if (typed.button === undefined) return message;
    change({ files: typed.button === 'clear' ? [] : together(message.files, (await chooseFiles()) ?? []) });
  }
}

function together(files: readonly vscode.Uri[], more: readonly vscode.Uri[]): readonly vscode.Uri[] {
  const all = [...files, ...more];
  return all.filter((file, index) => all.findIndex(other => other.toString() === file.toString()) === index);
}
