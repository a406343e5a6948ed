import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { EVENT_CAP } from '../../../src/hooks/model';
import { commandLine, hookPlace } from '../../../src/hooks/install/installation';
import { Refusal } from '../../../src/hooks/install/settings';
import { spawnPlan } from '../../../src/hooks/command';
import { shipped } from './support';

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
      assert.throws(
        () => commandLine(`C:\\Users\\a${letter}b\\agent-console-hook.ps1`, 'win32'),
        Refusal,
        letter,
      );
  });

  it('hand commands of the person’s own to cmd to the letter', () => {
    for (const command of [
      'notify "a b" & more',
      'echo 100% "done" !now! ^& \'x\'',
      '"C:\\Program Files\\Tool\\t.exe" --say "ü 空"',
      'echo a>"b c" | find "d"',
    ]) {
      const { file, args, options } = spawnPlan(command, 'win32');
      assert.equal(file, 'cmd.exe');
      assert.deepEqual(
        [options.windowsVerbatimArguments, options.windowsHide, options.detached],
        [true, true, undefined],
      );
      // With /s, cmd takes off the first quote and the last, and nothing else.
      const line = args.join(' ');
      assert.equal(/^\/d \/s \/c "(.*)"$/s.exec(line)?.[1], command);
    }
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
