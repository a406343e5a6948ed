export const env = { language: 'en' };

/**
 * What unit tests see as `vscode`: only the text functions and the plain data of rows, which work the same outside the
 * editor. Anything else a unit test needs must come in through a constructor.
 */
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
