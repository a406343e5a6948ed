import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { EVENT_CAP } from '../../../src/hooks/model';
import { commandLine, hookPlace, scriptOf } from '../../../src/hooks/install/place';
import { Refusal } from '../../../src/hooks/install/settings';
import { endPlan, spawnPlan } from '../../../src/hooks/run/command';
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

interface Token {
  readonly kind: 'word' | 'variable' | 'text' | 'sign';
  readonly text: string;
}

/** The tokens of a PowerShell script, as far as this one needs them; throws at what it does not know. */
function tokensOfPowerShell(source: string): Token[] {
  const kinds = [
    ['space', /[ \t\r\n]+|#[^\n]*/y],
    ['text', /'(?:[^']|'')*'|"(?:[^"`$]|`.|\$\w+)*"/y],
    ['variable', /\$(?:env:)?\w+/y],
    ['word', /-?[A-Za-z][\w-]*|\d+/y],
    ['sign', /::|\+=|\+\+|[-+*/=.,;|()[\]{}]/y],
  ] as const;
  const tokens: Token[] = [];
  for (let at = 0; at < source.length;) {
    const found = kinds
      .map(([kind, pattern]) => {
        pattern.lastIndex = at;
        return { kind, text: pattern.exec(source)?.[0] ?? '' };
      })
      .find(({ text }) => text !== '');
    assert.ok(found, `not understood: ${source.slice(at, at + 40)}`);
    const { kind, text } = found;
    if (kind !== 'space') tokens.push({ kind, text });
    at += text.length;
  }
  return tokens;
}

describe('hooks on Windows', () => {
  const folders = [
    "Ann O'Hara",
    'A & B (old)',
    'ünïcødé 空白 🎈',
    'semi;colon, equals=',
    '-File',
    'x@y #1 {2} [3] ~4 +5',
  ];

  for (const name of folders) {
    it(`name a script below “${name}” so that cmd, a POSIX shell and PowerShell see one path`, () => {
      const { script } = hookPlace(`C:\\Users\\${name}\\AppData\\hooks`, 'win32');
      const wanted = `C:/Users/${name}/AppData/hooks/agent-console-hook.ps1`;
      const line = commandLine(script, 'win32');
      assert.equal(
        line,
        `powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "${wanted}" 2>&1 | exit 0`,
      );
      assert.equal(activeIn(line), '>&|');
      // What is left of the bar is read by a second cmd.
      assert.equal(activeIn(line.slice(0, line.lastIndexOf('|'))), '>&');
      assert.equal(scriptOf(line), wanted);
      assert.equal(scriptOf(line.replace('2>&1 | exit 0', '|| exit 0')), wanted, 'the older form');
      assert.equal(scriptOf(`${line} & more`), undefined);
      const seen = spawnSync(
        '/bin/sh',
        ['-c', line.replace('powershell.exe', `printf '%s\\n'`).replace(' 2>&1 | exit 0', '')],
        { encoding: 'utf8' },
      );
      const words = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', wanted];
      assert.deepEqual(seen.stdout.trimEnd().split('\n'), words);
    });
  }

  it('are not installed where a path cannot be named safely', () => {
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
    assert.deepEqual(endPlan(7, true, 'win32'), { file: 'taskkill', args: ['/pid', '7', '/t', '/f'] });
  });

  describe('have a script', () => {
    const source = fs.readFileSync(path.join(shipped, 'agent-console-hook.ps1'), 'utf8');
    const tokens = tokensOfPowerShell(source);

    it('whose brackets, blocks and names fit together', () => {
      const open: string[] = [];
      const closing: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
      const known = new Set(['null', 'true', 'false', 'psscriptroot', 'env:agent_console_outgoing_hook']);
      for (const [index, { kind, text }] of tokens.entries()) {
        if (kind === 'sign' && '([{'.includes(text)) open.push(text);
        if (kind === 'sign' && text in closing) assert.equal(open.pop(), closing[text], `token ${index}`);
        const name = kind === 'variable' ? text.slice(1).toLowerCase() : undefined;
        if (name !== undefined && tokens[index + 1]?.text === '=') known.add(name);
        if (name !== undefined) assert.ok(known.has(name), `${text} is used before it is set`);
        // A block that may fail says what is done then.
        if (text === 'try') {
          let depth = 0;
          let end = index + 1;
          do {
            depth += tokens[end]?.text === '{' ? 1 : tokens[end]?.text === '}' ? -1 : 0;
            end++;
          } while (depth > 0);
          assert.match(tokens[end]?.text ?? '', /^(catch|finally)$/);
        }
      }
      assert.deepEqual(open, []);
      for (const [, inner] of source.matchAll(/"[^"]*\$(\w+)[^"]*"/g))
        assert.ok(known.has(inner!.toLowerCase()), inner);
    });

    it('that prints nothing, runs nothing else and ends with 0', () => {
      const words = tokens.filter(({ kind }) => kind === 'word').map(({ text }) => text);
      const commands = words.filter(word => /^[A-Z][a-z]+-[A-Z]/.test(word));
      assert.deepEqual([...new Set(commands)], ['New-Object']);
      assert.deepEqual(
        tokens.slice(-2).map(({ text }) => text),
        ['exit', '0'],
      );
      // A value that is neither kept nor thrown away would be printed.
      for (const line of source.split('\n').map(text => text.trim())) {
        const isCall = /^(\[|\$\w+\.)\S*\(/.test(line) || /^\[IO\.\w+\]::/.test(line);
        if (isCall) assert.match(line, /^\[void\]|\.(Write|Dispose)\(|::(Sort|Delete|Move)\(/, line);
      }
      assert.doesNotMatch(source, /[^\n -~]/, 'older versions read a script without a mark as ANSI');
      assert.ok(words.includes(String(EVENT_CAP + 1)));
    });

    it('that does what the POSIX form does', () => {
      const posix = fs.readFileSync(path.join(shipped, 'agent-console-hook.sh'), 'utf8');
      for (const shared of ['AGENT_CONSOLE_OUTGOING_HOOK', 'spool', '2000', String(EVENT_CAP + 1), '.json'])
        assert.ok(source.includes(shared) && posix.includes(shared), shared);
    });
  });
});
