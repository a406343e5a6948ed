import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { Outgoing, readOutgoing, type FinishedHook, type OutgoingEvent } from '../../../src/hooks/outgoing';
import { endPlan } from '../../../src/hooks/processTree';
import { environmentOf, runCommand, spawnPlan } from '../../../src/hooks/runCommand';
import { silentLog } from '../../fakes/log';
import { cleanUp, later, temporaryFolder, until } from './support';

const never = new AbortController().signal;
const stop: OutgoingEvent = { hook_event_name: 'Stop', session_id: 's1', cwd: '/' };
const command = (text: string, timeout?: number): object => ({
  hooks: [{ type: 'command', command: text, timeout }],
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A process that has ended but that nobody has asked about is not alive.
    return !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe('a command of the person’s own', function () {
  afterEach(cleanUp);

  it('gets its input, and its outputs and status are known', async () => {
    const result = await runCommand({
      command: 'cat; echo problem >&2; exit 3',
      input: 'hello ',
      timeoutMs: 10_000,
      signal: never,
    });
    assert.deepEqual([result.outcome, result.exitCode], ['ended', 3]);
    assert.match(result.output, /hello/);
    assert.match(result.output, /problem/);
  });

  it('may leave its input unread and write more than is kept', async () => {
    const result = await runCommand({
      command: 'head -c 3000000 /dev/zero | tr "\\0" x',
      input: 'y'.repeat(5_000_000),
      timeoutMs: 10_000,
      signal: never,
    });
    assert.equal(result.exitCode, 0);
    assert.equal(result.output.length, 4_000);
  });

  it('never sees the person’s key, nor where the service is, in a test neither', async () => {
    const secrets = ['AGENT_CONSOLE_API_KEY', 'AGENT_CONSOLE_BASE_URL', 'AGENT_CONSOLE_APP_URL'];
    const before = { ...process.env };
    later(() => {
      for (const name of secrets) Reflect.deleteProperty(process.env, name);
      Object.assign(process.env, before);
    });
    for (const name of secrets) process.env[name] = 'secret';
    for (const isTest of [false, true]) {
      const run = { command: 'env', input: '', timeoutMs: 10_000, signal: never, isTest };
      const { output } = await runCommand(run);
      assert.match(output, /^PATH=/m);
      assert.doesNotMatch(output, /secret/);
      assert.equal(/^AGENT_CONSOLE_OUTGOING_HOOK=.+$/m.test(output), !isTest);
    }
    const onWindows = environmentOf({}, 'id', { Agent_Console_Api_Key: 'secret', Path: 'p' });
    assert.deepEqual(onWindows, { Path: 'p', AGENT_CONSOLE_OUTGOING_HOOK: 'id' });
  });

  it('that cannot start says so', async () => {
    const missing = { command: 'true', input: '', timeoutMs: 1_000, signal: never, cwd: '/no/such/folder' };
    assert.equal((await runCommand(missing)).outcome, 'notStarted');
    const unknown = await runCommand({
      command: '/no/such/program',
      input: '',
      timeoutMs: 5_000,
      signal: never,
    });
    assert.equal(unknown.exitCode, 127);
  });

  const trees: (readonly [string, string])[] = [
    ['waits', 'sleep 1000 & echo $! >>PIDS; echo $$ >>PIDS; wait'],
    [
      'has grandchildren',
      `sh -c 'sh -c "echo \\$\\$ >>PIDS; sleep 1000" & echo $$ >>PIDS; wait' & echo $$ >>PIDS; wait`,
    ],
    [
      'ignores being asked',
      `trap '' TERM; echo $$ >>PIDS; (trap '' TERM; sh -c 'echo $$ >>PIDS; sleep 1000'); sleep 1000`,
    ],
    [
      'has ended and left others behind',
      'sleep 1000 & echo $! >>PIDS; nohup sleep 1001 >/dev/null 2>&1 & echo $! >>PIDS; exit 0',
    ],
  ];
  // Only Linux tells of those.
  if (process.platform === 'linux')
    trees.push(
      [
        'has let one go into a session of its own',
        `setsid sh -c 'echo $$ >>PIDS; sleep 1000' & echo $$ >>PIDS; wait`,
      ],
      [
        'has let some go whose parents are gone, or that have no environment',
        `(setsid sh -c 'echo $$ >>PIDS; env -i setsid sleep 1000 & echo $! >>PIDS; exec sleep 1000' &) ; echo $$ >>PIDS; sleep 1000`,
      ],
      [
        'has let one go that ignores being asked and starts more',
        `setsid sh -c 'trap "" TERM; echo $$ >>PIDS; while :; do sleep 0.05 & sleep 0.02; done' & echo $$ >>PIDS; wait`,
      ],
    );
  for (const [what, script] of trees) {
    it(`is ended at its timeout with all its children when it ${what}`, async () => {
      const pids = path.join(temporaryFolder(), 'pids');
      const result = await runCommand({
        command: script.replaceAll('PIDS', pids),
        input: '',
        timeoutMs: 500,
        signal: never,
      });
      const started = fs.readFileSync(pids, 'utf8').trim().split('\n').map(Number);
      assert.ok(started.length >= 2, String(started));
      assert.deepEqual(started.filter(isAlive), []);
      assert.equal(result.outcome, 'timedOut');
      assert.ok(result.ms >= 450 && result.ms < 10_000, `${result.ms} ms`);
    });
  }

  it('is ended with all its children when the window closes', async () => {
    const pids = path.join(temporaryFolder(), 'pids');
    const closing = new AbortController();
    const running = runCommand({
      command: `trap '' TERM; sleep 1000 & echo $! >>${pids}; echo $$ >>${pids}; wait`,
      input: '',
      timeoutMs: 60_000,
      signal: closing.signal,
    });
    await until(() => fs.existsSync(pids) && fs.readFileSync(pids, 'utf8').split('\n').length > 2);
    closing.abort();
    assert.equal((await running).outcome, 'stopped');
    assert.deepEqual(fs.readFileSync(pids, 'utf8').trim().split('\n').map(Number).filter(isAlive), []);
  });

  it('runs on Windows in cmd, and ends there as a tree', () => {
    assert.deepEqual(spawnPlan('notify "a b" & more', 'win32'), {
      file: 'cmd.exe',
      args: ['/d', '/s', '/c', '"notify "a b" & more"'],
      options: { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true, windowsVerbatimArguments: true },
    });
    assert.deepEqual(endPlan(7, false, 'win32'), { file: 'taskkill', args: ['/pid', '7', '/t', '/f'] });
    assert.deepEqual(endPlan(7, false, 'linux'), { signal: 'SIGTERM', group: -7 });
    assert.deepEqual(endPlan(7, true, 'darwin'), { signal: 'SIGKILL', group: -7 });
    assert.equal(spawnPlan('x', 'darwin').options.detached, true);
  });
});

describe('hooks that go out', function () {
  afterEach(cleanUp);

  const outgoing = (
    setting: unknown,
    trusted = true,
    folders: readonly string[] = [],
  ): { hooks: Outgoing; log: ReturnType<typeof silentLog>; done: FinishedHook[] } => {
    const log = silentLog();
    const hooks = new Outgoing({
      setting: () => setting,
      mayRun: () => trusted,
      folders: () => folders,
      log,
    });
    later(() => hooks.dispose());
    const done: FinishedHook[] = [];
    hooks.onDidFinish(finished => done.push(finished));
    return { hooks, log, done };
  };

  it('are read in the shape of the client, and what is not of it is named', () => {
    const { hooks, problems } = readOutgoing({
      Stop: [
        command('a', 5),
        {
          matcher: 'x',
          hooks: [
            { type: 'command', command: 'b' },
            { type: 'prompt', command: 'c' },
          ],
        },
      ],
      SessionEnd: [command('d', 100_000), command('e', -1), command(' '), 7],
      Notification: {},
      Other: [],
    });
    assert.deepEqual(
      hooks.map(({ event, command: text, timeoutSeconds }) => [event, text, timeoutSeconds]),
      [
        ['Stop', 'a', 5],
        ['Stop', 'b', 60],
        ['SessionEnd', 'd', 600],
      ],
    );
    assert.deepEqual(problems, [
      'Stop[1]',
      'SessionEnd[1]',
      'SessionEnd[2]',
      'SessionEnd[3]',
      'Notification',
      'Other',
    ]);
    for (const nothing of [undefined, null, {}])
      assert.deepEqual(readOutgoing(nothing), { hooks: [], problems: [] });
    for (const odd of [[], [command('a')], 'x', 3])
      assert.deepEqual(readOutgoing(odd), { hooks: [], problems: ['agentConsole.hooks.outgoing'] });
    assert.deepEqual(readOutgoing({ Stop: [{ type: 'command', command: 'a' }] }).problems, ['Stop[0]']);
  });

  it('run for their event beside each other, with the same JSON on their standard input', async () => {
    const folder = temporaryFolder();
    const [one, two] = [path.join(folder, 'one'), path.join(folder, 'two')];
    const pipe = path.join(folder, 'pipe');
    // Each waits for the other: one after the other they would never end.
    const setting = {
      Stop: [
        command(`mkfifo ${pipe}; cat >${one}; echo x >${pipe}`, 10),
        command(`cat >${two}; until [ -p ${pipe} ]; do sleep 0.01; done; cat ${pipe}`, 10),
      ],
      Notification: [command(`touch ${folder}/wrong`)],
    };
    const { hooks, log, done } = outgoing(setting);
    await hooks.run({ ...stop, message: '“hi”\n$(touch /tmp/x)' });
    for (const file of [one, two])
      assert.deepEqual(JSON.parse(fs.readFileSync(file, 'utf8')), {
        hook_event_name: 'Stop',
        session_id: 's1',
        cwd: '/',
        message: '“hi”\n$(touch /tmp/x)',
      });
    assert.deepEqual(fs.readdirSync(folder).sort(), ['one', 'pipe', 'two']);
    assert.deepEqual(
      done.map(({ exitCode }) => exitCode),
      [0, 0],
    );
    assert.equal(log.lines.filter(line => /Hook for Stop: status 0 after \d+ ms$/.test(line)).length, 2);
  });

  it('say in the log how they ended and what they said', async () => {
    const { hooks, log, done } = outgoing({
      Stop: [
        command('echo oh no; TOKEN=canary-token cat; exit 4'),
        command('cat'),
        command('sleep 100', 0.2),
      ],
    });
    await hooks.run({ ...stop, message: 'canary-of-a-message' });
    assert.deepEqual(
      done.map(({ exitCode, outcome }) => [outcome, exitCode] as const).sort(([, a = 9], [, b = 9]) => a - b),
      [
        ['ended', 0],
        ['ended', 4],
        ['timedOut', undefined],
      ],
    );
    assert.equal(hooks.last?.outcome, 'timedOut');
    assert.ok(
      log.lines.some(line => /status 4 after \d+ ms; output: oh no/.test(line)),
      log.lines.join('\n'),
    );
    assert.ok(log.lines.some(line => /Hook for Stop: timedOut after \d+ ms$/.test(line)));
    assert.doesNotMatch(log.lines.join('\n'), /canary/, 'no part of a command or of the event');
  });

  it('run in the folder of their event, else in the workspace, else at home', async () => {
    const [own, workspace] = [temporaryFolder(), temporaryFolder()];
    const file = path.join(own, 'a file');
    fs.writeFileSync(file, '');
    const output = async (cwd: string, folders: string[]): Promise<string | undefined> => {
      const { hooks, done } = outgoing({ Stop: [command('pwd')] }, true, folders);
      await hooks.run({ ...stop, cwd });
      return done[0]?.output.trim();
    };
    assert.equal(await output(own, [workspace]), own);
    for (const cwd of [file, path.join(own, 'gone'), '', 'relative', '.', `${own}\0`])
      assert.equal(await output(cwd, ['/no/such/folder', workspace]), workspace, cwd);
    assert.equal(await output('/gone', []), fs.realpathSync(os.homedir()));
  });

  it('are refused with a sentence when no command line can hold them', async () => {
    const { hooks, log, done } = outgoing({ Stop: [command('echo a\0b')] });
    await hooks.run(stop);
    assert.equal(done[0]?.outcome, 'notStarted');
    assert.ok(
      log.lines.some(line => /notStarted after \d+ ms; output: The command has a NUL character/.test(line)),
      log.lines.join('\n'),
    );
  });

  it('run four events at a time, the next in turn, and all commands of one event together', async () => {
    const folder = temporaryFolder();
    const started = (): string[] => fs.readdirSync(folder).filter(name => name.startsWith('started'));
    const wait = (name: string): object =>
      command(
        `read -r x; touch ${folder}/started-$$-${name}; until [ -e ${folder}/go ]; do sleep 0.01; done`,
        10,
      );
    const { hooks, done } = outgoing({ Stop: [wait('a'), wait('b')] });
    const running = Array.from({ length: 9 }, () => hooks.run(stop));
    await until(() => started().length >= 8);
    // Whatever else had been let in would show before a command started later ends.
    await runCommand({ command: 'true', input: '', timeoutMs: 5_000, signal: never });
    assert.equal(started().length, 8);
    fs.writeFileSync(path.join(folder, 'go'), '');
    await Promise.all(running);
    assert.equal(started().length, 18);
    assert.deepEqual([...new Set(done.map(({ exitCode }) => exitCode))], [0]);
  });

  it('are left out, with a word in the log, where too many events wait', async () => {
    const { hooks, log, done } = outgoing({ Stop: [command('true')] });
    await Promise.all(Array.from({ length: 210 }, () => hooks.run(stop)));
    assert.equal(done.length, 204);
    assert.equal(log.lines.filter(line => /were left out: 200 events wait/.test(line)).length, 6);
  });

  it('that wait for their turn do not run once the window has closed or may run nothing', async () => {
    for (const end of ['close', 'forbid'] as const) {
      const folder = temporaryFolder();
      const setting = {
        Stop: [command(`touch ${folder}/$$; until [ -e ${folder}/go ]; do sleep 0.01; done`, 10)],
      };
      let mayRun = true;
      const hooks = new Outgoing({
        setting: () => setting,
        mayRun: () => mayRun,
        folders: () => [],
        log: silentLog(),
      });
      const running = Array.from({ length: 8 }, () => hooks.run(stop));
      await until(() => fs.readdirSync(folder).length === 4);
      if (end === 'close') hooks.dispose();
      mayRun = end === 'close';
      fs.writeFileSync(path.join(folder, 'go'), '');
      await Promise.all(running);
      assert.equal(fs.readdirSync(folder).length, 5, end);
      hooks.dispose();
    }
  });

  it('do not run in a workspace that is not trusted, nor after the window has closed', async () => {
    const folder = temporaryFolder();
    const setting = { Stop: [command(`touch ${folder}/ran`)] };
    await outgoing(setting, false).hooks.run(stop);
    const { hooks } = outgoing(setting);
    hooks.dispose();
    await hooks.run(stop);
    assert.deepEqual(fs.readdirSync(folder), []);
  });
});
