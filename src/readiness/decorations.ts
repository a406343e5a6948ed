import * as vscode from 'vscode';
import { Disposable } from '../util/disposable';
import { appFolder } from './reportView';
import { appMark } from './text';
import type { Match } from './tree';

/** Marks the folders of applications in the Explorer: how many failing criteria they are known to have a part in. */
export class AppDecorations extends Disposable implements vscode.FileDecorationProvider {
  readonly #matches: () => readonly Match[];
  readonly #changed = this.register(new vscode.EventEmitter<undefined>());
  #known: ReadonlyMap<string, vscode.FileDecoration> | undefined;

  constructor(matches: () => readonly Match[]) {
    super();
    this.#matches = matches;
    this.register(vscode.window.registerFileDecorationProvider(this));
  }

  readonly onDidChangeFileDecorations = this.#changed.event;

  /** Reports or repositories changed. */
  update(): void {
    this.#known = undefined;
    this.#changed.fire(undefined);
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    this.#known ??= new Map(this.#matches().toReversed().flatMap(decorationsOf));
    return this.#known.get(uri.toString());
  }
}

function decorationsOf({ repository, local }: Match): (readonly [string, vscode.FileDecoration])[] {
  const [report] = repository.reports;
  return Object.entries(report?.apps ?? {}).flatMap(([path, { description }]) => {
    const folder = appFolder(local, path);
    if (report === undefined || folder === undefined || folder.toString() === local.root.toString())
      return [];
    const { badge, tooltip } = appMark(report, path, description);
    return [[folder.toString(), new vscode.FileDecoration(badge, tooltip)] as const];
  });
}
