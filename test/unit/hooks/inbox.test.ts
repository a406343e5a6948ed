import assert from 'node:assert/strict';
import { execFile, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import * as path from 'node:path';
import { mock } from 'node:test';
import { EVENT_CAP } from '../../../src/hooks/events';
import { sweep } from '../../../src/hooks/inbox';
import { commandLine, hookPlace, placeScript, type HookPlace } from '../../../src/hooks/installation';
import { Refusal } from '../../../src/hooks/settings';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { until } from '../../until';
import { eventsIn, focusedAs, inboxOf, jsonFiles, modeOf, root, temporaryPlace, writeEvent } from './support';

const event = JSON.stringify({ hook_event_name: 'Stop', cwd: '/w', message: 'fünf “Wörter”' });
const shells = ['/bin/sh', '/bin/bash', '/bin/dash', '/bin/busybox'].filter(shell => fs.existsSync(shell));

/** Runs a command line with something on its standard input. It says nothing and succeeds. */
async function quietly(command: string, input: string | Buffer, shell = '/bin/sh', env = process.env) {
  const args = [...(shell.endsWith('busybox') ? ['sh'] : []), '-c', command];
  const broken: Error[] = [];
  const ran = await new Promise(resolve => {
    const child = execFile(shell, args, { env }, (_, ...said) => resolve([child.exitCode, ...said]));
    // A broken pipe would end a client that is less careful.
    child.stdin?.on('error', error => broken.push(error));
    // To write nothing is to write, too.
    if (input.length > 0) child.stdin?.write(input);
    child.stdin?.end();
  });
  assert.deepEqual([ran, broken], [[0, '', ''], []], command);
}

/** As the client runs it. */
const send = ({ script }: HookPlace, input: string, shell?: string, env?: NodeJS.ProcessEnv): Promise<void> =>
  quietly(commandLine(script, 'linux'), input, shell, env);
const sent = (place: HookPlace): string[] => jsonFiles(place.spool).sort();
const read = (place: HookPlace, name: string): string =>
  fs.readFileSync(path.join(place.spool, name), 'utf8');

describe('the hook command', function () {
  it('hands an event over in any shell, privately, from folders with any name, and nothing from hooks that Agent Console runs itself', async () => {
    const names = [`it's "quoted" $HOME \`id\` & (1) %PATH%`, '空 白', '-n', '!#;*?'];
    for (const shell of shells)
      for (const name of names) {
        const place = await temporaryPlace(path.join(temporaryFolder(), name));
        await send(place, event, shell, { ...process.env, AGENT_CONSOLE_OUTGOING_HOOK: '1' });
        assert.deepEqual(fs.readdirSync(place.spool), []);
        fs.rmdirSync(place.spool);
        await send(place, event, shell);
        const [file = '', ...others] = sent(place);
        assert.deepEqual([read(place, file), others], [event, []], name);
        assert.match(file, /^\d{10}\.\w+\.json$/);
        assert.deepEqual([place.spool, path.join(place.spool, file)].map(modeOf), [0o700, 0o600]);
      }
  });

  it('ends quietly, and hands the beginning of its input over or nothing, whatever is in its way', async () => {
    const inputs = ['', event, '\0\xff{\0', 'x'.repeat(10_000_000)].map(text => Buffer.from(text, 'latin1'));
    /** What happens before the client runs the command, and the longest input that there is room for then. */
    for (const [fault, room] of [
      ['', Infinity],
      ['rm -f "$folder"/*.sh; ', 0],
      ['rm -rf "$folder"; ', 0],
      ['rm -rf "$folder/spool"; touch "$folder/spool"; ', 0],
      ['rm -rf "$folder/spool"; ln -s /no/such/folder "$folder/spool"; ', 0],
      ['ulimit -f 0; ', 0],
      ['ulimit -f 8; ', 4_096],
      [`trap '' XFSZ; ulimit -f 8; `, 4_096],
    ] as const)
      for (const input of inputs) {
        const place = await temporaryPlace();
        const command = `folder='${place.folder}'; ${fault}${commandLine(place.script, 'linux')}`;
        await quietly(command, input);
        const found = fs.globSync(`${place.spool}/*`).map(file => fs.readFileSync(file));
        const isKept = input.length > 0 && input.length <= room;
        assert.deepEqual(found, isKept ? [input.subarray(0, EVENT_CAP + 1)] : [], command);
      }
  });

  it('hands nothing over when the client ends it before the end of its input', async () => {
    for (const written of ['', event]) {
      const place = await temporaryPlace();
      const child = spawn('/bin/sh', ['-c', commandLine(place.script, 'linux')], { detached: true });
      const ended = once(child, 'close');
      later(() => child.kill('SIGKILL'));
      const output: unknown[] = [];
      for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => output.push(chunk));
      child.stdin.write(written);
      await until(() => fs.readdirSync(place.spool).length > 0);
      process.kill(-child.pid!, 'SIGKILL');
      await ended;
      assert.deepEqual(output, []);
      const [half, ...others] = fs.readdirSync(place.spool);
      assert.match(half!, /^\d{10}\.\w+$/, 'what the inbox sweeps away');
      assert.deepEqual(others, []);
    }
  });

  it('keeps the spool small while nobody reads it', async () => {
    const place = await temporaryPlace();
    for (let index = 0; index < 2_003; index++)
      fs.writeFileSync(path.join(place.spool, `${1_700_000_000 + index}.old.json`), '');
    await send(place, event);
    const names = sent(place);
    assert.deepEqual([names.length, names[0]], [2_000, '1700000004.old.json']);
    assert.equal(read(place, names.at(-1)!), event);
  });

  it('is put in its place once by many who do so at the same time, and does not lose one of 100 that come at once', async () => {
    const place = hookPlace(path.join(temporaryFolder(), 'hooks'), root);
    await Promise.all(Array.from({ length: 20 }, () => placeScript(place)));
    assert.ok(!fs.readdirSync(place.folder).some(name => name.endsWith('.tmp')));
    const ids = Array.from({ length: 100 }, (_, index) => `s${index}`).sort();
    await Promise.all(ids.map(id => send(place, id)));
    const arrived = sent(place).map(name => read(place, name));
    assert.deepEqual(arrived.sort(), ids);
  });

  it('says nothing and succeeds in any shell when PowerShell is not there or is kept from running scripts', async () => {
    const folder = temporaryFolder();
    const command = commandLine('C:\\Users\\Ann\\hooks\\agent-console-hook.ps1', 'win32');
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
    for (const shell of shells) await quietly(command, '', shell, env);
    const program = '#!/bin/sh\ncat >/dev/null; echo forbidden; echo forbidden >&2; exit 1\n';
    fs.writeFileSync(path.join(folder, 'powershell.exe'), program, { mode: 0o755 });
    for (const shell of shells) await quietly(command, event, shell, env);
  });
});

