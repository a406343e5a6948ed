import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { SampleService } from '../fakes/sampleService';
import { storageOf } from './seed';
import { onStage } from './stage';
import { clickFor, untilTrue } from './waiting';
import type { Workbench } from './workbench';

const foreign = `\ufeff{\r\n  // mine\r\n  "model": "x",\r\n  "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] },\r\n}\r\n`;

/** From a settings file to a notification in the right window, and an answer (trust.md 35-38). */
describe('hooks', () => {
  let service: SampleService;
  let window: Workbench;
  let parent: string;
  let file: string;
  let command: string;

  /** Runs the installed command as the client does. */
  const send = async (event: object): Promise<void> => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'inherit', 'inherit'] });
    child.stdin.end(JSON.stringify(event));
    assert.deepEqual(await once(child, 'close'), [0, null]);
  };

  onStage(
    stage => {
      ({ service, parent, workbench: window } = stage);
      for (const name of ['home', 'shop/app/src']) fs.mkdirSync(path.join(parent, name), { recursive: true });
      file = path.join(parent, 'home', 'settings\u202e$(bug).json');
      fs.writeFileSync(file, foreign);
    },
    { files: {}, service: { pace: 0.1 } },
  );

  it('are installed into the file the person names, after a look at the change', async () => {
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
    const data = path.join(storageOf(window), 'hooks');
    assert.ok(found !== undefined && found.includes(`'${data}/agent-console-hook.sh'`), text);
    command = found;
  });

  it('come to the window of their folder, and to another one when that is gone and its extension host is not', async () => {
    const other = await window.openAnother(path.join(parent, 'shop/app'));
    await other.runCommand('Agent Console: Check hooks');
    await other.quickInput.getByText('This window is listening').waitFor();
    await other.page.keyboard.press('Escape');
    const finish = (name: string): Promise<void> =>
      send({ hook_event_name: 'Stop', session_id: name, cwd: path.join(parent, 'shop/app/src') });
    await finish('at home');
    await other.notified('at home');
    assert.equal(await window.notification('at home').count(), 0);
    const session = await other.page.context().newCDPSession(other.page);
    const crashed = other.page.waitForEvent('crash');
    // Nobody is there any more to answer.
    void session.send('Page.crash').catch(() => undefined);
    await crashed;
    await other.close();
    // A window hears them from its beginning.
    await window.page.reload();
    await window.openContainer('Explorer');
    await finish('homeless');
    await window.notified('homeless');
  });

  it('make a list and a count of what waits, from which its chat opens to answer', async () => {
    const message = 'May I [push](command:workbench.action.quit) $(bug)?';
    const cwd = path.join(parent, 'shop');
    await send({ hook_event_name: 'Notification', session_id: service.sessionIds[0], cwd, message });
    const waiting = window.statusItem('attention');
    await waiting.getByLabel('1 agent is waiting for you').waitFor();
    await window.activityIcon('Agent Console').locator('.badge-content', { hasText: /[1-9]/ }).waitFor();
    const notice = await window.notified('May I');
    assert.equal(await notice.locator('.notification-list-item-message a').count(), 0);
    await clickFor(waiting, window.quickInput.getByText('May I'));
    assert.equal(await window.quickInput.locator('.codicon-bug').count(), 0, 'foreign text makes no icon');
    await window.pick('May I');
    await window.front.getByRole('textbox').fill('Yes, push.');
    const sent = service.next('POST', /\/messages$/);
    await window.page.keyboard.press('Enter');
    assert.equal(((await sent).body as { text: string }).text, 'Yes, push.');
    await waiting.waitFor({ state: 'detached' });
  });
});
