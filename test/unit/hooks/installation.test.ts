import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import * as path from 'node:path';
import { mock } from 'node:test';
import fc from 'fast-check';
import * as jsonc from 'jsonc-parser';
import { Installation, type InstalledFile } from '../../../src/hooks/installation';
import { commentsOf, installedEvents, Refusal, withHook } from '../../../src/hooks/settings';
import { filesIn, later, modeOf, openFolder, temporaryFolder, temporaryPlace } from './support';

const events = ['Notification', 'Stop', 'SessionEnd'];
const all = [...events, 'SubagentStop'];
const mine = '{"hooks":[{"type":"command","command":"mine"}]}';
const foreign = `\ufeff{\r\n  // my model\r\n  "model": "x",\r\n  "hooks": { "Stop": [${mine}] },\r\n}\r\n`;

type Scene = Awaited<ReturnType<typeof scene>>;

async function scene(text = foreign) {
  const [place, stored] = [await temporaryPlace(), temporaryFolder()];
  const another = (): Installation => new Installation(place, filesIn(stored));
  const file = path.join(temporaryFolder(), 'settings.json');
  fs.writeFileSync(file, text, { mode: 0o640 });
  return { place, installation: another(), another, file, read: () => fs.readFileSync(file, 'utf8') };
}

const install = async ({ installation, file }: Scene, wanted = events): Promise<string | undefined> =>
  installation.carryOut(await installation.planInstall(file, wanted));
const uninstall = async ({ installation, file }: Scene): Promise<unknown> =>
  installation.carryOut(await installation.planUninstall(file));

interface Settings {
  hooks?: Record<string, { hooks: unknown[] }[]>;
  [key: string]: unknown;
}
const meaning = (text: string): Settings => (jsonc.parse(text.replace(/^\ufeff/, '')) ?? {}) as Settings;
const ours = (command: string) => ({ hooks: [{ type: 'command', command, timeout: 5 }] });

/** What a file means without our entries, and without those and events that are empty. */
function meansElse(text: string, command: string): unknown {
  const { hooks = {}, ...others } = meaning(text);
  const nothing = ['{"hooks":[]}', JSON.stringify(ours(command))];
  const left = Object.entries(hooks).map(
    ([name, list]) => [name, list.filter(entry => !nothing.includes(JSON.stringify(entry)))] as const,
  );
  return { others, hooks: Object.fromEntries(left.filter(([, list]) => list.length > 0)) };
}

const entry = fc.constantFrom(
  ...[mine, '{"hooks":[]}', '{"matcher":"x","hooks":[]}'],
  '{"matcher":"","hooks":[{"type":"command","command":"\\u0000\\"","timeout":9},{"type":"prompt"}]}',
);
const GAPS = ['', '', '', ' ', ' /* c# */ ', ' // l#\n', '\n    ', '\n\t\t', '\n'];
const parsed = (text: string): unknown => JSON.parse(text.replaceAll('__proto__', 'p'));
const entries = fc.array(entry.map(parsed), { maxLength: 2 });

