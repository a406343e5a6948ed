import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { EVENT_CAP } from '../../../src/hooks/events';
import { commandLine, hookPlace, placeScript, type HookPlace } from '../../../src/hooks/installation';
import { Refusal } from '../../../src/hooks/settings';
import { cleanUp, jsonFiles, later, modeOf, root, temporaryFolder, temporaryPlace, until } from './support';

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
  afterEach(cleanUp);

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
