import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { environmentOf, runCommand, type CommandRun } from '../../../src/hooks/command';
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

  const run = (command: string, more: Partial<CommandRun> = {}) =>
    runCommand({ command, input: '', timeoutMs: 10_000, signal: never, ...more });
  /** Runs a script that writes the ids of its processes down. */
  const tree = (script: string, more?: Partial<CommandRun>) => {
    const file = path.join(temporaryFolder(), 'pids');
    const pids = (): number[] => fs.readFileSync(file, 'utf8').trim().split('\n').map(Number);
    return { ended: run(script.replaceAll('PIDS', file), more), file, pids };
  };

  it('gets its input, which it may leave unread, and its status and the beginning of its outputs are known', async () => {
    const result = await run('cat; echo problem >&2; exit 3', { input: 'hello ' });
    assert.deepEqual([result.outcome, result.exitCode], ['ended', 3]);
    assert.match(result.output, /hello[^]*problem|problem[^]*hello/);
    const { exitCode, output } = await run('head -c 3000000 /dev/zero | tr "\\0" x', {
      input: 'y'.repeat(5_000_000),
    });
    assert.deepEqual([exitCode, output.length], [0, 4_000]);
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
      const { output } = await run('env', { isTest });
      assert.match(output, /^PATH=/m);
      assert.doesNotMatch(output, /secret/);
      assert.equal(/^AGENT_CONSOLE_OUTGOING_HOOK=.+$/m.test(output), !isTest);
    }
    const onWindows = environmentOf({}, { Agent_Console_Api_Key: 'secret', Path: 'p' });
    assert.deepEqual(onWindows, { Path: 'p', AGENT_CONSOLE_OUTGOING_HOOK: '1' });
  });

  it('that cannot start says so', async () => {
    assert.equal((await run('true', { cwd: '/no/such/folder' })).outcome, 'notStarted');
    assert.equal((await run('/no/such/program')).exitCode, 127);
  });

  it('is told of as not started where the system takes no such line', async () => {
    const { outcome, output } = await run(`true ${'x'.repeat(3_000_000)}`);
    assert.deepEqual([outcome, /E2BIG/.test(output), output.includes('xxx')], ['notStarted', true, false]);
  });

  it('is ended at its timeout with all its children, also where it has ended and left them behind', async () => {
    for (const script of [
      `trap '' TERM; echo $$ >>PIDS; (trap '' TERM; sh -c 'echo $$ >>PIDS; sleep 1000'); sleep 1000`,
      'sleep 1000 & echo $! >>PIDS; nohup sleep 1001 >/dev/null 2>&1 & echo $! >>PIDS; exit 0',
    ]) {
      const { ended, pids } = tree(script, { timeoutMs: 500 });
      const { outcome, ms } = await ended;
      assert.ok(pids().length >= 2, String(pids()));
      await until(() => !pids().some(isAlive));
      assert.equal(outcome, 'timedOut');
      assert.ok(ms >= 450, `${ms} ms`);
    }
  });

  it('is ended with all its children when the window closes', async () => {
    const closing = new AbortController();
    const script = `trap '' TERM; sleep 1000 & echo $! >>PIDS; echo $$ >>PIDS; wait`;
    const { ended, file, pids } = tree(script, { signal: closing.signal });
    await until(() => fs.existsSync(file) && pids().length >= 2);
    closing.abort();
    assert.equal((await ended).outcome, 'stopped');
    await until(() => !pids().some(isAlive));
  });
});
