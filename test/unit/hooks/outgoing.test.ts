import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { STEP_MS, stepsBefore } from '../../../src/hooks/inbox';
import { APART_MS, environmentOf, Outgoing, readOutgoing, runCommand } from '../../../src/hooks/outgoing';
import type { CommandRun, FinishedHook, OutgoingDeps } from '../../../src/hooks/outgoing';
import { silentLog } from '../../fakes/log';
import { eventsIn, later, linesOf, temporaryFolder, until } from './support';

const stop = { name: 'Stop', sessionId: 's1', cwd: '/' };
const command = (text: string, timeout?: number): object => ({
  hooks: [{ type: 'command', command: text, timeout }],
});

describe('hooks that go out', function () {
  const outgoing = (setting: unknown, more: Partial<OutgoingDeps> = {}) => {
    const [log, events, done] = [silentLog(), more.events ?? eventsIn(), [] as FinishedHook[]];
    const finished = (hook: FinishedHook): unknown => done.push(hook);
    const usual = { setting: () => setting, mayRun: () => true, folders: () => [], apartMs: 0 };
    const hooks = new Outgoing({ ...usual, events, finished, log, ...more });
    later(() => hooks.dispose());
    return { hooks, log, done };
  };

  it('are read in the shape of the client, and what is not of it is named', () => {
    const prompt = { type: 'prompt', command: 'b' };
    const { hooks, problems } = readOutgoing({
      Stop: [command('a', 5), { hooks: [prompt, { type: 'command', command: 'f' }] }],
      Notification: [{ matcher: 'x', ...command('c') }],
      SessionEnd: [command('d', 100_000), command('e', -1), command(' '), command('a\0b'), 7],
      SubagentStop: {},
      Other: [],
    });
    assert.deepEqual(
      hooks.map(({ event, command: text, timeout }) => `${event} ${text} ${timeout}`),
      ['Stop a 5', 'Stop f 60', 'Notification c 60', 'SessionEnd d 100000'],
    );
    const ended = [1, 2, 3, 4].map(index => `SessionEnd[${index}]`);
    assert.deepEqual(problems, ['Stop[1]', ...ended, 'SubagentStop', 'Other']);
    for (const nothing of [undefined, null, {}])
      assert.deepEqual(readOutgoing(nothing), { hooks: [], problems: [] });
    for (const odd of [[], [command('a')], 'x', 3])
      assert.deepEqual(readOutgoing(odd), { hooks: [], problems: ['agentConsole.hooks.outgoing'] });
  });

  it('run for their event beside each other, with the same JSON on their standard input, and say in the log how they ended', async () => {
    const folder = temporaryFolder();
    // Each waits for the other: one after the other they would never end.
    const { hooks, log, done } = outgoing({
      Stop: [
        command(`mkfifo ${folder}/pipe; echo >${folder}/pipe; cat`, 10),
        command(`until [ -p ${folder}/pipe ]; do sleep 0.01; done; cat ${folder}/pipe -; exit 3`, 10),
        command('echo oh no; TOKEN=canary-token cat; exit 4'),
        command('sleep 100', 0.2),
      ],
      Notification: [command(`touch ${folder}/wrong`)],
    });
    const message = '“canary-of-a-message”\n$(touch /tmp/x)';
    await hooks.run({ ...stop, message });
    const [first, second, ...others] = done.toSorted((a, b) => (a.exitCode ?? 9) - (b.exitCode ?? 9));
    const ends = [first, second, ...others].map(each => `${each?.outcome} ${each?.exitCode}`);
    assert.deepEqual(ends, ['ended 0', 'ended 3', 'ended 4', 'timedOut undefined']);
    const input = { hook_event_name: 'Stop', session_id: 's1', cwd: '/', message };
    for (const each of [first, second]) assert.deepEqual(JSON.parse(each?.output ?? ''), input);
    assert.deepEqual(fs.readdirSync(folder), ['pipe']);
    const lines = log.lines.map(line => line.replace(/\d+ ms/, 'N ms'));
    const logged = ['status 0 after N ms', 'status 4 after N ms; output: oh no ', 'timedOut after N ms'];
    for (const end of logged)
      assert.ok(
        lines.some(line => line.startsWith(`Hook for Stop: ${end}`)),
        end,
      );
    assert.doesNotMatch(lines.join(), /canary/, 'no part of a command or of the event');
  });

  it('run for four events at a time, and for the next ones as they end', async () => {
    const folder = temporaryFolder();
    const counts = path.join(folder, 'counts');
    const started = (): number[] => linesOf(counts).map(Number);
    // Each tells how many run when it begins, itself included.
    const script = `cd ${folder}; touch ran-$$; ls ran-* | wc -l >>counts; until [ -e go ]; do sleep 0.02; done; rm ran-$$`;
    const { hooks } = outgoing({ Stop: [command(script, 20)] });
    const all = Promise.all(Array.from({ length: 6 }, () => hooks.run(stop)));
    await until(() => started().length === 4);
    fs.writeFileSync(path.join(folder, 'go'), '');
    await all;
    assert.deepEqual([started().length, Math.max(...started())], [6, 4]);
  });

  it('run in the folder of their event, else in the workspace, else at home', async () => {
    const [own, workspace] = [temporaryFolder(), temporaryFolder()];
    const file = path.join(own, 'a file');
    fs.writeFileSync(file, '');
    const output = async (cwd: string, folders: string[]): Promise<string | undefined> => {
      const { hooks, done } = outgoing({ Stop: [command('pwd')] }, { folders: () => folders });
      await hooks.run({ ...stop, cwd });
      return done[0]?.output.trim();
    };
    assert.equal(await output(own, [workspace]), own);
    for (const cwd of [file, path.join(own, 'gone'), '', 'relative', '.', `${own}\0`])
      assert.equal(await output(cwd, ['/no/such/folder', workspace]), workspace, cwd);
    assert.equal(await output('/gone', []), fs.realpathSync(os.homedir()));
  });

  it('run at the end of work that the service tells of, unless a hook of the client tells of the same end', async () => {
    const [now, folder] = [Date.now(), temporaryFolder()];
    const told = { id: '1.a.json', name: 'Stop', sessionId: 's1', cwd: folder, hasRun: true };
    for (const [more, runs] of [
      [undefined, 1],
      [{ at: now - 60_000 }, 1],
      [{ at: now, name: 'Notification' }, 1],
      [{ at: now - 9_000 }, 0],
      [{ at: now + 20 }, 0],
      [{ at: now, sessionId: 's2' }, 1],
    ] as const) {
      const events = eventsIn();
      if (more !== undefined) await events.put(told.id, { ...told, ...more });
      const { hooks, done } = outgoing({ Stop: [command('cat')] }, { events });
      await hooks.runStop('s1', now);
      const cwd = more === undefined || 'sessionId' in more ? '' : folder;
      const input = JSON.stringify({ hook_event_name: 'Stop', session_id: 's1', cwd });
      const outputs = done.map(({ output }) => output);
      assert.deepEqual(outputs, runs === 1 ? [input] : [], JSON.stringify(more));
    }
    const steps = (['focused', 'other', 'restricted'] as const).map(each => stepsBefore('/a', ['/b'], each));
    assert.deepEqual(steps, [4, 5, 6], 'one that may run nothing comes last');
    assert.ok(APART_MS > 6 * STEP_MS, 'any window may have taken it by then');
  });

  it('are left to other windows by one that is closed or may run nothing, and run also where the event cannot be marked', async () => {
    const events = eventsIn();
    const event = { id: '1.a.json', name: 'Stop', at: Date.now(), sessionId: 's1' };
    await events.put(event.id, event);
    const setting = { Stop: [command('true')] };
    const restricted = outgoing(setting, { events, mayRun: () => false });
    const [trusted, closed] = [outgoing(setting, { events }), outgoing(setting, { events })];
    closed.hooks.dispose();
    for (const { hooks } of [restricted, closed]) await hooks.run(event);
    await trusted.hooks.runStop('s1', event.at);
    assert.deepEqual([restricted.done, closed.done, trusted.done.length], [[], [], 1]);
    await trusted.hooks.run(event);
    await trusted.hooks.runStop('s1', event.at);
    assert.equal(trusted.done.length, 2, 'it has run on the event itself');
    const full = Object.assign(eventsIn(), { update: () => Promise.reject(new Error('The disk is full.')) });
    const unmarked = outgoing(setting, { events: full });
    await unmarked.hooks.run(event);
    assert.deepEqual([unmarked.done.length, /The disk is full/.test(unmarked.log.lines.join())], [1, true]);
  });
});

