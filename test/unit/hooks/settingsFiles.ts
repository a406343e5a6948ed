import fc from 'fast-check';

const names = ['Notification', 'Stop', 'SubagentStop', 'SessionEnd'] as const;

/** JSON with comments as people and programs write it: any spacing, line ends, trailing commas, a BOM, hooks of others. */
export const settingsFile: fc.Arbitrary<string> = fc
  .record({
    value: fc.record(
      {
        model: fc.string(),
        nested: fc
          .jsonValue({ maxDepth: 3 })
          .map(value => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as unknown),
        'https://a//b': fc.constant('/* not a comment */ // nor this'),
        hooks: fc.record(
          Object.fromEntries(
            [...names, 'PostToolUse'].map(name => [
              name,
              fc.array(
                fc.record(
                  {
                    matcher: fc.string(),
                    hooks: fc.array(
                      fc.record({
                        type: fc.constant('command'),
                        command: fc.string({ minLength: 1 }),
                        timeout: fc.nat(60),
                      }),
                      { maxLength: 2 },
                    ),
                  },
                  { requiredKeys: ['hooks'], noNullPrototype: true },
                ),
                { maxLength: 2 },
              ),
            ]),
          ),
          { requiredKeys: [], noNullPrototype: true },
        ),
        last: fc.boolean(),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    eol: fc.constantFrom('\n', '\r\n'),
    bom: fc.boolean(),
    end: fc.constantFrom('', '\n', '\n\n // the end\n'),
    choices: fc.array(fc.nat(11), { minLength: 40, maxLength: 40 }),
  })
  .map(({ value, eol, bom, end, choices }) => {
    let next = 0;
    const choose = (): number => choices[next++ % choices.length] ?? 0;
    const space = (depth: number): string =>
      [
        '',
        '',
        ' ',
        ' ',
        eol + '  '.repeat(depth),
        eol + '\t'.repeat(depth),
        ` /* c${choose()} */ `,
        ` // l${choose()}${eol}`,
      ][choose()] ?? `${eol}${'    '.repeat(depth)}`;
    const write = (item: unknown, depth: number): string => {
      if (typeof item !== 'object' || item === null) return JSON.stringify(item);
      const parts = Array.isArray(item)
        ? item.map(child => write(child, depth + 1))
        : Object.entries(item).map(
            ([key, child]) =>
              `${JSON.stringify(key)}${space(depth)}:${space(depth)}${write(child, depth + 1)}`,
          );
      const [open, close] = Array.isArray(item) ? ['[', ']'] : ['{', '}'];
      const inner = parts.map(part => space(depth + 1) + part + space(depth)).join(',');
      const trailing = parts.length > 0 && choose() < 3 ? `,${space(depth)}` : '';
      return open + inner + trailing + space(depth) + close;
    };
    return (bom ? '\ufeff' : '') + space(0) + write(value, 0) + end.replaceAll('\n', eol);
  });
