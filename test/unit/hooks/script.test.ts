import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { sweep } from '../../../src/hooks/inbox';
import { EVENT_CAP } from '../../../src/hooks/events';
import { commandLine, hookPlace, placeScript, type HookPlace } from '../../../src/hooks/installation';
import { Refusal } from '../../../src/hooks/settings';
import {
  cleanUp,
  eventsIn,
  jsonFiles,
  later,
  root,
  run,
  shipped,
  temporaryFolder,
  temporaryPlace,
  until,
  type Ran,
} from './support';

const event = JSON.stringify({ hook_event_name: 'Stop', cwd: '/w', message: 'fünf “Wörter”' });
const shells = ['/bin/sh', '/bin/bash', '/bin/dash', '/bin/busybox'].filter(shell => fs.existsSync(shell));

const shellArgs = (shell: string, command: string): string[] => [
  ...(shell.endsWith('busybox') ? ['sh'] : []),
  ...['-c', command],
];

/** Leaves more events in the spool than may stay there. */
function fill({ spool }: HookPlace): void {
  for (let index = 0; index < 2_003; index++)
    fs.writeFileSync(path.join(spool, `${1_700_000_000 + index}.old.json`), '');
}

/** As the client runs it: a command line in a shell. */
const send = (place: HookPlace, input: string | Buffer, shell = '/bin/sh', env = process.env): Promise<Ran> =>
  run(shell, shellArgs(shell, commandLine(place.script, 'linux')), input, env);
const sent = (place: HookPlace): string[] => jsonFiles(place.spool).sort();
const read = (place: HookPlace, name: string): string =>
  fs.readFileSync(path.join(place.spool, name), 'utf8');

const quiet = (ran: Ran): void => {
  assert.equal(ran.code, 0);
  assert.equal(ran.output, '');
};