/** JSON with comments as people and programs write it: any spacing, line ends, trailing commas, a BOM, hooks of others. */
const settingsFile = fc
  .record({
    value: fc.record(
      {
        model: fc.string(),
        nested: fc.json({ maxDepth: 3 }).map(parsed),
        'https://a//b': fc.constant('/* not a comment */ // nor this'),
        hooks: fc.dictionary(fc.constantFrom(...all, 'PostToolUse'), entries),
        last: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    eol: fc.constantFrom('\n', '\r\n'),
    bom: fc.constantFrom('', '\ufeff'),
    end: fc.constantFrom('', '\n', '\n\n // the end\n'),
    gaps: fc.array(fc.constantFrom(...GAPS), { minLength: 40, maxLength: 40 }),
  })
  .map(({ value, eol, bom, end, gaps }) => {
    let next = 0;
    const gap = (): string => gaps[next++ % gaps.length]!.replace('#', String(next));
    const tokens = JSON.stringify(value).match(/"(?:[^"\\]|\\.)*"|[\w.+-]+|./g) ?? [];
    const spaced = tokens.map((token, at) => {
      const mayTrail = /^[}\]]$/.test(token) && !/^[{[]$/.test(tokens[at - 1] ?? '');
      return (mayTrail && next % 4 === 0 ? `${gap()},` : '') + gap() + token;
    });
    return bom + (spaced.join('') + end).replaceAll('\n', eol);
  });

describe('installing the hook', function () {
  beforeEach(() => later(() => mock.restoreAll()));

  it('leaves all else in 1,000 generated files as it was, and is gone byte for byte, or when somebody has changed them meanwhile', async () => {
    const scenery = await scene();
    const kept = new Map<string, InstalledFile>();
    const installation = new Installation(scenery.place, {
      load: () => Promise.resolve(kept),
      put: (...record: [string, InstalledFile]) => Promise.resolve(kept.set(...record)),
      remove: (id: string) => Promise.resolve(kept.delete(id)),
    } as never);
    // What a power cut would leave is not asked here, and the disk is what all this would wait for.
    const handle = await fsPromises.open(scenery.file);
    mock.method(Object.getPrototypeOf(handle) as typeof handle, 'sync', () => Promise.resolve());
    await handle.close();
    const { command } = installation;
    let [withForeign, withOddities] = [0, 0];
    const comesAndGoes = async ([source, wanted]: readonly [string, string[]], index: number) => {
      const file = path.join(path.dirname(scenery.file), `${index}.json`);
      const at = { ...scenery, installation, file };
      fs.writeFileSync(file, source);
      await install(at, wanted);
      const text = fs.readFileSync(file, 'utf8');
      assert.equal(text.startsWith('\ufeff'), source.startsWith('\ufeff'));
      assert.deepEqual((await installation.look(file))?.toSorted(), wanted.toSorted());
      const before = meaning(source).hooks ?? {};
      for (const name of wanted)
        assert.deepEqual(meaning(text).hooks?.[name], [...(before[name] ?? []), ours(command)]);
      assert.equal(withHook(text, wanted, command), text, 'installing twice changes nothing');
      const chosen = withHook(text, ['Stop', 'SubagentStop'], command);
      assert.deepEqual(installedEvents(chosen, command).toSorted(), ['Stop', 'SubagentStop']);
      const changed = chosen.replace(/\}(\s*)$/, '/* mine */}$1');
      const gone = withHook(changed, [], command);
      assert.deepEqual(installedEvents(gone, command), []);
      assert.deepEqual([text, chosen, gone].map(commentsOf), [source, source, changed].map(commentsOf));
      const others = meansElse(source, command);
      for (const after of [text, chosen, gone]) assert.deepEqual(meansElse(after, command), others);
      await uninstall(at);
      assert.equal(fs.readFileSync(file, 'utf8'), source);
      if (Object.keys(before).length > 0) withForeign++;
      if (/\r\n|\ufeff|\/[/*]|,\s*[}\]]/.test(source)) withOddities++;
    };
    const odd = fc.constantFrom(
      ...['', '// mine\n/* and\nmore */', '// mine', '\r\n \n', '{}', '{ // nothing here\n}'],
      ...['{"hooks":{"Stop":[]}}', '{"a":[1,2,], // why\n}', '{"hooks":{"Stop":[{"hooks":[]} // last\n]}}'],
      '{"hooks":{"SubagentStop":[], // mine\n"SessionEnd":[] \t\r\n  }}',
    );
    const source = fc.oneof({ weight: 9, arbitrary: settingsFile }, odd);
    const one = fc.tuple(source, fc.subarray(all, { minLength: 1 }));
    // Beside each other, they wait for the disk together.
    const several = fc.array(one, { minLength: 50, maxLength: 50 });
    const all50 = fc.asyncProperty(several, files =>
      Promise.all(files.map(comesAndGoes)).then(() => undefined),
    );
    await fc.assert(all50, { numRuns: 20, endOnFailure: true });
    assert.ok(withForeign > 100 && withOddities > 500, `${withForeign} foreign, ${withOddities} odd`);
  });

  it('shows what it will write, writes just that and a whole copy first, and takes it out byte for byte, also after other choices and where there was no file', async () => {
    const at = await scene();
    const plan = await at.installation.planInstall(at.file, events);
    assert.equal(at.read(), foreign, 'a plan changes nothing');
    // Somebody has tidied up: the folder is made again.
    fs.rmSync(at.place.backups, { recursive: true });
    const copy = await at.installation.carryOut(plan);
    assert.deepEqual([at.read(), fs.readFileSync(copy!, 'utf8')], [plan.text, foreign]);
    assert.deepEqual([at.file, copy!, path.dirname(copy!)].map(modeOf), [0o640, 0o600, 0o700]);
    const again = await at.installation.planInstall(at.file, events);
    assert.equal(again.text, again.read.text, 'nothing is done the second time');
    await install(at, ['Stop', 'SubagentStop']);
    assert.deepEqual(await at.installation.look(at.file), ['Stop', 'SubagentStop']);
    assert.equal((await at.installation.files())[0]?.file, at.file);
    await uninstall(at);
    assert.equal(at.read(), foreign);
    assert.deepEqual(await at.installation.files(), []);
    const none = { ...at, file: path.join(path.dirname(at.file), 'none.json') };
    assert.equal(await install(none), undefined);
    assert.equal(modeOf(none.file), 0o600);
    await uninstall(none);
    assert.deepEqual(fs.readdirSync(path.dirname(at.file)), ['settings.json'], 'nothing is left beside it');
  });

  it('refuses a file that is not what it seems, is out of the project, cannot be written or copied, or changes after the preview, with the reason, and leaves it alone', async () => {
    const write = (content: string | Buffer) => (at: Scene) => fs.writeFileSync(at.file, content);
    const protect = (at: Scene): void => fs.chmodSync(at.file, 0o440);
    const replace = (make: (file: string) => void) => (at: Scene) => {
      fs.rmSync(at.file);
      make(at.file);
    };
    /** The file as one of a project that has a link to its folder. */
    const linked = (name: string) => (at: Scene) => {
      const project = temporaryFolder();
      fs.symlinkSync(path.dirname(at.file), path.join(project, '.client'));
      openFolder(project);
      return path.join(project, '.client', name);
    };
    for (const [sentence, spoil, isLate] of [
      [/Line 4 is not valid JSON/, write(foreign.slice(0, 60))],
      [/not valid JSON/, write('/* mine')],
      [/not valid JSON/, write('{} {}')],
      [/"hooks" twice \(line 3\)/, write('{"hooks":{},\n"a":1,\n"hooks":{}}')],
      [/"b" twice/, write('{"a":[{"b":1,"b":2}]}')],
      [/"hooks" twice/, write('{"hooks":{},"\\u0068ooks":{}}')],
      [/should be \{ \}/, write('[]')],
      [/should be "hooks": \{ \}/, write('{"hooks":null}')],
      [/Line 2 should be "Stop": \[ \]/, write('{"hooks":{\n"Stop":{}}}')],
      [/not UTF-8/, write(Buffer.from([0x7b, 0xff, 0x7d]))],
      [/read-only/, protect],
      [/a second name on this disk/, (at: Scene) => fs.linkSync(at.file, `${at.file}.same`)],
      [/is a link to \/no\/such\/file/, replace(file => fs.symlinkSync('/no/such/file', file))],
      [/not a file/, replace(file => fs.mkdirSync(file))],
      [/folder does not exist/, (at: Scene) => fs.rmSync(path.dirname(at.file), { recursive: true })],
      [/is a link to /, linked('settings.json')],
      [/is a link to /, linked('new-settings.json')],
      [/read-only/, protect, true],
      [/Something else has changed it in the meantime/, write('{}'), true],
      [/EEXIST.*backups/, (at: Scene) => fs.writeFileSync(at.place.backups, ''), true],
    ] as const) {
      const at = await scene();
      const { installation, place } = at;
      fs.rmdirSync(place.backups);
      const plan = isLate && (await installation.planInstall(at.file, events));
      const file = spoil(at) ?? at.file;
      const look = (): unknown => {
        const stats = fs.lstatSync(at.file, { throwIfNoEntry: false });
        return [stats?.mtimeMs, stats?.ino, stats?.isFile() ? at.read() : undefined];
      };
      const before = look();
      const error = await (plan ? installation.carryOut(plan) : install({ ...at, file })).catch(String);
      assert.match(error ?? '', sentence);
      assert.match(error ?? '', /^Error: .*settings\.json was not changed: /);
      assert.deepEqual(look(), before);
      assert.equal(fs.statSync(place.backups, { throwIfNoEntry: false })?.isDirectory() ?? false, false);
      assert.deepEqual(await installation.files(), []);
    }
  });

  it('knows the way back when it could not be brought up to date, and writes nothing of which it could keep no record', async () => {
    const at = await scene('');
    const full = (): Promise<never> => Promise.reject(new Error('The disk is full.'));
    const without = new Installation(at.place, Object.assign(filesIn(), { put: full }));
    await assert.rejects(install({ ...at, installation: without }), /The disk is full/);
    assert.equal(at.read(), '');
    await install(at);
    const installed = at.read();
    const { rename } = fsPromises;
    mock.method(fsPromises, 'rename', (from: string, to: string) =>
      to === at.file ? Promise.reject(new Error('ENOSPC')) : rename(from, to),
    );
    const refusal = /json was not changed: ENOSPC$/;
    await assert.rejects(install(at, ['SubagentStop']), refusal);
    await assert.rejects(uninstall(at), refusal);
    mock.restoreAll();
    assert.equal(at.read(), installed);
    assert.deepEqual(fs.readdirSync(path.dirname(at.file)), ['settings.json']);
    await uninstall(at);
    assert.equal(at.read(), '');
  });

  it('leaves nothing behind when two windows install at the same moment, and what another program writes in between as it is', async () => {
    const [one, made, other] = [await scene(), await scene(), '{"model":"x"}'];
    // Taken out again, its hooks would take the file with them.
    fs.rmSync(made.file, { force: true });
    await install(made);
    const { mkdir } = fsPromises;
    // The copy is made after the first look at the file.
    mock.method(fsPromises, 'mkdir', (...args: Parameters<typeof mkdir>) => {
      const at = [one, made].find(({ place }) => place.backups === args[0]);
      if (at !== undefined) fs.writeFileSync(at.file, other);
      return mkdir(...args);
    });
    await assert.rejects(install(one), /Something else has changed it in the meantime/);
    await assert.rejects(uninstall(made), /Something else has changed it in the meantime/);
    mock.restoreAll();
    assert.deepEqual([one.read(), made.read()], [other, other]);
    const two = { ...one, installation: one.another() };
    const outcomes = await Promise.allSettled([install(one, ['Stop']), install(two, ['SessionEnd'])]);
    assert.ok(outcomes.filter(({ status }) => status === 'rejected').length <= 1, JSON.stringify(outcomes));
    await uninstall({ ...one, installation: one.another() });
    assert.equal(one.read(), other);
  });

  it('waits while another program holds the settings file, as happens on Windows', async () => {
    const at = await scene();
    const [{ rename }, { platform }] = [fsPromises, process];
    const be = (value: string): unknown => Object.defineProperty(process, 'platform', { value });
    const refusals = ['EPERM', 'EBUSY', 'EACCES'];
    mock.method(fsPromises, 'rename', (from: string, to: string) => {
      const code = refusals.pop();
      be(code === undefined ? platform : 'win32');
      return code === undefined ? rename(from, to) : Promise.reject(Object.assign(new Error(code), { code }));
    });
    await install(at).finally(() => be(platform));
    assert.deepEqual(await at.installation.look(at.file), ['Stop', 'Notification', 'SessionEnd']);
    assert.deepEqual(refusals, []);
  });

  it('is gone after removing it, and nothing of others with it, when it was there before, somebody changed the file or the copy is lost', async () => {
    const unknown = await scene('{}');
    await install(unknown, ['Stop']);
    const known = { ...unknown, installation: new Installation(unknown.place, filesIn()) };
    await install(known, ['Notification']);
    await uninstall(known);
    assert.equal(unknown.read().includes('agent-console-hook'), false, unknown.read());
    const start = `{ "model": "x", "hooks": {"Stop":[${mine}]} }`;
    const more = `${mine.slice(0, -2)},{"type":"command","command":"other"}]}`;
    const same = (text: string): string => text;
    for (const [edit, spoil] of [
      [same, (copy: string) => fs.rmSync(copy)],
      [same, (copy: string) => fs.writeFileSync(copy, '{}')],
      [(text: string) => JSON.stringify(JSON.parse(text.replace(mine, more)), undefined, '\t'), same],
    ] as const) {
      const at = await scene(start);
      spoil((await install(at))!);
      fs.writeFileSync(at.file, edit(at.read()));
      await uninstall(at);
      assert.deepEqual(meaning(at.read()), meaning(edit(start)));
    }
    const unreadable = await scene(start);
    const copy = (await install(unreadable))!;
    fs.rmSync(copy);
    fs.mkdirSync(copy);
    await assert.rejects(
      uninstall(unreadable),
      /was not changed: EISDIR/,
      'a copy that may come back is no lost one',
    );
  });
});

describe('hooks in a settings file', () => {
  const command = `sh '/home/somebody/User/globalStorage/x/hooks/agent-console-hook.sh' >/dev/null 2>&1 || cat >/dev/null`;
  const own = ours(command);
  const eventsOf = (text: string): string[] => [...installedEvents(text, command)].sort();

  it('are written as a person would write them, once, and leave foreign ones as they are spelt, and no trace after another edit', () => {
    const indented = (step: number | string): string =>
      JSON.stringify({ hooks: { Stop: [own] } }, undefined, step).slice('{\n'.length);
    for (const step of ['  ', '\t'])
      for (const eol of ['\n', '\r\n']) {
        const text = `{\n${step}// mine\n${step}"model": "x"`.replaceAll('\n', eol);
        const wanted = `${text},\n${indented(step)}\n`.replaceAll(/\r?\n/g, eol);
        assert.equal(withHook(`${text}${eol}}${eol}`, ['Stop'], command), wanted);
      }
    for (const empty of ['{}', '{\n  "hooks": {}\n}', '{\n  "hooks": {\n    "Stop": []\n  }\n}'])
      assert.equal(withHook(empty, ['Stop'], command), `{\n${indented(2)}`);
    const copied = JSON.stringify({ hooks: { Stop: [own, own] } });
    assert.deepEqual(meaning(withHook(copied, ['Stop'], command)), { hooks: { Stop: [own] } });
    for (const source of [
      `{"model":"x","hooks":{"Stop":[${mine}]}}`,
      `{ "a": 1, "hooks": { "Stop": [ ${mine} ] } }\n`,
      `{\n  "hooks": { "Stop": [${mine}] },\n}`,
      `{"hooks":{"Stop":[${mine},]}}`,
      `{\n  "hooks": {\n    "Stop": [\n      ${mine} // mine\n    ]\n  }\n}`,
      `{\n  "hooks": {\n    "Stop": [\n      ${mine}, // mine\n    ]\n  }\n}`,
    ]) {
      const text = withHook(source, ['Stop'], command);
      assert.ok(text.includes(mine), text);
      const isInLines = source.includes('[\n');
      assert.equal(text.split('\n').length > source.split('\n').length, isInLines, text);
      assert.equal(withHook(`// somebody\n${text}`, [], command), `// somebody\n${source}`);
    }
  });

  it('leave what somebody added to our entry', () => {
    const withMatcher = JSON.stringify({ hooks: { Stop: [{ matcher: 'x', ...own }] } });
    const left = withHook(withMatcher, [], command);
    assert.deepEqual(meaning(left), { hooks: { Stop: [{ matcher: 'x', hooks: [] }] } });
    const shared = `{"hooks":{"Stop":[${mine.slice(0, -2)}, /* a */ ${JSON.stringify(own.hooks[0])} /* b */]}]}}`;
    const text = withHook(shared, [], command);
    assert.deepEqual(meaning(text), { hooks: { Stop: [JSON.parse(mine)] } });
    assert.deepEqual(commentsOf(text), ['/* a */', '/* b */']);
    const within = JSON.stringify({ hooks: { Stop: [own] } }).replace('"timeout"', '/* mine */ "timeout"');
    assert.throws(() => withHook(within, [], command), /without touching something else/);
  });

  it('are there, or refused with the reason, whatever the file is made of', () => {
    const units = ['{', '}', '[', ']', '"', ':', ',', '/', '*', '\n', ' ', 'hooks', 'Stop', 'null'];
    const hostile = fc.oneof(
      fc.string({ unit: fc.constantFrom(...units) }),
      fc.integer({ min: 50, max: 200 }).map(depth => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    );
    fc.assert(
      fc.property(hostile, source => {
        try {
          assert.deepEqual(eventsOf(withHook(source, events, command)), events.toSorted());
        } catch (error) {
          assert.ok(error instanceof Refusal, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });
});
