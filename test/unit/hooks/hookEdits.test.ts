import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as jsonc from 'jsonc-parser';
import { applySteps, installedEvents, withHook, type HookToInstall } from '../../../src/hooks/hookEdits';
import { commentsOf, SettingsTextError } from '../../../src/hooks/settingsText';

const command = `sh '/home/somebody/User/globalStorage/x/hooks/agent-console-hook.sh' >/dev/null 2>&1 || cat >/dev/null`;
const older = `sh '/old/agent-console-hook.sh' >/dev/null 2>&1 || cat >/dev/null`;
const hook: HookToInstall = { command, timeout: 5, isOurs: text => text === command || text === older };
const names = ['Notification', 'Stop', 'SubagentStop', 'SessionEnd'] as const;
const usual = ['Notification', 'Stop', 'SessionEnd'];
const ours = { hooks: [{ type: 'command', command, timeout: 5 }] };

interface Settings {
  hooks?: Record<string, { hooks: { command: string }[] }[]>;
  [key: string]: unknown;
}
const meaning = (text: string): Settings => jsonc.parse(text.replace(/^\ufeff/, '')) as Settings;

/** Without events and entries that are empty. */
const filled = (hooks: Settings['hooks']): unknown =>
  Object.fromEntries(
    Object.entries(hooks ?? {})
      .map(
        ([name, list]) =>
          [name, list.filter(entry => Object.keys(entry).length > 1 || entry.hooks.length > 0)] as const,
      )
      .filter(([, list]) => list.length > 0),
  );