describe('hooks on Windows', () => {
  it('name a script so that cmd, a POSIX shell and PowerShell see one path, and none where that is not safe', () => {
    const folders = ["Ann O'Hara", 'A & B (old)', 'ünïcødé 空白 🎈', 'semi;colon, equals=', '-File'];
    for (const name of [...folders, 'x@y #1 {2} [3] ~4 +5']) {
      const { script } = hookPlace(`C:\\Users\\${name}\\AppData\\hooks`, '', 'win32');
      const wanted = `C:/Users/${name}/AppData/hooks/agent-console-hook.ps1`;
      const line = commandLine(script, 'win32');
      const words = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File'];
      assert.equal(line, `powershell.exe ${words.join(' ')} "${wanted}" 2>&1 | exit 0`);
      const printed = line.replace('powershell.exe', `printf '%s\\n'`).replace(' 2>&1 | exit 0', '');
      const seen = spawnSync('/bin/sh', ['-c', printed], { encoding: 'utf8' });
      assert.deepEqual(seen.stdout.trimEnd().split('\n'), [...words, wanted]);
    }
    for (const letter of ['%', '$', '`', '"', '!', '^', '\n', '\r'])
      assert.throws(() => commandLine(`C:\\a${letter}b\\agent-console-hook.ps1`, 'win32'), Refusal, letter);
  });

  it('have a script that prints nothing, runs nothing else, ends with 0 and does what the POSIX form does', () => {
    const [source, posix] = ['ps1', 'sh'].map(kind =>
      fs.readFileSync(path.join(root, `media/hooks/agent-console-hook.${kind}`), 'utf8'),
    ) as [string, string];
    const code = source.replaceAll(/^\s*#.*$/gm, '');
    assert.deepEqual([...new Set(code.match(/\b[A-Z][a-z]+-[A-Z]\w+/g))], ['New-Object']);
    assert.match(code, /\} catch \{ \}\ntry \{ .* \} catch \{ \}\nexit 0\n$/);
    // A value that is neither kept nor thrown away would be printed.
    for (const line of code.split('\n').map(text => text.trim())) {
      const isCall = /^(\[|\$\w+\.)\S*\(/.test(line) || /^\[IO\.\w+\]::/.test(line);
      if (isCall) assert.match(line, /^\[void\]|\.(Write|Dispose)\(|::(Sort|Delete|Move)\(/, line);
    }
    assert.doesNotMatch(source, /[^\n -~]/, 'older versions read a script without a mark as ANSI');
    for (const shared of ['AGENT_CONSOLE_OUTGOING_HOOK', 'spool', '2000', String(EVENT_CAP + 1), '.json'])
      assert.ok(source.includes(shared) && posix.includes(shared), shared);
  });
});

const folders = ['/w', '/w/app', '/other'];

/** Windows of their own processes, one for each folder, and the session ids of the events they took. */
async function threeWindows(place: HookPlace, stepMs: number) {
  const stored = temporaryFolder();
  const open = async (folder: string) => {
    const args = [place.folder, stored, folder, String(folder === '/other'), String(stepMs)];
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
    const child = fork(path.join(__dirname, 'inbox.child.js'), args, { stdio: [...stdio] });
    later(() => child.kill('SIGKILL'));
    const taken: string[] = [];
    await once(child, 'message');
    child.on('message', sessionId => taken.push(sessionId as string));
    return { child, taken };
  };
  const windows = await Promise.all(folders.map(open));
  for (const { child } of windows) child.send('begin');
  return { windows, all: () => windows.flatMap(({ taken }) => taken) };
}

/** Writes events of sessions, in each of the folders in turn. */
function write(place: HookPlace, from: number, to: number, cwds: readonly string[]): void {
  for (let n = from; n < to; n++)
    writeEvent(place, { hook_event_name: 'Notification', session_id: `s${n}`, cwd: cwds[n % cwds.length] });
}

describe('the inbox of hook events', function () {
  it('gives each of 1,000 events to one of three windows, and to the right one', async () => {
    const place = await temporaryPlace();
    // Some are there before any window looks.
    write(place, 0, 300, folders);
    // However slow the machine is, no other window gets in between.
    const { windows, all } = await threeWindows(place, 30_000);
    for (let index = 300; index < 1_000; index += 100) {
      write(place, index, index + 100, folders);
      await new Promise(setImmediate);
    }
    await until(() => all().length >= 1_000 && jsonFiles(place.spool).length === 0);
    assert.deepEqual([new Set(all()).size, all().length], [1_000, 1_000]);
    for (const [at, { taken }] of windows.entries())
      assert.deepEqual(
        taken.filter(id => Number(id.slice(1)) % 3 !== at),
        [],
      );
  });

  it('loses nothing and tells nothing twice when a window dies in between', async () => {
    const place = await temporaryPlace();
    const { windows, all } = await threeWindows(place, 300);
    const cwds = ['/w/lib', '/w/app/src', '/other', '/nowhere'];
    write(place, 0, 100, cwds);
    const { child } = windows[1]!;
    // Whose turn it was: on a slow machine this one may come last.
    await until(() => all().length >= 10);
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    write(place, 100, 200, cwds);
    const isLate = (id: string): boolean => Number(id.slice(1)) >= 100;
    await until(() => all().filter(isLate).length >= 100 && jsonFiles(place.spool).length === 0);
    assert.equal(new Set(all()).size, all().length, 'nothing twice');
    assert.equal(new Set(all().filter(isLate)).size, 100);
  });

  it('leaves events to the next window when nobody can see the right one', async () => {
    const [place, stored] = [await temporaryPlace(), temporaryFolder()];
    let show = (): void => undefined;
    const focused = focusedAs(false, () => new Promise(resolve => (show = resolve)));
    const gone = inboxOf(place, { events: eventsIn(stored), folders: () => ['/w'], focused });
    const here = inboxOf(place, { events: eventsIn(stored), stepMs: 50 });
    writeEvent(place, { hook_event_name: 'Stop', session_id: 's', cwd: '/w' });
    await until(() => here.taken.length > 0);
    show();
    await until(() => jsonFiles(place.spool).length === 0);
    assert.deepEqual([gone.taken.length, here.taken.length], [0, 1]);
  });

  it('takes only plain files of its own kind, each once though it is not removed, and drops what cannot be read', async () => {
    const place = await temporaryPlace();
    const { taken, log, events } = inboxOf(place);
    const outside = path.join(place.folder, 'outside.json');
    fs.writeFileSync(outside, JSON.stringify({ hook_event_name: 'Stop', session_id: 'linked' }));
    fs.symlinkSync(outside, path.join(place.spool, '1.link.json'));
    fs.mkdirSync(path.join(place.spool, '2.folder.json'));
    spawnSync('mkfifo', [path.join(place.spool, '3.pipe.json')]);
    fs.copyFileSync(outside, path.join(place.spool, '..4.json'));
    fs.copyFileSync(outside, path.join(place.spool, '1700000000.half'));
    const bad = writeEvent(place, '{"hook_event_name":');
    writeEvent(place, { hook_event_name: 'Stop', session_id: 'good' });
    await until(() => taken.length > 0 && !fs.existsSync(path.join(place.spool, bad)));
    assert.deepEqual([taken.map(({ sessionId }) => sessionId), log.lines.length], [['good'], 1]);
    assert.equal(fs.readFileSync(outside, 'utf8').includes('linked'), true);
    // As a window leaves it that dies between storing and removing.
    const left = path.join(place.spool, taken[0]!.id);
    fs.writeFileSync(left, JSON.stringify({ hook_event_name: 'Stop' }));
    await until(() => !fs.existsSync(left));
    assert.deepEqual([taken.length, (await events.load()).size], [1, 1]);
  });

  it('says that an event cannot be read, and takes it when it can be', async () => {
    const place = await temporaryPlace();
    later(() => mock.restoreAll());
    const { open } = fsPromises;
    mock.method(fsPromises, 'open', (file: string, ...how: [number]) =>
      file.startsWith(place.spool) ? Promise.reject(new Error('EIO')) : open(file, ...how),
    );
    const { taken, log } = inboxOf(place);
    const stop = { hook_event_name: 'Stop', session_id: 's' };
    writeEvent(place, stop);
    await until(() => /A hook event cannot be read.*EIO/.test(log.lines.join()));
    mock.restoreAll();
    writeEvent(place, stop);
    await until(() => taken.length === 2);
  });

  it('keeps its folders private, the latest events and nothing that was never finished', async () => {
    const place = await temporaryPlace();
    const [now, minute, day] = [Date.now(), 60_000, 86_400_000];
    const events = eventsIn();
    const swept = async (...ages: readonly number[]): Promise<readonly string[]> => {
      const ids = ages.map((age, index) => [`${index}.${age}.json`, now - age] as const);
      await Promise.all(ids.map(([id, at]) => events.put(id, { id, name: 'Stop', at })));
      await sweep({ spool: place.spool, events }, now);
      return [...events.values.keys()];
    };
    for (const [name, age] of [
      ['1700000000.dead', 11 * minute],
      ['1700000001.busy', minute],
      ['1700000000.fine.json', 11 * minute],
    ] as const) {
      fs.writeFileSync(path.join(place.spool, name), '{}');
      fs.utimesSync(path.join(place.spool, name), (now - age) / 1000, (now - age) / 1000);
    }
    assert.deepEqual(await swept(8 * day, 6 * day), [`1.${6 * day}.json`]);
    const fresh = Array<number>(199).fill(minute);
    assert.equal((await swept(...fresh)).length, 200);
    const more = await swept(...fresh, 2 * minute, 2 * minute);
    assert.equal(more.length, 201, 'another window may have one of them in its hands');
    assert.ok(!more.includes(`1.${6 * day}.json`));
    assert.deepEqual(fs.readdirSync(place.spool).sort(), ['1700000000.fine.json', '1700000001.busy']);
    assert.deepEqual([place.folder, place.spool, place.backups].map(modeOf), [0o700, 0o700, 0o700]);
  });
});
