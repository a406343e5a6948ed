import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../until';

interface Item {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/** What a person does where VS Code asks something, in turn: a part of what is chosen, what is typed, or a file. */
const left: (string | vscode.Uri)[] = [];
/** Boxes that asked for more than there was. */
let unanswered = 0;
/** What was said in notices and questions. */
export const told: string[] = [];

const says = (item: Item | string, words: string): boolean =>
  typeof item === 'string'
    ? item === words
    : [item.label, item.description, item.detail].some(text => text?.includes(words));

/** The next answer, where it is one of these; a notice may be left alone, a list may not. */
function chosen<T extends Item | string>(items: readonly T[], isNotice = false): T | undefined {
  const words = String(left[0]);
  const found = items.find(item => says(item, words));
  if (found === undefined && isNotice) return undefined;
  assert.ok(
    found,
    `“${words}” is not among ${items.map(item => (typeof item === 'string' ? item : item.label)).join(' | ')}`,
  );
  left.shift();
  return found;
}

const notice = (sentence: string, ...rest: unknown[]): Promise<string | undefined> => {
  told.push(sentence);
  const buttons = rest.filter(each => typeof each === 'string');
  return Promise.resolve(chosen(buttons, true));
};
function next(): string | vscode.Uri | undefined {
  if (left.length === 0) unanswered++;
  return left.shift();
}
const typed = (): Promise<unknown> => Promise.resolve(next());

/** A box that is VS Code's own: what is typed goes into it, and what is listed then is chosen, as by Enter. */
function answering<T extends vscode.QuickInput & { value: string; items?: readonly Item[] }>(box: T): T {
  const show = box.show.bind(box);
  box.show = () => {
    show();
    if (box.items === undefined) box.value = String(next());
    else if (String(left[0]).startsWith('type:')) box.value = String(left.shift()).slice('type:'.length);
    void until(() => box.items === undefined || box.items.some(item => says(item, String(left[0]))))
      .then(async () => {
        if (box.items !== undefined) Object.assign(box, { activeItems: [chosen(box.items)] });
        // What was set is told to the window in the next turn.
        await new Promise(resolve => setTimeout(resolve));
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      })
      .catch((error: unknown) => {
        told.push(String(error));
        box.hide();
      });
  };
  return box;
}

/** From now on this person sits before the window. */
export function sitDown(): void {
  const { createQuickPick, createInputBox } = vscode.window;
  Object.assign(vscode.window, {
    showQuickPick: async (
      items: readonly Item[] | Promise<readonly Item[]>,
      options?: vscode.QuickPickOptions,
    ) => {
      const item = chosen(await items);
      return options?.canPickMany === true ? [item] : item;
    },
    showInputBox: typed,
    showSaveDialog: typed,
    showOpenDialog: async () => [await typed()],
    showInformationMessage: notice,
    showWarningMessage: notice,
    showErrorMessage: notice,
    createQuickPick: () => answering(createQuickPick()),
    createInputBox: () => answering(createInputBox()),
  });
}

/** Runs a command while the person gives these answers, all of them. */
export async function run<T>(
  command: string,
  args: readonly unknown[],
  answers: readonly (string | vscode.Uri)[],
): Promise<T> {
  told.length = unanswered = 0;
  left.splice(0, Infinity, ...answers);
  let isDone = false;
  const result = Promise.resolve(vscode.commands.executeCommand<T>(command, ...args));
  const over = (): unknown => (isDone = true);
  result.then(over, over);
  await until(() => isDone).catch(() => assert.fail(`${command} goes on; told: ${told.join(' | ')}`));
  const value = await result;
  assert.deepEqual(left, [], `${command} has not asked for these; told: ${told.join(' | ')}`);
  assert.equal(unanswered, 0, `${command} has asked for more; told: ${told.join(' | ')}`);
  return value;
}
