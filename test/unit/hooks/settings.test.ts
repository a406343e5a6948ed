import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as jsonc from 'jsonc-parser';
import { commentsOf, installedEvents, Refusal, withHook } from '../../../src/hooks/settings';
import { settingsFile } from './support';

const command = `sh '/home/somebody/User/globalStorage/x/hooks/agent-console-hook.sh' >/dev/null 2>&1 || cat >/dev/null`;
const names = ['Notification', 'Stop', 'SubagentStop', 'SessionEnd'] as const;
const usual = ['Notification', 'Stop', 'SessionEnd'];
const ours = { hooks: [{ type: 'command', command, timeout: 5 }] };

interface Settings {
  hooks?: Record<string, { hooks: { command: string }[] }[]>;
  [key: string]: unknown;
}
const meaning = (text: string): Settings => jsonc.parse(text.replace(/^\ufeff/, '')) as Settings;
const eventsOf = (text: string): string[] => [...installedEvents(text, command)].sort();

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
  it('are there once for an event, also where somebody has copied an entry', () => {
    const once = withHook('{"model":"x"}', ['Stop'], command);
    const entry = JSON.stringify(ours);
    const twice = JSON.stringify({ model: 'x', hooks: { Stop: [ours, ours] } });
    assert.deepEqual(meaning(withHook(twice, ['Stop'], command)), meaning(once));
    assert.equal(withHook(twice, ['Stop'], command).split(entry).length, 2);
  });

  it('come into 1,000 generated files and go again when somebody has changed them meanwhile, all else as it was', () => {
    let [withForeign, withOddities] = [0, 0];
    fc.assert(
      fc.property(settingsFile, fc.subarray([...names], { minLength: 1 }), (source, events) => {
        const { hooks: hooksBefore, ...others } = meaning(source);
        if (Object.keys(hooksBefore ?? {}).length > 0) withForeign++;
        if (/\r\n|\ufeff|\/[/*]|,\s*[}\]]/.test(source)) withOddities++;
        const text = withHook(source, events, command);
        assert.equal(text.startsWith('\ufeff'), source.startsWith('\ufeff'));
        assert.deepEqual(eventsOf(text), [...events].sort());
        for (const name of events)
          assert.deepEqual(meaning(text).hooks?.[name], [...(hooksBefore?.[name] ?? []), ours]);
        assert.equal(withHook(text, events, command), text, 'installing twice changes nothing');
        const changed = text.replace(/\}(\s*)$/, (_, space: string) => `/* mine */}${space}`);
        const gone = withHook(changed, [], command);
        assert.deepEqual(eventsOf(gone), []);
        assert.deepEqual(commentsOf(text), commentsOf(source));
        assert.deepEqual(commentsOf(gone), commentsOf(changed));
        const { hooks, ...left } = meaning(gone);
        const { hooks: installed, ...kept } = meaning(text);
        assert.deepEqual([left, kept], [others, others]);
        const foreign = Object.entries(installed ?? {}).map(([name, list]) => [
          name,
          list.filter(entry => JSON.stringify(entry) !== JSON.stringify(ours)),
        ]);
        const meant = filled(hooksBefore);
        assert.deepEqual(
          [filled(hooks), filled(Object.fromEntries(foreign) as Settings['hooks'])],
          [meant, meant],
        );
      }),
      { numRuns: 1_000 },
    );
    assert.ok(
      withForeign > 100 && withOddities > 500,
      `${withForeign} with foreign hooks, ${withOddities} odd`,
    );
  });

  it('are written as a person would write them', () => {
    for (const [step, text] of [
      [2, '{\n  // mine\n  "model": "x"\n}\n'],
      ['\t', '{\n\t// mine\n\t"model": "x"\n}\n'],
    ] as const) {
      const hooks = JSON.stringify({ hooks: { Stop: [ours] } }, undefined, step);
      const lines = hooks.split('\n').slice(1).join('\n');
      assert.equal(withHook(text, ['Stop'], command), `${text.slice(0, -3)},\n${lines}\n`);
    }
  });

  it('leave foreign hooks as they are spelt, and go without a trace after another edit', () => {
    const stop = '{"hooks":[{"type":"command","command":"mine"}]}';
    const inLines = (tail: string): string =>
      `{\n  "hooks": {\n    "Stop": [\n      ${stop}${tail}\n    ]\n  }\n}`;
    for (const [source, isInLines] of [
      [`{"model":"x","hooks":{"Stop":[${stop}]}}`, false],
      [`{ "a": 1, "hooks": { "Stop": [ ${stop} ] } }\n`, false],
      [`{\n  "hooks": { "Stop": [${stop}] },\n}`, false],
      [`{"hooks":{"Stop":[${stop},]}}`, false],
      [inLines(' // mine'), true],
      [inLines(', // mine'), true],
    ] as const) {
      const text = withHook(source, ['Stop'], command);
      assert.ok(text.includes(stop), text);
      assert.equal(text.split('\n').length > source.split('\n').length, isInLines, text);
      assert.equal(withHook(`// somebody\n${text}`, [], command), `// somebody\n${source}`);
    }
  });

  it('go into a file without any, behind comments too, and out again, and follow another choice of events', () => {
    for (const source of [
      ...['', '// mine\n/* and\nmore */', '// mine', '\r\n \n', '{}', '{ // nothing here\n}'],
      ...['{"hooks":{"Stop":[]}}', '{"a":[1,2,], // why\n}', '{"hooks":{"Stop":[{"hooks":[]} // last\n]}}'],
      '{"hooks":{"SubagentStop":[], // mine\n"SessionEnd":[] \t\r\n  }}',
    ]) {
      const text = withHook(source, usual, command);
      assert.deepEqual(eventsOf(text), [...usual].sort(), source);
      const others = withHook(text, ['SubagentStop', 'Stop'], command);
      assert.deepEqual(eventsOf(others), ['Stop', 'SubagentStop'], source);
      const gone = withHook(`${others}\n`, [], command);
      assert.deepEqual(eventsOf(gone), []);
      for (const each of [text, others, gone]) assert.deepEqual(commentsOf(each), commentsOf(source));
    }
  });

  it('leave what somebody added to our entry', () => {
    const source = withHook('{}', ['Stop'], command).replace('"hooks": [\n', '"matcher": "x", "hooks": [\n');
    assert.match(source, /matcher/);
    assert.deepEqual(meaning(withHook(source, [], command)), {
      hooks: { Stop: [{ matcher: 'x', hooks: [] }] },
    });
    const shared = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}, /* a */ ${JSON.stringify(ours.hooks[0])} /* b */]}]}}`;
    const text = withHook(shared, [], command);
    assert.deepEqual(meaning(text).hooks?.['Stop'], [{ hooks: [{ type: 'command', command: 'mine' }] }]);
    assert.deepEqual(commentsOf(text), ['/* a */', '/* b */']);
  });

  it('are kept out of a file that is not as it should be, with the reason, whatever it is made of', () => {
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
        () => withHook(source, usual, command),
        (error: unknown) => error instanceof Refusal && reason.test(error.message),
        source,
      );
    const units = ['{', '}', '[', ']', '"', ':', ',', '/', '*', '\n', ' ', 'hooks', 'Stop', 'null'];
    const hostile = fc.oneof(
      fc.string({ unit: fc.constantFrom(...units) }),
      fc.integer({ min: 50, max: 200 }).map(depth => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    );
    fc.assert(
      fc.property(hostile, source => {
        try {
          assert.equal(installedEvents(withHook(source, usual, command), command).length, usual.length);
        } catch (error) {
          assert.ok(error instanceof Refusal, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });
});
