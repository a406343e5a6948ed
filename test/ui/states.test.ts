import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { until } from '../until';
import { FOLLOWING_HOOKS, installHooks } from './seed';
import { clickFor } from './waiting';
import { signedInTo, Workbench } from './workbench';

/** What the views say when things go wrong: each state its own words and its way out, and nothing known is lost. */
describe('states of the views', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  const computers = { path: '/api/v0/computers' };
  let unlisted: { dispose(): unknown };

  before(async () => {
    folder = temporaryFolder('states');
    makeSampleWorkspace(folder);
    service = await startSampleService({ pace: 0.02 });
    unlisted = service.fail({ kind: 'status', status: 503, match: computers });
    workbench = await Workbench.open({
      folder,
      // High enough for the steps of every computer.
      contextOptions: { viewport: { width: 1280, height: 2000 } },
      env: signedInTo(service),
    });
    await workbench.openContainer('Agent Console');
  });
  after(async () => {
    await workbench.close();
    await service.close();
    removeFolder(folder);
  });

  it('says why computers cannot be listed, offers to try again, and lists them then', async () => {
    await workbench.view('Computers').getByText(/503/).waitFor();
    await workbench.row('Computers', 'Try again').waitFor();
    unlisted.dispose();
    await clickFor(workbench.row('Computers', 'Try again'), workbench.row('Computers', 'active'));
    await workbench.view('Computers').getByText(/503/).waitFor({ state: 'detached' });
    await workbench.welcome('Sessions').getByText('Sessions you create here').waitFor();
  });

  it('lists computers with their states', async () => {
    for (const state of ['active', 'error', 'paused']) await workbench.row('Computers', state).waitFor();
  });

  it('keeps the last list when a later reading fails, and says how old it is', async () => {
    const fault = service.fail({ kind: 'html', match: computers });
    const age = workbench.view('Computers').getByText(/Shown as of/);
    await workbench.viewAction('Computers', 'Refresh');
    await age.waitFor();
    await workbench.row('Computers', 'active').waitFor();
    fault.dispose();
    await workbench.viewAction('Computers', 'Refresh');
    await age.waitFor({ state: 'detached' });
  });

  it('opens a session by its id, refuses one that is not there, and takes a removal back', async () => {
    const [known] = service.sessionIds;
    await workbench.openSession('no-such-session');
    await workbench.notified(/404/);
    assert.equal(await workbench.rows('Sessions').count(), 0);
    await workbench.openSession(known);
    await workbench.webview().getByRole('textbox').waitFor();
    const row = workbench.rows('Sessions').nth(1);
    await row.waitFor();
    // With a row selected, VS Code passes the row to the buttons of the title.
    await row.click();
    await workbench.runCommand('Agent Console: Open a session by its id');
    await workbench.quickInput.getByText('The id is shown in the web application').waitFor();
    await workbench.page.keyboard.press('Escape');
    const title = await row.locator('.label-name').innerText();
    await workbench.contextMenu(row, 'Remove session from this list');
    const removed = await workbench.notified(/stays with the service/);
    await removed.getByRole('button', { name: 'Undo' }).click();
    await workbench.row('Sessions', title).waitFor();
  });

  it('rests after a rejected key, with one prompt', async () => {
    service.fail({ kind: 'status', status: 401 });
    await workbench.runCommand('Agent Console: Refresh');
    await workbench.notified(/was not accepted/);
    // What was on its way when the key was rejected may still arrive; then one request looks whether it is accepted again.
    await until(async () => {
      const before = service.requests.length;
      await workbench.runCommand('Agent Console: Refresh');
      await workbench.runCommand('Agent Console: Show log');
      return service.requests.length <= before + 1;
    });
    await workbench.notified(/was not accepted/);
    assert.equal(await workbench.notification(/was not accepted/).count(), 1);
  });
});

describe('try with sample data', () => {
  it('leads from nothing to an answer that streams in, by two clicks and no typing, and is the same after a reload', async () => {
    const folder = temporaryFolder('sample');
    makeSampleWorkspace(folder);
    const workbench = await Workbench.open({ folder, settings: FOLLOWING_HOOKS });
    try {
      await workbench.openContainer('Agent Console');
      await installHooks(workbench);
      // What a hook tells before anybody has signed in is told all the same.
      const storage = 'User/globalStorage/agent-console.agent-console';
      const spool = path.join(workbench.server.userDataFolder, storage, 'hooks', 'spool');
      fs.mkdirSync(spool, { recursive: true });
      const event = path.join(spool, `${Math.floor(Date.now() / 1000)}.early`);
      const told = { hook_event_name: 'Notification', session_id: 'early', message: 'May I go on?' };
      fs.writeFileSync(event, JSON.stringify({ ...told, cwd: folder }));
      fs.renameSync(event, `${event}.json`);
      await workbench.notified('May I go on?');
      await workbench.runCommand('Notifications: Clear All Notifications');
      const listed = (name: RegExp) => workbench.view('Sessions').getByRole('treeitem', { name });
      await clickFor(
        workbench.welcome('Sessions').getByRole('button', { name: 'Try with sample data' }),
        listed(/^Session /).nth(6),
      );
      for (const state of [/waiting/, /running/, /finished.*unread/, /ended \(error\)/, /pinned/])
        await listed(state).first().waitFor();
      const articles = workbench.webview().getByRole('article');
      // What the agent has said so far is there.
      const said = articles.last().and(workbench.webview().locator('[aria-label^="Agent"]'));
      await clickFor(listed(/^Session Cover the checkout/), said);
      // Nothing is done: what comes now comes by itself.
      const known = await said.innerText();
      await until(async () => (await articles.last().innerText()) !== known);
      await workbench.row('Computers', 'active').waitFor();
      await workbench.view('Sessions').locator('.pane-header', { hasText: 'sample data' }).waitFor();
      const usage = workbench.page.locator('.statusbar-item[id="agent-console.agent-console.usage"]');
      await usage.filter({ hasText: /\d/ }).waitFor();
      // After a reload nothing of ours need be open for it.
      await workbench.openContainer('Explorer');
      const loaded = workbench.page.waitForEvent('load');
      await workbench.runCommand('Developer: Reload Window');
      await loaded;
      await workbench.activityIcon('Agent Console').waitFor();
      await usage.filter({ hasText: /\d/ }).waitFor();
      await workbench.page.locator('.sidebar .composite.title', { hasText: 'Explorer' }).waitFor();
      assert.equal(await workbench.view('Sessions').count(), 0);
      await workbench.openContainer('Agent Console');
      await workbench.row('Computers', 'active').waitFor();
    } finally {
      await workbench.close();
      removeFolder(folder);
    }
  });
});
