import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { environmentOf, runCommand } from '../../../src/hooks/run/command';
import { cleanUp, later, temporaryFolder, until } from './support';

const never = new AbortController().signal;

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
    const onWindows = environmentOf({}, { Agent_Console_Api_Key: 'secret', Path: 'p' });
    assert.deepEqual(onWindows, { Path: 'p', AGENT_CONSOLE_OUTGOING_HOOK: '1' });
  });

  it('that cannot start says so', async () => {
    const run = { input: '', timeoutMs: 5_000, signal: never };
    const missing = await runCommand({ ...run, command: 'true', cwd: '/no/such/folder' });
    assert.equal(missing.outcome, 'notStarted');
    assert.equal((await runCommand({ ...run, command: '/no/such/program' })).exitCode, 127);
  });

  const trees = [
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
  ] as const;
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
      await until(() => !started.some(isAlive));
      assert.equal(result.outcome, 'timedOut');
      assert.ok(result.ms >= 450, `${result.ms} ms`);
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
    const started = fs.readFileSync(pids, 'utf8').trim().split('\n').map(Number);
    await until(() => !started.some(isAlive));
  });
});