const never = new AbortController().signal;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A process that has ended but that nobody has asked about is not alive; not every system tells that.
    return !fs.existsSync('/proc') || !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe('a command of the person’s own', function () {
  const run = (command: string, more: Partial<CommandRun> = {}) =>
    runCommand({ command, input: '', timeoutMs: 10_000, signal: never, ...more });

  it('gets its input, which it may leave unread, and its status and the beginning of its outputs are known', async () => {
    const result = await run('cat; echo problem >&2; exit 3', { input: 'hello ' });
    assert.deepEqual([result.outcome, result.exitCode], ['ended', 3]);
    assert.match(result.output, /hello[^]*problem|problem[^]*hello/);
    const input = 'y'.repeat(5_000_000);
    const { exitCode, output } = await run('head -c 3000000 /dev/zero | tr "\\0" x', { input });
    assert.deepEqual([exitCode, output.length], [0, 4_000]);
  });

  it('never sees the person’s key, nor where the service is, in a test neither', async () => {
    for (const name of ['API_KEY', 'BASE_URL', 'APP_URL'].map(each => `AGENT_CONSOLE_${each}`)) {
      process.env[name] = 'secret';
      later(() => Reflect.deleteProperty(process.env, name));
    }
    for (const isTest of [false, true]) {
      const { output } = await run('env', { isTest });
      assert.match(output, /^PATH=/m);
      assert.doesNotMatch(output, /secret/);
      assert.equal(/^AGENT_CONSOLE_OUTGOING_HOOK=.+$/m.test(output), !isTest);
    }
    const onWindows = environmentOf({}, { Agent_Console_Api_Key: 'secret', Path: 'p' });
    assert.deepEqual(onWindows, { Path: 'p', AGENT_CONSOLE_OUTGOING_HOOK: '1' });
  });

  it('that cannot start says so, also where the system takes no such line or opens no more files', async () => {
    assert.equal((await run('true', { cwd: '/no/such/folder' })).outcome, 'notStarted');
    assert.equal((await run('/no/such/program')).exitCode, 127);
    await assert.rejects(run(`true ${'x'.repeat(3_000_000)}`), /E2BIG/);
    const open: number[] = [];
    assert.throws(() => {
      for (;;) open.push(fs.openSync('/dev/null', 'r'));
    });
    const ended = run('true');
    for (const file of open) fs.closeSync(file);
    assert.match(JSON.stringify(await ended), /"notStarted","output":".*EMFILE/);
  });

  it('is ended with all its children at its timeout, also where it has left them behind, and when the window closes', async () => {
    const closing = new AbortController();
    for (const [script, outcome] of [
      [
        `trap '' TERM; echo $$ >>PIDS; (trap '' TERM; sh -c 'echo $$ >>PIDS; sleep 1000'); sleep 1000`,
        'timedOut',
      ],
      ['sleep 1000 & echo $! >>PIDS; nohup sleep 1001 >/dev/null 2>&1 & echo $! >>PIDS; exit 0', 'timedOut'],
      [`trap '' TERM; sleep 1000 & echo $! >>PIDS; echo $$ >>PIDS; wait`, 'stopped'],
    ] as const) {
      const isStopped = outcome === 'stopped';
      const file = path.join(temporaryFolder(), 'pids');
      const more = isStopped ? { signal: closing.signal } : { timeoutMs: 3_000 };
      const ended = run(script.replaceAll('PIDS', file), more);
      await until(() => linesOf(file).length >= 2);
      if (isStopped) closing.abort();
      assert.equal((await ended).outcome, outcome);
      await until(() => !linesOf(file).map(Number).some(isAlive));
    }
  });
});