describe('hooks in a settings file', () => {
  it('come and go byte for byte in 1,000 generated files', () => {
    let withForeign = 0;
    let withOddities = 0;
    fc.assert(
      fc.property(settingsFile, fc.subarray([...names], { minLength: 1 }), (source, events) => {
        const before = meaning(source);
        if (Object.keys(before.hooks ?? {}).length > 0) withForeign++;
        if (/\r\n|\ufeff|\/[/*]|,\s*[}\]]/.test(source)) withOddities++;
        const { text, undo } = withHook(source, events, hook);
        assert.equal(text.startsWith('\ufeff'), source.startsWith('\ufeff'));
        assert.deepEqual([...installedEvents(text, hook).keys()].sort(), [...events].sort());
        assert.deepEqual(commentsOf(text), commentsOf(source));
        for (const name of events) {
          assert.deepEqual(meaning(text).hooks?.[name], [...(before.hooks?.[name] ?? []), ours]);
        }
        assert.equal(withHook(text, events, hook).text, text, 'installing twice changes nothing');
        assert.equal(applySteps(text, undo), source, 'uninstalling restores every byte');
        const added = undo.flat().every(({ content }) => content === '');
        assert.ok(added, 'nothing is taken away or spelt anew, foreign hooks least of all');
      }),
      { numRuns: 1_000 },
    );
    assert.ok(
      withForeign > 100 && withOddities > 500,
      `${withForeign} with foreign hooks, ${withOddities} odd`,
    );
  });

  it('can be taken out of 1,000 files that somebody changed meanwhile, all else as it was', () => {
    fc.assert(
      fc.property(settingsFile, fc.subarray([...names], { minLength: 1 }), (source, events) => {
        const installed = withHook(source, events, hook).text;
        const changed = installed.replace(/\}(\s*)$/, (_, space: string) => `/* mine */}${space}`);
        const { text } = withHook(changed, [], hook);
        assert.equal(installedEvents(text, hook).size, 0);
        assert.deepEqual(commentsOf(text), commentsOf(changed));
        const { hooks: hooksBefore, ...before } = meaning(source);
        const { hooks: hooksAfter, ...after } = meaning(text);
        assert.deepEqual(after, before);
        assert.deepEqual(filled(hooksAfter), filled(hooksBefore));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are written as a person would write them', () => {
    const source = '{\n  // mine\n  "model": "x"\n}\n';
    assert.equal(
      withHook(source, ['Stop'], { ...hook, command: 'c' }).text,
      '{\n  // mine\n  "model": "x",\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          {\n            "type": "command",\n            "command": "c",\n            "timeout": 5\n          }\n        ]\n      }\n    ]\n  }\n}\n',
    );
  });

  const foreignStop = '{"hooks":[{"type":"command","command":"mine"}]}';
  for (const [what, source, installed] of [
    [
      'one line',
      `{"model":"x","hooks":{"Stop":[${foreignStop}]}}`,
      `{"model":"x","hooks":{"Stop":[${foreignStop},OURS]}}`,
    ],
    [
      'one line with room',
      `{ "a": 1, "hooks": { "Stop": [ ${foreignStop} ] } }\n`,
      `{ "a": 1, "hooks": { "Stop": [ ${foreignStop}, OURS ] } }\n`,
    ],
    [
      'hooks in one line',
      `{\n  "hooks": { "Stop": [${foreignStop}] },\n}`,
      `{\n  "hooks": { "Stop": [${foreignStop}, OURS] },\n}`,
    ],
    ['a last comma', `{"hooks":{"Stop":[${foreignStop},]}}`, `{"hooks":{"Stop":[${foreignStop},OURS,]}}`],
    [
      'lines, a comment behind the last one',
      `{\n  "hooks": {\n    "Stop": [\n      ${foreignStop} // mine\n    ]\n  }\n}`,
      `{\n  "hooks": {\n    "Stop": [\n      ${foreignStop}, // mine\n      OURS\n    ]\n  }\n}`,
    ],
    [
      'lines, a comma and a comment behind the last one',
      `{\n  "hooks": {\n    "Stop": [\n      ${foreignStop}, // mine\n    ]\n  }\n}`,
      `{\n  "hooks": {\n    "Stop": [\n      ${foreignStop}, // mine\n      OURS,\n    ]\n  }\n}`,
    ],
  ] as const) {
    it(`leave foreign hooks as they are spelt in a file of ${what}, and go without a trace after another edit`, () => {
      const { text } = withHook(source, ['Stop'], hook);
      const shown = text.replace(
        /\s*\{\s*"hooks":\s*\[\s*\{[^{}]*agent-console-hook[^{}]*\}\s*\]\s*\}/,
        found => found.replace(/\S.*/s, 'OURS'),
      );
      assert.equal(shown, installed);
      const changed = `// somebody\n${text}`;
      assert.equal(withHook(changed, [], hook).text, `// somebody\n${source}`);
    });
  }

  for (const [what, source, step] of [
    ['a comment in column 40', `{\n${' '.repeat(40)}// far\n    "a": 1\n}\n`, '    '],
    ['a comment in column 50', `{\n${' '.repeat(50)}/* far */\n\t"a": 1\n}\n`, '\t'],
    ['a list in column 60', `{"a":\n${' '.repeat(60)}[\n1]}\n`, undefined],
    ['a property in column 60', `{\n${' '.repeat(60)}"a": 1\n}\n`, ' '.repeat(60)],
    ['a hundred levels', `{\n  "a": ${'['.repeat(100)}${']'.repeat(100)}\n}\n`, '  '],
  ] as const) {
    it(`go into a file with ${what}, indented as its properties are`, () => {
      const { text, undo } = withHook(source, usual, hook);
      if (step !== undefined) assert.ok(text.includes(`\n${step}"hooks": {\n${step}`), text);
      const deepest = Math.max(
        ...text
          .slice(text.indexOf('"hooks"'))
          .split('\n')
          .map(line => /^ */.exec(line)?.[0].length ?? 0),
      );
      assert.ok(deepest <= 60 + 8 * 8, `${deepest} spaces`);
      assert.equal(applySteps(text, undo), source);
    });
  }

  it('are kept out of a file with a reason, whatever it is nested or made of', () => {
    const hostile = fc.oneof(
      fc.string({
        unit: fc.constantFrom(
          '{',
          '}',
          '[',
          ']',
          '"',
          ':',
          ',',
          '/',
          '*',
          '\n',
          ' ',
          'hooks',
          'Stop',
          'null',
        ),
      }),
      fc.integer({ min: 50, max: 20_000 }).map(depth => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    );
    fc.assert(
      fc.property(hostile, source => {
        try {
          const { text, undo } = withHook(source, usual, hook);
          assert.equal(applySteps(text, undo), source);
        } catch (error) {
          assert.ok(error instanceof SettingsTextError, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });

  for (const [what, source] of [
    ['nothing', ''],
    ['comments alone', '// mine\n/* and\nmore */'],
    ['a comment alone and no end of its line', '// mine'],
    ['white space', '\r\n \n'],
    ['an empty object', '{}'],
    ['a comment alone in the object', '{ // nothing here\n}'],
    ['an empty list of ours', '{"hooks":{"Stop":[]}}'],
    ['a trailing comma and a comment after it', '{"a":[1,2,], // why\n}'],
    ['a comment after the last entry', '{"hooks":{"Stop":[{"hooks":[]} // last\n]}}'],
  ] as const) {
    it(`go into a file with ${what}, and out again`, () => {
      const { text, undo } = withHook(source, usual, hook);
      assert.deepEqual([...installedEvents(text, hook).keys()].sort(), [...usual].sort());
      assert.equal(applySteps(text, undo), source);
    });
  }

  it('go from behind the comment of a line, which does not get the white space that followed them', () => {
    const source = '{"hooks":{"SubagentStop":[], // mine\n"SessionEnd":[] \t\r\n  }}';
    const { text } = withHook(source, ['SessionEnd'], hook);
    assert.equal(withHook(`${text}\n`, [], hook).text, '{"hooks":{"SubagentStop":[] // mine\r\n  }}\n');
  });

  it('are brought up to date, and follow another choice of events', () => {
    const stale = withHook('{"hooks":{}}', ['Stop', 'SubagentStop'], { ...hook, command: older }).text;
    assert.deepEqual(
      [...installedEvents(stale, hook)],
      [
        ['Stop', 'other'],
        ['SubagentStop', 'other'],
      ],
    );
    const { text } = withHook(stale, usual, hook);
    assert.deepEqual(Object.fromEntries(installedEvents(text, hook)), {
      Notification: 'current',
      Stop: 'current',
      SessionEnd: 'current',
    });
    assert.equal(text.includes('/old/'), false);
  });

  it('are out of date with a time limit that is not ours', () => {
    const good = withHook('{"a": 1}', ['Stop'], hook).text;
    const limit = `"timeout": ${hook.timeout}`;
    assert.ok(good.includes(limit));
    for (const other of [
      '"timeout": 0',
      '"timeout": 0.01',
      '"timeout": "5"',
      '"timeout": null',
      '"limit": 5',
    ]) {
      const spoilt = good.replace(limit, other);
      assert.deepEqual([...installedEvents(spoilt, hook)], [['Stop', 'other']], other);
      assert.deepEqual(meaning(withHook(spoilt, ['Stop'], hook).text), meaning(good), other);
    }
  });

  it('leave what somebody added to our entry', () => {
    const source = withHook('{}', ['Stop'], hook).text.replace(
      '"hooks": [\n',
      '"matcher": "x", "hooks": [\n',
    );
    assert.match(source, /matcher/);
    assert.deepEqual(meaning(withHook(source, [], hook).text), {
      hooks: { Stop: [{ matcher: 'x', hooks: [] }] },
    });
    const shared = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}, /* a */ ${JSON.stringify(ours.hooks[0])} /* b */]}]}}`;
    const { text } = withHook(shared, [], hook);
    assert.deepEqual(meaning(text).hooks?.['Stop'], [{ hooks: [{ type: 'command', command: 'mine' }] }]);
    assert.deepEqual(commentsOf(text), ['/* a */', '/* b */']);
  });

  for (const [what, source, kind] of [
    ['no JSON', '{"a":', 'unparsable'],
    ['a comment without end', '/* mine', 'unparsable'],
    ['an event that is null', '{"hooks":{"Stop":null}}', 'shape'],
    ['half a file', '{"hooks":{"Stop":[{"hooks":[', 'unparsable'],
    ['two values', '{} {}', 'unparsable'],
    ['a key twice', '{"hooks":{},\n"a":1,\n"hooks":{}}', 'duplicateKey'],
    ['a key twice deep inside', '{"a":[{"b":1,"b":2}]}', 'duplicateKey'],
    ['the same key in two spellings', '{"hooks":{},"\\u0068ooks":{}}', 'duplicateKey'],
    ['a list', '[]', 'shape'],
    ['a number', '3', 'shape'],
    ['hooks that are a list', '{"hooks":[]}', 'shape'],
    ['hooks that are null', '{"hooks":null}', 'shape'],
    ['an event that is an object', '{"hooks":{"Stop":{}}}', 'shape'],
    ['no end to its depth', '['.repeat(200_000), 'tooDeep'],
  ] as const) {
    it(`are kept out of a file with ${what}`, () => {
      assert.throws(
        () => withHook(source, usual, hook),
        (error: unknown) => error instanceof SettingsTextError && error.problem.kind === kind,
      );
    });
  }
});

/** JSON with comments as people and programs write it: any spacing, line ends, trailing commas, a BOM, hooks of others. */
const settingsFile: fc.Arbitrary<string> = fc
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
