/**
 * What unit tests see as `vscode`: only the text functions and the plain data of rows, which work the same outside the
 * editor. Anything else a unit test needs must come in through a constructor; what acts on the editor does nothing here and is
 * noted in `acts`, for tests that expect none of it.
 */
export const acts: string[] = [];

function noted(owner: string): Readonly<Record<string, () => Promise<undefined>>> {
  const act = (name: string) => (): Promise<undefined> => {
    acts.push(`${owner}.${name}`);
    return Promise.resolve(undefined);
  };
  return new Proxy({}, { get: (_, name) => act(String(name)) });
}

export const window = noted('window');
export const commands = noted('commands');
export const env = {
  language: 'en',
  clipboard: {
    writeText: (text: string): Promise<void> => {
      acts.push(`clipboard.writeText=${text}`);
      return Promise.resolve();
    },
  },
  openExternal: noted('env')['openExternal'],
};
export const workspace = { workspaceFolders: [], fs: noted('fs'), findFiles: () => Promise.resolve([]) };

export const Uri = {
  joinPath: (base: { readonly path: string }, ...parts: string[]) =>
    Uri.file([base.path, ...parts].join('/')),
  file: (path: string) => ({ path, toString: () => `file://${path}` }),
  [Symbol.hasInstance]: (value: unknown) => typeof value === 'object' && value !== null && 'path' in value,
};

export const l10n = {
  t(message: string, ...args: (string | number | boolean | Record<string, unknown>)[]): string {
    const [first] = args;
    const values: Record<string, unknown> =
      typeof first === 'object'
        ? first
        : Object.fromEntries(args.map((value, index) => [String(index), value]));
    return message.replace(/\{([^}]+)\}/g, (whole, name: string) =>
      name in values ? String(values[name]) : whole,
    );
  },
};

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 } as const;

export class TreeItem {
  constructor(
    public label: string,
    public collapsibleState: number = TreeItemCollapsibleState.None,
  ) {}
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export class ThemeIcon {
  constructor(
    readonly id: string,
    readonly color?: ThemeColor,
  ) {}
}

export class MarkdownString {
  value = '';

  appendText(text: string): this {
    this.value += text;
    return this;
  }
}

export class EventEmitter<T> {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event = (listener: (value: T) => void): { dispose: () => void } => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };

  fire(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
