import * as vscode from 'vscode';
import { Disposable } from '../util/disposable';
import { oneLine } from '../util/text';
import { failuresNaming, readableName } from './model';
import { appFolder } from './reportView';
import type { Match } from './tree';

/** Marks the folders of applications in the Explorer: how many failing criteria name them. */
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
    this.#known ??= new Map(this.#matches().flatMap(decorationsOf));
    return this.#known.get(uri.toString());
  }
}

function decorationsOf({ repository, local }: Match): (readonly [string, vscode.FileDecoration])[] {
  const [report] = repository.reports;
  return Object.entries(report?.apps ?? {}).flatMap(([path, { description }]) => {
    const folder = appFolder(local, path);
    if (report === undefined || folder === undefined || folder.toString() === local.root.toString())
      return [];
    const failing = failuresNaming(report, path).map(id => oneLine(readableName(id), 80));
    const shown = [...failing.slice(0, 10), ...(failing.length > 10 ? ['…'] : [])].join(', ');
    const about = vscode.l10n.t('Readiness: application {0}', oneLine(description ?? path, 120));
    const tooltip =
      failing.length === 0 ? about : `${about}. ${vscode.l10n.t('Named by failing criteria: {0}', shown)}`;
    const badge = failing.length === 0 ? '✓' : failing.length > 9 ? '9+' : String(failing.length);
    return [[folder.toString(), new vscode.FileDecoration(badge, tooltip)] as const];
  });
}
