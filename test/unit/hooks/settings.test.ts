import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as jsonc from 'jsonc-parser';
import {
  commentsOf,
  installedEvents,
  Refusal,
  withHook,
  type HookToInstall,
} from '../../../src/hooks/install/settings';
import { settingsFile } from './settingsFiles';

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
  it('come into 1,000 generated files, all else as it was', () => {
    let withForeign = 0;
    let withOddities = 0;
    fc.assert(
      fc.property(settingsFile, fc.subarray([...names], { minLength: 1 }), (source, events) => {
        const before = meaning(source);
        if (Object.keys(before.hooks ?? {}).length > 0) withForeign++;
        if (/\r\n|\ufeff|\/[/*]|,\s*[}\]]/.test(source)) withOddities++;
        const text = withHook(source, events, hook);
        assert.equal(text.startsWith('\ufeff'), source.startsWith('\ufeff'));
        assert.deepEqual([...installedEvents(text, hook).keys()].sort(), [...events].sort());
        assert.deepEqual(commentsOf(text), commentsOf(source));
        for (const name of events) {
          assert.deepEqual(meaning(text).hooks?.[name], [...(before.hooks?.[name] ?? []), ours]);
        }
        assert.equal(withHook(text, events, hook), text, 'installing twice changes nothing');
        const { hooks: hooksBefore, ...others } = before;
        const { hooks: hooksAfter, ...othersAfter } = meaning(text);
        assert.deepEqual(othersAfter, others);
        const foreign = Object.entries(hooksAfter ?? {}).map(([name, list]) => [
          name,
          list.filter(entry => JSON.stringify(entry) !== JSON.stringify(ours)),
        ]);
        assert.deepEqual(filled(Object.fromEntries(foreign) as Settings['hooks']), filled(hooksBefore));
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
        const installed = withHook(source, events, hook);
        const changed = installed.replace(/\}(\s*)$/, (_, space: string) => `/* mine */}${space}`);
        const text = withHook(changed, [], hook);
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
      withHook(source, ['Stop'], { ...hook, command: 'c', isOurs: text => text === 'c' }),
      '{\n  // mine\n  "model": "x",\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          {\n            "type": "command",\n            "command": "c",\n            "timeout": 5\n          }\n        ]\n      }\n    ]\n  }\n}\n',
    );
  });

  const foreignStop = '{"hooks":[{"type":"command","command":"mine"}]}';
  for (const [what, source] of [
    ['one line', `{"model":"x","hooks":{"Stop":[${foreignStop}]}}`],
    ['one line with room', `{ "a": 1, "hooks": { "Stop": [ ${foreignStop} ] } }\n`],
    ['hooks in one line', `{\n  "hooks": { "Stop": [${foreignStop}] },\n}`],
    ['a last comma', `{"hooks":{"Stop":[${foreignStop},]}}`],
    [
      'lines, a comment behind the last one',
      `{\n  "hooks": {\n    "Stop": [\n      ${foreignStop} // mine\n    ]\n  }\n}`,
    ],
    [
      'lines, a comma and a comment behind the last one',
      `{\n  "hooks": {\n    "Stop": [\n      ${foreignStop}, // mine\n    ]\n  }\n}`,
    ],
  ] as const) {
    it(`leave foreign hooks as they are spelt in a file of ${what}, and go without a trace after another edit`, () => {
      const text = withHook(source, ['Stop'], hook);
      assert.ok(text.includes(foreignStop), text);
      assert.equal(text.split('\n').length > source.split('\n').length, /lines/.test(what), text);
      assert.equal(withHook(`// somebody\n${text}`, [], hook), `// somebody\n${source}`);
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
      fc.integer({ min: 50, max: 200 }).map(depth => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    );
    fc.assert(
      fc.property(hostile, source => {
        try {
          assert.equal(installedEvents(withHook(source, usual, hook), hook).size, usual.length);
        } catch (error) {
          assert.ok(error instanceof Refusal, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('go into an empty file or one of nothing but comments, and out again', () => {
    for (const source of [
      '',
      '// mine\n/* and\nmore */',
      '// mine',
      '\r\n \n',
      '{}',
      '{ // nothing here\n}',
      '{"hooks":{"Stop":[]}}',
      '{"a":[1,2,], // why\n}',
      '{"hooks":{"Stop":[{"hooks":[]} // last\n]}}',
    ]) {
      const text = withHook(source, usual, hook);
      assert.deepEqual([...installedEvents(text, hook).keys()].sort(), [...usual].sort(), source);
      assert.deepEqual(commentsOf(text), commentsOf(source));
      assert.equal(installedEvents(withHook(text, [], hook), hook).size, 0);
    }
  });

  it('go from behind the comment of a line, which takes nothing of what follows into it', () => {
    const source = '{"hooks":{"SubagentStop":[], // mine\n"SessionEnd":[] \t\r\n  }}';
    const text = withHook(source, ['SessionEnd'], hook);
    assert.deepEqual(commentsOf(withHook(`${text}\n`, [], hook)), ['// mine']);
  });

  it('are brought up to date, and follow another choice of events', () => {
    const stale = withHook('{"hooks":{}}', ['Stop', 'SubagentStop'], { ...hook, command: older });
    assert.deepEqual(
      [...installedEvents(stale, hook)],
      [
        ['Stop', 'other'],
        ['SubagentStop', 'other'],
      ],
    );
    const text = withHook(stale, usual, hook);
    assert.deepEqual(Object.fromEntries(installedEvents(text, hook)), {
      Notification: 'current',
      Stop: 'current',
      SessionEnd: 'current',
    });
    assert.equal(text.includes('/old/'), false);
  });

  it('are out of date with a time limit that is not ours', () => {
    const good = withHook('{"a": 1}', ['Stop'], hook);
    const limit = `"timeout":${hook.timeout}`;
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
      assert.deepEqual(meaning(withHook(spoilt, ['Stop'], hook)), meaning(good), other);
    }
  });

  it('leave what somebody added to our entry', () => {
    const source = withHook('{}', ['Stop'], hook).replace('"hooks": [\n', '"matcher": "x", "hooks": [\n');
    assert.match(source, /matcher/);
    assert.deepEqual(meaning(withHook(source, [], hook)), {
      hooks: { Stop: [{ matcher: 'x', hooks: [] }] },
    });
    const shared = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}, /* a */ ${JSON.stringify(ours.hooks[0])} /* b */]}]}}`;
    const text = withHook(shared, [], hook);
    assert.deepEqual(meaning(text).hooks?.['Stop'], [{ hooks: [{ type: 'command', command: 'mine' }] }]);
    assert.deepEqual(commentsOf(text), ['/* a */', '/* b */']);
  });

  it('are kept out of a file that is not as it should be, with the reason', () => {
    for (const [source, reason] of [
      ['{"a":', /not valid JSON/],
      ['/* mine', /not valid JSON/],
      ['{} {}', /not valid JSON/],
      ['{"hooks":{},\n"a":1,\n"hooks":{}}', /"hooks" twice \(line 3\)/],
      ['{"a":[{"b":1,"b":2}]}', /"b" twice/],
      ['{"hooks":{},"\\u0068ooks":{}}', /"hooks" twice/],
      ['[]', /should be \{ \}/],
      ['{"hooks":null}', /should be "hooks": \{ \}/],
      ['{"hooks":{"Stop":{}}}', /should be "Stop": \[ \]/],
    ] as const)
      assert.throws(
        () => withHook(source, usual, hook),
        (error: unknown) => error instanceof Refusal && reason.test(error.message),
        source,
      );
  });
});
