import * as vscode from 'vscode';
import { forQuickPick } from '../util/text';

/** Something to choose. Texts may be foreign. */
export interface Choice<T> {
  readonly label: string;
  readonly description?: string | undefined;
  readonly detail?: string | undefined;
  /** A codicon before the label. */
  readonly icon?: string | undefined;
  readonly value: T;
}

interface Item<T> extends vscode.QuickPickItem {
  readonly value: T;
}

function itemOf<T>({ label, description, detail, icon, value }: Choice<T>): Item<T> {
  const shown = forQuickPick(label);
  return {
    label: icon === undefined ? shown : `$(${icon}) ${shown}`,
    ...(description === undefined ? {} : { description: forQuickPick(description) }),
    ...(detail === undefined ? {} : { detail: forQuickPick(detail, 300) }),
    value,
  };
}

const LOOKED_THROUGH = { matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true } as const;

/** Asks for one of these, which may come later; `undefined` when the person thinks better of it. */
export async function pick<T>(
  choices: readonly Choice<T>[] | Promise<readonly Choice<T>[]>,
  placeHolder: string,
): Promise<T | undefined> {
  const options = { ...LOOKED_THROUGH, placeHolder };
  const items = choices instanceof Promise ? choices.then(all => all.map(itemOf)) : choices.map(itemOf);
  return (await vscode.window.showQuickPick(items, options))?.value;
}

/** Asks which of these; `isPicked` says which are from the start. */
export async function pickSeveral<T>(
  choices: readonly Choice<T>[],
  placeHolder: string,
  isPicked: (value: T) => boolean = () => true,
): Promise<readonly T[] | undefined> {
  const items = choices.map(choice => ({ ...itemOf(choice), picked: isPicked(choice.value) }));
  const options = { ...LOOKED_THROUGH, placeHolder, canPickMany: true } as const;
  return (await vscode.window.showQuickPick(items, options))?.map(({ value }) => value);
}

/** The same where there may be none: throws why, for an empty picker would not tell. */
export function pickItem<T>(
  choices: readonly Choice<T>[],
  placeHolder: string,
  none: string,
): Promise<T | undefined> {
  if (choices.length === 0) throw new Error(none);
  return pick(choices, placeHolder);
}

/** The session id in an argument of a command: the id, or something that carries one, such as a row of a tree. */
export function readSessionId(target: unknown): string | undefined {
  if (typeof target === 'string') return target.trim() === '' ? undefined : target.trim();
  const sessionId = (target as { readonly sessionId?: unknown } | null | undefined)?.sessionId;
  return typeof sessionId === 'string' && sessionId !== '' ? sessionId : undefined;
}
