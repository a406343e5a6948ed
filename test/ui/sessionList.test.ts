import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Locator } from 'playwright-core';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { again } from '../until';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { openFile, saveAs } from './fileDialog';
import { change, computersOf, seed, type Seed } from './seed';
import { signedInTo, Workbench } from './workbench';

const MINUTE = 60_000;

/** All that people do to the list of sessions, with keys where there are some. */
describe('the sessions view at work', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;
  let wanted: object;

  before(async () => {
    service = await startSampleService({ pace: 0.02 });
    folder = temporaryFolder('list');
    makeSampleWorkspace(folder);
    const [computer] = await computersOf(service);
    wanted = { computerId: computer?.id ?? '', sessionSettings: { autonomyLevel: 'high' } };
    const key = { key: 'ctrl+alt+f9', command: 'agentConsole.sessions.create', args: wanted };
    workbench = await Workbench.open({
      folder,
      // By the palette the keyboard would first go back to where it was, and take a key along.
      keybindings: [key, { key: 'ctrl+alt+f8', command: 'agentConsole.sessions.focus' }],
      contextOptions: { viewport: { width: 1280, height: 2000 } },
      env: signedInTo(service),
    });
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'atlas').waitFor();
    const titled = (title: string, minutes: number): Seed => ({
      sessionId: title.toLowerCase(),
      ageMs: minutes * MINUTE,
      session: { title },
    });
    await seed(workbench, service, [
      titled('Alpha', 1),
      titled('Beta', 2),
      titled('Gamma', 3),
      { ...titled('Delta', 4), workspace: { uri: 'file:///home/ada/billing', name: 'billing' } },
    ]);
    await row('Delta').waitFor();
  });
  after(async () => {
    await workbench.close();
    await service.close();
    removeFolder(folder);
  });

  const row = (text: string | RegExp): Locator => workbench.row('Sessions', text);
  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);
  const view = (): Locator => workbench.view('Sessions');
  const focused = (): Locator => view().locator('.monaco-list-row.focused');
  const gone = (text: string | RegExp): Promise<void> => row(text).waitFor({ state: 'detached' });
  const dialog = (text: string | RegExp): Locator =>
    workbench.page.getByRole('dialog').filter({ hasText: text });
  /** The keyboard goes to the list and, by the arrow keys, to a row. */
  const goTo = async (text: string): Promise<void> => {
    await again(
      () => press('Control+Alt+F8'),
      limit => view().locator('.monaco-list:focus').waitFor(limit),
    );
    await press('Home');
    await view().locator('.monaco-list-row.focused[data-index="0"]').waitFor();
    for (let at = 0; !((await focused().innerText()).includes(text) && at > 0);) {
      assert.ok(at < 20, `no row ${text}`);
      await press('ArrowDown');
      await view().locator(`.monaco-list-row.focused[data-index="${++at}"]`).waitFor();
    }
  };

  it('is worked with the keyboard alone: open, remove, rename, menu', async () => {
    await goTo('Alpha');
    await press('Enter');
    await workbench.tab('Alpha').waitFor();
    await workbench.webview().locator('textarea:focus').waitFor();
    await goTo('Beta');
    await press('Space');
    await workbench.tab('Beta').waitFor();
    await workbench.webview().getByRole('textbox').waitFor();

    await goTo('Gamma');
    const selected = workbench.view('Sessions').locator('.monaco-list-row.selected', { hasText: 'Beta' });
    await selected.waitFor();
    await press('Delete');
    await gone('Gamma');
    await selected.waitFor();
    await focused().filter({ hasText: 'Delta' }).waitFor();
    const removed = await workbench.notified(/Removed “Gamma”/);
    await removed.getByRole('button', { name: 'Undo' }).click();
    await row('Gamma').waitFor();
    await goTo('Gamma');

    await press('F2');
    await workbench.quickInput.getByText('The name stays on this machine').waitFor();
    await workbench.answer('Third');
    await row('Third').waitFor();
    await workbench.view('Sessions').locator('.monaco-list:focus').waitFor();
    await goTo('Third');
    await press('Shift+F10');
    const menu = workbench.page.locator('.monaco-menu').getByText('Remove session from this list');
    await menu.waitFor();
    await press('Escape');
    await menu.waitFor({ state: 'detached' });
    await goTo('Third');
    await press('F2');
    await workbench.quickInput.getByText('The name stays on this machine').waitFor();
    await workbench.answer('');
    await row('Gamma').waitFor();
    await workbench.contextMenu(row('Gamma'), 'Show session details');
    await workbench.tab('Gamma.md').waitFor();
    await workbench.page.locator('.view-line', { hasText: 'In this list because' }).waitFor();
  });

  it('counts in its title what is listed, and in the badge what waits and what is unread', async () => {
    const [waits = '', works = ''] = service.sessionIds;
    const badge = workbench.activityIcon('Agent Console').locator('.badge-content');
    const running = service.fail({
      kind: 'alter',
      match: { method: 'GET', path: new RegExp(`/sessions/${works}$`) },
      alter: body => ({ ...(body as object), status: 'running' }),
    });
    await change(workbench, service, async (index, id) => {
      for (const sessionId of [waits, works]) {
        const response = await fetch(`${service.baseUrl}/api/v0/sessions/${sessionId}`, {
          headers: { authorization: `Bearer ${service.apiKey}` },
        });
        const session = (await response.json()) as Parameters<typeof index.observe>[1];
        const title = sessionId === waits ? 'Waits for you' : 'Works on';
        await index.learn(id, { session, origin: 'created', at: Date.now() });
        await index.keep(sessionId, () => ({ name: title, readCount: 0 }));
      }
      await index.signal(id, { sessionId: waits, kind: 'waiting', at: Date.now() }, undefined);
    });
    await row(/^Waiting for input/).waitFor();
    await row(/^Running/).waitFor();
    await badge.filter({ hasText: /^1$/ }).waitFor();
    await workbench.view('Sessions').locator('.pane-header .description', { hasText: /^6 · / }).waitFor();
    running.dispose();
    await workbench.runCommand('Agent Console: Refresh');
    await gone(/^Running/);
    await badge.filter({ hasText: /^2$/ }).waitFor();
    assert.match(
      (await workbench.activityIcon('Agent Console').locator('a').getAttribute('aria-label')) ?? '',
      /1 session is waiting for you, 1 session has unread messages/,
    );
    await workbench.contextMenu(row('Waits for you'), 'Archive session on this machine');
    await gone(/^Waiting for input/);
    await badge.filter({ hasText: /^1$/ }).waitFor();
  });

  it('is grouped by computer and by workspace, and shows this workspace alone or everything', async () => {
    const [, , here = ''] = service.sessionIds;
    await workbench.openSession(here);
    await workbench.webview().locator(':focus').waitFor();
    const own = row('Odd corners');
    await own.waitFor();
    const choose = async (option: string): Promise<void> => {
      await workbench.viewAction('Sessions', 'Sessions view options');
      await workbench.pick(option);
    };
    await choose('Computer');
    await row(/^Unknown computer/).waitFor();
    await gone(/^Today/);
    await choose('Workspace');
    await row(/^billing/).waitFor();
    await row(/^Unknown workspace/).waitFor();
    await row(new RegExp(`^${path.basename(folder)}`)).waitFor();
    await choose('Only sessions of this workspace');
    await gone('Delta');
    await own.waitFor();
    await workbench
      .view('Sessions')
      .getByText(/Only sessions of this workspace are shown: /)
      .waitFor();
    await choose('All sessions');
    await row('Delta').waitFor();
    await choose('Status');
    await row(/^Today/).waitFor();
  });

  it('is exported and imported, and gives back what was removed, several at once', async () => {
    const file = path.join(folder, 'agent-sessions.json');
    await workbench.viewMenu('Sessions', 'Export the list of sessions');
    assert.equal(await saveAs(workbench, path.basename(file)), file);
    await workbench.notified(/Exported 7 sessions to agent-sessions\.json/);
    const exported = JSON.parse(fs.readFileSync(file, 'utf8')) as { sessions: { sessionId: string }[] };
    assert.equal(exported.sessions.length, 7);

    const remove = async (): Promise<void> => {
      await row('Gamma').click({ modifiers: ['ControlOrMeta'] });
      await workbench.view('Sessions').locator('.monaco-list-row.selected', { hasText: 'Gamma' }).waitFor();
      await row('Delta').click({ modifiers: ['ControlOrMeta'] });
      await workbench.view('Sessions').locator('.monaco-list-row.selected', { hasText: 'Delta' }).waitFor();
      await workbench.contextMenu(row('Delta'), 'Remove session from this list');
      await gone('Gamma');
      await gone('Delta');
    };
    await goTo('Beta');
    await press('Escape');
    await remove();
    const done = await workbench.notified(/Removed \d sessions from this list/);
    await done.getByRole('button', { name: 'Undo' }).click();
    await row('Gamma').waitFor();
    await row('Delta').waitFor();

    await remove();
    await workbench.runCommand('Agent Console: Restore removed sessions');
    const offered = workbench.quickInput.locator('.monaco-list-row');
    await offered.filter({ hasText: 'Gamma' }).click();
    await offered
      .filter({ hasText: 'Gamma' })
      .locator('[aria-checked="true"], input:checked')
      .first()
      .waitFor();
    await workbench.quickInput.getByRole('button', { name: 'OK' }).click();
    await row('Gamma').waitFor();
    assert.equal(await row('Delta').count(), 0);

    await workbench.viewMenu('Sessions', 'Import a list of sessions');
    await openFile(workbench, file);
    await workbench.notified(/Sessions imported: [1-9] added, \d already there/);
    await row('Delta').waitFor();
  });

  it('asks when a key or another program wants a session that the controls forbid', async () => {
    const posts = (): unknown[] =>
      service.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
    const question = dialog(/allow autonomy up to medium, and high is above that/);
    const before = posts().length;
    await goTo('Gamma');
    await press('Control+Alt+F9');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    assert.equal(posts().length, before, 'nothing was made');
    await goTo('Gamma');
    await press('Control+Alt+F9');
    await question.getByRole('button', { name: 'Create anyway' }).click();
    await row(/^New session/).waitFor();
    assert.deepEqual(posts().slice(before), [wanted]);
  });
});
