export const env = { language: 'en' };

/**
 * What unit tests see as `vscode`: only the text functions, which work the same outside the editor. Anything else a unit
 * test needs must come in through a constructor.
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
