import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { SampleService } from '../fakes/sampleService';
import { until } from '../until';
import { storageOf } from './seed';
import { onStage } from './stage';
import { clickFor, untilTrue } from './waiting';
import { crash } from './window';
import type { Workbench } from './workbench';

const foreign = `\ufeff{\r\n  // mine\r\n  "model": "x",\r\n  "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] },\r\n}\r\n`;

/** From a settings file to a notification in the right window, and back to nothing (trust.md 35-38). */
describe('hooks', () => {
  let service: SampleService;
  let parent: string;
  let file: string;
  let ran: string;
  let data: string;
  let command: string;
  const windows: Workbench[] = [];

  const folder = (...names: string[]): string => path.join(parent, ...names);
  /** Runs the installed command as the client does. */
  const send = async (event: object): Promise<void> => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'inherit', 'inherit'] });
    child.stdin.end(JSON.stringify(event));
    assert.deepEqual(await once(child, 'close'), [0, null]);
  };
  const clearNotifications = async (window: Workbench): Promise<void> => {
    await window.runCommand('Notifications: Clear All Notifications');
    await window.page.locator('.notifications-center.visible').waitFor({ state: 'detached' });
  };

  onStage(
    stage => {
      ({ service } = stage);
      windows.push(stage.workbench);
      data = path.join(storageOf(stage.workbench), 'hooks');
    },
    { files: {}, signedIn: false, service: { pace: 0.1 } },
    prepared => {
      ({ parent } = prepared);
      for (const name of ['home', 'shop/app/src', 'shop/lib'])
        fs.mkdirSync(folder(name), { recursive: true });
      file = folder('home', 'settings\u202e$(bug).json');
      ran = folder('ran.jsonl');
      fs.writeFileSync(file, foreign);
      const own = { type: 'command', command: `cat >>'${ran}'; echo >>'${ran}'`, timeout: 5 };
      const outgoing = { Notification: [{ hooks: [own] }] };
      return { settings: { 'agentConsole.hooks.outgoing': outgoing } };
    },
  );

  it('are installed into the file the person names, after a look at the change', async () => {
    const [window] = windows as [Workbench];
    await window.openContainer('Agent Console');
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
    assert.match(text, /"Notification"[^]*"SessionEnd"/);
    assert.doesNotMatch(text, /"SubagentStop"/);
    assert.equal(fs.statSync(data).mode & 0o777, 0o700);
  });

  it('come to the window of their folder, which has another beside it', async () => {
    windows.push(await windows[0]!.openAnother(folder('shop/app')));
    for (const window of windows) {
      await window.runCommand('Agent Console: Check hooks');
      await window.quickInput.getByText('This window listens').waitFor();
      await window.page.keyboard.press('Escape');
    }
    for (const cwd of ['shop/lib', 'shop/app/src'])
      await send({ hook_event_name: 'Stop', session_id: cwd, cwd: folder(cwd) });
    const [own, other] = ['shop/lib has finished', 'shop/app/src has finished'];
    for (const [window, mine, foreign] of [
      [windows[0]!, own, other],
      [windows[1]!, other, own],
    ] as const) {
      await window.notified(mine);
      assert.equal(await window.notification(mine).count(), 1);
      assert.equal(await window.notification(foreign).count(), 0);
      await clearNotifications(window);
    }
  });

  it('go to the next window when the right one is gone and its extension host is not, before anybody has signed in', async () => {
    const [window] = windows as [Workbench];
    await crash(windows.splice(1, 1)[0]!);
    // A window hears them from its beginning.
    await window.page.reload();
    await window.openContainer('Explorer');
    await send({ hook_event_name: 'Stop', session_id: 'homeless', cwd: folder('shop/app') });
    await window.notified('homeless');
  });

  it('run a command of the person’s own, and make a list of what waits, from which its chat opens to answer', async () => {
    const [window] = windows as [Workbench];
    await window.openContainer('Agent Console');
    await window.beginSignIn();
    await window.signIn(service.baseUrl, service.appUrl, service.apiKey);
    await window.row('Computers', 'active').waitFor();
    // No view and no chat shows a session from here on.
    await window.openContainer('Explorer');
    // A long list draws only some of its rows.
    await clearNotifications(window);
    const sessionId = service.sessionIds[0]!;
    const message = 'May I [push](command:workbench.action.quit) $(bug)?';
    const event = { hook_event_name: 'Notification', session_id: sessionId, cwd: folder('shop'), message };
    await send(event);
    const waiting = window.statusItem('attention');
    await waiting.getByLabel('1 agent is waiting for you').waitFor();
    const notice = await window.notified('May I');
    assert.equal(await notice.locator('.notification-list-item-message a').count(), 0);
    await until(() => fs.existsSync(ran) && fs.readFileSync(ran, 'utf8').endsWith('}\n'));
    assert.deepEqual(JSON.parse(fs.readFileSync(ran, 'utf8')), event);
    await clickFor(waiting, window.quickInput.getByText('May I'));
    assert.equal(await window.quickInput.locator('.codicon-bug').count(), 0, 'foreign text makes no icon');
    await window.pick('May I');
    await window.front.getByRole('textbox').fill('Yes, push.');
    const sent = service.next('POST', /\/messages$/);
    await window.page.keyboard.press('Enter');
    assert.equal(((await sent).body as { text: string }).text, 'Yes, push.');
    await waiting.waitFor({ state: 'detached' });
  });

  it('are taken out again, and the file is as it was, byte for byte', async () => {
    const [window] = windows as [Workbench];
    await window.runCommand('Agent Console: Remove hooks…');
    // The pointer rests where the list appears, and what VS Code tells of a row covers it.
    await window.quickInput.locator('.monaco-list-row.focused', { hasText: '(bug).json' }).waitFor();
    await window.page.keyboard.press('Enter');
    await window.page.locator('.monaco-diff-editor').waitFor();
    const question = await window.notified('Remove the hooks from');
    await question.getByRole('button', { name: 'Write change' }).click();
    await window.notified('The hooks were removed');
    assert.equal(fs.readFileSync(file, 'utf8'), foreign);
  });
});