describe('the hook command', function () {
  afterEach(cleanUp);

  it('hands an event over in any shell, privately', async () => {
    for (const shell of shells) {
      const place = await temporaryPlace();
      fs.rmdirSync(place.spool);
      quiet(await send(place, event, shell));
      const [name, ...others] = sent(place);
      assert.deepEqual(others, []);
      assert.equal(read(place, name!), event);
      assert.match(name!, /^\d{10}\.\w+\.json$/);
      assert.equal(fs.statSync(place.spool).mode & 0o777, 0o700);
      assert.equal(fs.statSync(path.join(place.spool, name!)).mode & 0o777, 0o600);
    }
  });

  it('works from folders with any name, and hears nothing from hooks that Agent Console runs itself', async () => {
    for (const name of [`it's "quoted" $HOME \`id\` & (1) %PATH%`, '空 白', '-n', '!#;*?']) {
      const place = await temporaryPlace(path.join(temporaryFolder(), name));
      quiet(await send(place, event, '/bin/sh', { ...process.env, AGENT_CONSOLE_OUTGOING_HOOK: '1' }));
      assert.deepEqual(fs.readdirSync(place.spool), []);
      quiet(await send(place, event));
      assert.equal(sent(place).length, 1, name);
    }
  });

  it('keeps the beginning of 10 MB and takes in the rest', async () => {
    const place = await temporaryPlace();
    const long = JSON.stringify({ hook_event_name: 'Stop', message: 'x'.repeat(10_000_000) });
    quiet(await send(place, long));
    assert.equal(read(place, sent(place)[0]!), long.slice(0, EVENT_CAP + 1));
  });

  /** What the client may meet: how things are before it runs the command, and what it runs before that. */
  const noSpool = ({ spool }: HookPlace): void => fs.rmSync(spool, { recursive: true, force: true });
  const faults: Readonly<Record<string, (place: HookPlace) => unknown>> = {
    nothing: () => undefined,
    'the script gone': place => fs.rmSync(place.script, { force: true }),
    'the whole folder gone': place => fs.rmSync(place.folder, { recursive: true, force: true }),
    'no spool': noSpool,
    'a file for a spool': place => {
      noSpool(place);
      fs.writeFileSync(place.spool, '');
    },
    'a spool that cannot be made': place => {
      noSpool(place);
      fs.symlinkSync('/no/such/folder', place.spool);
    },
    'a spool that is full': fill,
    'a disk without room for a byte': () => 'ulimit -f 0; ',
    'a disk without room for all of it, which ends who writes on': () => 'ulimit -f 8; ',
    'a disk without room for all of it': () => `trap '' XFSZ; ulimit -f 8; `,
  };
  const inputs = [event, '', Buffer.from([0, 255, 254, 10, 123, 0]), Buffer.alloc(10_000_000, 'x')];
  it('ends quietly, and leaves nothing half written, whatever is in its way', async () => {
    for (const [fault, prepare] of Object.entries(faults)) {
      const place = await temporaryPlace();
      for (const input of inputs) {
        const first = prepare(place);
        const command = (typeof first === 'string' ? first : '') + commandLine(place.script, 'linux');
        quiet(await run('/bin/sh', ['-c', command], input));
        if (typeof first !== 'string') continue;
        const isSmall = input.length < 4_096 && !first.includes('-f 0');
        assert.equal(fs.readdirSync(place.spool).length, isSmall && input.length > 0 ? 1 : 0, fault);
        for (const name of sent(place)) fs.rmSync(path.join(place.spool, name));
      }
    }
  });

  it('hands nothing over, and leaves nothing for long, when the client ends it before the end of its input', async () => {
    for (const written of ['', event]) {
      const place = await temporaryPlace();
      const child = spawn('/bin/sh', ['-c', commandLine(place.script, 'linux')], { detached: true });
      const ended = once(child, 'close');
      later(() => {
        child.kill('SIGKILL');
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stdin.write(written);
      await until(() => fs.readdirSync(place.spool).length > 0);
      const [half] = fs.readdirSync(place.spool);
      assert.match(half!, /^\d{10}\.\w+$/, 'it waits for the end');
      process.kill(-child.pid!, 'SIGKILL');
      await ended;
      assert.equal(output, '');
      assert.deepEqual(sent(place), []);
      const swept = { spool: place.spool, events: eventsIn() };
      await sweep(swept);
      assert.deepEqual(fs.readdirSync(place.spool), [half], 'what may still be written stays');
      await sweep(swept, Date.now() + 11 * 60_000);
      assert.deepEqual(fs.readdirSync(place.spool), []);
    }
  });

  it('keeps the spool small while nobody reads it', async () => {
    const place = await temporaryPlace();
    fill(place);
    quiet(await send(place, event));
    const names = sent(place);
    assert.deepEqual([names.length, names[0]], [2_000, '1700000004.old.json']);
    assert.equal(read(place, names.at(-1)!), event);
  });

  it('does not lose one of 100 that come at once', async () => {
    const place = await temporaryPlace();
    const ids = Array.from({ length: 100 }, (_, index) => `s${index}`);
    const ran = await Promise.all(ids.map(session_id => send(place, JSON.stringify({ session_id }))));
    ran.forEach(quiet);
    const found = sent(place).map(name => JSON.parse(read(place, name)) as { session_id: string });
    assert.deepEqual(found.map(({ session_id }) => session_id).sort(), ids.sort());
  });

  it('says nothing and succeeds in any shell when PowerShell is not there or is kept from running scripts', async () => {
    const folder = temporaryFolder();
    const command = commandLine('C:\\Users\\Ann\\hooks\\agent-console-hook.ps1', 'win32');
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
    for (const shell of shells) quiet(await run(shell, shellArgs(shell, command), '', env));
    const program = '#!/bin/sh\ncat >/dev/null; echo forbidden; echo forbidden >&2; exit 1\n';
    fs.writeFileSync(path.join(folder, 'powershell.exe'), program, { mode: 0o755 });
    for (const shell of shells) quiet(await run(shell, shellArgs(shell, command), event, env));
  });

  it('is put in its place once by many who do so at the same time', async () => {
    const place = hookPlace(path.join(temporaryFolder(), 'hooks'), root);
    await Promise.all(Array.from({ length: 20 }, () => placeScript(place)));
    quiet(await send(place, event));
    assert.ok(!fs.readdirSync(place.folder).some(name => name.endsWith('.tmp')));
  });
});

/** What `cmd` takes as more than text in a line: what is outside of double quotes, and `%` and `!` wherever they are. */
function activeIn(line: string): string {
  let isQuoted = false;
  let active = '';
  for (const letter of line) {
    if (letter === '"') isQuoted = !isQuoted;
    else if (/[%!]/.test(letter) || (!isQuoted && /[&|<>^()]/.test(letter))) active += letter;
  }
  assert.equal(isQuoted, false, line);
  return active;
}

describe('hooks on Windows', () => {
  it('name a script so that cmd, a POSIX shell and PowerShell see one path, and none where that is not safe', () => {
    const folders = ["Ann O'Hara", 'A & B (old)', 'ünïcødé 空白 🎈', 'semi;colon, equals=', '-File'];
    for (const name of [...folders, 'x@y #1 {2} [3] ~4 +5']) {
      const { script } = hookPlace(`C:\\Users\\${name}\\AppData\\hooks`, '', 'win32');
      const wanted = `C:/Users/${name}/AppData/hooks/agent-console-hook.ps1`;
      const line = commandLine(script, 'win32');
      assert.equal(
        line,
        `powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "${wanted}" 2>&1 | exit 0`,
      );
      assert.equal(activeIn(line), '>&|');
      // What is left of the bar is read by a second cmd.
      assert.equal(activeIn(line.slice(0, line.lastIndexOf('|'))), '>&');
      const seen = spawnSync(
        '/bin/sh',
        ['-c', line.replace('powershell.exe', `printf '%s\\n'`).replace(' 2>&1 | exit 0', '')],
        { encoding: 'utf8' },
      );
      const words = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', wanted];
      assert.deepEqual(seen.stdout.trimEnd().split('\n'), words);
    }
    for (const letter of ['%', '$', '`', '"', '!', '^', '\n', '\r'])
      assert.throws(() => commandLine(`C:\\a${letter}b\\agent-console-hook.ps1`, 'win32'), Refusal, letter);
  });

  it('have a script that prints nothing, runs nothing else, ends with 0 and does what the POSIX form does', () => {
    const [source, posix] = ['ps1', 'sh'].map(kind =>
      fs.readFileSync(path.join(shipped, `agent-console-hook.${kind}`), 'utf8'),
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
