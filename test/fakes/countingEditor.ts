import { EventEmitter } from './vscode';

/**
 * A stand-in for the whole of `vscode` that lets the built extension run in plain Node: what it creates, registers and listens to
 * is counted until it is disposed of, everything else does nothing.
 */
export class CountingEditor {
  /** Made and not disposed of, by the name of the call. Panels are the editor's own. */
  readonly alive = new Map<object, string>();
  /** Told to the person. */
  readonly errors: string[] = [];
  readonly commands = new Map<string, (...args: unknown[]) => unknown>();
  /** Row providers by view. */
  readonly trees = new Map<string, { getChildren(): Promise<unknown> }>();
  readonly vscode: object;

  constructor() {
    const values: Readonly<Record<string, unknown>> = {
      EventEmitter,
      Disposable: Object.assign(
        class {
          constructor(readonly dispose: () => unknown) {}
        },
        {
          from: (...parts: { dispose(): unknown }[]) => ({
            dispose: () => parts.forEach(part => part.dispose()),
          }),
        },
      ),
      'l10n.t': (message: string) => message,
      'env.language': 'en',
      'env.uriScheme': 'editor',
      'env.remoteName': undefined,
      'window.state': { focused: true, active: true },
      'window.activeTextEditor': undefined,
      'window.visibleTextEditors': [],
      'window.terminals': [],
      'window.tabGroups.all': [],
      'workspace.isTrusted': true,
      'workspace.workspaceFolders': undefined,
      'workspace.workspaceFile': undefined,
      'workspace.getConfiguration': () => ({
        get: (_: string, otherwise: unknown) => otherwise,
        inspect: () => undefined,
        has: () => false,
        update: () => Promise.resolve(),
      }),
      'extensions.getExtension': () => undefined,
      'commands.registerCommand': (id: string, run: (...args: unknown[]) => unknown) => {
        this.commands.set(id, run);
        return this.#counted(`command ${id}`);
      },
      'window.createTreeView': (id: string, { treeDataProvider }: { treeDataProvider: never }) => {
        this.trees.set(id, treeDataProvider);
        return this.#counted(`view ${id}`, { visible: true });
      },
      'window.showErrorMessage': (message: string) => {
        this.errors.push(message);
        return Promise.resolve();
      },
      'window.createWebviewPanel': () =>
        this.#any('panel', {
          'panel.visible': true,
          'panel.title': 'A page',
          'panel.webview.cspSource': 'self',
        }),
      'window.withProgress': (_: unknown, task: (...args: unknown[]) => unknown) =>
        task(
          { report: () => undefined },
          { isCancellationRequested: false, onCancellationRequested: () => this.#counted('token') },
        ),
    };
    this.vscode = this.#any('', values);
  }

  /** Whatever is asked of it: a function that returns another such thing, or for `create…`, `register…` and `on…` a counted one. */
  #any(path: string, values: Readonly<Record<string, unknown>> = {}): object {
    const parts = new Map<string | symbol, unknown>();
    return new Proxy(function () {}, {
      get: (_, name) => {
        if (parts.has(name)) return parts.get(name);
        if (typeof name === 'symbol' || name === 'then') return undefined;
        const inner = path === '' ? name : `${path}.${name}`;
        if (inner in values) return values[inner];
        const part = /^(?:create|register|on)[A-Z]/.test(name)
          ? () => this.#counted(inner)
          : this.#any(inner, values);
        parts.set(name, part);
        return part;
      },
      set: (_, name, value) => {
        parts.set(name, value);
        return true;
      },
      apply: () => Promise.resolve(undefined),
      construct: (_, args: unknown[]) => Object.assign(this.#any(path) as Record<string, unknown>, { args }),
    });
  }

  /** What listens to a thing goes with it. */
  #counted(name: string, values: Readonly<Record<string, unknown>> = {}): object {
    const dispose = (): void => {
      this.alive.delete(made);
      for (const [other, of] of this.alive) if (of.startsWith(`${name}.`)) this.alive.delete(other);
    };
    const made = this.#any(name, { [`${name}.dispose`]: dispose });
    for (const [key, value] of Object.entries(values)) Object.assign(made, { [key]: value });
    this.alive.set(made, name);
    return made;
  }
}
