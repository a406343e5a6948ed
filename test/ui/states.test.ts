import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { startSampleService, type SampleService } from '../../src/sample';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { Workbench } from './workbench';

/** What the views say when things go wrong: each state its own words and its way out, and nothing known is lost. */
describe('states of the views', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  const open = async (key: string): Promise<void> => {
    workbench = await Workbench.open({
      folder,
      // High enough for the steps of every computer.
      contextOptions: { viewport: { width: 1280, height: 2000 } },
      env: {
        AGENT_CONSOLE_BASE_URL: service.baseUrl,
        AGENT_CONSOLE_APP_URL: service.appUrl,
        AGENT_CONSOLE_API_KEY: key,
      },
    });
    await workbench.openContainer('Agent Console');
  };

  before(() => {
    folder = temporaryFolder('states');
    makeSampleWorkspace(folder);
  });
  beforeEach(async function () {
    this.timeout(120_000);
    service = await startSampleService({ pace: 0.02 });
  });
  afterEach(async function () {
    await workbench.closeAfter(this.currentTest);
    await service.close();
  });
  after(() => removeFolder(folder));

  it('lists computers with their states, also one nobody has heard of', async () => {
    await open(service.apiKey);
    await workbench.row('Computers', 'active').waitFor();
    const texts = await workbench.rows('Computers').allInnerTexts();
    for (const state of ['active', 'error', 'paused'])
      assert.ok(
        texts.some(text => text.includes(state)),
        texts.join('|'),
      );
    await workbench.welcome('Sessions').getByText('The service has no list of sessions').waitFor();
  });

  it('says why computers cannot be listed, offers to try again, and lists them then', async () => {
    const fault = service.fail({ kind: 'status', status: 503, match: { path: '/api/v0/computers' } });
    await open(service.apiKey);
    await workbench.view('Computers').getByText(/503/).waitFor();
    await workbench.row('Computers', 'Try again').waitFor();
    fault.dispose();
    await workbench.row('Computers', 'Try again').click();
    await workbench.row('Computers', 'active').waitFor();
    await workbench.view('Computers').getByText(/503/).waitFor({ state: 'detached' });
  });

  it('keeps the last list when a later reading fails, and says how old it is', async () => {
    await open(service.apiKey);
    await workbench.row('Computers', 'active').waitFor();
    const fault = service.fail({ kind: 'html', match: { path: '/api/v0/computers' } });
    await workbench.viewAction('Computers', 'Refresh computers');
    await workbench
      .view('Computers')
      .getByText(/Shown as of/)
      .waitFor();
    await workbench.row('Computers', 'active').waitFor();
    fault.dispose();
    await workbench.viewAction('Computers', 'Refresh computers');
    await workbench
      .view('Computers')
      .getByText(/Shown as of/)
      .waitFor({ state: 'detached' });
  });

  it('rests after a rejected key, with one prompt', async () => {
    await open('not-a-key-of-this-service');
    await workbench.welcome('Sessions').getByText('did not accept the key').waitFor();
    await workbench.notified(/was not accepted/);
    const before = service.requests.length;
    await workbench.runCommand('Agent Console: Refresh computers');
    await workbench.runCommand('Agent Console: Show log');
    assert.ok(service.requests.length <= before + 1, 'nothing is asked with a rejected key');
    assert.equal(await workbench.notification(/was not accepted/).count(), 1);
  });

  it('opens a session by its id, refuses one that is not there, and takes a removal back', async () => {
    await open(service.apiKey);
    const [known] = service.sessionIds;
    const ask = async (id: string): Promise<void> => {
      await workbench.runCommand('Agent Console: Open a session by its id');
      await workbench.quickInput.getByText('The id is shown in the web application').waitFor();
      await workbench.answer(id);
    };
    await ask('no-such-session');
    await workbench.notified(/404/);
    assert.equal(await workbench.rows('Sessions').count(), 0);
    await ask(known!);
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
});

describe('try with sample data', () => {
  it('needs no account, says so, and is the same after a reload', async function () {
    this.timeout(180_000);
    const folder = temporaryFolder('sample');
    makeSampleWorkspace(folder);
    const workbench = await Workbench.open({ folder, settings: { 'agentConsole.hooks.listen': 'on' } });
    try {
      await workbench.openContainer('Agent Console');
      // What a hook tells before anybody has signed in is told, and kept for later.
      const storage = 'User/globalStorage/agent-console.agent-console';
      const spool = path.join(workbench.server.userDataFolder, storage, 'hooks', 'spool');
      fs.mkdirSync(spool, { recursive: true });
      const event = path.join(spool, `${Math.floor(Date.now() / 1000)}.early`);
      const told = { hook_event_name: 'Notification', session_id: 'early', message: 'May I go on?' };
      fs.writeFileSync(event, JSON.stringify({ ...told, cwd: folder }));
      fs.renameSync(event, `${event}.json`);
      await workbench.notified('May I go on?');
      await workbench.runCommand('Notifications: Clear All Notifications');
      await workbench.welcome('Sessions').getByRole('button', { name: 'Try with sample data' }).click();
      await workbench.row('Computers', 'active').waitFor();
      await workbench.view('Sessions').locator('.pane-header', { hasText: 'sample data' }).waitFor();
      const usage = workbench.page.locator('.statusbar-item[id="agent-console.agent-console.usage"]');
      await usage.filter({ hasText: /\d/ }).waitFor();
      await workbench.row('Sessions', /early\s*waiting/).waitFor();
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
