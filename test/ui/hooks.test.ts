import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { until } from '../until';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { clickFor, untilTrue } from './waiting';
import { crash } from './windowState';
import { signedInTo, Workbench } from './workbench';

const foreign = `\ufeff{\r\n  // mine\r\n  "model": "x",\r\n  "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] },\r\n}\r\n`;

/** From a settings file to a notification in the right window, and back to nothing (trust.md 35-38). */
describe('hooks', () => {
  let service: SampleService;
  let parent: string;
  let file: string;
  let ran: string;
  let pids: string;
  let data: string;
  let command: string;
  const windows: Workbench[] = [];

  const folder = (...names: string[]): string => path.join(parent, ...names);
  const files = (name: string): string[] => {
    const at = path.join(data, name);
    return fs.existsSync(at) ? fs.readdirSync(at).filter(entry => entry.endsWith('.json')) : [];
  };
  /** Runs the installed command as the client does. */
  const send = async (event: object): Promise<void> => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'inherit', 'inherit'] });
    child.stdin.end(JSON.stringify(event));
    assert.deepEqual(await once(child, 'close'), [0, null]);
  };
  const cwds = (): string[] => [folder('shop/lib'), folder('shop/app/src'), folder('other')];
  const read = (name: string): string => (fs.existsSync(name) ? fs.readFileSync(name, 'utf8') : '');
  const clearNotifications = async (window: Workbench): Promise<void> => {
    await window.runCommand('Notifications: Clear All Notifications');
    await window.page.locator('.notifications-center.visible').waitFor({ state: 'detached' });
  };

  before(async () => {
    service = await startSampleService({ pace: 0.1 });
    parent = temporaryFolder('hooks');
    for (const name of ['home', 'shop/app/src', 'shop/lib', 'other'])
      fs.mkdirSync(folder(name), { recursive: true });
    file = folder('home', 'settings\u202e$(bug).json');
    ran = folder('ran.jsonl');
    pids = folder('pids');
    const left = `sleep 1000 & echo $! >>'${pids}'; (sleep 1000 & echo $! >>'${pids}')`;
    fs.writeFileSync(file, foreign);
    windows[0] = await Workbench.open({
      folder: folder('shop'),
      env: signedInTo(service),
      settings: {
        'agentConsole.hooks.outgoing': {
          SubagentStop: [{ type: 'command', command: 'true' }],
          ...hooksOf({
            Notification: `cat >>'${ran}'; echo >>'${ran}'`,
            Stop: `printf '%s\\n' "$(cat)" >>'${folder('stopped')}'; exit 3`,
            SessionEnd: `cat >'${folder('ended')}'; ${left}; echo $$ >>'${pids}'; echo waits; sleep 1000`,
          }),
        },
        'agentConsole.notifications.about': ['waiting', 'finished', 'ended', 'subagentFinished'],
      },
    });
    data = path.join(
      windows[0].server.userDataFolder,
      'User/globalStorage/agent-console.agent-console/hooks',
    );
  });
  after(async () => {
    for (const window of windows.reverse()) await window.close();
    await service.close();
    removeFolder(parent);
  });

  it('are installed into the file the person names, after a look at the change', async () => {
    const [window] = windows as [Workbench];
    await window.openContainer('Agent Console');
    await window.row('Computers', 'active').waitFor();
    await window.runCommand('Agent Console: Install hooks…');
    await window.quickInput.getByText('Path of the settings file').waitFor();
    await window.answer(file);
    await window.quickInput.getByText('The agent is waiting for you.').waitFor();
    await window.page.keyboard.press('Enter');
    const proposed = window.page.locator('.monaco-diff-editor .editor.modified');
    await proposed.getByText('agent-console-hook.sh').first().waitFor();
    // What is agreed to is seen to its end.
    await untilTrue(
      window.page,
      `(([editor, ...texts]) => {
        const right = element => element.getBoundingClientRect().right;
        return texts.length > 0 && texts.every(text => right(text) <= right(editor));
      })([...document.querySelectorAll('.monaco-diff-editor .editor.modified, .editor.modified .view-line > span')])`,
    );
    assert.equal(fs.readFileSync(file, 'utf8'), foreign);
    const question = await window.notified('Install the hooks in');
    assert.doesNotMatch((await question.textContent()) ?? '', /\u202e/, 'the name of a file is foreign text');
    await question.getByRole('button', { name: 'Write change' }).click();
    await window.notified('The hooks are installed in');
    const text = fs.readFileSync(file, 'utf8');
    const found = /"command": ?"(sh (?:[^"\\]|\\.)*)"/.exec(text)?.[1];
    assert.ok(found !== undefined && found.includes(`'${data}/agent-console-hook.sh'`), text);
    command = found;
    assert.deepEqual(
      ['Notification', 'SubagentStop', 'SessionEnd'].map(name => text.includes(`"${name}"`)),
      [true, false, true],
    );
    assert.equal(fs.statSync(data).mode & 0o777, 0o700);
  });

  it('are examined, and tried through the real command', async () => {
    const [window] = windows as [Workbench];
    await window.runCommand('Agent Console: Check hooks');
    await window.quickInput.getByText('Hook present for Stop, Notification, SessionEnd').waitFor();
    await window.quickInput.getByText('This window listens').waitFor();
    await window.quickInput.getByText('Some of your own commands cannot be used: SubagentStop[0]').waitFor();
    await window.pick('Send a test event');
    await window.notified(/The test event arrived after \d+ ms/);
    await clearNotifications(window);
  });

  it('come to the window of their folder, which has others beside it', async () => {
    windows.push(
      await windows[0]!.openAnother(folder('shop/app')),
      await windows[0]!.openAnother(folder('other')),
    );
    for (const window of windows) {
      await window.runCommand('Agent Console: Check hooks');
      await window.quickInput.getByText('This window listens').waitFor();
      await window.page.keyboard.press('Escape');
    }
    for (const [index, cwd] of cwds().entries())
      await send({ hook_event_name: 'Stop', session_id: `session-${index}`, cwd });
    for (const [index, window] of windows.entries()) await window.notified(`session-${index} has finished`);
    for (const [index, window] of windows.entries()) {
      for (const other of [0, 1, 2])
        assert.equal(
          await window.notification(`session-${other} has finished`).count(),
          other === index ? 1 : 0,
        );
      await clearNotifications(window);
    }
  });

  it('keep what is old to the history, and quiet', async () => {
    const [, , window] = windows as [Workbench, Workbench, Workbench];
    const name = `${Math.floor(Date.now() / 1000) - 700}.old.json`;
    const event = {
      hook_event_name: 'Notification',
      session_id: 'session-old',
      cwd: folder('other'),
      message: 'Too late',
    };
    const temp = path.join(data, 'spool', name.slice(0, -5));
    fs.writeFileSync(temp, JSON.stringify(event));
    fs.utimesSync(temp, Date.now() / 1000 - 700, Date.now() / 1000 - 700);
    fs.renameSync(temp, path.join(data, 'spool', name));
    await until(() => !files('spool').includes(name));
    // What comes after it shows that it would have been told by now.
    await send({ hook_event_name: 'Stop', session_id: 'session-later', cwd: folder('other') });
    await window.notified('session-later has finished');
    assert.equal(await window.notification('Too late').count(), 0);
    assert.equal(fs.existsSync(ran), false, 'nor does it run a hook');
  });

  it('make a list of what waits, from which its chat opens to answer', async () => {
    const [window] = windows as [Workbench];
    // No view and no chat shows a session from here on.
    await window.openContainer('Explorer');
    // A long list draws only some of its rows.
    await clearNotifications(window);
    const sessionId = service.sessionIds[0]!;
    const message = 'May I [push](command:workbench.action.quit) $(bug)?';
    await send({ hook_event_name: 'Notification', session_id: sessionId, cwd: folder('shop'), message });
    const waiting = window.page.locator('.statusbar-item[id$="agentConsole.attention"]');
    await waiting.getByLabel('2 agents are waiting for you').waitFor();
    const notice = await window.notified('May I');
    assert.equal(await notice.locator('.notification-list-item-message a').count(), 0);
    await until(() => fs.existsSync(ran) && fs.readFileSync(ran, 'utf8').endsWith('}\n'));
    assert.deepEqual(JSON.parse(fs.readFileSync(ran, 'utf8')), {
      hook_event_name: 'Notification',
      session_id: sessionId,
      cwd: folder('shop'),
      message,
    });
    await clickFor(waiting, window.quickInput.getByText('Too late'));
    assert.equal(await window.quickInput.locator('.codicon-bug').count(), 0, 'foreign text makes no icon');
    await window.pick('May I');
    await window.webview().getByRole('textbox').fill('Yes, push.');
    const sent = service.next('POST', /\/messages$/);
    await window.page.keyboard.press('Enter');
    assert.equal(((await sent).body as { text: string }).text, 'Yes, push.');
    await waiting.getByLabel('1 agent is waiting for you').waitFor();
  });

  it('run the person’s own commands, whose status is known and whose children end with them', async () => {
    const [window, , other] = windows as [Workbench, Workbench, Workbench];
    const [stopped, ended] = [folder('stopped'), folder('ended')];
    // The answer before has set the agent to work, which has come to an end by now or does so soon.
    const sessionId = service.sessionIds[0]!;
    // The service is asked about sessions that are shown.
    await window.openContainer('Agent Console');
    const lines = (): string[] => read(stopped).split('\n').slice(0, -1);
    await until(() => lines().length >= 5);
    const stops = lines().map(line => JSON.parse(line) as { session_id: string });
    assert.deepEqual(
      stops.find(({ session_id }) => session_id === sessionId),
      { hook_event_name: 'Stop', session_id: sessionId, cwd: folder('shop') },
    );
    // The hook of the client has told of the others.
    assert.deepEqual(
      stops.map(({ session_id }) => session_id).sort(),
      ['session-0', 'session-1', 'session-2', 'session-later', sessionId].sort(),
    );
    await until(() => /Hook for Stop: status 3 after \d+ ms/.test(window.server.logs()));
    const event = {
      hook_event_name: 'SessionEnd',
      session_id: 'ends',
      cwd: folder('other'),
      reason: 'error',
    };
    await send(event);
    await other.page.getByText('Your hook for SessionEnd timed out').first().waitFor();
    assert.deepEqual(JSON.parse(read(ended)), event);
    const started = read(pids).trim().split('\n').map(Number);
    assert.equal(started.length, 3);
    await until(() => !started.some(isAlive));
    await until(() =>
      /Hook for SessionEnd: timedOut after \d{4,} ms; output: waits/.test(window.server.logs()),
    );
  });

  it('go to the next window when the right one is gone and its extension host is not', async () => {
    const [window] = windows as [Workbench];
    const [gone] = windows.splice(1, 1);
    await crash(gone!);
    await send({ hook_event_name: 'Stop', session_id: 'homeless', cwd: folder('shop/app') });
    await window.notified('homeless');
  });

  it('are taken out again, and the file is as it was, byte for byte', async () => {
    const [window] = windows as [Workbench];
    await window.runCommand('Agent Console: Check hooks');
    await window.quickInput.getByText('This window listens').waitFor();
    // Further down than the list shows at first.
    await window.page.keyboard.type('Remove hooks');
    await window.pick('Remove hooks…');
    // The list before it names the file, too.
    await window.quickInput.getByPlaceholder('Remove the hooks from which file?').waitFor();
    // The pointer rests where the list appears, and what VS Code tells of a row covers it.
    await window.quickInput.locator('.monaco-list-row.focused', { hasText: '(bug).json' }).waitFor();
    await window.page.keyboard.press('Enter');
    await window.page.locator('.monaco-diff-editor').waitFor();
    const question = await window.notified('Remove the hooks from');
    await question.getByRole('button', { name: 'Write change' }).click();
    await window.notified('The hooks were removed');
    assert.equal(fs.readFileSync(file, 'utf8'), foreign);
    await window.runCommand('Agent Console: Check hooks');
    await window.quickInput.getByText('No hooks have been installed from here').waitFor();
    await window.page.keyboard.press('Escape');
  });
});

/** Hooks in the shape of section 6, one for each event. */
function hooksOf(commands: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [
      name,
      [{ hooks: [{ type: 'command', command, timeout: 5 }] }],
    ]),
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that has ended but that nobody has asked about is not alive.
    return !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
